package postindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/persistence"
)

// manifest says what a team's index consists of. It is written with every
// change, in the same batch, so that a snapshot of the store shows one state of
// posts and index; all that it names never changes.
//
// Every write of a post makes a new version of it, numbered through the team.
// The newest versions are the buffer; those before are in segments, each with the
// versions of a range. Replaced and deleted versions are recorded here for
// the buffer, and in a set next to each segment.
type manifest struct {
	next          uint64          // the number of the next version
	bufferFirst   uint64          // the first version of the buffer
	bufferDeleted *roaring.Bitmap // of the buffer, as distances from its first
	segments      []segmentInfo   // by rising versions
	// segment is the number of the next segment; building is the one being built, if any, which
	// queries ignore; garbage lists those whose parts are still to be deleted.
	segment  uint32
	building uint32
	garbage  []uint32
	// watchlists counts the changes of the set under keyWatchlists.
	watchlists uint64
}

// segmentInfo is a segment of the manifest. How many of its posts are deleted
// also tells one state of them from another, as they only become more.
type segmentInfo struct {
	id             uint32
	first, last    uint64 // versions
	posts, deleted int
	blockBits      int // there are 2^blockBits blocks
	bytes          int // of all blocks
	// minMax are those of the columns before columnVersion.
	minMax [columnVersion]minMax
}

func (s *segmentInfo) live() int { return s.posts - s.deleted }

// minMax is the least and the greatest value of a column (a zone map). Queries
// skip segments whose range cannot match.
type minMax struct{ least, greatest int64 }

// anyMinMax is the range of a column without a known range.
var anyMinMax = minMax{-math.MaxInt64, math.MaxInt64}

func minMaxOf(values []int64) minMax { return minMax{slices.Min(values), slices.Max(values)} }

// maxBuffered bounds the versions of a buffer that a manifest is believed to have.
// A Writer keeps far below it; see Options.MaxBuffer.
const maxBuffered = 1 << 24

const manifestVersion = 2

func newManifest() *manifest {
	return &manifest{next: 1, bufferFirst: 1, segment: 1, bufferDeleted: roaring.New()}
}

// bufferLength is the number of versions in the buffer, deleted ones included.
func (m *manifest) bufferLength() int { return int(m.next - m.bufferFirst) }

// posts is the number of all live posts.
func (m *manifest) posts() int {
	n := m.bufferLength() - int(m.bufferDeleted.GetCardinality())
	for i := range m.segments {
		n += m.segments[i].live()
	}
	return n
}

// find returns the index of the segment in whose range a version is.
func (m *manifest) find(version uint64) (int, bool) {
	i := sort.Search(len(m.segments), func(i int) bool { return m.segments[i].last >= version })
	return i, i < len(m.segments) && m.segments[i].first <= version
}

func (m *manifest) encode() []byte {
	b := []byte{manifestVersion}
	for _, v := range []uint64{m.next, m.bufferFirst, uint64(m.segment), uint64(m.building), m.watchlists} {
		b = binary.AppendUvarint(b, v)
	}
	b = binary.AppendUvarint(b, uint64(len(m.garbage)))
	for _, g := range m.garbage {
		b = binary.AppendUvarint(b, uint64(g))
	}
	b = binary.AppendUvarint(b, uint64(len(m.segments)))
	for i := range m.segments {
		s := &m.segments[i]
		for _, v := range []uint64{uint64(s.id), s.first, s.last - s.first, uint64(s.posts), uint64(s.deleted), uint64(s.blockBits), uint64(s.bytes)} {
			b = binary.AppendUvarint(b, v)
		}
		for _, c := range s.minMax {
			b = binary.AppendUvarint(binary.AppendVarint(b, c.least), uint64(c.greatest-c.least))
		}
	}
	deleted, err := m.bufferDeleted.ToBytes()
	if err != nil {
		panic(err) // writing to memory does not fail
	}
	return append(b, deleted...)
}

func decodeManifest(value []byte) (*manifest, error) {
	r := &reader{b: value}
	if r.byte() != manifestVersion {
		return nil, errDamaged
	}
	m := &manifest{next: r.uint(), bufferFirst: r.uint(), segment: uint32(r.uint()), building: uint32(r.uint()), watchlists: r.uint()}
	for n := r.count(1); n > 0; n-- {
		m.garbage = append(m.garbage, uint32(r.uint()))
	}
	m.segments = make([]segmentInfo, r.count(7))
	for i := range m.segments {
		s := &m.segments[i]
		s.id, s.first = uint32(r.uint()), r.uint()
		s.last = s.first + r.uint()
		s.posts, s.deleted, s.blockBits, s.bytes = int(r.uint()), int(r.uint()), int(r.uint()), int(r.uint())
		for c := range s.minMax {
			least := r.int()
			s.minMax[c] = minMax{least, least + int64(r.uint())}
		}
		if s.posts < 1 || s.posts > maxSegment || s.deleted > s.posts || s.blockBits > 30 || i > 0 && s.first <= m.segments[i-1].last {
			return nil, errDamaged
		}
	}
	if r.bad || m.bufferFirst > m.next || m.next-m.bufferFirst > maxBuffered {
		return nil, errDamaged
	}
	m.bufferDeleted = roaring.New()
	if err := m.bufferDeleted.UnmarshalBinary(slices.Clone(r.b)); err != nil {
		return nil, errors.Join(errDamaged, err)
	}
	return m, nil
}

// readManifest returns the manifest of a team, for the caller to change; a new
// one when there is none.
func readManifest(view persistence.View, space persistence.Space) (*manifest, error) {
	value, err := readManifestValue(view, space)
	if err != nil || value == nil {
		return newManifest(), err
	}
	return decodeManifest(value)
}

// readManifestValue returns the stored manifest; nil when there is none.
func readManifestValue(view persistence.View, space persistence.Space) ([]byte, error) {
	value, err := view.Get(space, []byte(keyManifest))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil
	}
	return value, err
}

// heldManifest is the last manifest that was read. It is immutable.
type heldManifest struct {
	value []byte
	*manifest
}

// heldManifest returns the manifest of a team, not to be changed. Decoding it
// takes longer than seeing that it is still the same.
func (x *Index) heldManifest(view persistence.View, space persistence.Space) (*manifest, error) {
	value, err := readManifestValue(view, space)
	if err != nil || value == nil {
		return newManifest(), err
	}
	k := keyOf(space, cachedManifest, 0, 0)
	if v, ok := x.cache.get(k); ok {
		if held := v.(heldManifest); bytes.Equal(held.value, value) {
			return held.manifest, nil
		}
	}
	m, err := decodeManifest(value)
	if err == nil {
		const segmentSize = 200
		x.cache.put(k, heldManifest{value, m}, len(value)+segmentSize*len(m.segments)+int(m.bufferDeleted.GetSizeInBytes()))
	}
	return m, err
}

// encodeWatchlists writes the set of watchlists that posts bear marks of.
func encodeWatchlists(set map[string]bool) []byte {
	ids := make([]string, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var b []byte
	for _, id := range ids {
		b = appendText(b, id)
	}
	return b
}

func readWatchlists(view persistence.View, space persistence.Space) (map[string]bool, error) {
	set := map[string]bool{}
	value, err := view.Get(space, []byte(keyWatchlists))
	if errors.Is(err, persistence.ErrNotFound) {
		return set, nil
	}
	r := &reader{b: value}
	for err == nil && len(r.b) > 0 {
		set[r.text()] = true
		if r.bad {
			err = errDamaged
		}
	}
	return set, err
}
