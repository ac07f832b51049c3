package postindex

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyManifest draws a manifest with segments whose versions rise.
func anyManifest(t *rapid.T) *manifest {
	number := rapid.Uint64Range(0, 1<<40)
	m := newManifest()
	m.segment, m.building, m.watchlists = rapid.Uint32().Draw(t, "segment"), rapid.Uint32().Draw(t, "building"), number.Draw(t, "watchlists")
	m.garbage = rapid.SliceOfN(rapid.Uint32(), 1, 3).Draw(t, "garbage")
	m.segments = make([]segmentInfo, rapid.IntRange(1, 4).Draw(t, "segments"))
	for i := range m.segments {
		s := &m.segments[i]
		s.id, s.first = rapid.Uint32().Draw(t, "id"), m.next
		s.last = s.first + number.Draw(t, "versions")
		s.posts = rapid.IntRange(1, maxSegment).Draw(t, "posts")
		s.deleted, s.blockBits, s.bytes = rapid.IntRange(0, s.posts).Draw(t, "deleted"), rapid.IntRange(0, 30).Draw(t, "bits"), int(number.Draw(t, "bytes"))
		for c := range s.minMax {
			a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
			s.minMax[c] = minMax{min(a, b), max(a, b)}
		}
		m.next = s.last + 1
	}
	m.bufferFirst = m.next
	m.next += rapid.SampledFrom([]uint64{0, 1, 500, maxSegment, maxSegment + 1, 200_000}).Draw(t, "buffer")
	m.bufferDeleted.Add(uint32(rapid.IntRange(0, 499).Draw(t, "deleted of the buffer")))
	return m
}

// TestManifestIsReadAsWritten: whatever the spans are.
func TestManifestIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyManifest(t)
		m.segments[0].minMax[columnLikes] = anyMinMax
		got, err := decodeManifest(m.encode())
		require.NoError(t, err)
		require.True(t, m.bufferDeleted.Equals(got.bufferDeleted))
		got.bufferDeleted = m.bufferDeleted
		require.Equal(t, m, got)
	})
}

// TestDamagedManifest: a truncated manifest is damage, not a smaller index.
func TestDamagedManifest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := anyManifest(t).encode()
		_, err := decodeManifest(whole[:rapid.IntRange(0, len(whole)-1).Draw(t, "length")])
		require.ErrorIs(t, err, errDamaged)
	})
}
