//go:build !unix

package headless

import (
	"errors"
	"fmt"
	"os"
)

// folderLock keeps other sessions out of a journal by a file that exists while
// one has it. After a crash the file must be removed by hand.
type folderLock struct{ file *os.File }

// lockFolder takes the lock, or fails with ErrJournalInUse.
func lockFolder(path string) (*folderLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%w (%s)", ErrJournalInUse, path)
	}
	if err != nil {
		return nil, err
	}
	return &folderLock{f}, nil
}

// release releases the lock.
func (l *folderLock) release() error {
	_ = l.file.Close()
	return os.Remove(l.file.Name())
}

// syncDir does nothing: these systems make names durable with the file.
func syncDir(string) error { return nil }
