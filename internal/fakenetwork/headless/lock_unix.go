//go:build unix

package headless

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// folderLock keeps other sessions, also of this process, out of a journal. The
// system releases it when the process ends for any reason.
type folderLock struct{ file *os.File }

// lockFolder takes the lock, or fails with ErrJournalInUse.
func lockFolder(path string) (*folderLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%w (%s)", ErrJournalInUse, path)
	}
	return &folderLock{f}, nil
}

// release releases the lock before it closes the file: a program that this process
// starts at the same moment holds the file, too, until its code is loaded.
func (l *folderLock) release() error {
	return errors.Join(syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
}

// syncDir makes the names in a folder durable.
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
