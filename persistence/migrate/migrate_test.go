package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/migrate"
	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"
)

var server *postgrestest.Server

func TestMain(m *testing.M) {
	s, err := postgrestest.Start("fsync=off")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server = s
	code := m.Run()
	if err := server.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// engines open an empty store.
var engines = map[string]func(t *testing.T) persistence.Store{
	"badger": func(t *testing.T) persistence.Store {
		s, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	},
	"postgres": func(t *testing.T) persistence.Store {
		url, err := server.NewDatabase(t.Context())
		require.NoError(t, err)
		s, err := postgres.Open(t.Context(), postgres.Options{URL: url})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	},
}

func commit(t *testing.T, s persistence.Store, space persistence.Space, change func(*persistence.Batch)) {
	t.Helper()
	epoch, err := s.Activate(t.Context(), space)
	require.NoError(t, err)
	var b persistence.Batch
	change(&b)
	require.NoError(t, persistence.Commit(t.Context(), s, space, epoch, &b))
}

// fill writes small spaces, one that needs several batches, values at the limits
// and entries of the directory.
func fill(t *testing.T, s persistence.Store) {
	t.Helper()
	for n := range 30 {
		commit(t, s, persistence.Space(fmt.Sprintf("team%02d", n)), func(b *persistence.Batch) {
			for k := range n {
				b.Put(fmt.Appendf(nil, "key%d", k), fmt.Appendf(nil, "value%d", n*k))
			}
			b.Put([]byte("empty"), nil)
			b.Set(persistence.DirectoryKey{Kind: "team", Name: fmt.Sprint(n)}, []byte("here"))
			b.Set(persistence.DirectoryKey{Kind: "binary\xff", Name: fmt.Sprintf("\x00%d", n)}, []byte{})
		})
	}
	for part := range 3 {
		commit(t, s, "large", func(b *persistence.Batch) {
			for k := range persistence.MaxBatchOps {
				b.Put(fmt.Appendf(nil, "%d/%d", part, k), make([]byte, 100))
			}
		})
	}
	commit(t, s, "wide", func(b *persistence.Batch) {
		b.Put(make([]byte, persistence.MaxKey), make([]byte, persistence.MaxValue))
	})
}

// content is everything in a store that teams have written.
func content(t *testing.T, s persistence.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	require.NoError(t, v.Spaces(func(space persistence.Space) bool {
		require.NoError(t, v.Scan(space, nil, nil, func(key, value []byte) bool {
			all[fmt.Sprintf("%q %q", space, key)] = string(value)
			return true
		}))
		return true
	}))
	kinds, err := v.Kinds()
	require.NoError(t, err)
	for _, kind := range kinds {
		require.NoError(t, v.ScanDirectory(kind, func(name string, value []byte) bool {
			all[fmt.Sprintf("directory %q %q", kind, name)] = string(value)
			return true
		}))
	}
	return all
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
	for source, openSource := range engines {
		for target, openTarget := range engines {
			t.Run(source+" to "+target, func(t *testing.T) {
				ctx := t.Context()
				from, to := openSource(t), openTarget(t)
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
					_, err = migrate.Copy(ctx, to, openTarget(t), silent)
					require.ErrorIs(t, err, migrate.ErrUnfinished, "an unfinished copy is no source")
					commit(t, from, "team07", func(b *persistence.Batch) {
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
				want := content(t, from)
				require.Equal(t, want, content(t, to))
				require.Equal(t, sum.Records+sum.Entries, len(want))
				require.Equal(t, 32, sum.Spaces)

				_, err = migrate.Copy(ctx, from, to, silent)
				require.ErrorIs(t, err, migrate.ErrNotEmpty)
				commit(t, to, "team07", func(b *persistence.Batch) { b.Put([]byte("later"), nil) }) // it can be written
			})
		}
	}
}

// TestCopyRefusesATargetWithData also for a directory, or a space, alone.
func TestCopyRefusesATargetWithData(t *testing.T) {
	from := engines["badger"](t)
	for _, change := range []func(*persistence.Batch){
		func(b *persistence.Batch) { b.Put([]byte("k"), nil) },
		func(b *persistence.Batch) {
			b.Set(persistence.DirectoryKey{Kind: "k", Name: "n"}, []byte{})
		},
	} {
		to := engines["badger"](t)
		commit(t, to, "team", change)
		before := content(t, to)
		_, err := migrate.Copy(context.Background(), from, to, silent)
		require.ErrorIs(t, err, migrate.ErrNotEmpty)
		require.Equal(t, before, content(t, to))
	}
}

// TestCopyEndsWithItsContext and leaves the target unfinished.
func TestCopyEndsWithItsContext(t *testing.T) {
	from, to := engines["badger"](t), engines["badger"](t)
	fill(t, from)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := migrate.Copy(ctx, from, to, func(int, int, migrate.Sum) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, migrate.Check(t.Context(), to), migrate.ErrUnfinished)
}
