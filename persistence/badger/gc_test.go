package badger

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"watchpost/persistence"

	db "github.com/dgraph-io/badger/v4"
	"github.com/stretchr/testify/require"
)

// withLog sends values of 1 KiB to small files of the value log, which stays
// empty with the default options.
func withLog(o db.Options) db.Options {
	return o.WithValueThreshold(1 << 10).WithValueLogFileSize(1 << 20)
}

// overwrite fills several files of the value log with values that the next
// round turns into garbage.
func overwrite(t *testing.T, s *Store, epoch persistence.Epoch, rounds int) {
	value := bytes.Repeat([]byte("v"), 8<<10)
	for round := range rounds {
		b := &persistence.Batch{}
		for i := range 100 {
			b.Put(fmt.Appendf(nil, "%03d", i), append(fmt.Appendf(nil, "%d/%d/", round, i), value...))
		}
		require.NoError(t, persistence.Commit(t.Context(), s, "team", epoch, b))
	}
}

func logFiles(t *testing.T, dir string) int {
	paths, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	require.NoError(t, err)
	return len(paths)
}

// littered opens a store whose value log is mostly garbage, and whose tables
// are merged, which reports the garbage to Badger. Each opening creates one
// more table.
func littered(t *testing.T, options Options) *Store {
	for range 4 {
		s := mustOpen(t, options)
		overwrite(t, s, mustActivate(t, s, "team"), 5)
		require.NoError(t, s.Close())
	}
	s := opened(t, options)
	require.NoError(t, s.db.Flatten(1))
	return s
}

func TestValueLogCollection(t *testing.T) {
	options := Options{Dir: t.TempDir(), GCEvery: time.Hour, tune: withLog}
	s := littered(t, options)
	before := logFiles(t, options.Dir)
	require.Greater(t, before, 10)
	s.rewriteLogs()
	require.Less(t, logFiles(t, options.Dir), before)
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	n := 0
	require.NoError(t, v.Scan("team", nil, nil, func(key, value []byte) bool {
		require.True(t, bytes.HasPrefix(value, fmt.Appendf(nil, "4/%d/", n)))
		n++
		return true
	}))
	require.Equal(t, 100, n)
}

// TestCloseDuringCollection closes the store while the collector runs
// continuously over a log with garbage.
func TestCloseDuringCollection(t *testing.T) {
	options := Options{Dir: t.TempDir(), GCEvery: time.Hour, tune: withLog}
	require.NoError(t, littered(t, options).Close())
	for range 10 {
		options.GCEvery = time.Microsecond
		s := mustOpen(t, options)
		overwrite(t, s, mustActivate(t, s, "team"), 1)
		require.NoError(t, s.Close())
	}
	options.GCEvery = time.Hour
	s := opened(t, options)
	require.Contains(t, get(t, s, "team", "042"), "0/42/")
}

// TestUsualValuesStayOutOfTheLog: the largest value of the contract is stored
// next to its key, so nothing is read from the log or collected there.
func TestUsualValuesStayOutOfTheLog(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, Options{Dir: dir})
	put(t, s, "team", mustActivate(t, s, "team"), "k", string(make([]byte, persistence.MaxValue)))
	require.NoError(t, s.Close())
	paths, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	require.NoError(t, err)
	for _, path := range paths {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(1<<10), path)
	}
}
