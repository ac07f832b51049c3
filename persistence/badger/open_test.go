package badger

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	db "github.com/dgraph-io/badger/v4"
	"github.com/stretchr/testify/require"
)

// openBadgerOnly opens the folder with Badger alone, without the repair.
func openBadgerOnly(dir string) int {
	d, err := db.OpenManaged(Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)}.withDefaults().tuned())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if err := d.Close(); err != nil {
		fmt.Println(err)
		return 2
	}
	return 0
}

// holdOpen opens the store and waits for the end of its input.
func holdOpen(dir string) int {
	if _, err := Open(Options{Dir: dir}); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("open")
	bufio.NewReader(os.Stdin).ReadString(0)
	return 0
}

// written creates a store with one pair and returns its folder.
func written(t *testing.T) string {
	dir := t.TempDir()
	s := opened(t, Options{Dir: dir})
	put(t, s, "team", mustActivate(t, s, "team"), "k", "v")
	require.NoError(t, s.Close())
	return dir
}

// TestOpenAfterEmptyLog: a crash between the creation of a log and its first
// bytes, or between its truncation and its removal, leaves a file of 0 bytes.
// Badger 4.9.6 refuses to open such a folder with "Create a new file", so a
// restarted service would stay down. If Badger stops refusing, the repair in
// open.go is no longer needed.
func TestOpenAfterEmptyLog(t *testing.T) {
	for _, name := range []string{"00001.mem", "00099.mem", "000001.vlog", "000099.vlog"} {
		t.Run(name, func(t *testing.T) {
			dir := written(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))

			// In a separate process, because a failed opening leaks
			// goroutines.
			output, err := child(t, "badger", dir).Output()
			require.Error(t, err, "Badger opens it by now")
			require.Contains(t, string(output), "Create a new file")

			// The attempt has filled the file; restore the empty one.
			require.NoError(t, os.Truncate(filepath.Join(dir, name), 0))
			s := opened(t, Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
			require.Equal(t, "v", get(t, s, "team", "k"))
			put(t, s, "team", mustActivate(t, s, "team"), "k", "again")
			require.NoError(t, s.Close())
			require.Equal(t, "again", get(t, opened(t, Options{Dir: dir}), "team", "k"))
		})
	}
}

// TestOpenAfterEmptyTable: Badger itself removes tables that the manifest does
// not list.
func TestOpenAfterEmptyTable(t *testing.T) {
	dir := written(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "000099.sst"), nil, 0o600))
	require.Equal(t, "v", get(t, opened(t, Options{Dir: dir}), "team", "k"))
}

func TestOpenTwice(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, Options{Dir: dir})
	// To a running store an empty log is its next one, not a leftover.
	leftover := filepath.Join(dir, "00099.mem")
	require.NoError(t, os.WriteFile(leftover, nil, 0o600))
	_, err := Open(Options{Dir: dir})
	require.ErrorIs(t, err, ErrInUse)
	require.ErrorContains(t, err, dir)
	require.FileExists(t, leftover)
	require.NoError(t, s.Close())
	require.NoError(t, mustOpen(t, Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)}).Close())
}

// TestOpenWhileAProgramStarts: a program that is being started holds the files of the
// process that starts it for a moment. It does not keep the folder locked.
func TestOpenWhileAProgramStarts(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, Options{Dir: dir})
	held, err := syscall.Dup(int(s.db.lock.Fd()))
	require.NoError(t, err)
	defer func() { _ = syscall.Close(held) }()
	require.NoError(t, s.Close())
	require.NoError(t, mustOpen(t, Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)}).Close())
}

func TestOpenInAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	c := child(t, "holding", dir)
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open\n", line)

	_, err = Open(Options{Dir: dir})
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, stdin.Close())
	require.NoError(t, c.Wait())
	// The other process ended without Close, which released its lock.
	require.NoError(t, mustOpen(t, Options{Dir: dir}).Close())
}

func TestOpenBadFolder(t *testing.T) {
	_, err := Open(Options{})
	require.Error(t, err)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	_, err = Open(Options{Dir: file})
	require.ErrorContains(t, err, file)
}

// TestOpenAnotherLayout: a folder written with another key layout is refused.
func TestOpenAnotherLayout(t *testing.T) {
	dir := t.TempDir()
	other := Options{Dir: dir, tune: func(o db.Options) db.Options { return o.WithExternalMagic(layoutVersion + 1) }}
	require.NoError(t, mustOpen(t, other).Close())
	_, err := Open(Options{Dir: dir})
	require.ErrorContains(t, err, "magic")
}

func TestInMemory(t *testing.T) {
	s := opened(t, Options{InMemory: true})
	epoch := mustActivate(t, s, "team")
	put(t, s, "team", epoch, "k", "v")
	require.Equal(t, "v", get(t, s, "team", "k"))
	require.NoError(t, s.Close())
}
