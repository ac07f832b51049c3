package httpapi_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/langcode"
	"watchpost/internal/protocol"
)

var (
	figuresOf     = regexp.MustCompile(`<p class="figures-of"><b>([0-9,]+) posts?</b> of this list`)
	sentimentRow  = regexp.MustCompile(`(Positive|Neutral|Negative)</span><span class="number">([0-9,]+) · ([0-9]+) %</span>`)
	languageRow   = regexp.MustCompile(`<span>([^<]+)</span><meter [^>]*></meter><span class="number soft">([0-9,]+) · ([0-9]+) %</span>`)
	withoutFilter = regexp.MustCompile(`Without the filter: <a href="([^"]+)">([0-9,]+) posts?(?:, ([0-9]+) %)?`)
	seriesRow     = regexp.MustCompile(`<path class="s[0-9]"[^>]*></svg>([^<]+)<span class="number">([0-9,]+)</span>`)
	dayNumbers    = regexp.MustCompile(`<tr><th scope="row">([^<]+)</th>((?:<td class="number">[0-9,]+</td>)+)</tr>`)
	cell          = regexp.MustCompile(`<td class="number">([0-9,]+)</td>`)
)

// whole reads a number as pages write it.
func whole(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	require.NoError(t, err)
	return n
}

// TestDashboardFigures compares every figure next to the feed with the API, over random
// filters, with few watchlists and with more than a chart can tell apart.
func TestDashboardFigures(t *testing.T) {
	t.Parallel()
	for _, lists := range []int{3, 7} {
		t.Run(fmt.Sprint(lists), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			c := collectForFigures(t, lists)
			random := rand.New(rand.NewPCG(seed, 0))
			for range 25 {
				c.compare(t, c.someFilters(random))
			}
			c.compare(t, url.Values{"sentiment": {"negative"}})
			c.compare(t, url.Values{"lang": {"de"}})
		})
	}
}

type figureCase struct {
	m     team
	b     *browser
	ids   []string
	today time.Time
}

// collectForFigures stores posts of all sentiments, some languages and twelve days.
func collectForFigures(t *testing.T, lists int) figureCase {
	h := build(t)
	m := h.team("Counters", "ultimate")
	p := m.join()
	texts := []string{
		"We love %s, it is great and wonderful, and everybody is happy with it.", "Terrible %s. We hate it, it is awful and it breaks every day.",
		"The report about %s comes out on Tuesday afternoon.", "Der Bericht über %s erscheint am Dienstag und wird danach im Ausschuss besprochen.",
		"Le rapport sur %s sera publié mardi après-midi par la commission.",
	}
	c := figureCase{m: m}
	for l := range lists {
		word := fmt.Sprintf("beacon%d", l)
		var posts []protocol.Post
		for i := range 11 {
			n := l*100 + i
			post := sample(n, fmt.Sprintf(texts[(n+l)%len(texts)], word))
			post.PostedAt = post.PostedAt.Add(-time.Duration(n%12) * 24 * time.Hour)
			posts = append(posts, post)
		}
		c.ids = append(c.ids, m.collect(p, word, posts...))
	}
	c.b = h.browser()
	c.b.signIn(m.email)
	c.today = time.Now().UTC().Truncate(24 * time.Hour)
	return c
}

func (c *figureCase) someFilters(random *rand.Rand) url.Values {
	q := url.Values{}
	some := func(name string, values ...string) {
		if random.IntN(3) > 0 {
			return
		}
		for _, v := range values {
			if random.IntN(2) == 0 {
				q.Add(name, v)
			}
		}
	}
	some("sentiment", "positive", "neutral", "negative")
	some("lang", "en", "de", "fr")
	some("watchlist_id", c.ids...)
	some("search_term", "report")
	end := random.IntN(12)
	some("end_date", c.day(end))
	some("start_date", c.day(end+random.IntN(12-end)))
	some("is_saved", "true")
	some("labels", "beacon0", "beacon1")
	return q
}

// day is a date some days ago.
func (c *figureCase) day(ago int) string { return c.today.AddDate(0, 0, -ago).Format(time.DateOnly) }

// count asks the API.
func (c *figureCase) count(t *testing.T, q url.Values) int {
	t.Helper()
	return int(read[fields](c.m.call("GET", "/api-posts?page_size=1&"+q.Encode(), ""), 200)["count"].(float64))
}

