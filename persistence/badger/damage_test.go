package badger

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"watchpost/persistence"

	db "github.com/dgraph-io/badger/v4"
	"github.com/stretchr/testify/require"
)

// quiet are options with a small value log, as folders with it are copied.
func quiet(dir string) Options {
	return Options{Dir: dir, Logger: slog.New(slog.DiscardHandler), tune: func(o db.Options) db.Options { return o.WithValueLogFileSize(1 << 20) }}
}

// killed returns a folder as a kill of its process leaves it after n commits of the
// space "team", whose versions are then 2 to n+1.
func killed(t *testing.T, n int) (dir string) {
	s := opened(t, quiet(t.TempDir()))
	epoch := mustActivate(t, s, "team")
	for i := range n {
		put(t, s, "team", epoch, fmt.Sprintf("%04d", i), strings.Repeat("v", 200))
	}
	return copied(t, s.options.Dir)
}

// copied copies a folder; of an open store that is what a kill would leave.
func copied(t *testing.T, dir string) string {
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

func theLog(t *testing.T, dir string) (path string, content []byte) {
	logs := logsOf(t, dir)
	require.Len(t, logs, 1)
	content, err := os.ReadFile(logs[0])
	require.NoError(t, err)
	return logs[0], content
}

// logsOf lists the logs of a folder, the oldest first.
func logsOf(t *testing.T, dir string) []string {
	logs, err := filepath.Glob(filepath.Join(dir, "*.mem"))
	require.NoError(t, err)
	return logs
}

// rewrite replaces a log; its end of zeros stays sparse.
func rewrite(t *testing.T, path string, content []byte) {
	require.NoError(t, os.WriteFile(path, bytes.TrimRight(content, "\x00"), 0o600))
	require.NoError(t, os.Truncate(path, int64(len(content))))
}

// commits counts the commits of killed that are there.
func commits(t *testing.T, s *Store) (n int) {
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	require.NoError(t, v.Scan("team", nil, nil, func(key, _ []byte) bool {
		require.Equal(t, fmt.Sprintf("%04d", n), string(key))
		n++
		return true
	}))
	return n
}

// TestWithoutManifest: Badger would begin a new one and remove all tables.
func TestWithoutManifest(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		dir := written(t)
		require.NoError(t, os.Remove(filepath.Join(dir, "MANIFEST")))
		before := listing(t, dir)
		o := quiet(dir)
		o.ReadOnly = readOnly
		_, err := Open(o)
		require.ErrorIs(t, err, persistence.ErrDamaged)
		require.ErrorContains(t, err, "restore a backup")
		require.ErrorContains(t, err, "MANIFEST")
		require.Equal(t, before, listing(t, dir))
	}
}

// TestManifestWithAGap: zeros in place of the first changes, which Badger takes for changes
// of nothing, would make it remove the tables of these. Zeros at the end are a torn write.
func TestManifestWithAGap(t *testing.T) {
	dir := t.TempDir()
	for range 3 { // two tables or more, each a change
		s := opened(t, quiet(dir))
		put(t, s, "team", mustActivate(t, s, "team"), "k", "v")
		require.NoError(t, s.Close())
	}
	path := filepath.Join(dir, "MANIFEST")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	second := 16 + 8 + int(content[19]) // after the header, an empty change and one
	require.Greater(t, len(content), second+8)
	hurt := bytes.Clone(content)
	clear(hurt[16:second])
	for len(hurt) > 0 && (second-16)%8 != 0 { // whole changes of nothing
		hurt, second = append(hurt[:16:16], hurt[17:]...), second-1
	}
	require.NoError(t, os.WriteFile(path, hurt, 0o600))
	before := listing(t, dir)
	_, err = Open(quiet(dir))
	require.ErrorIs(t, err, persistence.ErrDamaged)
	require.ErrorContains(t, err, "changes between others are missing")
	require.Equal(t, before, listing(t, dir))
	require.NoError(t, os.WriteFile(path, append(content, make([]byte, 100)...), 0o600))
	require.Equal(t, "v", get(t, opened(t, quiet(dir)), "team", "k"))
}

// listing describes the files of a folder.
func listing(t *testing.T, dir string) (all []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%s %d %s %d", e.Name(), info.Size(), info.ModTime(), info.Sys().(*syscall.Stat_t).Uid))
	}
	return all
}

