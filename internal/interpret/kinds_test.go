package interpret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"watchpost/internal/interpret"
)

// kindPrompts are sentences with the kinds of post that they ask for, in each language that
// the rules read, and the words that say so.
var kindPrompts = []struct{ prompt, kinds, words string }{
	{"Videos about carbon capture in steel plants", "video", "Videos"},
	{"Show me polls about return to office", "poll", "polls"},
	{"I'm looking for articles on water rights in Nevada", "article", "articles"},
	{"Image posts about passive houses in Austria", "image", "Image"},
	{"Posts with images about urban gardens in Leeds", "image", "with images"},
	{"Posts with pictures of wind turbines, not memes", "image", "with pictures"},
	{"Posts that contain a video about offshore wind", "video", "that contain a video"},
	{"Polls and videos about electric trucks", "poll video", "Polls|videos"},
	{"Text-only posts about burnout of nurses", "text", "Text-only"},
	{"Videos by founders about fundraising", "video", "Videos"},
	{"German videos about heat pumps", "video", "videos"},
	{"Videos in English about heat pumps", "video", "Videos"},
	{"Posts about heat pumps in Germany, only polls", "poll", "only polls"},
	{"Umfragen zu Homeoffice in Behörden", "poll", "Umfragen"},
	{"Zeig mir Videos über Wärmepumpen", "video", "Videos"},
	{"Beiträge mit Bildern über Holzbau", "image", "mit Bildern"},
	{"Artikel über Cybersicherheit in Krankenhäusern", "article", "Artikel"},
	{"Montre-moi des sondages sur le télétravail", "poll", "sondages"},
	{"Publications avec des images sur les pompes à chaleur", "image", "avec des images"},
	{"Vidéos sur la fusion nucléaire en France", "video", "Vidéos"},
	{"Encuestas sobre el teletrabajo en hospitales", "poll", "Encuestas"},
	{"Publicaciones con imágenes sobre energía solar", "image", "con imágenes"},
	{"Vídeos sobre energia eólica no Brasil", "video", "Vídeos"},
	{"Enquetes sobre trabalho remoto nas empresas", "poll", "Enquetes"},
	{"Sondaggi su lavoro da remoto nelle scuole", "poll", "Sondaggi"},
	{"Post con immagini su architettura in legno", "image", "con immagini"},
	{"सौर ऊर्जा के बारे में वीडियो दिखाओ", "video", "वीडियो"},
	{"तस्वीरों वाली पोस्ट सौर ऊर्जा के बारे में", "image", "तस्वीरों वाली"},
	{"استطلاعات حول العمل عن بعد في المستشفيات", "poll", "استطلاعات"},
	{"منشورات مع صور عن الطاقة الشمسية", "image", "مع صور"},

	{"Video editors complaining about export times", "", ""},
	{"Posts about video editors and their tools", "", ""},
	{"Posts about videos of robots in warehouses", "", ""},
	{"Image recognition in hospitals", "", ""},
	{"Exit polls about the election in Poland", "", ""},
	{"US election polls and their mistakes", "", ""},
	{"Poll workers in Georgia who are threatened", "", ""},
	{"Posts and articles about water rights in Nevada", "", ""},
	{"Articles and posts about water rights in Nevada", "", ""},
	{"Posts about climate policy without videos", "", ""},
	{"No videos about climate policy, posts on carbon tax", "", ""},
	{"Photo booths and video walls for trade fairs", "", ""},
	{"Only video games about farming", "", ""},
	{"Complaints about videos that buffer on Vimeo", "", ""},
	{"Videoschnitt in Premiere, Probleme mit Export", "", ""},
	{"Bildverarbeitung in Krankenhäusern", "", ""},
	{"Montage vidéo et ses problèmes avec Premiere", "", ""},
	{"Editores de video que se quejan de Premiere", "", ""},
	{"Post production houses in London", "", ""},
}

// TestKinds: a sentence asks for kinds of post where a request stands. The words that say so
// are no part of the subject, and count as used.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range kindPrompts {
		assert.Equal(t, c.kinds, strings.Join(interpret.Kinds(c.prompt), " "), c.prompt)
		if c.kinds == "" || len(strings.Fields(c.prompt)) < 6 { // a sentence has six words
			continue
		}
		r := rules(t, c.prompt)
		assert.Equal(t, strings.Fields(c.kinds), r.Kinds, c.prompt)
		var said []string
		for _, p := range interpret.Parts(interpret.Prompt{Text: c.prompt}, r) {
			if p.Slot == interpret.SlotKind {
				said = append(said, p.Text)
			}
		}
		last := func(s string) string { return s[strings.LastIndex(s, " ")+1:] }
		for i, words := range strings.Split(c.words, "|") {
			if assert.Less(t, i, len(said), c.prompt) {
				assert.Contains(t, words, said[i], c.prompt)
			}
		}
		for _, k := range r.Keywords {
			for _, words := range strings.Split(c.words, "|") {
				assert.NotContains(t, strings.ToLower(strings.Join(append(k.Required, k.Keyword), " ")), strings.ToLower(last(words)), c.prompt)
			}
		}
		r.Kinds = nil
		for _, p := range interpret.Parts(interpret.Prompt{Text: c.prompt}, r) {
			assert.NotEqual(t, interpret.SlotKind, p.Slot, "a kind that the result has not: %s", c.prompt)
		}
	}
}

// TestUpwards: the words by which a sentence asks for a level and those above it.
func TestUpwards(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Posts by directors and up about supply chain software": "directors and up",
		"Managers or higher who complain about Jira":            "Managers or higher",
		"Beiträge von Direktoren und höher über Lieferketten":   "Direktoren und höher",
		"Posts by directors about supply chain software":        "",
		"Ups and downs of directors":                            "",
	} {
		words, levels := interpret.Upwards(prompt)
		assert.Equal(t, want, words, prompt)
		assert.Equal(t, want != "", len(levels) > 1, prompt)
	}
}
