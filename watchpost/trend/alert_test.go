package trend_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// TestAlertFrom: an alert judges the days since the first post that it has not judged, with
// the day before, and none twice.
func TestAlertFrom(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) time.Time { return time.Date(2030, 3, day, hour, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		since, told, now time.Time
		want             time.Time
		ok               bool
	}{
		"a post of today":            {at(20, 9), at(1, 0), at(20, 10), at(19, 0), true},
		"told of yesterday":          {at(20, 9), at(19, 0), at(20, 10), at(20, 0), true},
		"told of today":              {at(20, 9), at(20, 0), at(20, 10), at(21, 0), false},
		"after a quiet weekend":      {at(16, 3), at(1, 0), at(18, 8), at(15, 0), true},
		"after a long pause":         {at(20, 9).AddDate(-2, 0, 0), time.Time{}, at(20, 10), at(20, 0).AddDate(0, 0, -91), true},
		"the clock was set back":     {at(20, 9), at(25, 0), at(20, 10), at(26, 0), false},
		"told is a moment of a day":  {at(20, 9), at(19, 23), at(20, 10), at(20, 0), true},
		"other zones mean UTC's day": {at(20, 0).In(time.FixedZone("", -3600)), at(1, 0), at(20, 10), at(19, 0), true},
	} {
		from, ok := trend.AlertFrom(c.since, c.told, c.now)
		require.Equal(t, c.ok, ok, name)
		require.True(t, c.want.Equal(from), "%s: %s", name, from)
	}
}

// TestAlertsAreSpikes: an alert tells of the spikes of a trend with its minimum, of no
// others, and of each once however often the days are judged.
func TestAlertsAreSpikes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 6), rapid.IntRange(0, 60)), 29, 70).Draw(t, "counts")
		minimum := rapid.IntRange(1, 40).Draw(t, "minimum")
		now := time.Date(2030, 5, 1, rapid.IntRange(0, 23).Draw(t, "hour"), 0, 0, 0, time.UTC)
		days := len(counts) - 28
		q := trend.AlertQuery(watchpost.PostQuery{}, now.AddDate(0, 0, 1-days), now)
		require.Equal(t, len(counts), q.Intervals())
		var want []trend.Spike
		for _, s := range q.MakeTrend(counts, nil).Spikes {
			if s.Count >= minimum {
				want = append(want, s)
			}
		}
		require.ElementsMatch(t, want, q.Alerts(slices.Clone(counts), minimum))

		var told []time.Time // by one look on each day, as they pass
		last := q.From.AddDate(0, 0, -1)
		for day := range days {
			at := q.From.AddDate(0, 0, day).Add(time.Hour)
			from, ok := trend.AlertFrom(at, last, at)
			require.True(t, ok)
			look := trend.AlertQuery(watchpost.PostQuery{}, from, at)
			begin := day + 1 - int(look.To.Sub(look.From)/(24*time.Hour))
			if found := look.Alerts(counts[begin:day+29], minimum); len(found) > 0 {
				last = found[len(found)-1].At
				require.NotContains(t, told, last)
				told = append(told, last)
			}
		}
		for _, at := range told {
			require.False(t, at.Before(q.From))
		}
	})
}
