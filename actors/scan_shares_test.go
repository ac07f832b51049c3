package actors_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// scanAll does the scans that are handed out, and counts those whose keyword begins with a
// prefix, and the others.
func scanAll(t *testing.T, w *actorstest.World, s *actorstest.Session, prefix string) (with, others int) {
	t.Helper()
	goesOn := func(o actors.OpenTask) bool {
		return o.Reason == watchpost.PendingQueued || o.Reason == watchpost.PendingRunning
	}
	for slices.ContainsFunc(openScans(t, w, s.Team), goesOn) {
		f := s.Next()
		if f.Type != protocol.TypeTask {
			continue
		}
		if strings.HasPrefix(scanInput(t, f).Keyword, prefix) {
			with++
		} else {
			others++
		}
		endScan(s, f, true)
	}
	return with, others
}

// TestLargeWatchlistSharesScans: 20 keywords every hour, which need more than an account may
// scan, leave another watchlist its scan every three hours; over a crash, too.
func TestLargeWatchlistSharesScans(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for range 24 { // a day on which the member is there
		w.Advance(time.Hour)
		s.Heartbeat()
		s.Settle()
	}
	w.SetClock(watchpost.Daily.Reset(w.Now()).Add(time.Minute))
	var keywords []string
	for i := range 20 {
		keywords = append(keywords, fmt.Sprintf("large %d", i))
	}
	large := keywordWatchlist(t, team, keywords...)
	small := keywordWatchlist(t, team, "small")
	patch(t, team, small, watchpost.WatchlistPatch{Frequency: ptr(3 * hour)})
	ofLarge, ofSmall := 0, 0
	const inHour = 12 // steps: a scan that is handed out is done before its lease ends
	for i := range 23 * inHour {
		if i == 12*inHour {
			w.Crash()
			s.Connect()
		}
		l, n := scanAll(t, w, s, "large")
		ofLarge, ofSmall = ofLarge+l, ofSmall+n
		if i == 4*inHour {
			require.Equal(t, []int{22, 2}, []int{ofLarge, ofSmall}, "the rest of the day is the small one's")
			waits := actorstest.Must[actors.WatchlistView](t, team, actors.GetWatchlist{Type: large.Type, ID: large.ID})
			require.False(t, waits.NextScanAt.After(w.Now()))
			open := openScans(t, w, team)
			require.NotEmpty(t, open)
			for _, o := range open {
				require.Equal(t, watchpost.PendingDailyCap, o.Reason)
				require.Equal(t, w.Now().Truncate(time.Hour).Add(time.Hour), o.NotBefore, "the next hour needs less")
			}
		}
		w.Advance(time.Hour / inHour)
		s.Heartbeat()
	}
	require.Equal(t, []int{22, 8}, []int{ofLarge, ofSmall})
	require.Equal(t, 30, team.Used(t, s.Email, watchpost.ActionKeywordScan))
}

// openScans are the scans of a team that wait.
func openScans(t *testing.T, w *actorstest.World, team *actorstest.Team) []actors.OpenTask {
	t.Helper()
	open, err := w.Registry.OpenTasks(w.Context(), team.ID, false, 100)
	require.NoError(t, err)
	return open.Tasks
}
