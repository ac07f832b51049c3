package httpapi_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

var (
	countedLink   = regexp.MustCompile(`<a class="ch(?:ip|oice)" href="([^"]+)"[^>]*>(?:<svg.*?</svg>)?[^<]*<span class="count">([0-9,]+)</span>`)
	countedChoice = regexp.MustCompile(`name="([a-z_]+)" value="([^"]*)"[^>]*>[^<]*<span class="count">([0-9,]+)</span>`)
	postsFound    = regexp.MustCompile(`<b>([0-9,]+)</b> posts?</span>`)
)

// TestDashboardFeed checks that each count next to a filter is that of the list
// behind it, which is the API's, and that texts of posts stay texts.
func TestDashboardFeed(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "growth")
	p := m.join()
	hostile := sample(1, `telemetry <script>alert(1)</script> TELEMETRY`)
	hostile.AuthorName, hostile.AuthorURL = `<img src=x onerror=alert(1)>`, "javascript:alert(1)"
	popular := sample(2, "We love telemetry, it is great and wonderful.")
	popular.Likes = 500
	m.collect(p, "telemetry", hostile, popular, sample(3, "Terrible telemetry. We hate it, it is awful."))
	second := m.collect(p, "observability", sample(4, "observability and what it costs"))
	b := h.browser()
	b.signIn(m.email)

	page := b.do("GET", "/app", "").raw
	require.Contains(t, page, "<mark>telemetry</mark> &lt;script&gt;alert(1)&lt;/script&gt; <mark>TELEMETRY</mark>")
	require.NotContains(t, page, "javascript:")
	require.NotContains(t, page, "<img")
	require.Contains(t, page, "“observability” in <a href=\"/app?watchlist_id="+second+"\"")
	require.Equal(t, "4", postsFound.FindStringSubmatch(page)[1])

	// Counts, on the whole feed and on a part of it.
	for _, from := range []string{"/app", "/app?watchlist_id=" + second, "/app?search_term=it&sort_by=engagement"} {
		checked := 0
		page = b.do("GET", from, "").raw
		follow := func(path, count string) {
			query := strings.TrimPrefix(strings.TrimPrefix(path, "/app"), "?")
			got := b.do("GET", path, "")
			require.Equal(t, 200, got.status, path)
			require.Equal(t, count, postsFound.FindStringSubmatch(got.raw)[1], "%s: %s", from, path)
			require.Contains(t, m.call("GET", "/api-posts?"+query, "").raw, `"count":`+count, path)
			checked++
		}
		for _, link := range countedLink.FindAllStringSubmatch(page, -1) {
			follow(html.UnescapeString(link[1]), link[2])
		}
		_, query, _ := strings.Cut(from, "?")
		for _, choice := range countedChoice.FindAllStringSubmatch(page, -1) {
			values, err := url.ParseQuery(query)
			require.NoError(t, err)
			values.Set(choice[1], html.UnescapeString(choice[2]))
			follow("/app?"+values.Encode(), choice[3])
		}
		require.Greater(t, checked, 20)
	}

	none := b.do("GET", "/app?search_term=zebra&trending=true", "").raw
	require.Contains(t, none, "No post matches")
	require.Contains(t, none, `Without “zebra”: <a href="/app?trending=true">1 post</a>`)
	require.Contains(t, none, `Without Trending: <a href="/app?search_term=zebra">0 posts</a>`)
}

func TestDashboardPaging(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Pagers", "growth")
	p := m.join()
	posts := make([]protocol.Post, 45)
	for i := range posts {
		posts[i] = sample(i, "telemetry every day")
	}
	m.collect(p, "telemetry", posts...)
	b := h.browser()
	b.signIn(m.email)
	seen := map[string]bool{}
	path, pages := "/app?search_term=telemetry", 0
	for ; path != ""; pages++ {
		page := b.do("GET", path, "").raw
		for _, id := range regexp.MustCompile(`<article class="post" id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			require.False(t, seen[id[1]], "pages do not overlap")
			seen[id[1]] = true
		}
		path = ""
		if older := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page); older != nil {
			path = html.UnescapeString(older[1])
		}
	}
	require.Equal(t, 3, pages)
	require.Len(t, seen, 45)
	last := b.do("GET", "/app?page=3", "").raw
	require.Contains(t, last, "41 to 45 of 45")
	require.Contains(t, last, `rel="prev" href="/app?page=2"`)
	require.Contains(t, b.do("GET", "/app?page=99", "").raw, `rel="prev" href="/app?page=3"`)
}
