package integrity

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// Drop writes the damaged tables of a report again, without the blocks that cannot be
// read. Older values of the lost records may show again. Fatal damage stays.
func Drop(dir string, r *Report, o table.Options) error {
	done := map[string]bool{}
	for _, d := range r.Damage {
		if d.From == nil || done[d.File] {
			continue
		}
		done[d.File] = true
		i := slices.IndexFunc(r.Tables, func(t Table) bool { return t.Name == d.File })
		o.Compression = r.Tables[i].Compression
		if err := dropBlocks(filepath.Join(dir, d.File), o); err != nil {
			return fmt.Errorf("%s: %w", d.File, err)
		}
	}
	return nil
}

// dropBlocks replaces a table.
func dropBlocks(path string, o table.Options) error {
	b, err := readInto(nil, path)
	if err != nil {
		return err
	}
	index, err := readIndex(b)
	if err != nil {
		return err
	}
	builder := table.NewTableBuilder(o)
	defer builder.Close()
	all := blocks(index)
	for _, block := range all {
		if block.end > len(b) {
			continue
		}
		entries, err := unpack(b[block.start:block.end], o.Compression, nil)
		if err != nil {
			continue // this block is dropped
		}
		if err := eachEntry(entries, func(key []byte, value y.ValueStruct) { builder.Add(key, value, 0) }); err != nil {
			return err
		}
	}
	if builder.Empty() { // a table has an entry: the deletion of its former first one
		const deleted = 1
		builder.Add(all[0].first, y.ValueStruct{Meta: deleted}, 0)
	}
	return replace(path, builder.Finish())
}

var errEntry = errors.New("an entry of a block is not what was written")

// eachEntry reads the entries of a block: the entries, where each begins (4 bytes each,
// little-endian) and their number. An entry has the length of what its key has in common
// with the first one, the length of the rest (2 bytes each), the rest, and the value.
func eachEntry(b []byte, yield func(key []byte, value y.ValueStruct)) error {
	const head, width = 4, 4
	if len(b) < width {
		return errEntry
	}
	n := int(binary.BigEndian.Uint32(b[len(b)-width:]))
	b = b[:len(b)-width]
	if n > len(b)/width {
		return errEntry
	}
	starts := b[len(b)-n*width:]
	b = b[:len(b)-n*width]
	var first []byte
	for i := range n {
		start, end := int(binary.LittleEndian.Uint32(starts[i*width:])), len(b)
		if i+1 < n {
			end = int(binary.LittleEndian.Uint32(starts[(i+1)*width:]))
		}
		if start+head > end || end > len(b) {
			return errEntry
		}
		e := b[start:end]
		common, rest := int(binary.LittleEndian.Uint16(e)), int(binary.LittleEndian.Uint16(e[2:]))
		if common > len(first) || head+rest > len(e) {
			return errEntry
		}
		key := slices.Concat(first[:common], e[head:head+rest])
		if i == 0 {
			first = key
		}
		var value y.ValueStruct
		value.Decode(e[head+rest:])
		yield(key, value)
	}
	return nil
}

// replace writes a file again, all or nothing, durably.
func replace(path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	beside := path + ".new"
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(beside, path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
