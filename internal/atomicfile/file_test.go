package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/atomicfile"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	for _, content := range []string{"first", "second, and longer", ""} {
		require.NoError(t, atomicfile.WriteFile(path, []byte(content)))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing half written beside it")
}

// TestWriteFileFails: a failed write leaves the previous file unchanged.
func TestWriteFileFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Error(t, atomicfile.WriteFile(filepath.Join(dir, "missing", "key"), []byte("x")))
	occupied := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(occupied, "inside"), 0o700))
	require.Error(t, atomicfile.WriteFile(occupied, []byte("x")), "a folder is in its place")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing half written beside it")
}
