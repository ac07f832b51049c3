package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// TestOnce: a repeated request is answered with the first reply for a day.
func TestOnce(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	once := func(hash string) actors.IdempotentRequest {
		return actors.IdempotentRequest{Name: "POST /x k", Hash: hash, Request: actorstest.NewTask(watchpost.TaskProfileFetch)}
	}
	first := actorstest.Must[actors.TaskCreated](t, team, once("a"))
	for range 2 {
		require.Equal(t, actors.ReplayedReply{Reply: first}, actorstest.Must[actors.ReplayedReply](t, team, once("a")))
		require.Equal(t, actors.ReplayedReply{Reply: first}, actorstest.Must[actors.ReplayedReply](t, team, actors.IdempotentRequest{Name: "POST /x k", Hash: "a"}))
		err := actorstest.Fails(t, team, watchpost.Conflict, once("b"))
		require.EqualError(t, err, "Idempotency-Key was used with a different request")
		w.Crash()
	}
	require.Equal(t, root.Done{}, actorstest.Must[root.Done](t, team, actors.IdempotentRequest{Name: "other", Hash: "a"}))
	w.Advance(24*time.Hour - time.Minute)
	actorstest.Must[actors.ReplayedReply](t, team, once("a"))
	w.Advance(2 * time.Minute)
	second := actorstest.Must[actors.TaskCreated](t, team, once("b"))
	require.NotEqual(t, first, second)
	require.Len(t, storedKeys(t, w, team, "i"), 1)
	require.Len(t, storedKeys(t, w, team, "j"), 1)
	w.Advance(25 * time.Hour)
	actorstest.Must[actors.TaskCreated](t, team, actors.IdempotentRequest{Name: "another", Hash: "a", Request: actorstest.NewTask(watchpost.TaskProfileFetch)})
	require.Len(t, storedKeys(t, w, team, "i"), 1, "expired ones are removed on the way")
	require.Len(t, storedKeys(t, w, team, "j"), 1)

	t.Run("a new reply is not removed with an expired one of its name", func(t *testing.T) {
		w.Advance(25 * time.Hour)
		replies := make(chan any, 2)
		ask := func(name string) {
			reply, err := actorstest.Try[any](team, actors.IdempotentRequest{Name: name, Hash: "a", Request: actorstest.NewTask(watchpost.TaskProfileFetch)})
			if err != nil {
				reply = err
			}
			replies <- reply
		}
		w.Store.Block() // the store shows the expired reply still
		go ask("another")
		require.NoError(t, w.Store.AwaitHeld(w.Context(), 1))
		go ask("third")
		require.NoError(t, w.Store.AwaitHeld(w.Context(), 2))
		w.Store.Release()
		<-replies
		<-replies
		actorstest.Must[actors.ReplayedReply](t, team, actors.IdempotentRequest{Name: "another", Hash: "a", Request: actorstest.NewTask(watchpost.TaskProfileFetch)})
	})
	t.Run("a refusal is not kept", func(t *testing.T) {
		refused := actors.IdempotentRequest{Name: "refused", Hash: "a", Request: actors.Engage{Type: watchpost.TaskLikePost, Post: "none", Email: team.Email}}
		require.EqualError(t, actorstest.Fails(t, team, watchpost.NotFound, refused), "Post not found")
		require.Equal(t, root.Done{}, actorstest.Must[root.Done](t, team, actors.IdempotentRequest{Name: "refused", Hash: "b"}))
	})
	t.Run("a repetition waits for the first", func(t *testing.T) {
		w.Store.Block()
		replies := make(chan any, 2)
		for range cap(replies) {
			go func() {
				reply, err := actorstest.Try[any](team, actors.IdempotentRequest{Name: "twins", Hash: "a", Request: actorstest.NewTask(watchpost.TaskProfileFetch)})
				if err != nil {
					reply = err
				}
				replies <- reply
			}()
		}
		require.NoError(t, w.Store.AwaitHeld(w.Context(), 1))
		require.Empty(t, replies)
		w.Store.Release()
		one, two := <-replies, <-replies
		if _, replayed := one.(actors.ReplayedReply); replayed {
			one, two = two, one
		}
		require.Equal(t, actors.ReplayedReply{Reply: one}, two)
	})
}
