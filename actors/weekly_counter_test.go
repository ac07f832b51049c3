package actors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// relevantPost is a post that a watchlist of that keyword finds relevant.
func relevantPost(w *actorstest.World, keyword, name, author string) protocol.Post {
	p := post(w, name, keyword+" is what this is about, and "+keyword+" again")
	p.AuthorName, p.AuthorURL = author, "/in/"+author
	return p
}

// relevantPosts are n of them, by n authors.
func relevantPosts(w *actorstest.World, keyword string, from, n int) (posts []protocol.Post) {
	for i := range n {
		posts = append(posts, relevantPost(w, keyword, fmt.Sprintf("%s-%d", keyword, from+i), fmt.Sprintf("author-%d", from+i)))
	}
	return posts
}

// scanBrings answers the scan that is handed out next with posts.
func scanBrings(t *testing.T, s *actorstest.Session, posts ...protocol.Post) {
	t.Helper()
	frame := s.Expect(protocol.TypeTask)
	require.Equal(t, "keyword_scan", frame.TaskType)
	finish(t, s, frame, posts...)
}

func finish(t *testing.T, s *actorstest.Session, frame protocol.Frame, posts ...protocol.Post) {
	t.Helper()
	for seq := 0; len(posts) > 0; seq++ {
		n := min(len(posts), 150)
		s.Part(frame, seq, posts[:n]...)
		posts = posts[n:]
		s.ExpectAck(frame)
	}
	exhausted := true
	s.Result(frame, protocol.PostsOutput{Exhausted: &exhausted, Posts: []protocol.Post{}})
	s.ExpectAck(frame)
}

// week is what a watchlist has taken in the present week, as GET and /api-team
// show it.
func week(t *testing.T, team *actorstest.Team, list watchpost.Watchlist) (stored, dropped, leads int) {
	t.Helper()
	shown := getWatchlist(t, team, list)
	use := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Use
	return use.WeeklyPosts, shown.DroppedThisWeek, use.PotentialLeads
}

func wantWeek(t *testing.T, team *actorstest.Team, list watchpost.Watchlist, stored, dropped, leads int) {
	t.Helper()
	gotStored, gotDropped, gotLeads := week(t, team, list)
	require.Equal(t, []int{stored, dropped, leads}, []int{gotStored, gotDropped, gotLeads}, "stored, dropped, leads")
}

func TestWeeklyLimit(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	s := team.Session(t, "ada").Connect()
	list := keywordWatchlist(t, team, "golang")
	minor := post(w, "minor", "x") // does not match, is not even a newcomer
	posts := append(relevantPosts(w, "golang", 0, 203), minor)
	scanBrings(t, s, posts...)
	wantWeek(t, team, list, 200, 3, 0)
	stored := map[string]bool{}
	page, err := w.Registry.Posts(w.Context(), team.ID, nil, watchpost.PostQuery{Page: 1, PageSize: 100})
	require.NoError(t, err)
	require.Equal(t, 200, page.Count)
	for _, p := range actorstest.Decoded(t, page.Posts) {
		require.False(t, p.Lead(), "none on the free plan")
		stored[p.URN] = true
	}

	t.Run("what is known or was dropped is not counted again", func(t *testing.T) {
		w.Advance(time.Hour)
		scanBrings(t, s, posts...)
		wantWeek(t, team, list, 200, 3, 0)
	})
	t.Run("nor after a crash in the middle", func(t *testing.T) {
		w.Advance(time.Hour)
		frame := s.Expect(protocol.TypeTask)
		s.Part(frame, 0, append(relevantPosts(w, "golang", 198, 6), relevantPosts(w, "golang", 300, 2)...)...)
		s.ExpectAck(frame)
		w.Crash()
		s.Connect(actorstest.Listed(frame, protocol.StateReceived))
		wantWeek(t, team, list, 200, 6, 0) // 203, 300, 301 are new
		s.Part(frame, 0, append(relevantPosts(w, "golang", 198, 6), relevantPosts(w, "golang", 300, 2)...)...)
		s.ExpectAck(frame)
		finish(t, s, frame)
		wantWeek(t, team, list, 200, 6, 0)
	})
	t.Run("another watchlist has its own", func(t *testing.T) {
		other := keywordWatchlist(t, team, "rust")
		scanBrings(t, s, relevantPosts(w, "rust", 0, 5)...)
		_, dropped, _ := week(t, team, other)
		require.Zero(t, dropped)
		require.Len(t, team.Posts(t, other.ID), 5)
	})
	t.Run("more with another plan", func(t *testing.T) {
		actorstest.Must[watchpost.Team](t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: new(watchpost.PlanGrowth)}})
		w.Advance(time.Hour)
		for range 2 { // both watchlists are due
			frame := s.Expect(protocol.TypeTask)
			finish(t, s, frame, relevantPosts(w, "golang", 198, 6)...)
		}
		wantWeek(t, team, list, 204, 2, 4)
	})
	t.Run("a new week", func(t *testing.T) {
		monday := watchpost.Weekly.Reset(w.Now())
		w.SetClock(monday.Add(-2 * time.Second))
		for range 2 {
			finish(t, s, s.Expect(protocol.TypeTask))
		}
		wantWeek(t, team, list, 204, 2, 4)
		w.SetClock(monday)
		wantWeek(t, team, list, 0, 0, 0)
		w.Advance(2 * time.Hour)
		for range 2 {
			finish(t, s, s.Expect(protocol.TypeTask), relevantPosts(w, "golang", 299, 3)...)
		}
		wantWeek(t, team, list, 3, 0, 3) // 299 is new; 300 and 301 were dropped last week
		require.Eventually(t, func() bool {
			return len(storedKeys(t, w, team, "y")) == 1 && len(storedKeys(t, w, team, "z")) == 3
		}, actorstest.Wait, time.Millisecond, "what was kept of the week before is forgotten")
	})
}