// TestTornGroup: the power failed while a group was written. It was not acknowledged, so
// the store opens without it, wherever the write has ended and whichever of its pages have
// reached the disk.
func TestTornGroup(t *testing.T) {
	const n = 40
	dir := killed(t, n)
	path, log := theLog(t, dir)
	end := len(bytes.TrimRight(log, "\x00"))
	last := bytes.LastIndex(log[:end], []byte("0039")) - 40 // in the last group or the end of the one before
	last = max(last, bytes.LastIndex(log[:bytes.LastIndex(log[:end], []byte("!badger!txn"))], []byte("!badger!txn"))+40)
	noteVersion(t, dir, n) // the last version is n+1
	for cut := last; cut < end; cut += 31 {
		for _, hole := range []int{0, 64} { // its end is there, and a part before it is not
			torn := bytes.Clone(log)
			if hole == 0 {
				clear(torn[cut:])
			} else {
				clear(torn[cut:min(cut+hole, end)])
			}
			rewrite(t, path, torn)
			s, err := Open(Options{Dir: dir, Logger: slog.New(slog.DiscardHandler), ReadOnly: true})
			require.NoError(t, err, "cut at %d of %d, hole of %d", cut, end, hole)
			require.Equal(t, n-1, commits(t, s))
			require.NoError(t, s.Close())
		}
	}
}

// noteVersion replaces the acknowledged version; 0 removes it.
func noteVersion(t *testing.T, dir string, version uint64) {
	require.NoError(t, os.RemoveAll(filepath.Join(dir, acknowledgedName)))
	if version > 0 {
		a, err := openAcknowledged(dir)
		require.NoError(t, err)
		a.note(version)
		require.NoError(t, a.close())
	}
}

// TestDamagedLog: after a kill any change of the log is found, and after a power failure,
// when the acknowledged version may be lost, any that has a whole group behind it.
func TestDamagedLog(t *testing.T) {
	const n = 40
	dir := killed(t, n)
	path, log := theLog(t, dir)
	end := len(bytes.TrimRight(log, "\x00"))
	ends := bytes.LastIndex(log[:end], []byte("!badger!txn")) // of the last group
	before := bytes.LastIndex(log[:ends], []byte("!badger!txn"))
	for at := 20; at < end; at += 397 {
		for _, version := range []uint64{n + 1, 0} {
			if version == 0 && at > before-200 {
				continue // it may be the torn write of a group that was not acknowledged
			}
			hurt := bytes.Clone(log)
			hurt[at] ^= 4
			rewrite(t, path, hurt)
			noteVersion(t, dir, version)
			_, err := Open(quiet(dir))
			require.ErrorIs(t, err, persistence.ErrDamaged, "byte %d of %d, version %d", at, end, version)
			require.ErrorContains(t, err, filepath.Base(path))
		}
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, kept, len(log), "refused, and not cut")
	o := quiet(dir)
	o.AcceptLoss = true
	s := opened(t, o)
	require.Less(t, commits(t, s), n)
	require.NoError(t, s.Close())
	require.NoError(t, opened(t, quiet(dir)).Close(), "the loss is accepted once")
}

// TestLogsWithAGap: a log between two others is gone.
func TestLogsWithAGap(t *testing.T) {
	dir := killed(t, 3)
	first, log := theLog(t, dir)
	s := opened(t, quiet(dir))
	epoch := mustActivate(t, s, "team")
	put(t, s, "team", epoch, "0003", "v")
	// Badger writes the first log into tables in the background and removes it at any
	// moment; the log that it writes to stays until the store is closed.
	logs := logsOf(t, dir)
	second := logs[len(logs)-1]
	require.NotEqual(t, first, second)
	content, err := os.ReadFile(second)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	// A folder without those tables: the second log does not follow it.
	fresh := killed(t, 0)
	require.NoError(t, os.WriteFile(filepath.Join(fresh, "00009.mem"), content, 0o600))
	noteVersion(t, fresh, 0)
	_, err = Open(quiet(fresh))
	require.ErrorIs(t, err, persistence.ErrDamaged)
	require.ErrorContains(t, err, "are missing before those of 00009.mem")
	// With the log between them all is whole.
	require.NoError(t, os.WriteFile(filepath.Join(fresh, "00008.mem"), log, 0o600))
	require.Equal(t, 4, commits(t, opened(t, quiet(fresh))))
}

