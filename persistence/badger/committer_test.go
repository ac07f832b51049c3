package badger

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"watchpost/persistence"

	db "github.com/dgraph-io/badger/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSizeAsBadgerCounts: a group never exceeds Badger's limit for a
// transaction, and a batch at the limits of the contract always fits.
func TestSizeAsBadgerCounts(t *testing.T) {
	s := opened(t, Options{InMemory: true})
	space := persistence.Space(strings.Repeat("s", persistence.MaxSpace))
	rapid.Check(t, func(t *rapid.T) {
		g := &group{size: groupOverhead, count: groupEntries}
		c := &committer{db: s.db.DB}
		defer func() { g.txn.Discard() }()
		require.NoError(t, c.begin(g))
		for n := 0; ; n++ {
			r := newRequest(space, 1, anyBatch(t, n), nil)
			require.NoError(t, r.err)
			g.size, g.count = g.size+r.size, g.count+r.count
			if g.size >= s.db.MaxBatchSize() || g.count >= s.db.MaxBatchCount() {
				require.NotZero(t, n, "one batch does not fit")
				return
			}
			require.NoError(t, c.write(g, r))
			require.NoError(t, c.set(g, &db.Entry{Key: epochKey(space), Value: encodeEpoch(1)}))
		}
	})
}

// anyBatch is a batch near one of the limits of the contract.
func anyBatch(t *rapid.T, n int) *persistence.Batch {
	b := &persistence.Batch{}
	ops := rapid.SampledFrom([]int{persistence.MaxBatchOps, 1000, 1}).Draw(t, "ops")
	value := rapid.SampledFrom([]int{0, (persistence.MaxBatchBytes - 16*ops) / ops}).Draw(t, "value")
	value = min(value, persistence.MaxValue)
	kind, zeros := rapid.IntRange(0, 2).Draw(t, "kind"), make([]byte, value)
	for i := range ops {
		name := fmt.Sprintf("%06d/%06d", n, i)
		switch kind {
		case 0:
			b.Put([]byte(name), zeros)
		case 1:
			b.Delete([]byte(name))
		default:
			b.Set(persistence.DirectoryKey{Kind: "k", Name: name}, zeros)
		}
	}
	return b
}

// TestGroupsAreCutBetweenBatches: more requests wait than a transaction holds;
// every batch is complete in one of several groups.
func TestGroupsAreCutBetweenBatches(t *testing.T) {
	s := opened(t, Options{Dir: t.TempDir()})
	epoch := mustActivate(t, s, "team")
	const batches = 30
	value := bytes.Repeat([]byte("v"), 400<<10)
	var all sync.WaitGroup
	all.Add(batches)
	for i := range batches {
		b := &persistence.Batch{}
		b.Put(fmt.Appendf(nil, "%d", i), value)
		s.Submit("team", epoch, b, func(err error) {
			if err != nil {
				t.Error(err)
			}
			all.Done()
		})
	}
	all.Wait()
	commits := counted(t, s)["watchpost_store_commit_seconds"]
	require.Greater(t, commits, float64(batches*400<<10/(5<<19)))
	require.Less(t, commits, float64(batches+2))
}