// TestQuietTeam: a free team without a sign of life for a week has less; a
// person who signs in is one.
func TestQuietTeam(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	s := team.Session(t, "ada").Connect()
	list := keywordWatchlist(t, team, "golang")
	scanBrings(t, s, relevantPosts(w, "golang", 0, 150)...)
	wantWeek(t, team, list, 150, 0, 0)
	limit := func() int { return actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Limits.WeeklyPosts }
	require.Equal(t, 200, limit())

	// The session is connected, and says nothing for more than a week.
	w.SetClock(watchpost.Weekly.Reset(w.Now()).Add(3 * 24 * time.Hour))
	require.Equal(t, 100, limit())
	scanBrings(t, s, relevantPosts(w, "golang", 1000, 120)...)
	wantWeek(t, team, list, 100, 20, 0)

	require.NoError(t, w.Registry.SendOTP(w.Context(), team.Email, "", "192.0.2.1", "", ""))
	signed, err := verifyOTP(w, team.Email, w.Mail.Code(team.Email), "192.0.2.1")
	require.NoError(t, err)
	require.Equal(t, team.ID, signed.Team.ID)
	require.Equal(t, 200, limit())
	w.Crash()
	require.Equal(t, 200, limit(), "it is remembered")
	s.Connect()
	w.Advance(time.Hour)
	scanBrings(t, s, relevantPosts(w, "golang", 1000, 120)...)
	wantWeek(t, team, list, 120, 0, 0)
}

func TestPotentialLeads(t *testing.T) {
	t.Parallel()
	w, team, s := house(t) // ultimate: 100 leads
	list := keywordWatchlist(t, team, "golang")
	posts := relevantPosts(w, "golang", 0, 103)
	again := relevantPost(w, "golang", "again", "author-0")
	late := relevantPost(w, "golang", "late", "author-102")
	nobody := relevantPost(w, "golang", "nobody", "x")
	nobody.AuthorURL = ""
	scanBrings(t, s, append(posts, again, late, nobody)...)
	wantWeek(t, team, list, 106, 0, 100)
	leads := map[string]bool{}
	page := func() {
		clear(leads)
		for n := range 2 {
			got, err := w.Registry.Posts(w.Context(), team.ID, nil, watchpost.PostQuery{Page: n + 1, PageSize: 100})
			require.NoError(t, err)
			for _, p := range actorstest.Decoded(t, got.Posts) {
				if p.Lead() {
					leads[p.URN] = true
				}
			}
		}
	}
	page()
	require.Len(t, leads, 101)
	require.True(t, leads["urn:network:post:again"], "every post of a lead says so")
	require.False(t, leads["urn:network:post:late"])
	require.False(t, leads["urn:network:post:nobody"])

	t.Run("a re-scan changes nothing", func(t *testing.T) {
		w.Advance(time.Hour)
		scanBrings(t, s, append(posts, again)...)
		wantWeek(t, team, list, 106, 0, 100)
		page()
		require.Len(t, leads, 101)
	})
	t.Run("a lead of one watchlist is none when that is gone", func(t *testing.T) {
		other := keywordWatchlist(t, team, "is what")
		known := posts[102]
		scanBrings(t, s, known)
		shown := team.Posts(t, other.ID)
		require.Len(t, shown, 1)
		require.True(t, shown[0].Lead(), "the first of the other watchlist")
		page() // both pages: the post may be on either
		require.True(t, leads[known.URN])
		done(t, team, actors.DeleteWatchlist{Type: other.Type, ID: other.ID})
		require.Eventually(t, func() bool {
			page()
			return !leads[known.URN]
		}, actorstest.Wait, time.Millisecond)
	})
}

