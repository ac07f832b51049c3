package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/insight"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// coverageOf returns the coverage of a team on a day, by watchlist.
func coverageOf(t *testing.T, team *actorstest.Team, day time.Time) map[watchpost.WatchlistID]insight.Coverage {
	t.Helper()
	first := watchpost.Daily.Start(day)
	page, err := team.W.Registry.Coverage(t.Context(), team.ID, nil, insight.CoverageQuery{From: first, To: first.AddDate(0, 0, 1), Page: 1, PageSize: 100})
	require.NoError(t, err)
	require.Len(t, page.Days, page.Count)
	rows := map[watchpost.WatchlistID]insight.Coverage{}
	for _, row := range page.Days {
		rows[row.Watchlist.ID] = row
	}
	return rows
}

// TestCoverageCounts: posts of a day are kept, known or dropped, and some do not match.
func TestCoverageCounts(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	s := team.Session(t, "ada").Connect()
	list := keywordWatchlist(t, team, "golang")
	posts := append(relevantPosts(w, "golang", 0, 203), post(w, "minor", "does not match"))
	scanBrings(t, s, posts...)
	require.Equal(t, teamspace.PostDay{Found: 204, Kept: 200, Dropped: 3}, coverageOf(t, team, w.Now())[list.ID].Posts)
	w.Advance(time.Hour)
	scanBrings(t, s, posts...)
	w.Crash()
	row := coverageOf(t, team, w.Now())[list.ID]
	require.Equal(t, teamspace.PostDay{Found: 408, Kept: 200, Known: 203, Dropped: 3}, row.Posts)
	require.Equal(t, teamspace.ScanDay{Planned: 24, Done: 2}, row.Scans)
}

// TestCoverageOfFollowers: the scans of a list are those of all its followers, and a
// disabled one is brought no posts.
func TestCoverageOfFollowers(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	w.SetClock(watchpost.Daily.Start(w.Now()).Add(36 * time.Hour)) // noon
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	s := team.Session(t, "ada").Connect()
	first := actorstest.Must[actors.Followed](t, team, following(watchpost.PeopleWatchlist, 6, "", "jane"))
	second := actorstest.Must[actors.Followed](t, team, following(watchpost.PeopleWatchlist, 6, first.List.ID, "jane"))
	scan := func(posts ...protocol.Post) {
		frame := s.Expect(protocol.TypeTask)
		require.Equal(t, "people_scan", frame.TaskType)
		finish(t, s, frame, posts...)
	}
	scan(post(w, "one", "hello"))
	actorstest.Must[actors.WatchlistView](t, team, actors.UpdateWatchlist{
		ID: second.Watchlist.ID, Type: watchpost.PeopleWatchlist, Patch: watchpost.WatchlistPatch{Disable: new(true)},
	})
	w.Advance(6 * time.Hour)
	scan(post(w, "two", "hello again"))
	rows := coverageOf(t, team, w.Now())
	require.Equal(t, teamspace.PostDay{Found: 2, Kept: 2}, rows[first.Watchlist.ID].Posts)
	require.Equal(t, teamspace.PostDay{Found: 1, Kept: 1}, rows[second.Watchlist.ID].Posts)
	for _, row := range rows {
		require.Equal(t, teamspace.ScanDay{Planned: 4, Done: 2}, row.Scans)
	}

	day := w.Now()
	for range 2 {
		w.Advance(6*time.Hour + time.Minute)
		scan()
	}
	rows = coverageOf(t, team, day)
	require.True(t, new(rows[first.Watchlist.ID]).Complete())
	require.False(t, new(rows[second.Watchlist.ID]).Complete())

	// Of a deleted watchlist nothing is left but its counters.
	done(t, team, actors.DeleteWatchlist{ID: first.Watchlist.ID, Type: watchpost.PeopleWatchlist})
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, teamspace.KeyCovered)) == 1 }, actorstest.Wait, time.Millisecond)
	require.Len(t, coverageOf(t, team, day), 1)
}

// TestCoverageIsForgotten: the counts of a day are kept for watchpost.CoverageDays.
func TestCoverageIsForgotten(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	s := team.Session(t, "ada").Connect()
	keywordWatchlist(t, team, "golang")
	for _, after := range []time.Duration{watchpost.CoverageDays * 24 * time.Hour, 24 * time.Hour} {
		scanBrings(t, s, relevantPost(w, "golang", "one", "ada"))
		require.Len(t, storedKeys(t, w, team, teamspace.KeyPostDay), len(storedKeys(t, w, team, teamspace.KeyScanDay)))
		w.Advance(after)
		s.Connect()
	}
	scanBrings(t, s)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyScanDay), 2)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyPostDay), 1)
}
