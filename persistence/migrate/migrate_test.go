package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/enginetest"
	"watchpost/persistence/migrate"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// fill writes small spaces, one that needs several batches, values at the limits
// and entries of the directory.
func fill(t *testing.T, s persistence.Store) {
	t.Helper()
	for n := range 30 {
		enginetest.Commit(t, s, persistence.Space(fmt.Sprintf("team%02d", n)), func(b *persistence.Batch) {
			for k := range n {
				b.Put(fmt.Appendf(nil, "key%d", k), fmt.Appendf(nil, "value%d", n*k))
			}
			b.Put([]byte("empty"), nil)
			b.Set(persistence.DirectoryKey{Kind: "team", Name: fmt.Sprint(n)}, []byte("here"))
			b.Set(persistence.DirectoryKey{Kind: "binary\xff", Name: fmt.Sprintf("\x00%d", n)}, []byte{})
		})
	}
	for part := range 3 {
		enginetest.Commit(t, s, "large", func(b *persistence.Batch) {
			for k := range persistence.MaxBatchOps {
				b.Put(fmt.Appendf(nil, "%d/%d", part, k), make([]byte, 100))
			}
		})
	}
	enginetest.Commit(t, s, "wide", func(b *persistence.Batch) {
		b.Put(make([]byte, persistence.MaxKey), make([]byte, persistence.MaxValue))
	})
}

func silent(int, int, migrate.Sum) {}

var errEnded = errors.New("the process ended")

// dying fails after a number of batches, as if the process ended there.
type dying struct {
	persistence.Store
	left atomic.Int64
}

func (d *dying) Submit(space persistence.Space, epoch persistence.Epoch, b *persistence.Batch, done func(error)) {
	if d.left.Add(-1) < 0 {
		go done(errEnded)
		return
	}
	d.Store.Submit(space, epoch, b, done)
}

// TestCopy copies between all engines. The copy ends after a growing number of
// batches until it has come to the end; the source changes in between.
func TestCopy(t *testing.T) {
	for _, source := range enginetest.Engines {
		for _, target := range enginetest.Engines {
			t.Run(source+" to "+target, func(t *testing.T) {
				ctx := t.Context()
				from, to := enginetest.Open(t, source), enginetest.Open(t, target)
				fill(t, from)
				require.NoError(t, migrate.Check(ctx, to))
				attempts := 0
				for {
					d := &dying{Store: to}
					d.left.Store(int64(1 + 7*attempts))
					_, err := migrate.Copy(ctx, from, d, silent)
					if err == nil {
						break
					}
					require.ErrorIs(t, err, errEnded)
					require.ErrorIs(t, migrate.Check(ctx, to), migrate.ErrUnfinished)
					_, err = migrate.Copy(ctx, to, enginetest.Open(t, target), silent)
					require.ErrorIs(t, err, migrate.ErrUnfinished, "an unfinished copy is no source")
					enginetest.Commit(t, from, "team07", func(b *persistence.Batch) {
						b.Delete(fmt.Appendf(nil, "key%d", attempts))
						b.Put([]byte("attempts"), fmt.Append(nil, attempts))
						b.Put(fmt.Append(nil, attempts), nil)
						b.Set(persistence.DirectoryKey{Kind: "team", Name: "0"}, fmt.Append(nil, attempts))
						b.Set(persistence.DirectoryKey{Kind: "team", Name: "1"}, nil)
					})
					attempts++
				}
				require.Greater(t, attempts, 2)
				sum, err := migrate.Copy(ctx, from, to, silent)
				require.NoError(t, err)
				require.Zero(t, sum.Written, "nothing differs any more")
				require.NoError(t, migrate.Finish(ctx, to))
				require.NoError(t, migrate.Check(ctx, to))
				want := enginetest.Content(t, from)
				require.Equal(t, want, enginetest.Content(t, to))
				require.Equal(t, sum.Records+sum.Entries, len(want))
				require.Equal(t, 32, sum.Spaces)

				_, err = migrate.Copy(ctx, from, to, silent)
				require.ErrorIs(t, err, migrate.ErrNotEmpty)
				enginetest.Commit(t, to, "team07", func(b *persistence.Batch) { b.Put([]byte("later"), nil) }) // it can be written
			})
		}
	}
}

// TestCopyRefusesATargetWithData also for a directory, or a space, alone.
func TestCopyRefusesATargetWithData(t *testing.T) {
	from := enginetest.Open(t, "badger")
	for _, change := range []func(*persistence.Batch){
		func(b *persistence.Batch) { b.Put([]byte("k"), nil) },
		func(b *persistence.Batch) {
			b.Set(persistence.DirectoryKey{Kind: "k", Name: "n"}, []byte{})
		},
	} {
		to := enginetest.Open(t, "badger")
		enginetest.Commit(t, to, "team", change)
		before := enginetest.Content(t, to)
		_, err := migrate.Copy(context.Background(), from, to, silent)
		require.ErrorIs(t, err, migrate.ErrNotEmpty)
		require.Equal(t, before, enginetest.Content(t, to))
	}
}

// TestCopyEndsWithItsContext and leaves the target unfinished.
func TestCopyEndsWithItsContext(t *testing.T) {
	from, to := enginetest.Open(t, "badger"), enginetest.Open(t, "badger")
	fill(t, from)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := migrate.Copy(ctx, from, to, func(int, int, migrate.Sum) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, migrate.Check(t.Context(), to), migrate.ErrUnfinished)
}
