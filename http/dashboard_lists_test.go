package httpapi_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestScanBudget: the page of watchlists and the form say how many scans the watchlists
// need, how many the accounts have, and how often each is looked at then.
func TestScanBudget(t *testing.T) {
	t.Parallel()
	h, clock := buildAt(t)
	m := h.team("Budgets", "ultimate")
	b := h.browser()
	b.signIn(m.email)
	page := func() string { return b.do("GET", "/app/watchlists", "").raw }
	preview := func(form url.Values) string {
		form.Set("token", b.token())
		return b.send("/app/watchlists/preview?part=budget", form).raw
	}
	require.NotContains(t, page(), "scans a day")
	require.Contains(t, preview(url.Values{"kind": {"keyword"}, "keyword": {"grid", "wind"}, "every": {"6"}}),
		"<b>8 scans a day.</b> No account was active in the last two days, so nothing is scanned.")

	m.join()
	require.Contains(t, preview(url.Values{"kind": {"keyword"}, "keyword": {"grid", "wind"}, "every": {"6"}}),
		"<b>8 scans a day.</b> With it, your watchlists of keywords need 8 of the 30 scans a day that your accounts have.")
	require.Contains(t, preview(url.Values{"kind": {"people"}, "references": {"jane\nnot one\njohn"}, "every": {"12"}}),
		"<b>4 scans a day.</b> With it, your watchlists of people need 4 of the 50 scans")
	require.NotContains(t, preview(url.Values{"kind": {"forum"}, "keyword": {"grid"}}), "scans", "the forum has no allowance")
	require.NotContains(t, preview(url.Values{"kind": {"keyword"}}), "scans")

	var keywords []string
	for i := range 50 {
		keywords = append(keywords, fmt.Sprintf("%q", fmt.Sprint("word", i)))
	}
	made := read[fields](m.call("POST", watchlists, `{"name":"Large","frequency":12,"keywords":[`+strings.Join(keywords, ",")+`]}`), 200)
	require.Contains(t, made["warnings"].([]any)[0], "Needs 100 keyword scans a day, the team's accounts have 30: entries are scanned every 40 hours")
	require.Contains(t, page(), "Your watchlists of keywords need 100 scans a day, your accounts have 30: each is looked at every 40 hours.")
	require.Contains(t, page(), `Every 12 hours. <b class="wait">With your accounts every 40 hours.</b>`)

	// A small one gets all that it asks for.
	more := preview(url.Values{"kind": {"keyword"}, "keyword": {"grid"}, "every": {"24"}})
	require.Contains(t, more, "<b>1 scan a day.</b> With it, your watchlists of keywords need 101 scans a day, your accounts have 30: 1 of 2 is looked at less often than you asked, every 42 hours.")
	require.NotContains(t, more, "This one")
	late := preview(url.Values{"kind": {"keyword"}, "keyword": strings.Split(strings.ReplaceAll(strings.Join(keywords, ","), `"`, ""), ","), "every": {"6"}})
	require.Contains(t, late, "<b>200 scans a day.</b> With it, your watchlists of keywords need 300 scans a day, your accounts have 30: each is looked at every 80 hours.")

	// The form of a watchlist counts it once, as it is changed, and says so without script.
	id := made["id"].(string)
	form := b.do("GET", "/app/watchlists/"+id, "").raw
	require.Contains(t, form, "<b>100 scans a day.</b> With it, your watchlists of keywords need 100 scans a day, your accounts have 30: each is looked at every 40 hours.")
	require.Contains(t, preview(url.Values{"kind": {"keyword"}, "watchlist": {id}, "keyword": {"grid"}, "every": {"24"}}), "With it, your watchlists of keywords need 1 of the 30 scans")
	require.NotContains(t, b.do("GET", "/app/watchlists/new?kind=keyword", "").raw, "scans a day")

	require.NoError(t, clock.Advance(49*time.Hour))
	b = h.browser()
	b.signIn(m.email)
	require.Contains(t, page(), "Your watchlists of keywords need 100 scans a day. No account was active in the last two days, so nothing is scanned.")
	require.Equal(t, 200, m.call("PUT", watchlists, `{"id":"`+id+`","disable":true}`).status)
	require.NotContains(t, page(), "scans a day")
	require.NotContains(t, b.do("GET", "/app/watchlists/"+id, "").raw, "scans a day")
	other := h.team("Others", "ultimate")
	foreign := read[fields](other.call("POST", watchlists, `{"keywords":["x"]}`), 200)["id"].(string)
	require.Equal(t, 403, b.send("/app/watchlists/preview?part=budget", url.Values{"token": {b.token()}, "watchlist": {foreign}}).status)
}

