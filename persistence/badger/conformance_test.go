package badger

import (
	"testing"

	"watchpost/persistence"
	"watchpost/persistence/storetest"

	db "github.com/dgraph-io/badger/v4"
	"github.com/stretchr/testify/require"
)

func TestConformance(t *testing.T) {
	for name, options := range map[string]Options{
		"Usual": {},
		// Nearly every epoch is read from the database again.
		"TinyEpochCache": {epochLimit: 1, tune: withoutSync},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t testing.TB) storetest.Database {
				options := options
				options.Dir = t.TempDir()
				return func(t testing.TB) persistence.Store { return mustOpen(t, options) }
			})
		})
	}
}

// withoutSync is for tests that do not check durability.
func withoutSync(o db.Options) db.Options { return o.WithSyncWrites(false) }

// mustOpen opens a store that the caller closes.
func mustOpen(t testing.TB, options Options) *Store {
	t.Helper()
	s, err := Open(options)
	require.NoError(t, err)
	return s
}

// opened opens a store that is closed when the test ends.
func opened(t testing.TB, options Options) *Store {
	t.Helper()
	s := mustOpen(t, options)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			require.ErrorIs(t, err, persistence.ErrClosed)
		}
	})
	return s
}

func mustActivate(t testing.TB, s *Store, space persistence.Space) persistence.Epoch {
	t.Helper()
	epoch, err := s.Activate(t.Context(), space)
	require.NoError(t, err)
	return epoch
}

// put commits one pair.
func put(t testing.TB, s *Store, space persistence.Space, epoch persistence.Epoch, key, value string) {
	t.Helper()
	b := &persistence.Batch{}
	b.Put([]byte(key), []byte(value))
	require.NoError(t, persistence.Commit(t.Context(), s, space, epoch, b))
}

// get reads one value of a view opened for it.
func get(t testing.TB, s *Store, space persistence.Space, key string) string {
	t.Helper()
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	value, err := v.Get(space, []byte(key))
	require.NoError(t, err)
	return string(value)
}
