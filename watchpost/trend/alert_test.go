package trend_test

import (
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
		"after a long pause":         {at(20, 9).AddDate(-2, 0, 0), time.Time{}, at(20, 10), at(20, 0).AddDate(0, 0, -89), true},
		"the clock was set back":     {at(20, 9), at(25, 0), at(20, 10), at(26, 0), false},
		"told is a moment of a day":  {at(20, 9), at(19, 23), at(20, 10), at(20, 0), true},
		"other zones mean UTC's day": {at(20, 0).In(time.FixedZone("", -3600)), at(1, 0), at(20, 10), at(19, 0), true},
	} {
		from, ok := trend.AlertFrom(c.since, c.told, c.now)
		require.Equal(t, c.ok, ok, name)
		require.True(t, c.want.Equal(from), "%s: %s", name, from)
	}
}

// TestAlertsAreSpikes: an alert tells of the spikes of a trend with its minimum and of no
// others. A look on each day, as they pass, tells of each once, and a trial names the same.
func TestAlertsAreSpikes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 6), rapid.IntRange(0, 60)), 1, 80).Draw(t, "counts")
		minimum := rapid.IntRange(1, 40).Draw(t, "minimum")
		now := time.Date(2030, 5, 1, rapid.IntRange(0, 23).Draw(t, "hour"), 0, 0, 0, time.UTC)
		// until returns the query of a look, and its counts, when the last days are not
		// yet there.
		until := func(missing int) (trend.Query, []int, time.Time) {
			at := now.AddDate(0, 0, -missing)
			q := trend.AlertQuery(watchpost.PostQuery{}, at)
			counted := make([]int, q.Intervals())
			copy(counted[len(counted)-len(counts)+missing:], counts)
			return q, counted, at
		}
		q, all, _ := until(0)
		require.Equal(t, 28+90, q.Intervals())
		want := []time.Time{}
		for _, s := range q.MakeTrend(all, nil).Spikes {
			if s.Count >= minimum {
				want = append(want, s.At)
			}
		}
		trial := []time.Time{}
		for _, s := range q.Alerts(all, trend.AlertTrial(now), minimum) {
			trial = append(trial, s.At)
		}
		require.Equal(t, want, trial)

		told, last := []time.Time{}, time.Time{}
		for missing := len(counts) - 1; missing >= 0; missing-- {
			look, counted, at := until(missing)
			for range 2 { // the second one finds nothing
				from, ok := trend.AlertFrom(at, last, at)
				if !ok {
					continue
				}
				if found := look.Alerts(counted, from, minimum); len(found) > 0 {
					last = found[len(found)-1].At
					told = append(told, last)
				}
			}
		}
		require.Equal(t, trial, told)
	})
}
