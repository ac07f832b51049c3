package teamspace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence/teamspace"
)

// TestCoveredTimes compares a record with the minutes that scans have covered one by one: it
// has no other ones, those of the newest scan, and all of them when no scan left a gap.
func TestCoveredTimes(t *testing.T) {
	const minutes = 60
	at := func(minute int) time.Time {
		return time.Date(2030, 1, 7, 0, minute, 0, 0, time.UTC)
	}
	rapid.Check(t, func(t *rapid.T) {
		var record teamspace.CoveredRecord
		var covered [minutes]bool // the minute that begins then
		first, newest, gap := minutes, 0, false
		for n := range rapid.IntRange(1, 8).Draw(t, "scans") {
			until := rapid.IntRange(newest, minutes-1).Draw(t, "until") // each begins behind the one before
			since := rapid.IntRange(0, until).Draw(t, "since")
			gap = gap || n > 0 && since > newest
			record, first, newest = record.Extend(teamspace.CoveredRecord{Since: at(since), Until: at(until)}), min(first, since), until
			for m := since; m < until; m++ {
				covered[m] = true
			}
			require.Equal(t, at(until), record.Until)
			require.False(t, record.Since.After(at(since)))
			for m := range covered {
				if !at(m).Before(record.Since) && at(m).Before(record.Until) {
					require.True(t, covered[m], "minute %d", m)
				}
			}
			if !gap {
				require.Equal(t, at(first), record.Since)
			}
		}
	})
}

// TestCoveredLate is a result that comes after that of a later scan.
func TestCoveredLate(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2030, 1, 7, hour, 0, 0, 0, time.UTC) }
	record := teamspace.CoveredRecord{Since: at(4), Until: at(8)}
	for _, c := range []struct{ since, until, wantSince, wantUntil int }{
		{5, 7, 4, 8}, {2, 5, 2, 8}, {2, 4, 2, 8}, {1, 3, 4, 8}, {8, 9, 4, 9}, {9, 10, 9, 10},
	} {
		require.Equal(t, teamspace.CoveredRecord{Since: at(c.wantSince), Until: at(c.wantUntil)},
			record.Extend(teamspace.CoveredRecord{Since: at(c.since), Until: at(c.until)}), "%d to %d", c.since, c.until)
	}
}
