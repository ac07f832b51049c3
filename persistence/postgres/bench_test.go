package postgres

import (
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// BenchmarkView opens a view, reads two values and closes it, as a query of posts whose
// blocks are in the cache does, with keys that the view expects and without. A bare query
// on a connection is what the database and the machine allow.
func BenchmarkView(b *testing.B) {
	s := mustOpen(b, newDatabase(b, server))
	epoch, err := s.Activate(b.Context(), "team")
	require.NoError(b, err)
	batch := &persistence.Batch{}
	batch.Put([]byte("first"), []byte("1"))
	batch.Put([]byte("second"), []byte("2"))
	require.NoError(b, persistence.Commit(b.Context(), s, "team", epoch, batch))
	view := func(b *testing.B, keys ...string) {
		ctx := persistence.Expect(b.Context(), "team", keys...)
		for b.Loop() {
			v, err := s.View(ctx)
			require.NoError(b, err)
			for _, key := range []string{"first", "second"} {
				_, err = v.Get("team", []byte(key))
				require.NoError(b, err)
			}
			v.Close()
		}
	}
	b.Run("keys=unexpected", func(b *testing.B) { view(b) })
	b.Run("keys=expected", func(b *testing.B) { view(b, "first", "second") })
	b.Run("bare", func(b *testing.B) {
		var value []byte
		for b.Loop() {
			require.NoError(b, s.views.QueryRow(b.Context(), "SELECT value FROM pair WHERE space = $1 AND key = $2", []byte("team"), []byte("first")).Scan(&value))
		}
	})
	require.NoError(b, s.Close())
}
