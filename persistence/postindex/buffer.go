package postindex

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/persistence"
)

// buffer holds the entries of a team's newest versions, from the first of the
// buffer on. Entries are only added: which of them count is for the manifest of
// a snapshot to say.
type buffer struct {
	mu          sync.Mutex
	entries     []*entry
	signatures  []*signatures
	languageSet *languageSet
	authors     map[int]term // of the entries whose posts were looked at
	bytes       int
}

// bufferReader is the buffer as a snapshot sees it, or a part of it: as document numbers
// have two bytes, it has at most Options.SegmentPosts entries. A buffer is
// longer than that only when Options.MaxBuffer allows it.
type bufferReader struct {
	*snapshot
	first   uint64 // the version of the first entry
	end     uint64 // the version after the last
	buffer  *buffer
	entries []*entry
}

// signatures tells of 64 entries at once which may have a term: each term sets
// the entry's bit in some of the rows.
type signatures [2048]uint64

const signatureRows = 4

// rowsOf calls visit with the rows of a term.
func rowsOf(t term, visit func(row int)) {
	for h, n := mix(uint64(t)), 0; n < signatureRows; n++ {
		visit(int(h % uint64(len(signatures{}))))
		h >>= 11
	}
}

// bufferReaders returns the buffer, in parts if it is longer than a segment.
func (s *snapshot) bufferReaders() (all []segmentReader, err error) {
	for first := s.bufferFirst; first < s.next; first += uint64(s.index.options.SegmentPosts) {
		t, err := s.bufferReader(first)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// bufferReader returns the part of the buffer that begins with a version, and reads
// the missing entries from the store.
func (s *snapshot) bufferReader(first uint64) (*bufferReader, error) {
	k := cacheKey{s.name, cachedBuffer, first, 0}
	var t *buffer
	if v, ok := s.index.cache.get(k); ok {
		t = v.(*buffer)
	} else {
		t = &buffer{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	end := min(s.next, first+uint64(s.index.options.SegmentPosts))
	length := int(end - first)
	if len(t.entries) < length {
		if err := t.load(s, first, end); err != nil {
			return nil, err
		}
		s.index.cache.put(k, t, t.bytes)
	}
	return &bufferReader{s, first, end, t, t.entries[:length:length]}, nil
}

// loadAtOnce is the number of missing entries from which they are scanned
// rather than looked up.
const loadAtOnce = 16

// load reads the entries up to a version; first is that of the first entry.
func (t *buffer) load(s *snapshot, first, end uint64) error {
	from := first + uint64(len(t.entries))
	if end-from < loadAtOnce {
		for version := from; version < end; version++ {
			value, err := s.view.Get(s.space, versionKey(keyEntry, version))
			if err == nil {
				err = t.add(value)
			}
			if err != nil {
				return entryFault(s.space, version, err)
			}
		}
		return nil
	}
	var fault error
	version := from
	err := s.view.Scan(s.space, versionKey(keyEntry, from), versionKey(keyEntry, end), func(key, value []byte) bool {
		if fault = errDamaged; string(key) == string(versionKey(keyEntry, version)) {
			fault = t.add(value)
		}
		version++
		return fault == nil
	})
	if err == nil && fault == nil && version != end {
		fault = errDamaged
	}
	if err == nil && fault != nil {
		err = entryFault(s.space, version, fault)
	}
	return err
}

func (t *buffer) add(value []byte) error {
	e, err := decodeEntry(value)
	if err != nil {
		return err
	}
	i := len(t.entries)
	if i%64 == 0 {
		t.signatures = append(t.signatures, &signatures{})
		t.bytes += 8 * len(signatures{})
	}
	block := t.signatures[i/64]
	for _, has := range e.terms {
		rowsOf(has, func(row int) { block[row] |= 1 << (i % 64) })
	}
	if t.languageSet == nil || !slices.Contains(t.languageSet.names, e.language) {
		var before []string
		if t.languageSet != nil {
			before = t.languageSet.names
		}
		t.languageSet = newLanguageSet(append(slices.Clone(before), e.language))
		t.bytes += t.languageSet.size()
	}
	t.entries = append(t.entries, e)
	t.bytes += e.size()
	return nil
}

func entryFault(space persistence.Space, version uint64, err error) error {
	return fmt.Errorf("posts index of team %s, entry of version %d: %w", space, version, err)
}

func (t *bufferReader) posts() int { return len(t.entries) }

func (t *bufferReader) key(kind byte, b uint64) cacheKey {
	return cacheKey{t.name, kind, 1<<63 | t.end, b ^ mix(t.first)}
}

// languages may be more than those of this snapshot.
func (t *bufferReader) languages() (*languageSet, error) {
	t.buffer.mu.Lock()
	defer t.buffer.mu.Unlock()
	return t.buffer.languageSet, nil
}

func (t *bufferReader) minMax(int) minMax { return anyMinMax }

func (t *bufferReader) postings(want term) (*roaring.Bitmap, error) {
	var found []uint16
	for at, may := range t.buffer.mayHave(want, (len(t.entries)+63)/64) {
		for ; may != 0; may &= may - 1 {
			i := 64*at + bits.TrailingZeros64(may)
			if i >= len(t.entries) {
				break // of a later snapshot
			}
			if _, ok := slices.BinarySearch(t.entries[i].terms, want); ok {
				found = append(found, uint16(i))
			}
		}
	}
	if found == nil {
		return nil, nil
	}
	return bitmapOf(found), nil
}

// mayHave returns for the first n signatures which entries may have a term.
func (t *buffer) mayHave(want term, n int) []uint64 {
	words := make([]uint64, n)
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range words {
		words[i] = ^uint64(0)
		rowsOf(want, func(row int) { words[i] &= t.signatures[i][row] })
	}
	return words
}

func (t *bufferReader) deleted() (*roaring.Bitmap, error) {
	switch {
	case t.bufferDeleted.IsEmpty():
		return nil, nil
	case t.first == t.bufferFirst && t.end == t.next:
		return t.bufferDeleted, nil
	}
	deleted, first := roaring.New(), uint32(t.first-t.bufferFirst)
	for it := t.bufferDeleted.Iterator(); it.HasNext(); {
		if at := it.Next(); at >= first && int(at-first) < len(t.entries) {
			deleted.Add(at - first)
		}
	}
	return deleted, nil
}

func (t *bufferReader) column(c int) (values, error) { return entryColumn{t.entries, c}, nil }

// order sorts the buffer as this snapshot has it, once: between two writes the
// same pages are asked for again.
func (t *bufferReader) order(o int) ([]byte, error) {
	k := t.key(partOrder, uint64(o))
	if v, ok := t.index.cache.get(k); ok {
		return v.([]byte), nil
	}
	all, err := sorted(t, o)
	if err == nil {
		t.index.cache.put(k, all, len(all))
	}
	return all, err
}

// ranked returns all posts of the buffer in an order. They are remembered until
// the next write: the first page of all posts is the most frequent query.
func (t *bufferReader) ranked(r *ranking, order int) ([]ranked, error) {
	k := t.key(cachedRanks, uint64(order))
	if v, ok := t.index.cache.get(k); ok {
		return v.([]ranked), nil
	}
	all := r.rankAll(upTo(t.posts()), t.posts())
	if err := r.sort(all); err != nil {
		return nil, err
	}
	const size = 24 // of each
	t.index.cache.put(k, all, size*len(all))
	return all, nil
}

func (t *bufferReader) id(docNum int) (uuid, error) { return t.entries[docNum].id, nil }

// entryColumn is a column of entries.
type entryColumn struct {
	entries []*entry
	column  int
}

func (c entryColumn) at(i int) int64 { return c.entries[i].values[c.column] }

func (c entryColumn) read(first int, into []int64) {
	for i := range into {
		into[i] = c.at(first + i)
	}
}
