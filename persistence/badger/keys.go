package badger

import (
	"encoding/binary"

	"watchpost/persistence"
)

// The physical layout of the key space. Every variable part but the last one
// carries its length, so that no two records share a key and no space is a
// prefix of another; every number is big-endian, so that bytes sort as values
// do. Badger reserves keys that begin with "!badger!".
//
//	record     key                                      value
//	---------  ---------------------------------------  ---------------------
//	directory  'd'  kind length (2)  kind  name         the entry
//	epoch      'e'  space                               newest epoch (8)
//	pair       's'  space length (1)  space  key        the value
//	marker     'm'                                      empty
//
// Every group overwrites the marker, which is never deleted, so that the newest
// version in the tables is that of the newest group in them, also when all its
// other records have been deleted (see package integrity).
//
// The layout is named by layoutVersion; Badger's manifest remembers it and
// refuses a folder that was written with another one.
const (
	layoutVersion = 1

	tagDirectory = 'd'
	tagEpoch     = 'e'
	tagPair      = 's'
	tagMarker    = 'm'
)

var markerKey = []byte{tagMarker}

func validSpace(space persistence.Space) bool {
	return len(space) > 0 && len(space) <= persistence.MaxSpace
}

// appendSpace appends the common prefix of all pairs of a space.
func appendSpace(dst []byte, space persistence.Space) []byte {
	dst = append(dst, tagPair, byte(len(space)))
	return append(dst, space...)
}

// appendPair appends the physical key of one pair.
func appendPair(dst []byte, space persistence.Space, key []byte) []byte {
	return append(appendSpace(dst, space), key...)
}

// pairLength is the length of what appendPair appends.
func pairLength(space persistence.Space, key []byte) int { return 2 + len(space) + len(key) }

// kindPrefix returns the common prefix of all directory entries of a kind.
func kindPrefix(kind string) []byte {
	dst := []byte{tagDirectory}
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(kind)))
	return append(dst, kind...)
}

// kindOf returns the kind in a physical key of the directory.
func kindOf(physical []byte) string {
	length := int(binary.BigEndian.Uint16(physical[1:]))
	return string(physical[3 : 3+length])
}

// directoryKey returns the physical key of a directory entry.
func directoryKey(key persistence.DirectoryKey) []byte {
	return append(kindPrefix(key.Kind), key.Name...)
}

// epochKey returns the physical key of a space's epoch.
func epochKey(space persistence.Space) []byte {
	return append([]byte{tagEpoch}, space...)
}

func encodeEpoch(epoch persistence.Epoch) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(epoch))
}

func decodeEpoch(value []byte) (persistence.Epoch, bool) {
	if len(value) != 8 {
		return 0, false
	}
	return persistence.Epoch(binary.BigEndian.Uint64(value)), true
}
