package actors_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/actorstest"
)

func keyringOf(t testing.TB, b byte) *actors.Keyring {
	t.Helper()
	k, err := actors.NewKeyring(bytes.Repeat([]byte{b}, actors.MasterKeySize))
	require.NoError(t, err)
	return k
}

// TestMasterKeyIsBound: the first key of an empty store is the only one that it
// takes from then on.
func TestMasterKeyIsBound(t *testing.T) {
	t.Parallel()
	store := actorstest.Engine(t)
	needed, err := actors.NeedsMasterKey(t.Context(), store)
	require.NoError(t, err)
	require.False(t, needed, "an empty store")
	for range 2 {
		require.NoError(t, keyringOf(t, 1).Bind(t.Context(), store, actorstest.Start))
	}
	needed, err = actors.NeedsMasterKey(t.Context(), store)
	require.NoError(t, err)
	require.True(t, needed)
	require.ErrorIs(t, keyringOf(t, 2).Bind(t.Context(), store, actorstest.Start), actors.ErrOtherMasterKey)
	require.NoError(t, keyringOf(t, 1).Bind(t.Context(), store, actorstest.Start))
}

// TestMasterKeyOfAnOlderStore: a store with teams and without a fingerprint takes
// the key that opens a team's, and no other; a refused key leaves no trace.
func TestMasterKeyOfAnOlderStore(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	_, err := w.Registry.CreateTeam(w.Context(), actors.CreateTeam{Plan: watchpost.PlanFree, Email: "ada@example.com"})
	require.NoError(t, err)
	needed, err := actors.NeedsMasterKey(w.Context(), w.Store)
	require.NoError(t, err)
	require.True(t, needed)
	require.ErrorIs(t, keyringOf(t, 2).Bind(w.Context(), w.Store, actorstest.Start), actors.ErrOtherMasterKey)
	require.NoError(t, keyringOf(t, 7).Bind(w.Context(), w.Store, actorstest.Start))
	require.ErrorIs(t, keyringOf(t, 2).Bind(w.Context(), w.Store, actorstest.Start), actors.ErrOtherMasterKey)
}
