package badger

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"watchpost/persistence/badger/integrity"
)

// errReadOnly is the result of a write to a store that was opened to be read.
var errReadOnly = errors.New("persistence/badger: the store is open for reading only")

// readingCopy makes a folder that Badger can open to read the store, without a
// change to any file of it. Badger itself cannot: after a crash it wants to cut
// the logs, and even for reading it removes tables that the manifest does not
// name. The copy has links to the tables, and of the logs the whole groups.
func readingCopy(dir string, r *integrity.Report) (copied string, err error) {
	if copied, err = os.MkdirTemp("", "watchpost-store-"); err != nil {
		return "", err
	}
	if err := fillCopy(dir, copied, r); err != nil {
		return "", errors.Join(err, os.RemoveAll(copied))
	}
	return copied, nil
}

func fillCopy(dir, copied string, r *integrity.Report) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, t := range r.Tables {
		if err := os.Symlink(filepath.Join(dir, t.Name), filepath.Join(copied, t.Name)); err != nil {
			return err
		}
	}
	values, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	if err != nil {
		return err
	}
	for _, path := range values {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			continue // left by a crash
		}
		if err := os.Symlink(path, filepath.Join(copied, filepath.Base(path))); err != nil {
			return err
		}
	}
	for _, l := range r.Logs {
		if l.Empty() {
			continue
		}
		if err := copyStart(filepath.Join(dir, l.Name), filepath.Join(copied, l.Name), l.End); err != nil {
			return err
		}
	}
	const manifest = "MANIFEST"
	info, err := os.Stat(filepath.Join(dir, manifest))
	if err != nil {
		return err
	}
	return copyStart(filepath.Join(dir, manifest), filepath.Join(copied, manifest), info.Size())
}

// copyStart copies the first bytes of a file.
func copyStart(from, to string, size int64) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, in, size)
	return errors.Join(err, out.Close())
}
