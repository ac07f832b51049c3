package badger

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func FuzzPairKey(f *testing.F) {
	f.Add("team", []byte("key"))
	f.Add("\x00\xff", []byte{0, 0xff})
	f.Fuzz(func(t *testing.T, space string, key []byte) {
		if !validSpace(persistence.Space(space)) {
			t.Skip()
		}
		physical := appendPair(nil, persistence.Space(space), key)
		require.Len(t, physical, pairLength(persistence.Space(space), key))
		gotSpace, gotKey, ok := splitPair(physical)
		require.True(t, ok)
		require.Equal(t, space, string(gotSpace))
		require.True(t, bytes.Equal(key, gotKey))
	})
}

func FuzzDirectoryKey(f *testing.F) {
	f.Add("kind", "name")
	f.Add("", "\x00")
	f.Fuzz(func(t *testing.T, kind, name string) {
		if len(kind) > persistence.MaxKey {
			t.Skip()
		}
		key := persistence.DirectoryKey{Kind: kind, Name: name}
		got, ok := splitDirectory(directoryKey(key))
		require.True(t, ok)
		require.Equal(t, key, got)
	})
}

func FuzzEpochKey(f *testing.F) {
	f.Add("team", uint64(1))
	f.Fuzz(func(t *testing.T, space string, epoch uint64) {
		if !validSpace(persistence.Space(space)) {
			t.Skip()
		}
		gotSpace, ok := splitEpochKey(epochKey(persistence.Space(space)))
		require.True(t, ok)
		require.Equal(t, space, string(gotSpace))
		gotEpoch, ok := decodeEpoch(encodeEpoch(persistence.Epoch(epoch)))
		require.True(t, ok)
		require.EqualValues(t, epoch, gotEpoch)
	})
}

// FuzzSplit: decoders accept any bytes, and re-encoding an accepted key gives
// the same bytes.
func FuzzSplit(f *testing.F) {
	f.Add([]byte{tagPair, 4, 't'})
	f.Add([]byte{tagDirectory, 0xff, 0xff, 0})
	f.Add([]byte{tagEpoch})
	f.Fuzz(func(t *testing.T, b []byte) {
		if space, key, ok := splitPair(b); ok && validSpace(persistence.Space(space)) {
			require.Equal(t, b, appendPair(nil, persistence.Space(space), key))
		}
		if key, ok := splitDirectory(b); ok {
			require.Equal(t, b, directoryKey(key))
		}
		if space, ok := splitEpochKey(b); ok {
			require.Equal(t, b, epochKey(space))
		}
		decodeEpoch(b)
	})
}

// TestKeyOrder: physical keys sort by space, kind and epoch, and no space is
// nested in another.
func TestKeyOrder(t *testing.T) {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[\x00ab\xff]{1,4}`), 2, 20, rapid.ID[string])
	rapid.Check(t, func(t *rapid.T) {
		keys := names.Draw(t, "keys")
		slices.Sort(keys)
		spaces := names.Draw(t, "spaces")
		var last []byte
		for _, key := range keys {
			physical := appendPair(nil, persistence.Space(spaces[0]), []byte(key))
			require.Negative(t, bytes.Compare(last, physical))
			last = physical
			for _, other := range spaces[1:] {
				require.False(t, bytes.HasPrefix(physical, appendSpace(nil, persistence.Space(other))))
			}
		}
		last = nil
		for _, name := range keys {
			physical := directoryKey(persistence.DirectoryKey{Kind: spaces[0], Name: name})
			require.Negative(t, bytes.Compare(last, physical))
			last = physical
			for _, other := range spaces[1:] {
				require.False(t, bytes.HasPrefix(physical, kindPrefix(other)))
			}
		}
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		require.Equal(t, a < b, bytes.Compare(encodeEpoch(persistence.Epoch(a)), encodeEpoch(persistence.Epoch(b))) < 0)
	})
}

// splitPair splits a physical key of a pair; both parts alias b.
func splitPair(b []byte) (space, key []byte, ok bool) {
	if len(b) < 2 || b[0] != tagPair || len(b) < 2+int(b[1]) {
		return nil, nil, false
	}
	end := 2 + int(b[1])
	return b[2:end], b[end:], true
}

// splitDirectory splits the physical key of a directory entry.
func splitDirectory(b []byte) (key persistence.DirectoryKey, ok bool) {
	if len(b) < 3 || b[0] != tagDirectory {
		return key, false
	}
	end := 3 + int(binary.BigEndian.Uint16(b[1:]))
	if len(b) < end {
		return key, false
	}
	return persistence.DirectoryKey{Kind: string(b[3:end]), Name: string(b[end:])}, true
}

// splitEpochKey returns the space of an epoch's physical key.
func splitEpochKey(b []byte) (persistence.Space, bool) {
	if len(b) < 2 || b[0] != tagEpoch {
		return "", false
	}
	return persistence.Space(b[1:]), true
}
