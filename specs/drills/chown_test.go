package drills_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// chownAsFolder gives a file to the owner of its folder.
func chownAsFolder(t *testing.T, path string) {
	info, err := os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	require.NoError(t, os.Chown(path, int(owner.Uid), int(owner.Gid)))
}
