package httpapi_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/http/dashboard/words"
)

var (
	htmlLanguage = regexp.MustCompile(`<html lang="([a-z]+)"`)
	notWords     = regexp.MustCompile(`(?s)<svg.*?</svg>|<[^>]*>`)
)

// requireGerman checks that a page has no text of the catalogue in English.
func requireGerman(t *testing.T, page, path string) {
	t.Helper()
	shown := notWords.ReplaceAllString(page, "\n")
	for _, id := range words.English().IDs() {
		english := words.English().Text(id)
		if strings.Contains(english, " ") && len(english) > 12 && !strings.ContainsAny(english, "{<") && english != words.Of("de").Text(id) {
			assert.NotContains(t, shown, english, "%s has %s", path, id)
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
	for _, path := range []string{
		"/app", "/app?search_term=nothing", "/app?tab=done", "/app/people", "/app/people/profile/jane-doe", "/app/trends", "/app/rules", "/app/rules/new", "/app/rules/new?action=comment",
		"/app/watchlists", "/app/watchlists/new", "/app/watchlists/new?kind=keyword", "/app/watchlists/new?kind=people", "/app/tasks", "/app/journal", "/app/notifications",
		"/app/notifications/new", "/app/notifications/new?kind=telegram", "/app/team", "/app/keys", "/app/settings", "/app/try", "/app/pair", "/app/no-such-page", "/app/sign-in?again=key", "/app/sign-in/link",
	} {
		page := b.do("GET", path, "", german...)
		require.Equal(t, "de", htmlLanguage.FindStringSubmatch(page.raw)[1], path)
		requireGerman(t, page.raw, path)
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
	require.Contains(t, b.do("GET", "/app", "", "Accept-Language", "fr").raw, `<html lang="en"`)

	// The choice wins, also on the pages without a member.
	settings := b.do("GET", "/app/settings", "", german...).raw
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
