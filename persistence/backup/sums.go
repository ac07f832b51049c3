package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// An incremental backup builds on the chunks of earlier ones, so it reads them first. Who
// makes it cannot decrypt them: therefore each backup leaves the sums of its files as they
// are stored, which say nothing of their content.
//
//	<set>/<time>.sums  the seal of the rest, and sums by the names of chunks
const sumsSuffix = ".sums"

// readSums takes the sums that the newest backup of the set has left. Without them, or
// when their seal does not fit, a chunk that is encrypted is written again.
func (w *writer) readSums() error {
	names, err := w.files.List(w.ctx, w.set+"/")
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, sumsSuffix) })
	if len(names) == 0 {
		return nil
	}
	newest := slices.Max(names)
	content, err := w.files.Get(w.ctx, newest)
	if err != nil {
		return err
	}
	seal, body, _ := bytes.Cut(content, []byte("\n"))
	known := map[string]string{}
	if w.options.Seal(sealedContent("sums", newest, body)) != string(seal) || json.Unmarshal(body, &known) != nil {
		return nil //nolint:nilerr // nothing is known then
	}
	for name := range w.there {
		w.there[name] = known[name]
	}
	return nil
}

func (w *writer) writeSums() error {
	body, err := json.Marshal(w.sums)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(w.made.Name, manifestSuffix)
	name += sumsSuffix
	seal := w.options.Seal(sealedContent("sums", name, body))
	return w.files.Put(w.ctx, name, append([]byte(seal+"\n"), body...))
}

// whole reports whether the set has the chunk as it was written.
func (w *writer) whole(c *Chunk) (bool, error) {
	known, listed := w.there[c.Name]
	if !listed {
		return false, nil
	}
	content, err := w.files.Get(w.ctx, w.set+chunkFolder+c.Name)
	if errors.Is(err, ErrFileNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sum := sumOf(content)
	switch {
	case known != "":
		if sum != known {
			return false, nil
		}
	case w.options.Encrypt != nil:
		return false, nil
	default:
		if plain, err := w.unpack.DecodeAll(content, nil); err != nil || sumOf(plain) != c.Sum {
			return false, nil //nolint:nilerr // the file is damaged
		}
	}
	w.sums[c.Name] = sum
	return true, nil
}
