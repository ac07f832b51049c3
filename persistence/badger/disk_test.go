package badger

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
)

// someDisk is a disk whose free space a test sets.
type someDisk struct{ bytes atomic.Int64 }

func (d *someDisk) options(dir string) Options {
	return Options{
		Dir: dir, MinFree: 2 * DiskReserve, Logger: slog.New(slog.DiscardHandler),
		free: func() (int64, error) { return d.bytes.Load(), nil },
	}
}

func submit(s *Store, space persistence.Space, epoch persistence.Epoch, key string, value []byte) <-chan error {
	done := make(chan error, 1)
	b := &persistence.Batch{}
	b.Put([]byte(key), value)
	s.Submit(space, epoch, b, func(err error) { done <- err })
	return done
}

// fill commits until the store waits for room, and returns the waiting commit;
// nil when a commit failed or none waits.
func fill(s *Store, epoch persistence.Epoch) <-chan error {
	value := bytes.Repeat([]byte("x"), 256<<10)
	for range 200 {
		done := submit(s, "team", epoch, "filling", value)
		waits := time.NewTicker(time.Millisecond)
		defer waits.Stop()
		for answered := false; !answered; {
			select {
			case err := <-done:
				if err != nil {
					return nil
				}
				answered = true
			case <-waits.C:
				if s.disk.waits.Load() {
					return done
				}
			}
		}
	}
	return nil
}

// TestCommitsWaitForRoom: on a full disk small commits use the allocated log,
// then commits wait while reads continue. When there is room again, all of
// them continue.
func TestCommitsWaitForRoom(t *testing.T) {
	disk := &someDisk{}
	disk.bytes.Store(4 * DiskReserve)
	s := opened(t, disk.options(t.TempDir()))
	epoch := mustActivate(t, s, "team")
	require.False(t, s.Disk().Low)
	disk.bytes.Store(0)
	require.True(t, s.Disk().Low)
	put(t, s, "team", epoch, "k", "v")
	waiting := fill(s, epoch)
	require.NotNil(t, waiting, "the store waits for room")
	behind := submit(s, "team", epoch, "behind", []byte("it"))
	require.Equal(t, "v", get(t, s, "team", "k"))
	require.Empty(t, behind)
	disk.bytes.Store(4 * DiskReserve)
	require.NoError(t, <-waiting)
	require.NoError(t, <-behind)
	require.Equal(t, "it", get(t, s, "team", "behind"))
	require.False(t, s.Disk().Low)
	require.NoError(t, s.Close())
}

// TestCloseOnAFullDisk: a store that is closed on a full disk refuses waiting
// commits, skips the regular close, and has every acknowledged batch.
func TestCloseOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	c := child(t, "full", dir)
	out, err := c.Output()
	require.NoError(t, err, string(out))
	full := &someDisk{}
	_, err = Open(full.options(dir))
	require.ErrorContains(t, err, "is full: 0 MiB are free, at least 64 MiB are needed")
	s := opened(t, Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	require.Equal(t, "v", get(t, s, "team", "k"))
	require.NoError(t, s.Close())
}

// closeFull fills a store on a full disk, and closes it.
func closeFull(dir string) int {
	disk := &someDisk{}
	disk.bytes.Store(4 * DiskReserve)
	s, err := Open(disk.options(dir))
	if err != nil {
		return 1
	}
	epoch, err := s.Activate(context.Background(), "team")
	if err != nil || <-submit(s, "team", epoch, "k", []byte("v")) != nil {
		return 2
	}
	disk.bytes.Store(0)
	waiting := fill(s, epoch)
	if err := s.Close(); err != nil || waiting == nil {
		return 3
	}
	if err := <-waiting; !errors.Is(err, errDiskFull) {
		return 4
	}
	return 0
}

// TestLogIsAllocated: the log of the open memtable is allocated on the disk,
// for the first memtable and later ones.
func TestLogIsAllocated(t *testing.T) {
	disk := &someDisk{}
	disk.bytes.Store(4 * DiskReserve)
	s := opened(t, disk.options(t.TempDir()))
	allocated := func() string {
		logs, err := filepath.Glob(filepath.Join(s.options.Dir, "*.mem"))
		require.NoError(t, err)
		newest := logs[len(logs)-1]
		info, err := os.Stat(newest)
		require.NoError(t, err)
		require.GreaterOrEqual(t, onDisk(info), int64(allocatedLog), newest)
		require.Less(t, onDisk(info), info.Size(), "the rest is never written")
		return newest
	}
	first := allocated()
	epoch := mustActivate(t, s, "team")
	value := bytes.Repeat([]byte("x"), 512<<10)
	for i := range 40 {
		require.NoError(t, <-submit(s, "team", epoch, string(rune('a'+i)), value))
	}
	require.NotEqual(t, first, allocated(), "a new memtable")
	require.NoError(t, s.Close())
}

// TestReserveIsEnoughForTheLog: groups that the committer counts as fitting
// fill neither a memtable nor its log.
func TestReserveIsEnoughForTheLog(t *testing.T) {
	o := Options{Dir: t.TempDir()}.withDefaults().tuned()
	require.LessOrEqual(t, int64(surelyFits), o.MemTableSize/2)
	require.GreaterOrEqual(t, int64(allocatedLog), o.MemTableSize+persistence.MaxBatchBytes*3)
	require.LessOrEqual(t, int64(allocatedLog), 2*o.MemTableSize)
}
