// Package backup writes a store into files and reads it back, above the engines.
//
// A backup is one snapshot of the store. Its records, in the order of their keys,
// are cut into chunks; a manifest lists the chunks with their checksums. Backups of
// one set share chunks: a full backup begins a set, and an incremental one adds the
// chunks that differ, and a manifest that is complete by itself.
//
//	<set>/chunks/<name>[.age]    records, compressed and, if wanted, encrypted
//	<set>/<time>.manifest[.age]  Manifest, sealed: see seal.go
//	<set>/<time>.sums            sums of the chunks' files: see sums.go
//
// Where chunks are cut depends on keys, not on positions, so that a change moves
// the ends of a few chunks only.
package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

var (
	// ErrDamaged means that a file of a backup is missing or has other contents.
	ErrDamaged = errors.New("the backup is damaged")
	// ErrNone means that there is no backup of that name.
	ErrNone = errors.New("no backup is there")
	// ErrNotEmpty means that the target of a restore has data.
	ErrNotEmpty = errors.New("the target is not empty")
	// ErrUnfinished means that a store is the target of a restore that has not
	// ended.
	ErrUnfinished = errors.New("the store is an unfinished restore")
	// ErrFileNotFound means that there is no file of that name.
	ErrFileNotFound = errors.New("no such file")
)

// Files holds the files of backups. Names have slashes and no dots at the start.
type Files interface {
	// Put writes a file, all or nothing, durably. It may replace one.
	Put(ctx context.Context, name string, content []byte) error
	// Get returns a file, or ErrFileNotFound.
	Get(ctx context.Context, name string) ([]byte, error)
	// List returns the names of the files whose names begin with prefix.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Manifest describes a backup.
type Manifest struct {
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	Build     string    `json:"build"`
	// Fingerprint is that of the master key of the store's secrets.
	Fingerprint string  `json:"fingerprint"`
	Spaces      int     `json:"spaces"`
	Entries     int     `json:"entries"` // of the directory
	Records     int     `json:"records"` // of all spaces
	Bytes       int64   `json:"bytes"`   // keys and values
	Chunks      []Chunk `json:"chunks"`
	// Previous is nil in the first backup of a set.
	Previous *Previous `json:"previous,omitempty"`
}

// Chunk is a file with records.
type Chunk struct {
	Name string `json:"name"`
	Sum  string `json:"sha256"` // of its content before compression
	Size int    `json:"size"`
}

// formatVersion is the version of the manifest and of the chunks; unsealedVersion is that
// of earlier builds.
const (
	formatVersion   = 2
	unsealedVersion = 1
)

const (
	encryptedSuffix = ".age"
	manifestSuffix  = ".manifest"
	chunkFolder     = "/chunks/"
	timeFormat      = "20060102T150405.000Z"
)

// Backups lists the names of the manifests, the oldest first.
func Backups(ctx context.Context, files Files) ([]string, error) {
	all, err := files.List(ctx, "")
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(name string) bool {
		return !strings.HasSuffix(strings.TrimSuffix(name, encryptedSuffix), manifestSuffix)
	})
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(timeOf(a), timeOf(b)) })
	return all, nil
}

// timeOf is the part of a manifest's name that says when it was made.
func timeOf(manifest string) string { return manifest[strings.LastIndexByte(manifest, '/')+1:] }

// MadeAt returns when the backup of a manifest's name was made.
func MadeAt(manifest string) (time.Time, error) {
	at, _, _ := strings.Cut(timeOf(manifest), manifestSuffix)
	return time.Parse(timeFormat, at)
}

// Open reads the manifest of a backup, without a name that of the newest, and checks its
// seal. With ErrForged and ErrUnsealed it returns the manifest as well.
func Open(ctx context.Context, files Files, name string, keys Keys) (string, Manifest, error) {
	if name == "" {
		all, err := Backups(ctx, files)
		if err == nil && len(all) == 0 {
			err = ErrNone
		}
		if err != nil {
			return "", Manifest{}, err
		}
		name = all[len(all)-1]
	}
	content, err := files.Get(ctx, name)
	if errors.Is(err, ErrFileNotFound) {
		return name, Manifest{}, fmt.Errorf("%w: %s", ErrNone, name)
	}
	if err != nil {
		return name, Manifest{}, err
	}
	f, m, err := parse(name, content, keys.Decrypt)
	if err == nil {
		err = keys.check(name, &f)
	}
	return name, m, err
}

