package teamspace_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/teamspace"
)

// newer is a record as a later build writes it, older as this build knows it.
type (
	newer struct {
		Name  string
		Added []int
		Lease *newerLease
	}
	newerLease struct{ Owner, Zone string }
	older      struct {
		Name  string
		Lease *olderLease `json:",omitempty"`
	}
	olderLease struct{ Owner string }
)

// TestUnknownFieldsSurvive rewrites records of a newer build: fields that this build does
// not know stay, and fields that it removes are gone.
func TestUnknownFieldsSurvive(t *testing.T) {
	t.Parallel()
	engine, err := badger.Open(badger.Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	store := teamspace.KeepUnknown(engine)
	const space = persistence.Space("team")
	epoch, err := store.Activate(t.Context(), space)
	require.NoError(t, err)
	write := func(key string, record any) {
		batch := &persistence.Batch{}
		batch.Put([]byte(key), teamspace.Encode(record))
		require.NoError(t, persistence.Commit(t.Context(), store, space, epoch, batch))
	}
	stored := func(key string) (record newer) {
		view, err := engine.View(t.Context())
		require.NoError(t, err)
		defer view.Close()
		record, err = teamspace.Load[newer](view, space, []byte(key))
		require.NoError(t, err)
		return record
	}
	view := func(read func(persistence.View)) {
		v, err := store.View(t.Context())
		require.NoError(t, err)
		defer v.Close()
		read(v)
	}

	write("m1", newer{"one", []int{1, 2}, &newerLease{"a", "z"}})
	write("m2", newer{"two", nil, &newerLease{"b", "y"}})
	loaded := map[string]older{}
	view(func(v persistence.View) {
		require.NoError(t, teamspace.LoadAll(v, space, "m", func(id string, r older) { loaded[id] = r }))
	})
	require.Equal(t, older{"one", &olderLease{"a"}}, loaded["1"])
	write("m1", older{"changed", &olderLease{"c"}})
	write("m2", older{"two", nil})
	require.Equal(t, newer{"changed", []int{1, 2}, &newerLease{"c", "z"}}, stored("m1"))
	require.Nil(t, stored("m2").Lease, "an object that was removed does not come back")

	// A record that has been deleted and made again begins again.
	batch := &persistence.Batch{}
	batch.Delete([]byte("m1"))
	require.NoError(t, persistence.Commit(t.Context(), store, space, epoch, batch))
	write("m1", older{"new", nil})
	require.Equal(t, newer{Name: "new"}, stored("m1"))
}
