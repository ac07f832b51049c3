package postindex

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/persistence"
)

// tail holds the entries of a team's newest versions, from the first of the
// tail on. Entries are only added: which of them count is for the manifest of
// a snapshot to say.
type tail struct {
	mu      sync.Mutex
	entries []*entry
	sieves  []*tailSieve
	spoken  *spoken
	bytes   int
}

// tailSource is the tail as a snapshot sees it, or a part of it: as ordinals
// have two bytes, it has at most Options.SegmentPosts entries. Writers keep the
// tail far shorter than that; those of earlier builds did not.
type tailSource struct {
	*snapshot
	first   uint64 // the version of the first entry
	end     uint64 // the version after the last
	kept    *tail
	entries []*entry
}

// tailSieve tells of 64 entries at once which may have a term: each term sets
// the entry's bit in some of the rows.
type tailSieve [2048]uint64

const sieveRows = 4

// rowsOf calls visit with the rows of a term.
func rowsOf(t term, visit func(row int)) {
	for h, n := mix(uint64(t)), 0; n < sieveRows; n++ {
		visit(int(h % uint64(len(tailSieve{}))))
		h >>= 11
	}
}

// tailSources returns the tail, in parts if it is longer than a segment.
func (s *snapshot) tailSources() (all []source, err error) {
	for first := s.tail; first < s.next; first += uint64(s.index.options.SegmentPosts) {
		t, err := s.tailSource(first)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// tailSource returns the part of the tail that begins with a version, and reads
// from the store what is not in memory.
func (s *snapshot) tailSource(first uint64) (*tailSource, error) {
	k := cacheKey{s.name, cachedTail, first, 0}
	var t *tail
	if v, ok := s.index.cache.get(k); ok {
		t = v.(*tail)
	} else {
		t = &tail{}
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
	return &tailSource{s, first, end, t, t.entries[:length:length]}, nil
}

// loadAtOnce is the number of missing entries from which they are scanned
// rather than looked up.
const loadAtOnce = 16

// load reads the entries up to a version; first is that of the first entry.
func (t *tail) load(s *snapshot, first, end uint64) error {
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

func (t *tail) add(value []byte) error {
	e, err := decodeEntry(value)
	if err != nil {
		return err
	}
	i := len(t.entries)
	if i%64 == 0 {
		t.sieves = append(t.sieves, &tailSieve{})
		t.bytes += 8 * len(tailSieve{})
	}
	sieve := t.sieves[i/64]
	for _, has := range e.terms {
		rowsOf(has, func(row int) { sieve[row] |= 1 << (i % 64) })
	}
	if t.spoken == nil || !slices.Contains(t.spoken.names, e.language) {
		var before []string
		if t.spoken != nil {
			before = t.spoken.names
		}
		t.spoken = newSpoken(append(slices.Clone(before), e.language))
		t.bytes += t.spoken.size()
	}
	t.entries = append(t.entries, e)
	t.bytes += e.size()
	return nil
}

func entryFault(space persistence.Space, version uint64, err error) error {
	return fmt.Errorf("posts index of team %s, entry of version %d: %w", space, version, err)
}

func (t *tailSource) posts() int { return len(t.entries) }

func (t *tailSource) key(kind byte, b uint64) cacheKey {
	return cacheKey{t.name, kind, 1<<63 | t.end, b ^ mix(t.first)}
}

// languages may be more than those of this snapshot.
func (t *tailSource) languages() (*spoken, error) {
	t.kept.mu.Lock()
	defer t.kept.mu.Unlock()
	return t.kept.spoken, nil
}

func (t *tailSource) span(int) span { return anySpan }

func (t *tailSource) having(want term) (*roaring.Bitmap, error) {
	var found []uint16
	for at, may := range t.kept.mayHave(want, (len(t.entries)+63)/64) {
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

// mayHave returns for the first so many sieves which entries may have a term.
func (t *tail) mayHave(want term, n int) []uint64 {
	words := make([]uint64, n)
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range words {
		words[i] = ^uint64(0)
		rowsOf(want, func(row int) { words[i] &= t.sieves[i][row] })
	}
	return words
}

func (t *tailSource) dead() (*roaring.Bitmap, error) {
	switch {
	case t.tailDead.IsEmpty():
		return nil, nil
	case t.first == t.tail && t.end == t.next:
		return t.tailDead, nil
	}
	dead, first := roaring.New(), uint32(t.first-t.tail)
	for it := t.tailDead.Iterator(); it.HasNext(); {
		if at := it.Next(); at >= first && int(at-first) < len(t.entries) {
			dead.Add(at - first)
		}
	}
	return dead, nil
}

func (t *tailSource) column(c int) (values, error) { return entryColumn{t.entries, c}, nil }

// order sorts the tail as this snapshot has it, once: between two writes the
// same pages are asked for again.
func (t *tailSource) order(o int) ([]byte, error) {
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

// ranked returns all posts of the tail in an order. They are remembered until
// the next write: the first page of all posts is what is asked for most.
func (t *tailSource) ranked(r *ranking, order int) ([]ranked, error) {
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

func (t *tailSource) id(ordinal int) (uuid, error) { return t.entries[ordinal].id, nil }

// entryColumn is a column of entries.
type entryColumn struct {
	entries []*entry
	column  int
}

func (c entryColumn) at(i int) int64 { return c.entries[i].values[c.column] }