// teams writes two large teams in a store of some tables and returns its folder.
func teams(t *testing.T) string {
	dir := t.TempDir()
	s := opened(t, quiet(dir))
	for _, space := range []persistence.Space{"a", "b"} {
		b := &persistence.Batch{}
		for i := range 400 {
			value := make([]byte, 600)
			for j := range value {
				value[j] = byte(i * j * 7919 >> 5)
			}
			b.Put(fmt.Appendf(nil, "%04d", i), value)
		}
		require.NoError(t, persistence.Commit(t.Context(), s, space, mustActivate(t, s, space), b))
	}
	require.NoError(t, s.Close())
	return dir
}

func theTable(t *testing.T, dir string) string {
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	require.Len(t, tables, 1)
	return tables[0]
}

func flip(t *testing.T, path string, at int) {
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	content[at] ^= 1
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

func scanned(t *testing.T, s *Store, space persistence.Space) (n int, err error) {
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	err = v.Scan(space, nil, nil, func(_, _ []byte) bool {
		n++
		return true
	})
	return n, err
}

// TestDamagedTeam: a block of one team cannot be read. Every access to that team fails with
// the place, and the other one goes on, over many flushes and openings. When the loss is
// accepted, the rest of the team is there again.
func TestDamagedTeam(t *testing.T) {
	dir := teams(t)
	content, err := os.ReadFile(theTable(t, dir))
	require.NoError(t, err)
	at := bytes.Index(content, []byte("\x01a0100")) // a key as a block has it first
	if at < 0 {
		at = len(content) / 5
	}
	flip(t, theTable(t, dir), at+30)
	for round := range 4 {
		s := opened(t, quiet(dir))
		_, err := s.Activate(t.Context(), "a")
		require.ErrorIs(t, err, persistence.ErrDamaged)
		require.ErrorContains(t, err, "team a")
		require.ErrorContains(t, err, "restore a backup")
		require.Regexp(t, `000\d+\.sst at byte \d+`, err.Error())
		_, err = scanned(t, s, "a")
		require.ErrorIs(t, err, persistence.ErrDamaged)
		v, err := s.View(t.Context())
		require.NoError(t, err)
		_, err = v.Get("a", []byte("0399"))
		require.ErrorIs(t, err, persistence.ErrDamaged)
		_, err = v.GetAll("a", [][]byte{[]byte("0399")})
		require.ErrorIs(t, err, persistence.ErrDamaged)
		v.Close()
		n, err := scanned(t, s, "b")
		require.NoError(t, err)
		require.Equal(t, 400+round, n)
		put(t, s, "b", mustActivate(t, s, "b"), fmt.Sprintf("more%d", round), "v")
		require.NoError(t, s.Close())
	}
	o := quiet(dir)
	o.AcceptLoss = true
	s := opened(t, o)
	n, err := scanned(t, s, "a")
	require.NoError(t, err)
	require.Less(t, n, 400)
	require.Greater(t, n, 350, "only what cannot be read is dropped")
	n, err = scanned(t, s, "b")
	require.NoError(t, err)
	require.Equal(t, 404, n)
	require.NoError(t, s.Close())
	s = opened(t, quiet(dir))
	mustActivate(t, s, "a")
}

// TestRot: a block goes bad while a process has the store open. The process ends before it
// misses a record.
func TestRot(t *testing.T) {
	dir := teams(t)
	output, err := child(t, "rotting", dir).Output()
	var ended *exec.ExitError
	require.ErrorAs(t, err, &ended, string(output))
	require.Equal(t, 1, ended.ExitCode(), string(output))
	require.Empty(t, string(output))
	s := opened(t, quiet(dir))
	_, err = scanned(t, s, "a")
	require.ErrorIs(t, err, persistence.ErrDamaged)
	require.NoError(t, s.Close())
}

// readRotten opens a store, damages a table in place and reads it.
func readRotten(dir string) int {
	s, err := Open(quiet(dir))
	if err != nil {
		fmt.Println(err)
		return 2
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		return 3
	}
	f, err := os.OpenFile(tables[0], os.O_RDWR, 0)
	if err != nil {
		return 4
	}
	info, err := f.Stat()
	if err != nil {
		return 5
	}
	if _, err := f.WriteAt([]byte("rotten rotten rotten"), info.Size()/5); err != nil {
		return 6
	}
	v, err := s.View(context.Background())
	if err != nil {
		return 7
	}
	n := 0
	err = v.Scan("a", nil, nil, func(_, _ []byte) bool {
		n++
		return true
	})
	fmt.Println("read", n, err)
	return 8
}
