package backup

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
)

// record is a pair of a space, or with directory set an entry of a kind.
type record struct {
	directory  bool
	name       string // of the space, or the kind
	key, value []byte
}

// Bounds of a chunk. One ends after a record whose key's hash is right once it has
// chunkLeast bytes, and in any case with chunkMost.
const (
	chunkLeast = 256 << 10
	chunkMost  = 4 << 20
	cutOneIn   = 64
)

// cuts reports whether a chunk of that size ends after the record.
func (r *record) cuts(size int) bool {
	if size < chunkLeast {
		return false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.name))
	_, _ = h.Write(r.key)
	return size >= chunkMost || h.Sum32()%cutOneIn == 0
}

// appendTo appends the record: a byte with its kind, and name, key and value, each behind
// its length.
func (r *record) appendTo(b []byte) []byte {
	kind := byte('s')
	if r.directory {
		kind = 'd'
	}
	b = append(b, kind)
	for _, part := range [][]byte{[]byte(r.name), r.key, r.value} {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return b
}

var errRecord = errors.New("a record is cut off")

// decode reads the first record and returns the rest.
func decode(b []byte) (r record, rest []byte, err error) {
	if b[0] != 's' && b[0] != 'd' {
		return r, nil, errRecord
	}
	r.directory = b[0] == 'd'
	b = b[1:]
	var parts [3][]byte
	for i := range parts {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return r, nil, errRecord
		}
		parts[i], b = b[size:size+int(n):size+int(n)], b[size+int(n):]
	}
	r.name, r.key, r.value = string(parts[0]), parts[1], parts[2]
	return r, b, nil
}