// manifestFile is a manifest as it is stored, behind a checksum. In the format without
// seals the file is the manifest alone.
type manifestFile struct {
	Version  int             `json:"version"`
	Build    string          `json:"build"`
	Manifest json.RawMessage `json:"manifest"`
	Seal     string          `json:"seal"`
}

// parse reads the file of a manifest. It does not check the seal.
func parse(name string, content []byte, decrypt func([]byte) ([]byte, error)) (f manifestFile, m Manifest, err error) {
	if content, err = opened(name, content, decrypt); err != nil {
		return f, m, err
	}
	sum, body, _ := bytes.Cut(content, []byte("\n"))
	if sumOf(body) != string(sum) {
		return f, m, fmt.Errorf("%w: the checksum of %s differs", ErrDamaged, name)
	}
	if err := json.Unmarshal(body, &f); err != nil {
		return f, m, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	switch f.Version {
	case formatVersion:
		body = f.Manifest
	case unsealedVersion:
	default:
		return f, m, fmt.Errorf("%s has format %d; this build reads %d: use the build that wrote it (%s)", name, f.Version, formatVersion, f.Build)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return f, m, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	return f, m, nil
}

// opened decrypts a file that is encrypted.
func opened(name string, content []byte, decrypt func([]byte) ([]byte, error)) ([]byte, error) {
	if !strings.HasSuffix(name, encryptedSuffix) {
		return content, nil
	}
	if decrypt == nil {
		return nil, fmt.Errorf("%s is encrypted: give the identity that it is encrypted for", name)
	}
	plain, err := decrypt(content)
	if err != nil {
		return nil, fmt.Errorf("decrypt %s: %w", name, err)
	}
	return plain, nil
}

// each calls yield for each record of a backup, after checking the chunk that has
// it.
func each(ctx context.Context, files Files, manifest string, m *Manifest, decrypt func([]byte) ([]byte, error), yield func(record) error) error {
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(2*chunkMost))
	if err != nil {
		return err
	}
	defer unpack.Close()
	set, _, _ := strings.Cut(manifest, "/")
	for _, c := range m.Chunks {
		name := set + chunkFolder + c.Name
		content, err := files.Get(ctx, name)
		if errors.Is(err, ErrFileNotFound) {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, name)
		}
		if err != nil {
			return err
		}
		if content, err = opened(name, content, decrypt); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if content, err = unpack.DecodeAll(content, nil); err != nil || sumOf(content) != c.Sum {
			return fmt.Errorf("%w: %s is not what was written", ErrDamaged, name)
		}
		for len(content) > 0 {
			var r record
			if r, content, err = decode(content); err != nil {
				return fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
			}
			if err := yield(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Verify reads a backup to its end and compares every checksum and count. It also checks
// that the earlier backups of its set are as they were, which a restore does not need.
func Verify(ctx context.Context, files Files, manifest string, m Manifest, decrypt func([]byte) ([]byte, error)) error {
	var seen Manifest
	space := ""
	err := each(ctx, files, manifest, &m, decrypt, func(r record) error {
		seen.count(r, &space)
		return nil
	})
	if err != nil {
		return err
	}
	if err := m.compare(seen); err != nil {
		return err
	}
	return verifyChain(ctx, files, m, decrypt)
}

// count adds a record to the counts; space is the last one that was counted.
func (m *Manifest) count(r record, space *string) {
	m.Bytes += int64(len(r.key) + len(r.value))
	if r.directory {
		m.Entries++
		return
	}
	if m.Records++; *space != r.name {
		*space = r.name
		m.Spaces++
	}
}

func (m *Manifest) compare(seen Manifest) error {
	if seen.Spaces != m.Spaces || seen.Entries != m.Entries || seen.Records != m.Records || seen.Bytes != m.Bytes {
		return fmt.Errorf("%w: it has %d records and %d entries, and the manifest says %d and %d", ErrDamaged, seen.Records, seen.Entries, m.Records, m.Entries)
	}
	return nil
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
