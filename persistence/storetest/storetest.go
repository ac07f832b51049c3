// Package storetest tests the guarantees of package persistence for an engine.
// Every engine runs the whole suite; it has no options. A difference between
// two engines is a fault of one of them, or a guarantee of persistence that is
// too strong.
package storetest

import (
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// Database opens one database: empty at the first call, and with its stored
// data after the store was closed.
type Database func(t testing.TB) persistence.Store

// Run tests the guarantees. fresh creates a new, empty database.
func Run(t *testing.T, fresh func(t testing.TB) Database) {
	themes := []struct {
		name  string
		tests map[string]func(t *testing.T, open Database)
	}{
		{"Atomic", atomicTests},
		{"Order", orderTests},
		{"Fence", fenceTests},
		{"Directory", directoryTests},
		{"Snapshot", snapshotTests},
		{"Scan", scanTests},
		{"Spaces", spaceTests},
		{"Limits", limitTests},
		{"Lifecycle", lifecycleTests},
		{"Model", modelTests},
	}
	for _, theme := range themes {
		t.Run(theme.name, func(t *testing.T) {
			for name, test := range theme.tests {
				t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
			}
		})
	}
}

// opened opens the database and closes it when the test ends.
func opened(t testing.TB, open Database) persistence.Store {
	s := open(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			require.ErrorIs(t, err, persistence.ErrClosed)
		}
	})
	return s
}

// activate takes the space's next epoch.
func activate(t testing.TB, s persistence.Store, space persistence.Space) persistence.Epoch {
	t.Helper()
	epoch, err := s.Activate(t.Context(), space)
	require.NoError(t, err)
	return epoch
}

// commit submits a batch and waits for its outcome.
func commit(t testing.TB, s persistence.Store, space persistence.Space, epoch persistence.Epoch, b *persistence.Batch) error {
	t.Helper()
	return persistence.Commit(t.Context(), s, space, epoch, b)
}

// put commits one pair and requires success.
func put(t testing.TB, s persistence.Store, space persistence.Space, epoch persistence.Epoch, key, value string) {
	t.Helper()
	require.NoError(t, commit(t, s, space, epoch, puts(key, value)))
}

// puts returns a batch of alternating keys and values.
func puts(keysAndValues ...string) *persistence.Batch {
	b := &persistence.Batch{}
	for i := 0; i < len(keysAndValues); i += 2 {
		b.Put([]byte(keysAndValues[i]), []byte(keysAndValues[i+1]))
	}
	return b
}

// viewed opens a view and closes it when the test ends.
func viewed(t testing.TB, s persistence.Store) persistence.View {
	t.Helper()
	v, err := s.View(t.Context())
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

// once runs f with a current view.
func once(t testing.TB, s persistence.Store, f func(v persistence.View)) {
	t.Helper()
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	f(v)
}

type pair struct{ key, value string }

// scanned returns the pairs of a range.
func scanned(t require.TestingT, v persistence.View, space persistence.Space, from, to string) []pair {
	var got []pair
	require.NoError(t, v.Scan(space, []byte(from), []byte(to), func(key, value []byte) bool {
		got = append(got, pair{string(key), string(value)})
		return true
	}))
	return got
}

// holds requires that the space contains exactly these keys and values.
func holds(t testing.TB, s persistence.Store, space persistence.Space, keysAndValues ...string) {
	t.Helper()
	var want []pair
	for i := 0; i < len(keysAndValues); i += 2 {
		want = append(want, pair{keysAndValues[i], keysAndValues[i+1]})
	}
	once(t, s, func(v persistence.View) { require.Equal(t, want, scanned(t, v, space, "", "")) })
}
