//go:build unix

package atomicfile

import "os"

// syncDir makes the names in a folder durable. Without it a synced and renamed
// file may be missing after a crash.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closed := d.Close(); err == nil {
		err = closed
	}
	return err
}
