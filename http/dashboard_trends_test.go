package httpapi_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestTrends: the figures of the page are those of GET /api-trends, a spike is marked with
// its new words and leads to its posts, and groups are compared.
func TestTrends(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Trends", "ultimate")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	page := func(query string) string { return html.UnescapeString(b.do("GET", "/app/trends"+query, "").raw) }
	require.Contains(t, page(""), "No posts in this period or the one before.")

	today := time.Now().UTC().Truncate(24 * time.Hour)
	var posts []protocol.Post
	for day := range 40 { // one a day, and on one day many about something new
		n := 1
		if day == 3 {
			n = 12
		}
		for range n {
			post := sample(len(posts), "telemetry again")
			if n > 1 {
				post.Content = "telemetry outage in Lisbon"
			}
			post.PostedAt = today.AddDate(0, 0, -day).Add(-time.Minute)
			posts = append(posts, post)
		}
	}
	list := m.collect(p, "telemetry", posts...)

	all := page("")
	span := func(from, to int) string {
		return fmt.Sprintf("start_date=%s&end_date=%s", today.AddDate(0, 0, from).Format(time.DateOnly), today.AddDate(0, 0, to).Format(time.DateOnly))
	}
	count := func(from, to int) int {
		return int(read[fields](m.call("GET", "/api-trends?"+span(from, to), ""), 200)["count"].(float64))
	}
	now, before := count(-29, 0), count(-59, -30)
	require.Positive(t, now)
	require.Positive(t, before)
	require.Contains(t, all, fmt.Sprintf(`<dt>Posts</dt><dd class="big">%d</dd>`, now))
	require.Contains(t, all, fmt.Sprintf("before %d</dd>", before))
	perDay := regexp.MustCompile(`<td class="number">(\d+)</td><td class="number">\d+</td>`).FindAllStringSubmatch(all, -1)
	intervals := read[fields](m.call("GET", "/api-trends?"+span(-29, 0), ""), 200)["intervals"].([]any)
	require.Len(t, perDay, len(intervals))
	for i, one := range intervals {
		require.Equal(t, fmt.Sprint(one.(fields)["count"]), perDay[i][1], "%v", one)
	}

	spike := today.AddDate(0, 0, -4)
	require.Contains(t, all, `<b>`+spike.Format("Mon 2 January")+": 12 posts</b>, usual 1")
	require.Contains(t, all, "<bdi>outage</bdi>")
	require.Contains(t, all, `<td>Spike 1</td>`)
	require.Equal(t, 1, strings.Count(all, `<circle class="spike"`))
	feed := "/app?end_date=" + spike.Format(time.DateOnly) + "&start_date=" + spike.Format(time.DateOnly)
	require.Contains(t, all, `href="`+feed+`">See the 12 posts`)
	require.Contains(t, b.do("GET", feed, "").raw, `<p class="result-line"><span><b>12</b>`)

	require.Contains(t, all, `watchlist_id=`+list+`"><bdi>`)
	keywords := page("?by=keyword&days=7&list=" + list)
	require.Contains(t, keywords, "<bdi>telemetry</bdi>")
	require.Contains(t, keywords, "keyword=telemetry")
	require.Contains(t, keywords, `aria-current="page">7 days</a>`)
	require.Contains(t, page("?by=sentiment"), "<bdi>Neutral</bdi>")

	for _, query := range []string{"?days=soon", "?days=0", "?days=201", "?by=author", "?list=nothing"} {
		require.Equal(t, 400, b.do("GET", "/app/trends"+query, "").status, query)
	}
}
