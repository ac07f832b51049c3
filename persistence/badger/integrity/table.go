package integrity

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/proto"
)

// maxBlock bounds a block before compression: one of the largest value.
const maxBlock = 16 << 20

var errChecksum = errors.New("the checksum differs")

// checkSum compares data with a checksum as Badger stores it.
func checkSum(data, stored []byte) error {
	sum := &pb.Checksum{}
	if err := proto.Unmarshal(stored, sum); err != nil || sum.Algo != pb.Checksum_CRC32C {
		return errChecksum
	}
	if y.CalculateChecksum(data, sum.Algo) != sum.Sum {
		return errChecksum
	}
	return nil
}

// trailing takes apart b = rest, part, length of part.
func trailing(b []byte) (rest, part []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := binary.BigEndian.Uint32(b[len(b)-4:])
	b = b[:len(b)-4]
	if uint64(n) > uint64(len(b)) {
		return nil, nil, false
	}
	cut := len(b) - int(n)
	return b[:cut], b[cut:], true
}

// readIndex returns the index at the end of a table.
func readIndex(b []byte) (*fb.TableIndex, error) {
	rest, sum, ok := trailing(b)
	if !ok {
		return nil, errChecksum
	}
	_, index, ok := trailing(rest)
	if !ok || len(index) == 0 {
		return nil, errChecksum
	}
	if err := checkSum(index, sum); err != nil {
		return nil, err
	}
	return fb.GetRootAsTableIndex(index, 0), nil
}

// unpack returns a block before compression, without its checksum. It uses the
// memory of scratch.
func unpack(b []byte, c options.CompressionType, scratch []byte) (block []byte, err error) {
	if c == options.Snappy {
		if n, err := snappy.DecodedLen(b); err != nil || n > maxBlock {
			return nil, errChecksum
		}
		if b, err = snappy.Decode(scratch, b); err != nil {
			return nil, errChecksum
		}
	} else if c != options.None {
		return nil, fmt.Errorf("compression %d is not known", c)
	}
	block, sum, ok := trailing(b)
	if !ok {
		return nil, errChecksum
	}
	return block, checkSum(block, sum)
}

// block is a part of a table with entries.
type block struct {
	number     int
	start, end int
	// first is the key of its first entry, and next that of the block after it,
	// nil for the last one; both with their versions.
	first, next []byte
}

func blocks(index *fb.TableIndex) []block {
	all := make([]block, index.OffsetsLength())
	for i := range all {
		var at fb.BlockOffset
		index.Offsets(&at, i)
		all[i] = block{number: i, start: int(at.Offset()), end: int(at.Offset() + at.Len()), first: at.KeyBytes()}
		if i > 0 {
			all[i-1].next = all[i].first
		}
	}
	return all
}

// damage describes a block that cannot be read.
func (b *block) damage(file string, err error) Damage {
	d := Damage{File: file, Offset: int64(b.start), What: fmt.Sprintf("block %d: %v", b.number, err), From: y.ParseKey(b.first)}
	if b.next != nil {
		d.To = y.ParseKey(b.next)
	}
	return d
}

// checkTable reads all blocks of a table.
func checkTable(name string, b []byte, c options.CompressionType, scratch []byte) (damage []Damage, version uint64) {
	index, err := readIndex(b)
	if err != nil {
		return []Damage{{File: name, What: "the index of the table cannot be read: " + err.Error(), Fatal: true}}, 0
	}
	for _, block := range blocks(index) {
		err := errChecksum
		if block.end <= len(b) {
			_, err = unpack(b[block.start:block.end], c, scratch)
		}
		if err != nil {
			damage = append(damage, block.damage(name, err))
		}
	}
	return damage, index.MaxVersion()
}

// checkTables reads all tables that the manifest names, on all cores.
func (in *inspection) checkTables() error {
	ids := make(chan uint64)
	var mu sync.Mutex
	var failures []error
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var b []byte
			scratch := make([]byte, maxBlock/16)
			for id := range ids {
				name := table.IDToFilename(id)
				var err error
				b, err = readInto(b, filepath.Join(in.dir, name))
				var damage []Damage
				version := uint64(0)
				switch {
				case errors.Is(err, os.ErrNotExist):
					damage, err = []Damage{{File: name, What: "the table is missing", Fatal: true}}, nil
				case err == nil:
					damage, version = checkTable(name, b, in.named[id].Compression, scratch)
				}
				mu.Lock()
				failures = append(failures, err)
				in.report.Damage = append(in.report.Damage, damage...)
				in.report.Tables = append(in.report.Tables, Table{name, in.named[id].Compression})
				in.report.Version = max(in.report.Version, version)
				mu.Unlock()
			}
		})
	}
	for id := range in.named {
		ids <- id
	}
	close(ids)
	workers.Wait()
	return errors.Join(failures...)
}

// readInto reads a file into the memory of b, or into more.
func readInto(b []byte, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return b, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return b, err
	}
	b = slices.Grow(b[:0], int(info.Size()))[:info.Size()]
	_, err = f.ReadAt(b, 0)
	return b, err
}

// checkUnnamed looks at tables that the manifest does not name. A crash leaves
// them before they are named, when their records are still elsewhere, or before
// they are removed. Newer records than all others have been lost by the manifest.
func (in *inspection) checkUnnamed() error {
	for _, f := range in.numbered(tableSuffix) {
		if _, named := in.named[f.number]; named {
			continue
		}
		b, err := readInto(nil, filepath.Join(in.dir, f.name))
		if err != nil {
			return err
		}
		if index, err := readIndex(b); err == nil && index.MaxVersion() > in.report.Version {
			in.lost(manifestName, 0, "the manifest does not name %s, which has commit %d, and the others end with %d", f.name, index.MaxVersion(), in.report.Version)
		}
	}
	return nil
}
