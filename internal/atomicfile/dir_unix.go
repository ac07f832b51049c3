//go:build unix

package atomicfile

import "os"

// syncDir makes the names in a folder durable: without it a file that was
// synced and renamed may be gone after a crash.
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
