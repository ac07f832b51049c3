package trend_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
	"watchpost/watchpost/trend"
)

// TestSpikes judges the last of some days, or hours, by those before.
func TestSpikes(t *testing.T) {
	t.Parallel()
	from := time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)
	repeat := func(n int, counts ...int) []int { return slices.Repeat(counts, n) }
	daily := make([]int, 24) // posts at nine o'clock only
	daily[9] = 20
	ten := 10.0 // the product as a program computes it
	for name, c := range map[string]struct {
		interval trend.Interval
		counts   []int
		want     []trend.Spike
	}{
		"nothing":                 {trend.Day, repeat(29, 0), nil},
		"above":                   {trend.Day, append(repeat(28, 4), 11), []trend.Spike{{At: from, Count: 11, Usual: 4, Deviation: 2}}},
		"not above":               {trend.Day, append(repeat(28, 4), 10), nil},
		"a wide spread":           {trend.Day, append(repeat(14, 1, 21), 55), nil},
		"above a wide spread":     {trend.Day, append(repeat(14, 1, 21), 56), []trend.Spike{{At: from, Count: 56, Usual: 11, Deviation: 1.4826 * ten}}},
		"few posts":               {trend.Day, append(repeat(28, 0), 9), nil},
		"a quiet watchlist":       {trend.Day, append([]int{1}, append(repeat(27, 0), 5)...), []trend.Spike{{At: from, Count: 5, Usual: 0, Deviation: 1}}},
		"too young":               {trend.Day, append(repeat(15, 0), append(repeat(13, 1), 90)...), nil},
		"old enough":              {trend.Day, append(repeat(14, 0), append(repeat(14, 1), 90)...), []trend.Spike{{At: from, Count: 90, Usual: 1, Deviation: 1}}},
		"the same hour each day":  {trend.Hour, repeat(29, daily...), nil},
		"a week of four":          {trend.Week, append(repeat(4, 100), 131), []trend.Spike{{At: from, Count: 131, Usual: 100, Deviation: 10}}},
		"an outlier is no median": {trend.Day, append(append(repeat(27, 4), 500), 40), []trend.Spike{{At: from, Count: 40, Usual: 4, Deviation: 2}}},
	} {
		q := trend.Query{Interval: c.interval}
		q.From, q.To = from, from.Add(time.Duration(len(c.counts))*c.interval.Length()-28*24*time.Hour)
		require.Equal(t, c.want, q.MakeTrend(c.counts, nil).Spikes, name)
	}
}

// TestSpikesAgainstRule computes median and deviation of each day, also of days with few
// posts.
func TestSpikesAgainstRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		highest := rapid.SampledFrom([]int{1, 6, 30, 1000}).Draw(t, "highest")
		counts := rapid.SliceOfN(rapid.IntRange(0, highest), 29, 60).Draw(t, "counts")
		counts[0] = 1 // the first post
		last := rapid.IntRange(0, 4*highest).Draw(t, "last")
		counts[len(counts)-1] = last
		before := slices.Clone(counts[len(counts)-29 : len(counts)-1])
		median := func(of []int) float64 {
			slices.Sort(of)
			return float64(of[13]+of[14]) / 2
		}
		usual := median(before)
		doubled := make([]int, len(before)) // twice the distances, which are whole
		for i, n := range before {
			doubled[i] = int(math.Abs(2*float64(n) - 2*usual))
		}
		deviation := max(1.4826*(median(doubled)/2), math.Sqrt(max(usual, 1)))
		q := trend.Query{Interval: trend.Day}
		q.From = time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)
		q.To = q.From.AddDate(0, 0, len(counts)-28)
		at := q.To.AddDate(0, 0, -1)
		found := slices.ContainsFunc(q.MakeTrend(counts, nil).Spikes, func(s trend.Spike) bool { return s.At.Equal(at) })
		require.Equal(t, last >= 5 && float64(last) > usual+3*deviation, found)
	})
}

