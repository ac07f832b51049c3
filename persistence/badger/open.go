package badger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	db "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/ristretto/v2/z"
)

// ErrInUse means that another process, or another store of this one, has the
// folder open.
var ErrInUse = errors.New("persistence/badger: folder is in use")

// openDatabase locks the folder, removes leftovers of a crash and opens it.
// The caller releases the lock after the database is closed.
func openDatabase(o Options) (*db.DB, *os.File, error) {
	if o.InMemory {
		d, err := db.OpenManaged(o.tuned())
		return d, nil, err
	}
	if o.Dir == "" {
		return nil, nil, errors.New("persistence/badger: no folder given")
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("persistence/badger: %w", err)
	}
	lock, err := lockFolder(o.Dir)
	if err != nil {
		return nil, nil, err
	}
	err = newDisk(o).check()
	var d *db.DB
	if err == nil {
		d, err = openRepaired(o)
	}
	if err != nil {
		_ = lock.Close() // the earlier error counts
		return nil, nil, fmt.Errorf("persistence/badger: open %s: %w", o.Dir, err)
	}
	return d, lock, nil
}

// openRepaired tries twice: an empty file makes the first attempt fail, which
// also fills it.
func openRepaired(o Options) (*db.DB, error) {
	if err := removeEmpty(o); err != nil {
		return nil, err
	}
	d, err := db.OpenManaged(o.tuned())
	if errors.Is(err, z.NewFile) {
		o.Logger.Warn("opening the database again after an empty file", "dir", o.Dir, "error", err)
		d, err = db.OpenManaged(o.tuned())
	}
	return d, err
}

// removeEmpty removes logs of 0 bytes. Badger creates a log before it sets the
// size, and truncates it before it removes it. A crash in between leaves an
// empty file, with which Badger refuses to open. The caller holds the lock,
// because a running store may be about to use such a file.
func removeEmpty(o Options) error {
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		paths, err := filepath.Glob(filepath.Join(o.Dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			if info.Size() > 0 {
				continue
			}
			o.Logger.Warn("removing an empty log left by a crash", "path", path)
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// lockFolder takes Badger's own lock, which also excludes Badger's tools. The
// kernel releases it when the process dies.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("persistence/badger: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close() // the earlier error counts
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: %s", ErrInUse, dir)
	}
	return nil, fmt.Errorf("persistence/badger: lock %s: %w", dir, err)
}