// TestBrokenEngine: after one failed commit nothing more is written, for any
// caller, and every request is answered.
func TestBrokenEngine(t *testing.T) {
	s := opened(t, Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	epoch := mustActivate(t, s, "team")
	put(t, s, "team", epoch, "k", "before")
	require.NoError(t, s.db.Close())
	for range 3 {
		b := &persistence.Batch{}
		b.Put([]byte("k"), []byte("after"))
		err := persistence.Commit(t.Context(), s, "team", epoch, b)
		require.ErrorIs(t, err, db.ErrBlockedWrites)
		_, err = s.Activate(t.Context(), "another")
		require.Error(t, err)
	}
	_, err := s.View(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 6, counted(t, s)["watchpost_store_failures_total"])
	require.NoError(t, s.Close())
}

// TestEpochCacheIsBounded: after activations and failures of very many spaces
// the cache holds only two generations, and no failure is lost.
func TestEpochCacheIsBounded(t *testing.T) {
	s := opened(t, Options{InMemory: true, epochLimit: 8})
	spaces := make([]persistence.Space, 500)
	epochs := make([]persistence.Epoch, len(spaces))
	for i := range spaces {
		spaces[i] = persistence.Space(fmt.Sprint(i))
		epochs[i] = mustActivate(t, s, spaces[i])
		b := &persistence.Batch{}
		b.CompareAndSet(persistence.DirectoryKey{Kind: "k"}, []byte("x"), nil)
		require.ErrorIs(t, persistence.Commit(t.Context(), s, spaces[i], epochs[i], b), persistence.ErrConflict)
	}
	for i := range spaces {
		b := &persistence.Batch{}
		require.ErrorIs(t, persistence.Commit(t.Context(), s, spaces[i], epochs[i], b), persistence.ErrFenced)
	}

	e := newEpochs(8, func(persistence.Space) (persistence.Epoch, error) { return 7, nil })
	for i := range 1000 {
		e.age()
		epoch, err := e.current(persistence.Space(fmt.Sprint(i)))
		require.NoError(t, err)
		require.EqualValues(t, 7, epoch)
		require.LessOrEqual(t, len(e.young)+len(e.old), 16)
	}
}

// TestAnswersOffTheCaller: done takes a lock that the caller of Submit holds,
// before and after Close.
func TestAnswersOffTheCaller(t *testing.T) {
	s := opened(t, Options{InMemory: true})
	epoch := mustActivate(t, s, "team")
	var mu sync.Mutex
	submit := func() error {
		answered := make(chan error, 1)
		mu.Lock()
		s.Submit("team", epoch, &persistence.Batch{}, func(err error) {
			mu.Lock()
			defer mu.Unlock()
			answered <- err
		})
		mu.Unlock()
		return <-answered
	}
	require.NoError(t, submit())
	require.NoError(t, s.Close())
	require.ErrorIs(t, submit(), persistence.ErrClosed)
}

// TestCancelledWait: a caller that stops waiting leaves no goroutine.
func TestCancelledWait(t *testing.T) {
	s := opened(t, Options{InMemory: true})
	epoch := mustActivate(t, s, "team")
	held, release := make(chan struct{}), make(chan struct{})
	s.Submit("team", epoch, nil, func(error) {
		close(held)
		<-release
	})
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Activate(ctx, "team")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, persistence.Commit(ctx, s, "team", epoch, &persistence.Batch{}), context.Canceled)
	close(release)
}

func TestMetrics(t *testing.T) {
	s := opened(t, Options{InMemory: true})
	epoch := mustActivate(t, s, "team")
	put(t, s, "team", epoch, "key", "value")
	for range 2 {
		b := &persistence.Batch{}
		b.CompareAndSet(persistence.DirectoryKey{Kind: "k"}, []byte("x"), nil)
		require.Error(t, persistence.Commit(t.Context(), s, "team", epoch, b))
	}
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	require.Equal(t, map[string]float64{
		"watchpost_store_activations_total": 1,
		"watchpost_store_batches_total":     1,
		"watchpost_store_bytes_total":       8,
		"watchpost_store_commit_seconds":    3, // the conflict fenced its epoch durably
		"watchpost_store_failures_total":    2,
		"watchpost_store_open_views":        1,
		"watchpost_store_waiting_batches":   0,
		"watchpost_store_waiting_bytes":     0,
	}, counted(t, s))
}

// counted returns the store's metrics, each summed over its labels, of a
// histogram the number of observations.
func counted(t *testing.T, s *Store) map[string]float64 {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(s.Collector()))
	families, err := registry.Gather()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			got[family.GetName()] += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return got
}
