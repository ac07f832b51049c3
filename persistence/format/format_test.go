package format

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
)

// TestDataFormat: an empty store gets the version, also from several nodes at once;
// data of a newer build is refused with what to do, and stays as it is.
func TestDataFormat(t *testing.T) {
	t.Parallel()
	store, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	var nodes sync.WaitGroup
	failures := make([]error, 3)
	for i := range failures {
		nodes.Go(func() { failures[i] = Check(t.Context(), store, "1.2.3", Steps) })
	}
	nodes.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	stored, err := Stored(t.Context(), store)
	require.NoError(t, err)
	require.Equal(t, 1, stored)

	require.NoError(t, note(t.Context(), store, 1, 2))
	require.ErrorContains(t, Check(t.Context(), store, "1.2.3", Steps), "the data has format 2, and this build")
	require.ErrorContains(t, Check(t.Context(), store, "1.2.3", Steps), "restore a backup of before the upgrade")
}

// TestMigrations: older data goes through the steps in their order, also when one is
// interrupted and when several nodes start at once.
func TestMigrations(t *testing.T) {
	t.Parallel()
	store, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	require.NoError(t, Check(t.Context(), store, "1.2.3", nil))

	// A made-up change: a value of one format becomes two of the next.
	var mu sync.Mutex
	var ran []string
	broken := errors.New("power cut")
	step := func(name, from string) func(context.Context, persistence.Store) error {
		return func(ctx context.Context, s persistence.Store) error {
			mu.Lock()
			defer mu.Unlock()
			ran = append(ran, name)
			epoch, err := s.Activate(ctx, "made up")
			if err != nil {
				return err
			}
			batch := &persistence.Batch{}
			batch.Put([]byte(name), []byte(from))
			return errors.Join(persistence.Commit(ctx, s, "made up", epoch, batch), broken)
		}
	}
	steps := []Step{step("second", "1"), step("third", "2")}
	require.ErrorContains(t, Check(t.Context(), store, "1.2.3", steps), "migrate the data from format 1: power cut")
	stored, err := Stored(t.Context(), store)
	require.NoError(t, err)
	require.Equal(t, 1, stored)

	broken = nil
	var nodes sync.WaitGroup
	failures := make([]error, 3)
	for i := range failures {
		nodes.Go(func() { failures[i] = Check(t.Context(), store, "1.2.3", steps) })
	}
	nodes.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	stored, err = Stored(t.Context(), store)
	require.NoError(t, err)
	require.Equal(t, 3, stored)
	require.Subset(t, ran, []string{"second", "third"})
	before := len(ran)
	require.NoError(t, Check(t.Context(), store, "1.2.3", steps))
	require.Len(t, ran, before)
	require.ErrorContains(t, Check(t.Context(), store, "1.2.3", nil), "the data has format 3, and this build")
}
