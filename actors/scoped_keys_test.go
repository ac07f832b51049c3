package actors_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// newKey makes a key with scopes.
func newKey(t *testing.T, team *actorstest.Team, key watchpost.ScopedKey) actors.KeyCreated {
	t.Helper()
	key.Name = "Agent"
	return actorstest.Must[actors.KeyCreated](t, team, actors.CreateKey{Key: key})
}

// TestScopedKeyIsNotStored: neither the team's space nor the directory has the key, and
// after a crash it is known by its hash.
func TestScopedKeyIsNotStored(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	made, _, err := actors.AskOnce(w.Context(), w.Registry, team.ID, actors.IdempotencyKey{Name: "n", Hash: "h"},
		root.Request[actors.KeyCreated](actors.CreateKey{Key: watchpost.ScopedKey{Name: "Agent", Scopes: []watchpost.Scope{watchpost.ScopeRead}}}))
	require.NoError(t, err)
	w.Crash()
	of, err := w.Registry.HolderOf(w.Context(), made.Secret)
	require.NoError(t, err)
	require.Equal(t, team.ID, of.Team)
	require.Equal(t, made.Key, *of.Key)
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	secret := []byte(made.Secret[len("wpk_000"):])
	found := 0
	require.NoError(t, view.Scan(persistence.Space(team.ID), nil, nil, func(k, v []byte) bool {
		require.False(t, bytes.Contains(k, secret) || bytes.Contains(v, secret), "%s", k)
		found++
		return true
	}))
	kinds, err := view.Kinds()
	require.NoError(t, err)
	require.Contains(t, kinds, teamspace.DirScopedKey)
	for _, kind := range kinds {
		require.NoError(t, view.ScanDirectory(kind, "", func(name string, v []byte) bool {
			require.False(t, bytes.Contains([]byte(name), secret) || bytes.Contains(v, secret), "%s %s", kind, name)
			return true
		}))
	}
	require.Greater(t, found, 5)
}

// TestCountsOfKeysSurvive: a count is in the batch of its task. After a crash exactly the
// tasks that were answered are counted.
func TestCountsOfKeysSurvive(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	team.Session(t, "ada").Connect()
	made := newKey(t, team, watchpost.ScopedKey{Scopes: []watchpost.Scope{watchpost.ScopeTasks}, DailyLimits: map[watchpost.Action]int{watchpost.ActionProfileFetch: 3}})
	ask := func() error {
		_, err := actors.Ask(root.WithOrigin(w.Context(), watchpost.Origin{Key: true, KeyID: made.Key.ID, Name: made.Key.Name}), w.Registry, team.ID, root.Request[actors.TaskCreated](actorstest.NewTask(watchpost.TaskProfileFetch)))
		return err
	}
	today := func() map[watchpost.Action]int {
		return actorstest.Must[[]actors.ScopedKeyView](t, team, actors.ListKeys{})[0].Today.Used
	}
	for n := 1; n <= 3; n++ {
		require.NoError(t, ask())
		w.Crash()
		require.Equal(t, map[watchpost.Action]int{watchpost.ActionProfileFetch: n}, today())
	}
	require.Equal(t, watchpost.PlanLimit, watchpost.KindOf(ask()))
	w.Advance(24 * time.Hour)
	require.Empty(t, today())
	require.NoError(t, ask())
}

// TestDeletedKeyIsRefused: from the answer on, also a request that was let in before, and
// after a crash. Deleting the team removes its keys.
func TestDeletedKeyIsRefused(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	team.Session(t, "ada").Connect()
	made := newKey(t, team, watchpost.ScopedKey{Scopes: watchpost.Scopes()})
	stays := newKey(t, team, watchpost.ScopedKey{Scopes: watchpost.Scopes()})
	holder := func(of actors.KeyCreated) error {
		_, err := w.Registry.HolderOf(w.Context(), of.Secret)
		return err
	}
	require.NoError(t, holder(made))
	actorstest.Must[root.Done](t, team, actors.DeleteKey{ID: made.Key.ID})
	require.EqualError(t, holder(made), "Invalid API Key")
	let := root.WithOrigin(w.Context(), watchpost.Origin{Key: true, KeyID: made.Key.ID})
	_, err := actors.Ask(let, w.Registry, team.ID, root.Request[actors.TaskCreated](actorstest.NewTask(watchpost.TaskProfileFetch)))
	require.EqualError(t, err, "Invalid API Key")
	w.Crash()
	require.EqualError(t, holder(made), "Invalid API Key")
	require.NoError(t, holder(stays))
	require.NoError(t, w.Registry.DeleteTeam(w.Context(), team.ID))
	require.EqualError(t, holder(stays), "Invalid API Key")
}

// TestKeyThatAnotherNodeDeleted: what holds a request asks the store for its key, as another
// node may have served the team when the key was deleted.
func TestKeyThatAnotherNodeDeleted(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.Serves = func(string) bool { return true } }))
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	made := newKey(t, team, watchpost.ScopedKey{Scopes: watchpost.Scopes()})
	_, err := w.Registry.HolderOf(w.Context(), made.Secret) // it is remembered
	require.NoError(t, err)
	_, err = w.Registry.HolderNow(w.Context(), made.Secret)
	require.NoError(t, err)
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	record, err := teamspace.Load[teamspace.ScopedKeyRecord](view, persistence.Space(team.ID), teamspace.Key(teamspace.KeyScopedKey, made.Key.ID))
	require.NoError(t, err)
	const elsewhere = persistence.Space("another node")
	epoch, err := w.Store.Activate(w.Context(), elsewhere)
	require.NoError(t, err)
	batch := &persistence.Batch{}
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirScopedKey, Name: record.Hash}, nil)
	require.NoError(t, persistence.Commit(w.Context(), w.Store, elsewhere, epoch, batch))
	_, err = w.Registry.HolderNow(w.Context(), made.Secret)
	require.EqualError(t, err, "Invalid API Key")
}
