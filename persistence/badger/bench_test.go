package badger

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// BenchmarkCommit compares durable commits with the minimum work of any store:
// append to a file and sync it once for all waiting callers. The same callers
// drive both, each waiting for its batches. They alternate every half second,
// so that other load affects both. An iteration is a pair of turns; the
// benchmark reports the medians.
//
//	go test -run=- -bench=Commit ./persistence/badger
func BenchmarkCommit(b *testing.B) {
	for _, callers := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s, err := Open(Options{Dir: filepath.Join(b.TempDir(), "store"), Logger: slog.New(slog.DiscardHandler)})
			require.NoError(b, err)
			f, err := openGroupFile(filepath.Join(b.TempDir(), "file"))
			require.NoError(b, err)
			submit := storeSubmitter(b, s, callers)
			var store, file, ratio []float64
			turn(callers, submit)
			turn(callers, f.submit)
			for b.Loop() {
				store = append(store, turn(callers, submit))
				file = append(file, turn(callers, f.submit))
				ratio = append(ratio, store[len(store)-1]/file[len(file)-1])
			}
			b.ReportMetric(median(store), "commits/s")
			b.ReportMetric(median(file), "file-commits/s")
			b.ReportMetric(median(ratio), "ratio")
			b.ReportMetric(0, "ns/op")
			require.NoError(b, s.Close())
			f.close()
		})
	}
}

// BenchmarkView opens a view, reads one value and closes it, alone and with 64
// callers that commit: a view does not wait for the group being synced.
func BenchmarkView(b *testing.B) {
	for _, callers := range []int{0, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s, err := Open(Options{Dir: b.TempDir(), Logger: slog.New(slog.DiscardHandler)})
			require.NoError(b, err)
			submit := storeSubmitter(b, s, callers+1)
			written := make(chan error, 1)
			submit(callers, 0, []byte("value"), func(err error) { written <- err })
			require.NoError(b, <-written)
			space, key := persistence.Space(fmt.Sprintf("team-%d", callers)), make([]byte, 8)

			var stop atomic.Bool
			var all sync.WaitGroup
			for caller := range callers {
				all.Go(func() {
					value, done := bytes.Repeat([]byte("value"), 100), make(chan error, 1)
					for n := uint64(0); !stop.Load(); n++ {
						submit(caller, n, value, func(err error) { done <- err })
						<-done
					}
				})
			}
			for b.Loop() {
				v, err := s.View(b.Context())
				require.NoError(b, err)
				_, err = v.Get(space, key)
				require.NoError(b, err)
				v.Close()
			}
			stop.Store(true)
			all.Wait()
			require.NoError(b, s.Close())
		})
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

const turnTime = 500 * time.Millisecond

// turn lets the callers commit one value after the other and returns the
// commits per second.
func turn(callers int, submit func(caller int, n uint64, value []byte, done func(error))) float64 {
	var commits atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for caller := range callers {
		all.Go(func() {
			value := bytes.Repeat([]byte("value"), 100)
			done := make(chan error, 1)
			answer := func(err error) { done <- err }
			for n := uint64(0); time.Since(began) < turnTime; n++ {
				submit(caller, n, value, answer)
				if err := <-done; err != nil {
					panic(err)
				}
				commits.Add(1)
			}
		})
	}
	all.Wait()
	return float64(commits.Load()) / time.Since(began).Seconds()
}

// storeSubmitter gives each caller its own space.
func storeSubmitter(b testing.TB, s *Store, callers int) func(int, uint64, []byte, func(error)) {
	spaces := make([]persistence.Space, callers)
	epochs := make([]persistence.Epoch, callers)
	for i := range callers {
		spaces[i] = persistence.Space(fmt.Sprintf("team-%d", i))
		epoch, err := s.Activate(b.Context(), spaces[i])
		require.NoError(b, err)
		epochs[i] = epoch
	}
	return func(caller int, n uint64, value []byte, done func(error)) {
		batch := &persistence.Batch{}
		batch.Put(binary.BigEndian.AppendUint64(nil, n), value)
		s.Submit(spaces[caller], epochs[caller], batch, done)
	}
}

// groupFile is a file that is synced once for all waiting appends.
type groupFile struct {
	file    *os.File
	mu      sync.Mutex
	arrived sync.Cond
	buffer  []byte
	waiting []func(error)
	closed  bool
	gone    chan struct{}
}

func openGroupFile(path string) (*groupFile, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	g := &groupFile{file: file, gone: make(chan struct{})}
	g.arrived.L = &g.mu
	if err == nil {
		go g.run()
	}
	return g, err
}

func (g *groupFile) submit(caller int, n uint64, value []byte, done func(error)) {
	g.mu.Lock()
	g.buffer = binary.BigEndian.AppendUint64(g.buffer, uint64(caller))
	g.buffer = binary.BigEndian.AppendUint64(g.buffer, n)
	g.buffer = append(g.buffer, value...)
	g.waiting = append(g.waiting, done)
	g.mu.Unlock()
	g.arrived.Signal()
}

func (g *groupFile) run() {
	defer close(g.gone)
	for {
		runtime.Gosched() // as the committer does, so that more callers join the group
		g.mu.Lock()
		for len(g.waiting) == 0 {
			if g.closed {
				g.mu.Unlock()
				return
			}
			g.arrived.Wait()
		}
		buffer, waiting := g.buffer, g.waiting
		g.buffer, g.waiting = make([]byte, 0, len(buffer)), make([]func(error), 0, len(waiting))
		g.mu.Unlock()
		_, err := g.file.Write(buffer)
		if err == nil {
			err = syscall.Fdatasync(int(g.file.Fd()))
		}
		for _, done := range waiting {
			done(err)
		}
	}
}

func (g *groupFile) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.arrived.Signal()
	<-g.gone
	g.file.Close()
}
