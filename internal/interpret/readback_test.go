package interpret_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
	"watchpost/watchpost"
)

// marked writes parts as [slot:text], and as [-:text] if they are not used.
func marked(parts []interpret.Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Unused:
			b.WriteString("[-:" + p.Text + "]")
		case p.Slot != "":
			b.WriteString("[" + p.Slot + ":" + p.Text + "]")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// sentences are prompts in several languages.
var sentences = slices.Sorted(maps.Keys(readBack))

// readBack has the parts of sentences.
var readBack = map[string]string{
	"Posts about Kubernetes security in Germany, not job ads, twice a day":                                                                                                    "Posts about [subject:Kubernetes] [required:security] in [location:Germany], not [exclusions:job ads], [frequency:twice a day]",
	"People complaining about Salesforce pricing or looking for a CRM alternative these days, in the UK and Ireland, directors and up, no consultants selling their services": "People [required:complaining about] [subject:Salesforce] [required:pricing] or [required:looking for a] [subject:CRM] [required:alternative] [-:these days], in the [location:UK] and [location:Ireland], [objective:directors] and up, no [exclusions:consultants selling] their [exclusions:services]",
	"Beiträge über Wärmepumpen in Bayern, keine Stellenanzeigen, einmal am Tag bitte":                                                                                         "Beiträge über [subject:Wärmepumpen] in [location:Bayern], keine [exclusions:Stellenanzeigen], [frequency:einmal am Tag] bitte",
	"Publications sur la cybersécurité en France, sans offres d'emploi ni webinaires":                                                                                         "Publications sur la [subject:cybersécurité] en [location:France], sans [exclusions:offres d'emploi] ni [exclusions:webinaires]",
	"Publicaciones sobre energía solar en Chile, sin ofertas de empleo, cada semana":                                                                                          "Publicaciones sobre [subject:energía solar] en [location:Chile], sin [exclusions:ofertas de empleo], [frequency:cada semana]",
	"Post sulla sicurezza informatica in Italia, senza offerte di lavoro":                                                                                                     "Post sulla [subject:sicurezza informatica] in [location:Italia], senza [exclusions:offerte di lavoro]",
	"منشورات عن الطاقة الشمسية في السعودية بدون إعلانات الوظائف":                                                                                                              "منشورات عن [subject:الطاقة الشمسية] في [location:السعودية] بدون [exclusions:إعلانات الوظائف]",
	"1. vertical farming\n2. cultivated meat and/or mycoprotein\nOnly in Spain":                                                                                               "1. [subject:vertical farming]\n2. [subject:cultivated meat] and/or [subject:mycoprotein]\nOnly in [location:Spain]",
}

// TestParts: the parts say which words were used, in which slot, and which were not.
func TestParts(t *testing.T) {
	t.Parallel()
	for prompt, want := range readBack {
		parts := interpret.Parts(interpret.Prompt{Text: prompt}, rules(t, prompt))
		require.Equal(t, want, marked(parts))
	}
}

// TestPartsOfChangedResult: a word that was taken out is not used any more.
func TestPartsOfChangedResult(t *testing.T) {
	t.Parallel()
	prompt := interpret.Prompt{Text: "Posts about Kubernetes security in Germany, not job ads, twice a day"}
	r := interpret.Result{Interpreter: interpret.ByRules, Keywords: []watchpost.KeywordEntry{{Keyword: "Kubernetes"}}, Hours: 24}
	require.Equal(t, "Posts about [subject:Kubernetes] [-:security] in [-:Germany], not [-:job ads], [-:twice a day]", marked(interpret.Parts(prompt, r)))
	r.Interpreter = "a model"
	require.Equal(t, "Posts about [subject:Kubernetes] security in Germany, not job ads, twice a day", marked(interpret.Parts(prompt, r)), "a model may have used the words by their meaning")
	unknown := interpret.Prompt{Text: "Wpisy o technologii Kubernetes w polskich firmach produkcyjnych"}
	r.Interpreter = interpret.ByRules
	require.NotContains(t, marked(interpret.Parts(unknown, r)), "[-:", "a language without word classes")
}

// TestPartsAreThePrompt: the parts of any prompt are the prompt as it is read.
func TestPartsAreThePrompt(t *testing.T) {
	t.Parallel()
	odd := []string{
		"", "e.g. Jira vs. Linear w/o ads, i.e. nothing", "a\x00b\xff Kubernetes\r\n- one\r\n- two (3) three", "“Quoted words” and «autres» 「言葉」 Baldur's Gate", "وكالات والطاقة",
		"(AI OR ML) AND l'énergie d'été NOT [1] <b>x</b>", strings.Repeat("word, ", 1000),
	}
	for _, a := range readAsked(t) {
		odd = append(odd, a.prompt)
	}
	for _, prompt := range odd {
		r, _ := interpret.Rules{}.Interpret(t.Context(), interpret.Prompt{Text: prompt})
		var b strings.Builder
		for _, p := range interpret.Parts(interpret.Prompt{Text: prompt}, r) {
			require.NotEmpty(t, p.Text)
			require.False(t, p.Unused && p.Slot != "")
			b.WriteString(p.Text)
		}
		clean := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && r != '\n' {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(prompt, " "))
		require.Equal(t, string([]rune(clean)[:min(len([]rune(clean)), interpret.MaxPrompt)]), b.String())
	}
}

func TestAdded(t *testing.T) {
	t.Parallel()
	entries := []watchpost.KeywordEntry{{Keyword: "heat pump", Required: []string{"UK", "British"}, Excluded: []string{"job ads", "hiring"}}}
	require.Equal(t, []string{"British", "hiring"}, interpret.Added("Heat pumps in the UK, no job ad", entries))
}
