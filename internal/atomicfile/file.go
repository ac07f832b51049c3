// Package atomicfile writes files that survive a crash of the machine, for data
// outside the store.
package atomicfile

import (
	"os"
	"path/filepath"
)

// WriteFile writes a file that only its owner can read. After a crash the file
// is complete or absent; once WriteFile has returned nil, it is complete.
func WriteFile(path string, content []byte) error {
	dir := filepath.Dir(path)
	temporary, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) //nolint:errcheck // fails after the rename, when the file is gone
	_, err = temporary.Write(content)
	if err == nil {
		err = temporary.Sync()
	}
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}
