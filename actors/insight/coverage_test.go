package insight_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/insight"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

func TestMissedDays(t *testing.T) {
	t.Parallel()
	day := time.Date(2030, 1, 10, 0, 0, 0, 0, time.UTC)
	old, other := &watchpost.Watchlist{ID: "old", CreatedAt: day.AddDate(0, -1, 0)}, &watchpost.Watchlist{ID: "other", CreatedAt: day.AddDate(0, -1, 0)}
	made := &watchpost.Watchlist{ID: "made", CreatedAt: day.Add(time.Hour)}
	none := teamspace.ScanDay{Planned: 2}
	for name, c := range map[string]struct {
		row    insight.Coverage
		missed bool
	}{
		"no scan":          {insight.Coverage{Watchlist: old, Scans: none}, true},
		"scans that fail":  {insight.Coverage{Watchlist: old, Scans: teamspace.ScanDay{Planned: 2, Failed: 2}}, true},
		"a part is known":  {insight.Coverage{Watchlist: old, Scans: none, Until: day.Add(time.Hour)}, true},
		"one of two scans": {insight.Coverage{Watchlist: old, Scans: teamspace.ScanDay{Planned: 2, Done: 1, Failed: 1}}, false},
		"brought later":    {insight.Coverage{Watchlist: old, Scans: none, Until: day.AddDate(0, 0, 1)}, false},
		"paused":           {insight.Coverage{Watchlist: old}, false},
		"made that day":    {insight.Coverage{Watchlist: made, Scans: none}, false},
	} {
		c.row.Day = day
		days, watchlists := (&insight.CoveragePage{Days: []insight.Coverage{c.row}}).Missed()
		require.Equal(t, c.missed, len(days) == 1 && watchlists == 1, name)
		require.Equal(t, c.missed, len(days) > 0, name)
	}
	days, watchlists := (&insight.CoveragePage{Days: []insight.Coverage{
		{Watchlist: old, Day: day, Scans: none}, {Watchlist: other, Day: day, Scans: none}, {Watchlist: old, Day: day.AddDate(0, 0, -1), Scans: none},
	}}).Missed()
	require.Equal(t, []time.Time{day.AddDate(0, 0, -1), day}, days)
	require.Equal(t, 2, watchlists)
}