// TestSortedWatchlists: the page of watchlists is searched and sorted by its address, which
// works without script, survives a pause, and is that of the part that follows the news.
func TestSortedWatchlists(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Sorters", "ultimate")
	b := h.browser()
	b.signIn(m.email)
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry one"))
	for _, name := range []string{"zinc", "Apple", "mango"} {
		read[fields](m.call("POST", watchlists, `{"name":"`+name+`","keywords":["`+name+` price"]}`), 200)
	}
	require.Equal(t, 200, m.call("PUT", watchlists, `{"id":"`+read[fields](m.call("POST", watchlists, `{"name":"Paused","keywords":["nothing"]}`), 200)["id"].(string)+`","disable":true}`).status)
	row := regexp.MustCompile(`<div class="name">.*?<a [^>]+>([^<]+)</a>`)
	names := func(page string) (all []string) {
		for _, found := range row.FindAllStringSubmatch(page, -1) {
			all = append(all, found[1])
		}
		return all
	}
	get := func(query string) string { return b.do("GET", "/app/watchlists"+query, "").raw }
	oldest := names(get("")) // some may be of one millisecond, in any order
	require.ElementsMatch(t, []string{"telemetry", "zinc", "Apple", "mango", "Paused"}, oldest)
	require.Equal(t, []string{"Apple", "mango", "Paused", "telemetry", "zinc"}, names(get("?sort=name")))
	require.Equal(t, "telemetry", names(get("?sort=posts"))[0])
	newest := names(get("?sort=newest"))
	slices.Reverse(newest)
	require.Equal(t, oldest, newest)
	looked := names(get("?sort=looked"))
	require.Equal(t, "telemetry", looked[len(looked)-1], "the others were never looked at")
	require.Equal(t, oldest, names(get("?sort=nonsense")))

	// A search looks at names and keywords.
	require.Equal(t, []string{"Apple"}, names(get("?q=+APPLE+")))
	require.Equal(t, []string{"Apple", "mango", "zinc"}, names(get("?q=price&sort=name")))
	require.Equal(t, []string{"Paused"}, names(get("?q=nothing")))
	none := get("?q=%22%3E%3Cscript%3E")
	require.Empty(t, names(none))
	require.Contains(t, none, "No watchlist has “&#34;&gt;&lt;script&gt;” in its name or entries.")
	require.NotContains(t, get(""), `name="q"`, "few need no search")
	require.Contains(t, none, `name="q"`)

	// The part that is live keeps both, and so does a pause.
	sorted := get("?q=price&sort=name")
	require.Contains(t, sorted, `hx-get="/app/watchlists?q=price&amp;sort=name"`)
	require.Contains(t, sorted, `<option value="name" selected>`)
	part := b.do("GET", "/app/watchlists?q=price&sort=name", "", "HX-Request", "true").raw
	require.Equal(t, []string{"Apple", "mango", "zinc"}, names(part))
	require.NotContains(t, part, "<h1>")
	back := regexp.MustCompile(`name="back" value="([^"]+)"`).FindStringSubmatch(sorted)[1]
	id := regexp.MustCompile(`id="w-([^"]+)"`).FindStringSubmatch(sorted)[1]
	paused := b.send("/app/watchlists/"+id, url.Values{"token": {b.token()}, "do": {"pause"}, "back": {html.UnescapeString(back)}})
	require.Equal(t, 303, paused.status)
	require.Equal(t, "/app/watchlists?q=price&sort=name", paused.header.Get("Location"))
	foreign := b.send("/app/watchlists/"+id, url.Values{"token": {b.token()}, "do": {"resume"}, "back": {"https://evil.example/app/watchlists"}})
	require.Equal(t, "/app/watchlists", foreign.header.Get("Location"))
	for n := range 3 {
		read[fields](m.call("POST", watchlists, fmt.Sprintf(`{"keywords":["more%d"]}`, n)), 200)
	}
	require.Contains(t, get(""), `name="q"`, "eight do")
}
