// Package atomicfile writes files that survive a crash of the machine, for the
// little that is not kept in the store.
package atomicfile

import (
	"os"
	"path/filepath"
)

// WriteFile writes a file that only its owner may read. After a crash it is
// there as a whole or not at all; when WriteFile has returned nil it is there.
func WriteFile(path string, content []byte) error {
	dir := filepath.Dir(path)
	temporary, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) //nolint:errcheck // gone when it was renamed
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
