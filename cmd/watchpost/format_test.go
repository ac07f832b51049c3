package main

import (
	"log/slog"
	"strconv"
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
		nodes.Go(func() { failures[i] = checkFormat(t.Context(), store) })
	}
	nodes.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	stored, err := storedFormat(t.Context(), store)
	require.NoError(t, err)
	require.Equal(t, dataFormat, stored)

	epoch, err := store.Activate(t.Context(), formatSpace)
	require.NoError(t, err)
	batch := &persistence.Batch{}
	batch.Set(formatEntry, strconv.AppendInt(nil, dataFormat+1, 10))
	require.NoError(t, persistence.Commit(t.Context(), store, formatSpace, epoch, batch))
	require.ErrorContains(t, checkFormat(t.Context(), store), "the data has format 2, and this build")
	require.ErrorContains(t, checkFormat(t.Context(), store), "restore a backup of before the upgrade")
}
