package backup

import (
	"context"
	"errors"
	"fmt"
)

// Checksums find damage, and anybody can compute them again. So a manifest has a seal as
// well, made with a key that is derived from the master key: no one else can make one for
// other chunks, for another name or for another chain of backups. The sums of stored files
// are sealed too, because the next backup relies on them.

var (
	// ErrForged means that the seal of a backup is not of the master keys at hand.
	ErrForged = errors.New("the seal of the backup does not fit: it was changed, or made with another master key")
	// ErrUnsealed means that a backup has no seal.
	ErrUnsealed = errors.New("the backup has no seal: a build before seals made it, or somebody took the seal away")
)

// Keys open backups.
type Keys struct {
	// Decrypt decrypts the files of an encrypted backup; nil: it cannot be read.
	Decrypt func([]byte) ([]byte, error)
	// Sealed reports whether the seal is that of the content; nil: no master key is at
	// hand, and only checksums are compared.
	Sealed func(content []byte, seal string) bool
	// Unsealed accepts a backup without a seal, as builds of format 1 made them.
	Unsealed bool
}

// sealedContent is what a seal is made of: the use, the name and the content of a file.
func sealedContent(use, name string, content []byte) []byte {
	return append([]byte(use+"\x00"+name+"\x00"), content...)
}

// check checks the seal of a manifest.
func (k Keys) check(name string, f *manifestFile) error {
	switch {
	case k.Sealed == nil:
		return nil
	case f.Version == unsealedVersion && k.Unsealed:
		return nil
	case f.Version == unsealedVersion:
		return fmt.Errorf("%w: %s", ErrUnsealed, name)
	case !k.Sealed(sealedContent("manifest", name, f.Manifest), f.Seal):
		return fmt.Errorf("%w: %s", ErrForged, name)
	}
	return nil
}

// Previous is the backup of the same set that an incremental one follows.
type Previous struct {
	Name string `json:"name"`
	Sum  string `json:"sha256"` // of the stored file
}

// follow records that the backup follows another one of its set.
func (w *writer) follow(name string) error {
	content, err := w.files.Get(w.ctx, name)
	if err != nil {
		return err
	}
	w.made.Previous = &Previous{Name: name, Sum: sumOf(content)}
	return nil
}

// verifyChain checks that the backups that m follows are there, as they were.
func verifyChain(ctx context.Context, files Files, m Manifest, decrypt func([]byte) ([]byte, error)) error {
	for p := m.Previous; p != nil; p = m.Previous {
		content, err := files.Get(ctx, p.Name)
		if err != nil && !errors.Is(err, ErrFileNotFound) {
			return err
		}
		if err != nil || sumOf(content) != p.Sum {
			return fmt.Errorf("%w: the earlier backup %s of the set is missing or was changed", ErrDamaged, p.Name)
		}
		if _, m, err = parse(p.Name, content, decrypt); err != nil {
			return err
		}
	}
	return nil
}