// TestLesserPosts checks that posts below 4 are stored, whatever the limit, and
// are no lead.
func TestLesserPosts(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	s := team.Session(t, "ada").Connect()
	list := actorstest.Must[actors.WatchlistView](t, team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Objective: "gardening", Labels: []watchpost.Label{{Name: "cooking"}},
		Keywords: []watchpost.KeywordEntry{{Keyword: "golang"}},
	}}).Watchlist
	lesser := relevantPost(w, "golang", "lesser", "eve")
	lesser.Content = strings.Repeat("Something else entirely is what they wrote about on that day.\n", 5) + "and golang"
	scanBrings(t, s, lesser)
	posts := team.Posts(t)
	require.Len(t, posts, 1)
	require.Less(t, posts[0].Relevance, 4.0)
	require.False(t, posts[0].Lead())
	wantWeek(t, team, list, 0, 0, 0)
}

// TestKnownPostOverTheLimit: what another watchlist has is not taken away by
// the limit of the one that finds it too.
func TestKnownPostOverTheLimit(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	s := team.Session(t, "ada").Connect()
	first := keywordWatchlist(t, team, "rust")
	shared := relevantPost(w, "rust", "shared", "eve")
	shared.Content += " golang golang golang"
	scanBrings(t, s, shared)
	before := team.Posts(t, first.ID)[0]
	second := keywordWatchlist(t, team, "golang")
	shared.Likes = 77
	scanBrings(t, s, append(relevantPosts(w, "golang", 0, 200), shared)...)
	wantWeek(t, team, second, 200, 1, 0)
	after := team.Posts(t, first.ID)[0]
	require.EqualValues(t, 77, after.Likes)
	require.Equal(t, before.Matches, after.Matches)
	require.Equal(t, before.Relevance, after.Relevance)
	require.Equal(t, before.Tags, after.Tags)
	for _, p := range team.Posts(t, second.ID) {
		require.NotEqual(t, shared.URN, p.URN)
	}
}

// TestWeekIsOneDecision checks that posts and their counts are stored together
// or not at all.
func TestWeekIsOneDecision(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	s := team.Session(t, "ada").Connect()
	list := keywordWatchlist(t, team, "golang")
	frame := s.Expect(protocol.TypeTask)
	w.Store.Fail(persistence.Space(team.ID), 1, actorstest.Before)
	s.Part(frame, 0, relevantPosts(w, "golang", 0, 10)...)
	s.ExpectClosed()
	w.Crash()
	wantWeek(t, team, list, 0, 0, 0)
	require.Empty(t, team.Posts(t))
	s.Connect(actorstest.Listed(frame, protocol.StateReceived))
	finish(t, s, frame, relevantPosts(w, "golang", 0, 10)...)
	wantWeek(t, team, list, 10, 0, 0)
}

// TestWeekOfAList: watchlists of people and companies have the same limit, and
// leads.
func TestWeekOfAList(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	s := team.Session(t, "ada").Connect()
	var posts []protocol.Post
	for i := range 5 {
		posts = append(posts, relevantPost(w, "anything", fmt.Sprint(i), "eve"))
	}
	list := actorstest.Must[actors.Followed](t, team, followers(1, "", "eve")).Watchlist
	frame := s.Expect(protocol.TypeTask)
	require.Equal(t, "people_scan", frame.TaskType)
	finish(t, s, frame, posts...)
	wantWeek(t, team, list, 5, 0, 1)
	for _, p := range team.Posts(t, list.ID) {
		require.True(t, p.Lead())
	}
}
