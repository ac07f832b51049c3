package vault_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/actors/vault"
	"watchpost/persistence"
)

func keyringOf(t testing.TB, b byte) *vault.Keyring {
	t.Helper()
	k, err := vault.NewKeyring(bytes.Repeat([]byte{b}, vault.MasterKeySize))
	require.NoError(t, err)
	return k
}

// TestMasterKeyIsBound: the first key of an empty store is the only one that it
// takes from then on.
func TestMasterKeyIsBound(t *testing.T) {
	t.Parallel()
	store := actorstest.Engine(t)
	needed, err := vault.NeedsMasterKey(t.Context(), store)
	require.NoError(t, err)
	require.False(t, needed, "an empty store")
	for range 2 {
		require.NoError(t, keyringOf(t, 1).Bind(t.Context(), store, actorstest.Start))
	}
	needed, err = vault.NeedsMasterKey(t.Context(), store)
	require.NoError(t, err)
	require.True(t, needed)
	require.ErrorIs(t, keyringOf(t, 2).Bind(t.Context(), store, actorstest.Start), vault.ErrOtherMasterKey)
	require.NoError(t, keyringOf(t, 1).Bind(t.Context(), store, actorstest.Start))
}

// rivalStore is a store in which another node binds its key right after this one has
// activated the space of the keyring.
type rivalStore struct {
	persistence.Store
	rival func(persistence.Store)
}

// Activate implements persistence.Store.
func (s *rivalStore) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	epoch, err := s.Store.Activate(ctx, space)
	if rival := s.rival; rival != nil {
		s.rival = nil
		rival(s.Store)
	}
	return epoch, err
}

// TestMasterKeyOfNodesThatStartTogether: nodes bind one key to an empty store at the same
// time. Another key is refused to the one that comes second.
func TestMasterKeyOfNodesThatStartTogether(t *testing.T) {
	t.Parallel()
	for other, want := range map[byte]error{1: nil, 2: vault.ErrOtherMasterKey} {
		store := &rivalStore{Store: actorstest.Engine(t), rival: func(inner persistence.Store) {
			require.NoError(t, keyringOf(t, other).Bind(t.Context(), inner, actorstest.Start))
		}}
		require.ErrorIs(t, keyringOf(t, 1).Bind(t.Context(), store, actorstest.Start), want)
		require.NoError(t, keyringOf(t, other).Bind(t.Context(), store, actorstest.Start))
	}
}
