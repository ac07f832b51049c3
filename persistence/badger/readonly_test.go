package badger

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// TestReadOnly: reading changes nothing, in a closed folder and after a kill.
func TestReadOnly(t *testing.T) {
	for _, dir := range []string{written(t), killed(t, 5)} {
		before := listing(t, dir)
		s, err := Open(Options{Dir: dir, ReadOnly: true})
		require.NoError(t, err)
		n, err := scanned(t, s, "team")
		require.NoError(t, err)
		require.NotZero(t, n)
		_, err = s.Activate(t.Context(), "team")
		require.ErrorIs(t, err, errReadOnly)
		require.ErrorIs(t, persistence.Commit(t.Context(), s, "team", 1, &persistence.Batch{}), errReadOnly)
		_, err = Open(quiet(dir))
		require.ErrorIs(t, err, ErrInUse)
		copied := s.db.copied
		require.DirExists(t, copied)
		require.NoError(t, s.Close())
		require.NoDirExists(t, copied)
		require.Equal(t, before, listing(t, dir))
		require.NoError(t, opened(t, quiet(dir)).Close())
	}
	_, err := Open(Options{Dir: filepath.Join(t.TempDir(), "none"), ReadOnly: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(Options{Dir: t.TempDir(), ReadOnly: true})
	require.ErrorContains(t, err, "there is no store")
}

// TestShortLogs: a crash may leave a log before its header is written.
func TestShortLogs(t *testing.T) {
	for _, size := range []int{0, 5, 20, 4096} {
		dir := written(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "00009.mem"), make([]byte, size), 0o600))
		o := quiet(dir)
		for _, o.ReadOnly = range []bool{true, false} {
			s := opened(t, o)
			require.Equal(t, "v", get(t, s, "team", "k"), "%d bytes", size)
			require.NoError(t, s.Close())
		}
	}
}

// TestRootReads: root looks at the store of another user, who can open it afterwards.
func TestRootReads(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to read as one user and open as another")
	}
	const user = 65534
	top, err := os.MkdirTemp("", "watchpost-owner-") // t.TempDir is closed to others
	require.NoError(t, err)
	defer os.RemoveAll(top)
	require.NoError(t, os.Chmod(top, 0o755))
	dir := filepath.Join(top, "store")
	require.NoError(t, os.CopyFS(dir, os.DirFS(killed(t, 5))))
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		require.NoError(t, err)
		return os.Chown(path, user, user)
	}))
	s, err := Open(Options{Dir: dir, ReadOnly: true})
	require.NoError(t, err)
	require.Equal(t, 5, commits(t, s))
	require.NoError(t, s.Close())

	binary, err := os.Executable()
	require.NoError(t, err)
	c := child(t, "opening", dir)
	c.Path = filepath.Join(top, "child")
	content, err := os.ReadFile(binary)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.Path, content, 0o755))
	c.Dir = dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	output, err := c.Output()
	require.NoError(t, err, string(output))
}

// openAndWrite opens a store, commits and closes it.
func openAndWrite(dir string) int {
	s, err := Open(quiet(dir))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := s.Activate(context.Background(), "team"); err != nil {
		fmt.Println(err)
		return 2
	}
	if err := s.Close(); err != nil {
		fmt.Println(err)
		return 3
	}
	return 0
}

// TestAcknowledged: the file names the newest version, or after a change of the newest slot
// the one before, and nothing when both were changed.
func TestAcknowledged(t *testing.T) {
	dir := killed(t, 3)
	read := func() (uint64, bool) {
		version, ok, err := readAcknowledged(dir)
		require.NoError(t, err)
		return version, ok
	}
	version, ok := read()
	require.True(t, ok)
	require.Equal(t, uint64(4), version)
	path := filepath.Join(dir, acknowledgedName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := range slotSize {
		hurt := bytes.Clone(content)
		hurt[slotApart+i] ^= 1 // versions 2 and 4
		require.NoError(t, os.WriteFile(path, hurt, 0o600))
		version, ok := read()
		require.True(t, ok)
		require.Equal(t, uint64(3), version)
		hurt[i] ^= 1
		require.NoError(t, os.WriteFile(path, hurt, 0o600))
		_, ok = read()
		require.False(t, ok)
	}
	for size := range slotApart {
		require.NoError(t, os.WriteFile(path, content[:size], 0o600))
		_, ok := read()
		require.Equal(t, size >= slotSize, ok)
	}
}
