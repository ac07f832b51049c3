package actors_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// TestWatchlistTooLarge: a definition that could not be stored is refused, and
// the team goes on.
func TestWatchlistTooLarge(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	small := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	follows := actorstest.Must[actors.Followed](t, team, following(watchpost.CompanyWatchlist, 12, "", "acme")).Watchlist

	huge := strings.Repeat("x", persistence.MaxValue-10)
	escaped := strings.Repeat("<", persistence.MaxValue/6) // as JSON it is six times as long
	list := following(watchpost.CompanyWatchlist, 12, "", "other")
	for name, text := range map[string]string{"huge": huge, "escaped": escaped} {
		list.Watchlist.Description = text
		for _, request := range []any{
			list,
			actors.CreateWatchlist{Watchlist: watchpost.Watchlist{Type: watchpost.KeywordWatchlist, Keywords: small.Keywords, Description: text}},
			actors.UpdateWatchlist{Type: small.Type, ID: small.ID, Patch: watchpost.WatchlistPatch{Description: &text}},
			actors.UpdateWatchlist{Type: follows.Type, ID: follows.ID, Patch: watchpost.WatchlistPatch{Description: &text}},
		} {
			err := actorstest.Fails(t, team, watchpost.TooLarge, request)
			require.EqualError(t, err, "Request body too large", "%s %T", name, request)
		}
	}
	require.Empty(t, getWatchlist(t, team, small).Watchlist.Description)
	require.Len(t, actorstest.Must[[]actors.WatchlistView](t, team, actors.ListWatchlists{Type: watchpost.CompanyWatchlist}), 1)
	require.True(t, s.Open(), "the team was not ended")
	endScan(s, scan, true)
}

// TestLargestWatchlistIsKept checks that the largest accepted watchlist can be
// stored together with the reply that is kept for a repetition.
func TestLargestWatchlistIsKept(t *testing.T) {
	t.Parallel()
	_, team, _ := house(t)
	n, kept := 0, 0
	for size := 128 << 10; size < persistence.MaxValue; size += 128 << 10 {
		n++
		_, err := actorstest.Try[actors.WatchlistView](team, actors.IdempotentRequest{Name: fmt.Sprint("large-", n), Hash: "h", Request: actors.CreateWatchlist{
			Watchlist: watchpost.Watchlist{Type: watchpost.KeywordWatchlist, Keywords: []watchpost.KeywordEntry{{Keyword: "go"}}, Description: strings.Repeat("x", size)},
		}})
		if err != nil {
			require.Equal(t, watchpost.TooLarge, watchpost.KindOf(err), "%d: %v", size, err)
			continue
		}
		kept++
	}
	require.Positive(t, kept)
}

// TestAccountTooLong: what a session says of its account is bounded, and cannot
// end the team.
func TestAccountTooLong(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	s.Account.Slug = strings.Repeat("<", 300<<10)
	s.Account.Name = s.Account.Slug
	s.Heartbeat()
	s.ExpectNone()
	require.True(t, s.Open())
	account := presenceOf(t, team, team.Email).Account
	require.LessOrEqual(t, len(account.Slug), 1000)
	require.LessOrEqual(t, len(account.Name), 1000)

	s.Account = actorstest.Account("nul\x00like")
	s.Heartbeat()
	s.ExpectNone()
	require.Nil(t, presenceOf(t, team, team.Email).Account, "no account of the network is named like this")
}

// TestJournalNameTooLong: what a session calls its journal is bounded, as each
// of a task's leases carries it.
func TestJournalNameTooLong(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	s := team.Session(t, "ada")
	s.Journal = strings.Repeat("<", 7000)
	s.Connect()
	for range 3 { // who is free is not known
		team.Create(t, watchpost.TaskLikePost)
	}
	frame := s.Expect(protocol.TypeTask)
	s.Act(frame)
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	stored, err := view.Get(persistence.Space(team.ID), []byte("k"+frame.Task))
	view.Close()
	require.NoError(t, err)
	require.Less(t, len(stored), 4000)

	again := team.Session(t, "ada")
	again.Journal = s.Journal
	again.Connect(actorstest.Listed(frame, protocol.StateDone))
	again.Result(frame, map[string]any{"liked": true})
	for again.Next().Type != protocol.TypeAck { // it may be handed another before
	}
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, watchpost.TaskID(frame.Task)).State, "it is known again all the same")
}

// TestPostTooLarge: of a post that cannot be stored the rest of its scan loses
// nothing, and it is counted.
func TestPostTooLarge(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	huge := post(w, "huge", "go "+strings.Repeat("<", 60<<10)) // as JSON it is six times as long
	endScan(s, scan, true, post(w, "one", "go one"), huge, post(w, "two", "go two"))
	require.Len(t, team.Posts(t, list.ID), 2)
	require.InDelta(t, 1, w.PostEvents("unfit"), 0)
	require.True(t, s.Open(), "the team was not ended")
}
