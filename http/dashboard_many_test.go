package httpapi_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestManyWatchlists: from eight watchlists on, the feed has a menu of them with a search,
// which works without script, too.
func TestManyWatchlists(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Many", "ultimate")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	m.collect(p, "telemetry", sample(1, "telemetry one"))
	var ids []string
	add := func(n int) {
		ids = append(ids, read[fields](m.call("POST", watchlists, fmt.Sprintf(`{"name":"List %d","keywords":["word%d"]}`, n, n)), 200)["id"].(string))
	}
	for n := range 6 {
		add(n)
	}
	require.NotContains(t, b.do("GET", "/app", "").raw, `id="list-rows"`, "seven are chips")
	add(6)
	page := b.do("GET", "/app", "").raw
	require.Contains(t, page, "All 8 lists")
	require.NotContains(t, page, `<nav class="chips" aria-label="Watchlists">`)
	row := regexp.MustCompile(`name="watchlist_id" value="([^"]+)"( checked)?> ([^<]+)<span class="count">([0-9]+)</span>`)
	rows := row.FindAllStringSubmatch(page, -1)
	require.Len(t, rows, 8)
	require.Equal(t, "1", rows[0][4], "those with posts come first")
	for i, r := range rows[1:] {
		require.Equal(t, fmt.Sprintf("List %d", i), r[3], "the others by name")
	}

	// Two are chosen; a search without script keeps them, and the other filters.
	query := url.Values{"watchlist_id": {ids[0], ids[1]}, "sentiment": {"neutral"}, "list_term": {" list 5 "}}
	page = b.do("GET", "/app?"+query.Encode(), "").raw
	picker := page[strings.Index(page, `id="lists"`):strings.Index(page, `id="flags"`)]
	require.Contains(t, picker, "2 of 8 lists")
	require.Contains(t, picker, " open>")
	rows = row.FindAllStringSubmatch(picker, -1)
	require.Len(t, rows, 1)
	require.Equal(t, "List 5", rows[0][3])
	for _, kept := range []string{`name="watchlist_id" value="` + ids[0] + `"`, `name="watchlist_id" value="` + ids[1] + `"`, `name="sentiment" value="neutral"`} {
		require.Contains(t, picker, `<input type="hidden" `+kept)
	}
	require.Contains(t, b.do("GET", "/app?list_term=zebra", "").raw, `id="no-list">No list has this in its name.`)
	require.Contains(t, html.UnescapeString(b.do("GET", "/app?list_term="+url.QueryEscape(`"><script>`), "").raw), `value=""><script>"`)
	require.NotContains(t, b.do("GET", "/app?list_term="+url.QueryEscape(`"><script>alert(1)`), "").raw, "<script>alert")
}

// TestLongPosts: a long post shows its begin; the rest is one click away, and nothing is
// lost.
func TestLongPosts(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Long", "growth")
	p := m.join()
	words := strings.TrimSpace(strings.Repeat("telemetry ", 45))
	paragraphs := words + "\n\n" + words + "\n\n" + words
	m.collect(p, "telemetry", sample(1, paragraphs), sample(2, strings.Repeat("遠隔測定", 300)+" telemetry"), sample(3, words), sample(4, strings.TrimSpace(strings.Repeat("telemetry ", 65))))
	b := h.browser()
	b.signIn(m.email)
	page := b.do("GET", "/app", "").raw
	require.Equal(t, 2, strings.Count(page, `<details class="rest">`), "a rest that is short is shown")
	require.Contains(t, page, fmt.Sprintf("Show the rest, %d characters", 2*len(words)+2), "cut between two paragraphs")
	plain := regexp.MustCompile(`<details class="rest"><summary>[^<]*</summary>|</details>|</?mark>`).ReplaceAllString(page, "")
	require.Contains(t, strings.Join(strings.Fields(plain), ""), strings.Join(strings.Fields(paragraphs), ""))
}
