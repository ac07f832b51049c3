package actors_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestScansOfOneDecision: of scans that one watchlist finds due at once the one
// that is due first is handed out first, and of one moment the first by entry
// id, also when a session waits for them.
func TestScansOfOneDecision(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "a", "b", "c", "d", "e", "f", "g", "h")
	byEntry := slices.SortedFunc(slices.Values(list.Keywords), func(a, b watchpost.KeywordEntry) int { return cmp.Compare(a.ID, b.ID) })
	scans := func() {
		for _, want := range byEntry {
			f := s.Expect(protocol.TypeTask)
			require.Equal(t, want.Keyword, scanInput(t, f).Keyword)
			endScan(s, f, true)
		}
		s.ExpectNone()
	}
	scans() // all of one moment
	patch(t, team, list, watchpost.WatchlistPatch{Frequency: ptr(watchpost.FetchFrequency(6 * time.Hour))})
	w.Advance(2 * time.Hour)
	s.ExpectNone()
	patch(t, team, list, watchpost.WatchlistPatch{Frequency: ptr(hour)})
	scans() // overdue, each from the moment when its last scan had ended
}

// TestScansDueWhileAtRest: what became due while the team was not in memory is
// scanned in the order in which it became due, whichever watchlist is the first
// to say so.
func TestScansDueWhileAtRest(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	keywords := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, k := range keywords {
		keywordWatchlist(t, team, k)
		endScan(s, s.Expect(protocol.TypeTask), true)
		w.Advance(time.Minute)
	}
	w.Restart()
	w.Advance(3 * time.Hour)
	s.Connect()
	for _, k := range keywords {
		f := s.Expect(protocol.TypeTask)
		require.Equal(t, k, scanInput(t, f).Keyword)
		endScan(s, f, true)
	}
}
