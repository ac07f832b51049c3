package actors_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/protocol"
	"watchpost/persistence"
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
	heir := w.Found(t, watchpost.PlanFree)
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

// TestBindingOfAnEarlierBuild: the account of the session that has had its own
// for the longest time is the member's.
func TestBindingOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	late := team.Session(t, "jan").Connect()
	batch := &persistence.Batch{}
	batch.Delete([]byte(storedKeys(t, w, team, "B")[0]))
	for i, one := range []*actorstest.Session{late, s} {
		batch.Put([]byte("s"+string(one.ID)), fmt.Appendf(nil, "\x01"+`{"id":%q,"member":%q,"account":%q,"slug":%q,"account_at":%q,"created_at":%q}`,
			one.ID, presence(t, team, s.Email).Member, one.URN(), one.Account.Slug,
			w.Now().Add(-time.Duration(i+1)*time.Hour).Format(time.RFC3339), w.Now().Format(time.RFC3339)))
	}
	w.Plant(persistence.Space(team.ID), batch)
	for range 2 {
		w.Crash()
		require.Equal(t, string(s.URN()), presence(t, team, s.Email).Account.URN)
		require.Equal(t, "ada", presence(t, team, s.Email).Account.Slug)
	}
	require.Len(t, storedKeys(t, w, team, "B"), 1)
	late.Connect()
	late.ExpectStatus(func(f protocol.Frame) bool { return blockedBy(f, protocol.BlockedOtherAccount) })
}
