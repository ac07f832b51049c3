package actors_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// withField adds a field that this build does not know to a stored record.
func withField(t *testing.T, stored []byte) []byte {
	t.Helper()
	fields := map[string]any{}
	require.NoError(t, json.Unmarshal(stored[1:], &fields))
	fields["future"] = true
	raw, err := json.Marshal(fields)
	require.NoError(t, err)
	return append([]byte{stored[0]}, raw...)
}

// entry reads a directory entry as it is stored.
func entry(t *testing.T, w *actorstest.World, key persistence.DirectoryKey) []byte {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	stored, err := view.Lookup(key)
	require.NoError(t, err)
	return stored
}

// TestClaimWithAnUnknownField, as a newer build may have written it: it is
// renewed, ended and taken over all the same.
func TestClaimWithAnUnknownField(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	key := persistence.DirectoryKey{Kind: "account", Name: string(s.URN())}
	foreign := func() {
		t.Helper()
		batch := &persistence.Batch{}
		batch.Set(key, withField(t, entry(t, w, key)))
		w.Plant("another", batch)
	}
	foreign()
	w.Crash()
	w.Advance(24 * time.Hour)
	s.Connect()
	require.False(t, presence(t, team, s.Email).AccountInUse)
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))

	foreign()
	w.Crash()
	done(t, team, actors.Revoke{Session: s.ID})
	foreign()
	heir := w.CreateTeam(t, watchpost.PlanFree)
	h := heir.Session(t, "ada").Connect()
	require.False(t, presence(t, heir, h.Email).AccountInUse)
}

// TestPairingCodeWithAnUnknownField is good for one session.
func TestPairingCodeWithAnUnknownField(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	var key persistence.DirectoryKey
	w.Store.Watch(func(_ persistence.Space, batch *persistence.Batch) {
		for _, d := range batch.Directory {
			if d.Key.Kind == "pairing" && d.Value != nil {
				key = d.Key
			}
		}
	})
	code := actorstest.Must[actors.PairingCode](t, team, actors.CreatePairingCode{Email: team.Email})
	batch := &persistence.Batch{}
	batch.Set(key, withField(t, entry(t, w, key)))
	w.Plant("another", batch)
	_, err := w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Code: code.Code}, "")
	require.NoError(t, err)
	_, err = w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Code: code.Code}, "")
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
}

// TestLeaseOfALostJournal: a lease that is sent again to a session which has
// lost its journal belongs to the new one, whatever session works with that.
func TestLeaseOfALostJournal(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskSendMessage)
	first := s.ExpectTask(id)
	s.Drop()
	s.Journal = "new"
	s.Connect()
	frame := s.ExpectTask(id)
	require.Equal(t, first.Lease, frame.Lease)
	s.Act(frame)
	w.Crash()

	again := team.Session(t, "ada")
	again.Journal = "new"
	again.Connect(actorstest.Listed(frame, protocol.StateActing))
	again.Result(frame, map[string]any{"sent": true})
	again.ExpectAck(frame)
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
}

// plantSessions gives a member sessions of a build that did not bound them, and
// returns their tokens' directory entries.
func plantSessions(t *testing.T, w *actorstest.World, team *actorstest.Team, n int) (tokens []persistence.DirectoryKey) {
	t.Helper()
	member := presence(t, team, team.Email).Member
	batch := &persistence.Batch{}
	for i := range n {
		id := watchpost.NewID(w.Now())
		token := persistence.DirectoryKey{Kind: "token", Name: fmt.Sprintf("%s-%d", id, i)}
		tokens = append(tokens, token)
		batch.Put([]byte("s"+id), fmt.Appendf(nil, "\x01"+`{"id":%q,"member":%q,"created_at":%q,"seen_at":%[3]q,"token_hash":%[4]q}`,
			id, member, w.Now().Format(time.RFC3339), token.Name))
		batch.Set(token, fmt.Appendf(nil, "\x01"+`{"team":%q,"member":%q,"session":%q}`, team.ID, member, id))
		if i%500 == 499 || i == n-1 {
			w.Plant(persistence.Space(team.ID), batch)
			batch = &persistence.Batch{}
		}
	}
	w.Crash()
	return tokens
}

