package actors_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/stored"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// TestUpkeepOfARunningService damages the index of a team, and has it verified,
// repaired and enriched again while requests come in: each is answered.
func TestUpkeepOfARunningService(t *testing.T) {
	t.Parallel()
	engine := actorstest.Engine(t)
	w := actorstest.New(t, actorstest.On(engine))
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	s := team.Session(t, "ada").Connect()
	list := keywordWatchlist(t, team, "golang")
	const count = 30
	var posts []protocol.Post
	for i := range count {
		posts = append(posts, relevantPost(w, "golang", fmt.Sprintf("golang-%d", i), "bob"))
	}
	scanBrings(t, s, posts...)
	require.Len(t, team.Posts(t, list.ID), count)

	space, batch := persistence.Space(team.ID), &persistence.Batch{}
	view, err := engine.View(t.Context())
	require.NoError(t, err)
	require.NoError(t, view.Scan(space, []byte("pI"), []byte("pJ"), func(key, _ []byte) bool {
		batch.Delete(key)
		return false
	}))
	view.Close()
	require.False(t, batch.Empty(), "the index leads from ids to posts")
	w.Plant(space, batch)
	w.Crash()

	stop := make(chan struct{})
	var asking sync.WaitGroup
	asked := make(chan struct{})
	asking.Go(func() {
		for first := true; ; first = false {
			_, err := actorstest.Try[actors.TeamView](team, actors.GetTeam{})
			if err != nil {
				t.Errorf("a request while the posts are looked after: %v", err)
			}
			if first {
				close(asked)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	<-asked
	verify := func(repair bool) stored.Verification {
		found := 0
		sum, err := w.Registry.VerifyTeam(w.Context(), team.ID, repair, func(string) { found++ })
		require.NoError(t, err)
		require.Equal(t, sum.Problems, found)
		return sum
	}
	damaged := verify(false)
	require.NotZero(t, damaged.Problems)
	require.Equal(t, damaged, verify(true))
	require.Equal(t, stored.Verification{Teams: 1, Posts: count}, verify(true))
	changed, err := w.Registry.ReprocessTeam(w.Context(), team.ID, true)
	require.NoError(t, err)
	require.Equal(t, count, changed)
	close(stop)
	asking.Wait()
	require.Equal(t, stored.Verification{Teams: 1, Posts: count}, verify(false))
	require.Len(t, team.Posts(t, list.ID), count)
}
