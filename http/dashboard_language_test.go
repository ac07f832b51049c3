package httpapi_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/internal/words"
)

var (
	htmlLanguage = regexp.MustCompile(`<html lang="([a-zA-Z-]+)"(?: dir="([a-z]+)")?`)
	notWords     = regexp.MustCompile(`(?s)<svg.*?</svg>|<[^>]*>`)
)

// notIn returns the texts of the catalogue that a page in a language does not have: those
// of English, unless the language has the same words.
func notIn(l *words.Language) map[string]string {
	foreign := map[string]string{}
	for _, id := range words.English().IDs() {
		english := words.English().Text(id)
		if strings.Contains(english, " ") && len(english) > 12 && !strings.ContainsAny(english, "{<") && english != l.Text(id) {
			foreign[id] = english
		}
	}
	return foreign
}

// requireLanguage checks that a page says its language, and has no text of another one.
func requireLanguage(t *testing.T, l *words.Language, foreign map[string]string, page, path string) {
	t.Helper()
	said := htmlLanguage.FindStringSubmatch(page)
	require.NotNil(t, said, path)
	require.Equal(t, l.Code, said[1], path)
	require.Equal(t, l.Dir == "rtl", said[2] == "rtl", "%s in %s: the direction", path, l.Code)
	shown := notWords.ReplaceAllString(page, "\n")
	for id, text := range foreign {
		if strings.Contains(shown, text) {
			assert.Fail(t, "a text in English", "%s in %s has %s", path, l.Code, id)
		}
	}
}

// TestDashboardLanguage: pages and their parts are in the language of the browser, or in
// the one that a member has chosen.
func TestDashboardLanguage(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "growth")
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry one"), sample(2, "We love telemetry, it is great and wonderful."))
	b := h.browser()
	b.signIn(m.email)
	german := []string{"Accept-Language", "de-AT,en;q=0.5"}
	paths := []string{
		"/app", "/app?search_term=nothing", "/app?tab=done", "/app/people", "/app/people/profile/jane-doe", "/app/trends", "/app/rules", "/app/rules/new", "/app/rules/new?action=comment",
		"/app/watchlists", "/app/watchlists/new", "/app/watchlists/new?kind=keyword", "/app/watchlists/new?kind=people", "/app/tasks", "/app/journal", "/app/notifications",
		"/app/notifications/new", "/app/notifications/new?kind=telegram", "/app/team", "/app/keys", "/app/settings", "/app/try", "/app/pair", "/app/no-such-page", "/app/sign-in?again=key", "/app/sign-in/link",
	}
	for _, l := range words.All() {
		foreign := notIn(l)
		for _, path := range paths {
			page := b.do("GET", path, "", "Accept-Language", l.Code)
			want := 200
			if path == "/app/no-such-page" {
				want = 404
			}
			require.Equal(t, want, page.status, "%s in %s", path, l.Code)
			requireLanguage(t, l, foreign, page.raw, path)
		}
	}
	for accepted, want := range map[string]string{"de-AT,en;q=0.5": "de", "pt": "pt-BR", "pt-PT": "pt-BR", "fr-CA": "fr", "zh": "en", "zh-CN,zh;q=0.9,ja;q=0.8": "ja", "ar-EG": "ar"} {
		page := b.do("GET", "/app/settings", "", "Accept-Language", accepted)
		requireLanguage(t, words.Of(want), nil, page.raw, accepted)
	}

	feed := b.do("GET", "/app", "", german...).raw
	require.Contains(t, feed, "Relevanz <b>7,2</b>")
	require.Contains(t, feed, "„telemetry“ in <a")
	require.Contains(t, feed, "von 1.250 Zeichen")
	require.Regexp(t, `title="\d+\. \p{L}+ \d{4}, \d\d:\d\d UTC"`, feed)
	require.Contains(t, b.do("GET", "/app/team", "", append(german, "HX-Request", "true")...).raw, "Konten im Netzwerk", "a part of a page")
	require.Contains(t, b.do("GET", "/app/nav?page=feed", "", german...).raw, "Meldungen")
	require.Contains(t, b.do("GET", "/app/acting", "", german...).raw, "Likes heute übrig")
	refused := b.do("POST", "/app/posts/x/comment", url.Values{"token": {b.token()}}.Encode(), append(german, "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "HX-Request", "true")...)
	require.Contains(t, refused.raw, "Ein Kommentar hat 1 bis 1250 Zeichen.", "an error of the service")
	require.Contains(t, b.do("GET", "/app", "", "Accept-Language", "zh").raw, `<html lang="en"`)

	// The choice wins, also on the pages without a member.
	settings := b.do("GET", "/app/settings", "", german...).raw
	for _, l := range words.All() {
		require.Regexp(t, `<option value="`+l.Code+`" lang="`+l.Code+`"( selected)?>`+regexp.QuoteMeta(l.Name)+`</option>`, settings)
	}
	require.Contains(t, settings, `<option value="de" lang="de" selected>Deutsch</option>`)
	chosen := b.send("/app/language", url.Values{"language": {"en"}, "back": {"/app/settings"}})
	require.Equal(t, 303, chosen.status)
	require.Equal(t, "/app/settings", chosen.header.Get("Location"))
	require.Contains(t, b.do("GET", "/app/settings", "", german...).raw, `<html lang="en"`)
	b.send("/app/language", url.Values{"language": {"de"}})
	require.Contains(t, b.do("GET", "/app/settings", "").raw, `<html lang="de"`)
	require.Contains(t, b.do("GET", "/app/sign-in?again=key", "").raw, `<html lang="de"`)
	require.Contains(t, b.do("GET", "/app/people", "", "HX-Request", "true").raw, "Letzter Beitrag")
	require.Equal(t, 400, b.send("/app/language", url.Values{"language": {"../en"}}).status)
	b.send("/app/language", url.Values{"language": {""}})
	require.Contains(t, b.do("GET", "/app", "").raw, `<html lang="en"`, "no choice any more")
}
