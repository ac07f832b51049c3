package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// by gives posts an author of a level.
func by(headline string, posts ...protocol.Post) []protocol.Post {
	for i := range posts {
		posts[i].AuthorHeadline = headline
	}
	return posts
}

// TestConditionsDropBeforeTheLimit: a post that has the words and does not meet the
// conditions is dropped, and takes nothing of the limit of the week.
func TestConditionsDropBeforeTheLimit(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	s := team.Session(t, "ada").Connect()
	list := actorstest.Must[actors.WatchlistView](t, team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Frequency: hour, Keywords: []watchpost.KeywordEntry{{Keyword: "golang"}},
		Conditions: watchpost.WatchlistConditions{Languages: []string{"en"}, Levels: []string{"VP", "Director"}, Types: []string{"text"}},
	}}).Watchlist
	w.Crash() // the conditions are stored
	s.Connect()

	posts := by("Intern at Acme", relevantPosts(w, "golang", 0, 60)...)
	french := by("VP of Sales", post(w, "french", "golang est un langage que nous utilisons tous les jours dans notre entreprise"))
	poll := by("VP of Sales", relevantPost(w, "golang", "poll", "poll"))
	poll[0].Type = "poll"
	posts = append(append(posts, french...), poll...)
	posts = append(posts, by("VP of Sales", relevantPosts(w, "golang", 100, 201)...)...)
	scanBrings(t, s, append(posts, post(w, "other", "not about it"))...)

	require.Equal(t, teamspace.PostDay{Found: 264, Kept: 200, Dropped: 1}, coverageOf(t, team, w.Now())[list.ID].Posts)
	require.Equal(t, 1, getWatchlist(t, team, list).DroppedThisWeek)
	for _, p := range team.Posts(t, list.ID) {
		require.Equal(t, []string{"en", "VP", "text"}, []string{p.Language, p.Seniority, p.Type})
	}
}

// TestSharedScanWithConditions: watchlists with the same keyword and other conditions
// share a scan, and each gets its posts.
func TestSharedScanWithConditions(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	plain := keywordWatchlist(t, team, "heat pump")
	picky := keywordWatchlist(t, team, "heat pump")
	patch(t, team, picky, watchpost.WatchlistPatch{Levels: &[]string{"VP"}})
	forum := watchlistOf(t, team, watchpost.ForumWatchlist, "heat pump")
	patch(t, team, forum, watchpost.WatchlistPatch{Levels: &[]string{"VP"}})

	s := team.Session(t, "ada").Connect()
	scans := 0
	for range 2 {
		scan := s.Expect(protocol.TypeTask)
		if scan.TaskType == string(watchpost.TaskKeywordScan) {
			scans++
		}
		posts := by("VP of Sales", relevantPost(w, "heat pump", "vp-"+scan.TaskType, "ada"))
		endScan(s, scan, true, append(posts, by("Intern", relevantPost(w, "heat pump", "intern-"+scan.TaskType, "bob"))...)...)
	}
	s.ExpectNone()
	require.Equal(t, 1, scans)
	require.Len(t, team.Posts(t, plain.ID), 2)
	require.Len(t, team.Posts(t, picky.ID), 1)
	require.Len(t, team.Posts(t, forum.ID), 1)
	require.Equal(t, teamspace.PostDay{Found: 2, Kept: 1}, coverageOf(t, team, w.Now())[picky.ID].Posts)
}

// TestChangedConditions: as with excluded words, stored posts stay. Narrower conditions
// hold from the next scan; wider ones search 30 days back again.
func TestChangedConditions(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "heat pump")
	intern := by("Intern", relevantPost(w, "heat pump", "1", "ada"))
	endScan(s, s.Expect(protocol.TypeTask), true, intern...)
	require.Len(t, team.Posts(t, list.ID), 1)

	narrowed := patch(t, team, list, watchpost.WatchlistPatch{Levels: &[]string{"VP"}})
	require.Equal(t, list.Keywords, narrowed.Watchlist.Keywords)
	require.Len(t, team.Posts(t, list.ID), 1, "stored posts stay")
	s.ExpectNone()
	w.Advance(time.Hour + time.Minute)
	scan := s.Expect(protocol.TypeTask)
	require.WithinDuration(t, w.Now().Add(-26*time.Hour), scanInput(t, scan).Since, time.Hour)
	endScan(s, scan, true, by("Intern", relevantPost(w, "heat pump", "2", "bob"))...)
	require.Len(t, team.Posts(t, list.ID), 1)

	widened := patch(t, team, list, watchpost.WatchlistPatch{Levels: &[]string{"VP", "Entry"}})
	require.NotEqual(t, list.Keywords[0].ID, widened.Watchlist.Keywords[0].ID)
	scan = s.Expect(protocol.TypeTask)
	require.WithinDuration(t, w.Now().Add(-watchpost.FirstScanReach), scanInput(t, scan).Since, time.Minute)
	endScan(s, scan, true, by("Intern", relevantPost(w, "heat pump", "2", "bob"))...)
	require.Len(t, team.Posts(t, list.ID), 2)
}
