package httpapi_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
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
	require.Contains(t, all, fmt.Sprintf("Shares are of all %d posts, before of %d.", now, before))
	require.Contains(t, all, `<dd class="big">100 %</dd><dd class="delta">0 points, before 100 %</dd>`)

	for _, query := range []string{"?days=soon", "?days=0", "?days=201", "?by=author", "?list=nothing"} {
		require.Equal(t, 400, b.do("GET", "/app/trends"+query, "").status, query)
	}
}

// TestShareOfVoice: a post counts in each of its groups, the shares add up, also next to
// the groups that are not shown, and the export has the same numbers.
func TestShareOfVoice(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Voices", "ultimate")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	var posts []protocol.Post
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for i := range 3 {
		post := sample(i, "telemetry again")
		post.PostedAt = today.AddDate(0, 0, -1).Add(time.Duration(i) * time.Minute)
		posts = append(posts, post)
	}
	posts[2].PostedAt = today.AddDate(0, 0, -40)
	m.collect(p, "telemetry", posts...)
	page := func(query string) string { return html.UnescapeString(b.do("GET", "/app/trends"+query, "").raw) }
	require.NotContains(t, page(""), "mention")
	for range 9 { // each has the newest post too
		m.collect(p, "telemetry", posts[0])
	}

	const share = `<span class="number">(\d+) %</span>`
	for query, want := range map[string]struct {
		rows []string
		text []string
	}{
		"": {
			[]string{"19", "9", "9", "9", "9", "9", "9", "9", "18"},
			[]string{"are of 11 mentions, before of 1.", "A post of several watchlists", "2 others", "81 points, before 100 %", `href="/app/trends?all=yes#t-by">All 10<`},
		},
		"?all=yes": {
			[]string{"19", "9", "9", "9", "9", "9", "9", "9", "9", "9"},
			[]string{`href="/app/trends#t-by">Only the 8 largest<`},
		},
	} {
		got := page(query)
		var shares []string
		for _, row := range regexp.MustCompile(share).FindAllStringSubmatch(got, -1) {
			shares = append(shares, row[1])
		}
		require.Equal(t, want.rows, shares, query)
		for _, text := range want.text {
			require.Contains(t, got, text, query)
		}
	}

	require.Contains(t, page("?by=keyword&days=7"), `href="/app/trends.csv?by=keyword&days=7"`)
	sent := b.do("GET", "/app/trends.csv?days=30", "")
	require.Contains(t, sent.header.Get("Content-Disposition"), "watchpost-trends.csv")
	rows, err := csv.NewReader(strings.NewReader(sent.raw)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+1+10)
	require.Equal(t, []string{"group", "name", "posts", "posts_before", "share_percent", "share_before_percent", today.AddDate(0, 0, -59).Format(time.DateOnly)}, rows[0][:7])
	require.Equal(t, today.Format(time.DateOnly), rows[0][len(rows[0])-1])
	require.Equal(t, []string{"", "All posts", "2", "1", "", ""}, rows[1][:6])
	require.Equal(t, []string{"2", "1", "19", "100"}, rows[2][2:6])
	require.Equal(t, "2", rows[2][len(rows[2])-2], "yesterday")
	added := 0
	for _, row := range rows[2:] {
		n, err := strconv.Atoi(row[4])
		require.NoError(t, err)
		added += n
	}
	require.Equal(t, 100, added)
	require.Equal(t, 400, b.do("GET", "/app/trends.csv?days=soon", "").status)
}

// TestTrendsNotComplete: the page names days on which a watchlist was not looked at, until a
// later scan has brought their posts.
func TestTrendsNotComplete(t *testing.T) {
	t.Parallel()
	h, clock := buildAt(t)
	m := h.team("Gaps", "growth")
	joining := hello(m.token())
	join := func() *fakeSession {
		p := m.dial()
		p.send(joining)
		p.hear(protocol.TypeWelcome)
		return p
	}
	p := join()
	list := m.collect(p, "telemetry", sample(1, "telemetry again"))
	require.NoError(t, p.ws.Close(websocket.StatusNormalClosure, ""))
	page := func(query string) string {
		b := h.browser()
		b.signIn(m.email)
		return html.UnescapeString(b.do("GET", "/app/trends"+query, "").raw)
	}
	first := clock.Now().UTC()
	day := func(n int) string { return first.AddDate(0, 0, n).Format("2 January") }
	require.NotContains(t, page(""), "Not complete")
	require.NoError(t, clock.Advance(3*24*time.Hour))
	said := fmt.Sprintf("<b>Not complete: %s, %s.</b> 1 watchlist had no successful scan then. “No posts” does not mean", day(1), day(2))
	require.Contains(t, page(""), said)
	require.Contains(t, page("?list="+list), said)
	require.NoError(t, clock.Advance(3*24*time.Hour))
	require.Contains(t, page(""), fmt.Sprintf("<b>Not complete: 5 days between %s and %s.</b>", day(1), day(5)))

	p = join()
	task := p.hear(protocol.TypeTask)
	exhausted := true
	output, err := json.Marshal(protocol.PostsOutput{Exhausted: &exhausted})
	require.NoError(t, err)
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: output})
	p.hear(protocol.TypeAck)
	require.NotContains(t, page(""), "Not complete")
}