func noneOf(t *testing.T, w *actorstest.World, keys []persistence.DirectoryKey) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	for _, key := range keys {
		_, err := view.Lookup(key)
		require.ErrorIs(t, err, persistence.ErrNotFound)
	}
}

// TestMemberWithManySessions is removed, also when the service ends in between:
// more sessions than one batch can end.
func TestMemberWithManySessions(t *testing.T) {
	t.Parallel()
	const many = 1500
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		tokens := plantSessions(t, w, team, many)
		s.Connect()
		remove(t, team, team.Email)
		s.Expect(protocol.TypeRevoked)
		require.Empty(t, storedKeys(t, w, team, "s"))
		noneOf(t, w, tokens)
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(s.Hello()))
		w.Crash()
		require.Empty(t, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members)
		require.Empty(t, storedKeys(t, w, team, "r"), "nothing is left to do")
	})
	t.Run("goes on after a failure", func(t *testing.T) {
		t.Parallel()
		w, team, _ := house(t)
		tokens := plantSessions(t, w, team, many)
		batches := 0
		w.Store.FailWhen(func(space persistence.Space, batch *persistence.Batch) actorstest.Fault {
			if space != persistence.Space(team.ID) || len(batch.Directory) < 100 {
				return actorstest.None
			}
			if batches++; batches == 2 {
				return actorstest.Before
			}
			return actorstest.None
		})
		actorstest.Fails(t, team, watchpost.Unavailable, actors.RemoveMember{Member: presence(t, team, team.Email).Member})
		w.Store.FailWhen(nil)
		require.NotEmpty(t, storedKeys(t, w, team, "s"))
		w.AwaitPassivated()
		w.Advance(time.Second)
		require.Empty(t, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members)
		require.Empty(t, storedKeys(t, w, team, "s"))
		noneOf(t, w, tokens)
	})
}

// TestUnusedSessionEnds after ninety days without a sign of it.
func TestUnusedSessionEnds(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	tokens := plantSessions(t, w, team, 1500)
	s.Connect()
	require.Len(t, actorstest.Must[[]actors.SessionView](t, team, actors.ListSessions{}), 1501)
	w.Advance(60 * 24 * time.Hour)
	s.Heartbeat()
	s.ExpectNone()
	w.Crash()
	require.Len(t, actorstest.Must[[]actors.SessionView](t, team, actors.ListSessions{}), 1501)
	w.Advance(31 * 24 * time.Hour)
	w.Crash()
	views := actorstest.Must[[]actors.SessionView](t, team, actors.ListSessions{})
	require.Len(t, views, 1)
	require.Equal(t, s.ID, views[0].ID)
	require.Equal(t, "1.0.0", views[0].Version)
	require.WithinDuration(t, w.Now().Add(-31*24*time.Hour), views[0].LastSeen, time.Hour)
	noneOf(t, w, tokens)
	s.Connect()
	s.Drop()

	w.Advance(91 * 24 * time.Hour)
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(s.Hello()))
	require.Empty(t, storedKeys(t, w, team, "s"))
}

// TestSessionsOfAMemberAreBounded: a new one takes the place of the one that was
// unused for the longest time.
func TestSessionsOfAMemberAreBounded(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.Advance(time.Hour)
	unused := team.Session(t, "ada").Connect()
	unused.Drop()
	for range watchpost.MaxSessions {
		w.Advance(time.Second)
		team.Session(t, "ada")
	}
	require.Len(t, actorstest.Must[[]actors.SessionView](t, team, actors.ListSessions{}), watchpost.MaxSessions)
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(unused.Hello()))
	s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)) // older, and connected
	other := team.SessionOf(t, team.Member(t, "joe"), "joe")
	other.Connect()
	for range watchpost.MaxSessions {
		w.Advance(time.Second)
		team.Session(t, "ada")
	}
	require.True(t, other.Open(), "of another member")
	require.True(t, s.Open())
}
