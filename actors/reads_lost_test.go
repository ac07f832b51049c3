package actors_test

import (
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

// reading matches the reads of a team's keys with a prefix.
func reading(team *actorstest.Team, prefix string) func(actorstest.Read) bool {
	return func(r actorstest.Read) bool {
		return r.Space == persistence.Space(team.ID) && strings.HasPrefix(r.Key, prefix)
	}
}

// reconnect waits until the team has ended, and connects its session again.
func reconnect(w *actorstest.World, s *actorstest.Session) {
	w.T.Helper()
	s.ExpectClosed()
	w.AwaitPassivated()
	require.Zero(w.T, w.Failures())
	w.Advance(time.Second)
	s.Connect()
}

// TestLostReads checks that a read that fails in a team's tree ends in
// Unavailable and a reloaded tree. The next request works, and takes effect once.
func TestLostReads(t *testing.T) {
	t.Parallel()
	t.Run("of an effect", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		first := created(t, team, request(watchpost.TaskLikePost, likeOf))
		s.Finish(s.ExpectTask(first))
		s.ExpectNone()
		w.Store.LoseRead(1, reading(team, "f"))
		actorstest.Fails(t, team, watchpost.Unavailable, request(watchpost.TaskLikePost, likeOf))
		reconnect(w, s)
		require.Equal(t, first, created(t, team, request(watchpost.TaskLikePost, likeOf)), "it is in force still")
		s.ExpectNone()
	})
	t.Run("of a debit that is to be given back", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id := team.Create(t, watchpost.TaskSendMessage)
		frame := s.ExpectTask(id)
		s.Act(frame)
		s.Drop()
		w.Advance(24*time.Hour + time.Minute)
		wantFailure(t, team.Status(t, id), "outcome_unknown", false)
		for _, key := range []string{"b", "k" + string(id)} {
			s.Connect(actorstest.Listed(frame, protocol.StateDone))
			w.Store.LoseRead(1, reading(team, key))
			s.Error(frame, "not_found", actorstest.Lie)
			s.ExpectClosed()
			w.AwaitPassivated()
			w.Advance(time.Second)
			require.NotContains(t, string(team.Status(t, id).Output), "resolved")
			require.Len(t, storedKeys(t, w, team, "b"), 1)
		}
		s.Connect(actorstest.Listed(frame, protocol.StateDone))
		s.Error(frame, "not_found", actorstest.Lie)
		s.ExpectAck(frame)
		require.Contains(t, string(team.Status(t, id).Output), `"resolved":{"acted":false`)
		require.Empty(t, storedKeys(t, w, team, "b"))
	})
	t.Run("of a pairing code", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		code := actorstest.Must[actors.PairingCode](t, team, actors.CreatePairingCode{Email: team.Email})
		// The first read is the registry's, which looks up the owner of the code.
		w.Store.LoseRead(2, func(r actorstest.Read) bool { return r.Kind == "pairing" })
		signIn := func() error {
			_, err := w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Code: code.Code}, "192.0.2.1")
			return err
		}
		require.Equal(t, watchpost.Unavailable, watchpost.KindOf(signIn()))
		reconnect(w, s)
		w.Store.LoseRead(1, reading(team, "c"))
		actorstest.Fails(t, team, watchpost.Unavailable, actors.CreatePairingCode{Email: team.Email})
		reconnect(w, s)
		require.NoError(t, signIn(), "it was not used up")
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(signIn()), "it is now")
	})
	t.Run("of a kept reply that has expired", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		once := actors.IdempotentRequest{Name: "k", Hash: "a", Request: actorstest.NewTask(watchpost.TaskCompanyFetch)}
		actorstest.Must[actors.TaskCreated](t, team, once)
		w.Advance(25 * time.Hour)
		s.Connect()
		w.Store.LoseRead(2, reading(team, "ik")) // the first asks whether it is kept
		actorstest.Fails(t, team, watchpost.Unavailable, once)
		reconnect(w, s)
		actorstest.Must[actors.TaskCreated](t, team, once)
		require.Len(t, storedKeys(t, w, team, "j"), 1)
	})
	t.Run("of a post", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		keywordWatchlist(t, team, "go")
		endScan(s, s.Expect(protocol.TypeTask), true, post(w, "1", "go"))
		bookmark := actors.BookmarkPost{Post: team.Posts(t)[0].ID, Bookmark: true}
		views := 0
		// The team's own view of the post is the first, the post store's the second.
		w.Store.LoseReads(func(r actorstest.Read) bool {
			if r == (actorstest.Read{}) {
				views++
			}
			return views == 2
		})
		actorstest.Fails(t, team, watchpost.Unavailable, bookmark)
		w.Store.LoseReads(nil)
		reconnect(w, s)
		require.False(t, team.Posts(t)[0].Bookmark)
		done(t, team, bookmark)
		require.True(t, team.Posts(t)[0].Bookmark)
	})
}
