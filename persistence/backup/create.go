package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"watchpost/persistence"
)

// Options say how a backup is made.
type Options struct {
	// Full begins a new set; otherwise the newest set of the same encryption gets
	// what differs.
	Full        bool
	Now         time.Time
	Build       string
	Fingerprint string // of the master key
	// Name makes the name of a chunk from its checksum, so that no one can tell
	// from names what the chunks hold.
	Name func(sum string) string
	// Seal makes the seal of a content with the master key.
	Seal func(content []byte) string
	// Encrypt encrypts a file; nil: files are not encrypted. Recipients names whom
	// it encrypts for: another name begins another set.
	Encrypt    func([]byte) ([]byte, error)
	Recipients string
}

// Created is a backup that was made.
type Created struct {
	Name string
	Manifest
	Full    bool
	Written int // chunks that no earlier backup of the set has
	// Mended are chunks that an earlier backup of the set should have: their files
	// were missing or damaged, and are whole again.
	Mended int
	Stored int64
}

// Create writes a backup of the store at one moment, while the store is in use. The
// manifest is written last: a backup without one does not exist.
func Create(ctx context.Context, store persistence.Store, files Files, o Options) (Created, error) {
	w := &writer{ctx: ctx, files: files, options: o, made: Created{Full: o.Full}}
	w.made.Manifest = Manifest{Version: formatVersion, CreatedAt: o.Now.UTC(), Build: o.Build, Fingerprint: o.Fingerprint, Chunks: []Chunk{}}
	if err := w.chooseSet(); err != nil {
		return Created{}, err
	}
	var err error
	if w.pack, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return Created{}, err
	}
	if w.unpack, err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(2*chunkMost)); err != nil {
		return Created{}, err
	}
	defer w.unpack.Close()
	view, err := store.View(ctx)
	if err != nil {
		return Created{}, err
	}
	defer view.Close()
	if err := w.copy(view); err != nil {
		return Created{}, err
	}
	return w.made, w.finish()
}

// writer writes one backup.
type writer struct {
	ctx     context.Context
	files   Files
	options Options
	set     string
	// there are the chunks that the set has, with the sums of their files; "" when it
	// is not known.
	there map[string]string
	// sums are those of the chunks of this backup.
	sums   map[string]string
	pack   *zstd.Encoder
	unpack *zstd.Decoder
	chunk  []byte
	space  string
	made   Created
}

// setMark ends the name of a set: sets of another encryption are others.
func (o *Options) setMark() string {
	if o.Encrypt == nil {
		return "-plain"
	}
	sum := sha256.Sum256([]byte(o.Recipients))
	return "-" + hex.EncodeToString(sum[:4])
}

func (w *writer) chooseSet() error {
	w.there, w.sums = map[string]string{}, map[string]string{}
	all, err := Backups(w.ctx, w.files)
	if err != nil {
		return err
	}
	stamp := w.options.Now.UTC().Format(timeFormat)
	all = slices.DeleteFunc(all, func(name string) bool {
		set, _, _ := strings.Cut(name, "/")
		return !strings.HasSuffix(set, w.options.setMark())
	})
	if n := len(all); n == 0 || w.options.Full {
		w.set, w.made.Full = stamp+w.options.setMark(), true
	} else {
		w.set, _, _ = strings.Cut(all[n-1], "/")
		if err := w.follow(all[n-1]); err != nil {
			return err
		}
	}
	w.made.Name = w.set + "/" + stamp + manifestSuffix
	if w.options.Encrypt != nil {
		w.made.Name += encryptedSuffix
	}
	if slices.Contains(all, w.made.Name) {
		return fmt.Errorf("there is a backup of this moment: %s", w.made.Name)
	}
	chunks, err := w.files.List(w.ctx, w.set+chunkFolder)
	for _, name := range chunks {
		w.there[path.Base(name)] = ""
	}
	if err != nil || w.made.Full {
		return err
	}
	return w.readSums()
}

// copy writes all records of the view as chunks.
func (w *writer) copy(view persistence.View) error {
	var spaces []persistence.Space
	err := view.Spaces(func(s persistence.Space) bool {
		spaces = append(spaces, s)
		return true
	})
	if err != nil {
		return err
	}
	for _, space := range spaces {
		var failure error
		err := view.Scan(space, nil, nil, func(key, value []byte) bool {
			failure = w.add(record{name: string(space), key: key, value: value})
			return failure == nil
		})
		if err := errors.Join(err, failure); err != nil {
			return err
		}
	}
	kinds, err := view.Kinds()
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		var failure error
		err := view.ScanDirectory(kind, "", func(name string, value []byte) bool {
			failure = w.add(record{directory: true, name: kind, key: []byte(name), value: value})
			return failure == nil
		})
		if err := errors.Join(err, failure); err != nil {
			return err
		}
	}
	return w.flush()
}

func (w *writer) add(r record) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.made.count(r, &w.space)
	w.chunk = r.appendTo(w.chunk)
	if r.cuts(len(w.chunk)) {
		return w.flush()
	}
	return nil
}

// flush writes the chunk, unless the set has it.
func (w *writer) flush() error {
	if len(w.chunk) == 0 {
		return nil
	}
	sum := sumOf(w.chunk)
	c := Chunk{Name: sum, Sum: sum, Size: len(w.chunk)}
	if w.options.Name != nil {
		c.Name = w.options.Name(sum)
	}
	if w.options.Encrypt != nil {
		c.Name += encryptedSuffix
	}
	w.made.Chunks = append(w.made.Chunks, c)
	content := w.pack.EncodeAll(w.chunk, nil)
	w.chunk = w.chunk[:0]
	if _, done := w.sums[c.Name]; done {
		return nil
	}
	if whole, err := w.whole(&c); whole || err != nil {
		return err
	}
	if _, listed := w.there[c.Name]; listed {
		w.made.Mended++
	}
	w.made.Written++
	stored, err := w.put(w.set+chunkFolder+c.Name, content)
	w.sums[c.Name] = sumOf(stored)
	return err
}

// put writes a file, and returns its stored form.
func (w *writer) put(name string, content []byte) (stored []byte, err error) {
	if w.options.Encrypt != nil {
		if content, err = w.options.Encrypt(content); err != nil {
			return nil, err
		}
	}
	w.made.Stored += int64(len(content))
	return content, w.files.Put(w.ctx, name, content)
}

func (w *writer) finish() error {
	if err := w.writeSums(); err != nil {
		return err
	}
	manifest, err := json.Marshal(w.made.Manifest)
	if err != nil {
		return err
	}
	seal := w.options.Seal(sealedContent("manifest", w.made.Name, manifest))
	body, err := json.Marshal(manifestFile{Version: formatVersion, Build: w.options.Build, Manifest: manifest, Seal: seal})
	if err != nil {
		return err
	}
	_, err = w.put(w.made.Name, append([]byte(sumOf(body)+"\n"), body...))
	return err
}