func (c *figureCase) compare(t *testing.T, q url.Values) {
	t.Helper()
	page := c.b.do("GET", "/app?"+q.Encode(), "")
	require.Equal(t, 200, page.status, q)
	all := c.count(t, q)
	require.Equal(t, all, whole(t, postsFound.FindStringSubmatch(page.raw)[1]), q)
	require.Equal(t, all, whole(t, figuresOf.FindStringSubmatch(page.raw)[1]), q)

	c.compareParts(t, q, "sentiment", strings.ToLower, sentimentRow.FindAllStringSubmatch(page.raw, -1), all)
	c.compareParts(t, q, "lang", languageCode, languageRow.FindAllStringSubmatch(page.raw, -1), all)
	for _, without := range withoutFilter.FindAllStringSubmatch(page.raw, -1) {
		_, query, _ := strings.Cut(html.UnescapeString(without[1]), "?")
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		n := c.count(t, values)
		require.Equal(t, n, whole(t, without[2]), q)
		if n > 0 {
			require.InDelta(t, 100*float64(all)/float64(n), whole(t, without[3]), 0.51, q)
		}
	}
	if all > 0 {
		require.Len(t, withoutFilter.FindAllString(page.raw, -1), len(c.set(q, "sentiment"))+len(c.set(q, "lang")), q)
	}
	c.compareDays(t, q, page.raw)
}

func (c *figureCase) set(q url.Values, name string) []string {
	if len(q[name]) > 0 {
		return []string{name}
	}
	return nil
}

func languageCode(name string) string {
	code, _ := langcode.Parse(name)
	return code
}

// compareParts checks that the parts are those of the list, and make up all of it.
func (c *figureCase) compareParts(t *testing.T, q url.Values, param string, value func(string) string, rows [][]string, all int) {
	t.Helper()
	sum := 0
	for _, row := range rows {
		n := whole(t, row[2])
		sum += n
		require.InDelta(t, 100*float64(n)/float64(max(all, 1)), whole(t, row[3]), 0.51, "%s: %s", q, row[1])
		if row[1] == "Others" {
			continue
		}
		of := url.Values{}
		for name, values := range q {
			of[name] = values
		}
		of[param] = []string{value(row[1])}
		want := c.count(t, of)
		if len(q[param]) > 0 && !strings.Contains(strings.Join(q[param], " "), value(row[1])) {
			want = 0 // the list has none of them
		}
		require.Equal(t, want, n, "%s: %s", q, row[1])
	}
	require.Equal(t, all, sum, "%s: the parts of %s", q, param)
}

// compareDays checks each number of the chart and the total of each line.
func (c *figureCase) compareDays(t *testing.T, q url.Values, page string) {
	t.Helper()
	ids := c.ids
	if len(q["watchlist_id"]) > 0 {
		ids = q["watchlist_id"]
	}
	lines := [][]string{ids}
	if len(ids) <= 5 {
		lines = nil
		for _, id := range c.ids {
			for _, named := range ids {
				if id == named {
					lines = append(lines, []string{id})
				}
			}
		}
	}
	last := c.today
	if end := q.Get("end_date"); end != "" && end < c.day(0) {
		last, _ = time.Parse(time.DateOnly, end)
	}
	totals := seriesRow.FindAllStringSubmatch(page, -1)
	require.Len(t, totals, len(lines), q)
	rows := dayNumbers.FindAllStringSubmatch(page, -1)
	require.Len(t, rows, 7, q)
	sums := make([]int, len(lines))
	for i, row := range rows {
		day := last.AddDate(0, 0, i-6)
		numbers := cell.FindAllStringSubmatch(row[2], -1)
		require.Len(t, numbers, len(lines), q)
		for j, line := range lines {
			of := url.Values{}
			for name, values := range q {
				of[name] = values
			}
			of["watchlist_id"] = line
			want := 0
			if date := day.Format(time.DateOnly); date >= q.Get("start_date") {
				of["start_date"], of["end_date"] = []string{date}, []string{date}
				want = c.count(t, of)
			}
			require.Equal(t, want, whole(t, numbers[j][1]), "%s: %s of %s", q, day, line)
			sums[j] += want
		}
	}
	for j := range lines {
		require.Equal(t, sums[j], whole(t, totals[j][2]), q)
	}
}
