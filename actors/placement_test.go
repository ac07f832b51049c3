package actors_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// TestReleaseAnswersFirst: a request that a child of the team handles while the team
// moves to another node is answered by its result; a later one gets the error that the
// team is elsewhere.
func TestReleaseAnswersFirst(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Bool
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) {
		o.Serves = func(string) bool { return !elsewhere.Load() }
	}))
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	made, err := actorstest.Try[actors.WatchlistView](team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Name: "before", Keywords: []watchpost.KeywordEntry{{Keyword: "tea"}},
	}})
	require.NoError(t, err)

	reached, proceed := w.HoldIn("actors.(*watchlist).onUpdate")
	name := "after"
	updated := make(chan error, 1)
	go func() {
		_, err := actorstest.Try[actors.WatchlistView](team, actors.UpdateWatchlist{Type: watchpost.KeywordWatchlist, ID: made.Watchlist.ID, Patch: watchpost.WatchlistPatch{Name: &name}})
		updated <- err
	}()
	<-reached
	elsewhere.Store(true)
	released := make(chan error, 1)
	go func() { released <- w.Registry.Release(w.Context(), func(string) bool { return false }) }()
	require.Eventually(t, func() bool { // the team takes no more requests
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, err := w.Registry.Call(ctx, team.ID, actors.GetTeam{})
		return err != nil
	}, actorstest.Wait, time.Millisecond)
	proceed()
	require.NoError(t, <-updated)
	require.NoError(t, <-released)

	_, err = actorstest.Try[actors.TeamView](team, actors.GetTeam{})
	var moved *root.ElsewhereError
	require.True(t, errors.As(err, &moved), "%v", err)
	elsewhere.Store(false)
	view, err := actorstest.Try[actors.WatchlistView](team, actors.GetWatchlist{Type: watchpost.KeywordWatchlist, ID: made.Watchlist.ID})
	require.NoError(t, err)
	require.Equal(t, name, view.Watchlist.Name)
}

// TestReleaseWaitsForAllTogether: each of several teams with a stuck request gives it up
// after its own wait, although no other team has ended.
func TestReleaseWaitsForAllTogether(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	var sessions []*actorstest.Session
	var teams []*actorstest.Team
	for range 3 {
		team := w.CreateTeam(t, watchpost.PlanGrowth)
		teams, sessions = append(teams, team), append(sessions, team.Session(t, "ada").Connect())
	}
	w.Store.Block()
	answered := make(chan struct{}, len(teams))
	for _, team := range teams {
		go func() {
			_, _ = actorstest.Try[actors.WatchlistView](team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
				Type: watchpost.KeywordWatchlist, Name: "stuck", Keywords: []watchpost.KeywordEntry{{Keyword: "tea"}},
			}}) // its outcome does not matter
			answered <- struct{}{}
		}()
	}
	require.NoError(t, w.Store.AwaitHeld(w.Context(), len(teams)))
	released := make(chan error, 1)
	go func() { released <- w.Registry.Release(w.Context(), func(string) bool { return false }) }()
	for _, s := range sessions {
		s.ExpectClosed()
	}
	w.Store.Release()
	require.NoError(t, <-released)
	for range teams {
		<-answered
	}
}

// slowActivations is a store whose activations return late.
type slowActivations struct {
	persistence.Store
	taken func(persistence.Space)
}

// Activate implements persistence.Store.
func (s *slowActivations) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	epoch, err := s.Store.Activate(ctx, space)
	s.taken(space)
	return epoch, err
}

// TestTeamLostWhileItsEpochIsTaken: a node that was frozen, or waited for the database, may
// take the epoch of a team that another node serves by then, from memory. It writes nothing
// under that epoch: the other would not see it.
func TestTeamLostWhileItsEpochIsTaken(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Bool
	var moving atomic.Value // the space that moves while its epoch is taken
	moving.Store(persistence.Space(""))
	var written atomic.Int64
	engine := &slowActivations{Store: actorstest.Engine(t), taken: func(space persistence.Space) {
		if space == moving.Load() {
			elsewhere.Store(true)
		}
	}}
	w := actorstest.New(t, actorstest.On(engine), actorstest.With(func(o *actors.Options) {
		o.Serves = func(string) bool { return !elsewhere.Load() }
	}), actorstest.Watching(func(space persistence.Space, b *persistence.Batch) {
		if space == moving.Load() && len(b.Writes) > 0 {
			written.Add(1)
		}
	}))
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	for what, change := range map[string]func() error{
		"a request": func() error {
			_, err := actorstest.Try[actors.WatchlistView](team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
				Type: watchpost.KeywordWatchlist, Name: "late", Keywords: []watchpost.KeywordEntry{{Keyword: "tea"}},
			}})
			return err
		},
		"upkeep": func() error {
			_, err := w.Registry.ReprocessTeam(w.Context(), team.ID, true)
			return err
		},
	} {
		require.NoError(t, w.Registry.Release(w.Context(), func(string) bool { return false }))
		moving.Store(persistence.Space(team.ID))
		require.Error(t, change(), what)
		require.Zero(t, written.Load(), what)
		moving.Store(persistence.Space(""))
		elsewhere.Store(false)
		require.NoError(t, change(), what)
	}
}