// TestTrendGroups orders groups and leaves those without posts out.
func TestTrendGroups(t *testing.T) {
	t.Parallel()
	q := trend.Query{Interval: trend.Week, By: trend.ByKeyword}
	q.From = time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)
	q.To = q.From.AddDate(0, 0, 7)
	var counts [][]int
	for i := range 103 {
		q.Names = append(q.Names, fmt.Sprintf("k%03d", i))
		counts = append(counts, []int{9, 9, 9, 9, i / 2})
	}
	made := q.MakeTrend([]int{9, 9, 9, 9, 60}, counts)
	require.Len(t, made.Groups, 100)
	require.Equal(t, 1, made.Left) // k000 and k001 have no posts
	require.Equal(t, 60, made.Count)
	require.Equal(t, []int{2*(51*50/2) + 51}, made.Mentions, "of all groups")
	require.Equal(t, trend.Group{Name: "k102", Counts: []int{51}, Count: 51}, made.Groups[0])
	require.Equal(t, "k100", made.Groups[1].Name)
	require.Len(t, made.Spikes, 50)
	require.Len(t, made.Worded(), trend.MaxWordedSpikes)
	require.Equal(t, 60, made.Worded()[0].Count)
}

func TestTrendSpan(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 30, 0, 0, time.UTC) // a Wednesday
	day := func(n int) time.Time { return time.Date(2030, 1, n, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		interval trend.Interval
		from, to time.Time
		want     [2]time.Time
	}{
		"days":       {trend.Day, time.Time{}, time.Time{}, [2]time.Time{day(10).AddDate(0, 0, -30), day(10)}},
		"hours":      {trend.Hour, time.Time{}, time.Time{}, [2]time.Time{day(6).Add(13 * time.Hour), day(9).Add(13 * time.Hour)}},
		"weeks":      {trend.Week, time.Time{}, time.Time{}, [2]time.Time{day(14).AddDate(0, 0, -84), day(14)}},
		"two days":   {trend.Day, day(3), day(5), [2]time.Time{day(3), day(5)}},
		"whole week": {trend.Week, day(3), day(5), [2]time.Time{time.Date(2029, 12, 31, 0, 0, 0, 0, time.UTC), day(7)}},
	} {
		q := trend.Query{Interval: c.interval}
		q.From, q.To = c.from, c.to
		require.NoError(t, q.Span(now), name)
		require.Equal(t, c.want, [2]time.Time{q.From, q.To}, name)
	}
	for text, from := range map[string]time.Time{"Too many intervals, at most 400: use a longer interval or fewer days": day(9).AddDate(0, 0, -400), "Invalid 'start_date'": day(1).AddDate(-200, 0, 0)} {
		q := trend.Query{Interval: trend.Day}
		q.From = from
		require.EqualError(t, q.Span(now), text)
	}
}

func TestNewWords(t *testing.T) {
	t.Parallel()
	posts := func(n int, content string) [][]string {
		return slices.Repeat([][]string{text.New(content).Words()}, n)
	}
	before := slices.Concat(posts(20, "the cat sat on a mat"), posts(2, "the outage"))
	in := slices.Concat(posts(6, "the outage in Lisbon, 2030: an outage"), posts(3, "The cat on fire"), posts(2, "rare"))
	require.Equal(t, []string{"lisbon", "outage", "fire"}, trend.NewWords(in, before))
	require.Empty(t, trend.NewWords(posts(9, "the cat"), before))
	require.Equal(t, []string{"cat", "the"}, trend.NewWords(posts(9, "the cat"), nil))
}

// TestNames: groups that every team has are the choices of the filter.
func TestNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"positive", "neutral", "negative"}, trend.BySentiment.Names())
	require.Equal(t, []string{"C-Level", "Founder", "VP", "Director", "Manager", "Senior", "Entry"}, trend.ByLevel.Names())
	require.Empty(t, trend.ByKeyword.Names())
}
