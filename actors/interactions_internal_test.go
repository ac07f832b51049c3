package actors

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/badger"
)

// lockedViews is a store that looks, whenever a view is opened, whether a lock
// is held.
type lockedViews struct {
	persistence.Store
	log  *engagementCache
	free int
}

func (s *lockedViews) View(ctx context.Context) (persistence.View, error) {
	if s.log != nil && s.log.mu.TryLock() {
		s.free++
		s.log.mu.Unlock()
	}
	return s.Store.View(ctx)
}

type noMail struct{}

func (noMail) Send(context.Context, Mail) error { return nil }

// TestInteractionsReadBehindTheLock: who waits for the log of a team must not
// come with a view from before the wait.
func TestInteractionsReadBehindTheLock(t *testing.T) {
	t.Parallel()
	engine, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	store := &lockedViews{Store: engine}
	keyring, err := NewKeyring(bytes.Repeat([]byte{7}, MasterKeySize))
	require.NoError(t, err)
	r, err := New(Options{Store: store, Clock: watchpost.SystemClock{}, Keyring: keyring, Mailer: noMail{}, Log: slog.New(slog.DiscardHandler), Metrics: NewMetrics()})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, r.Close(context.Background()))
		require.NoError(t, engine.Close())
	})
	store.log = r.env.engagements.of("team")
	_, err = r.Interactions(t.Context(), "team", "list", watchpost.InteractionQuery{})
	require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	require.Zero(t, store.free, "views opened without the lock")
}
