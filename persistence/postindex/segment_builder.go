package postindex

import (
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/persistence"
)

// segmentBuilder is the segment in the making: its values in memory. It is a source so
// that it can be sorted as others are.
type segmentBuilder struct {
	ids         []uuid
	columns     [columns][]int64
	languageSet *languageSet
	authorTerms []term
}

// add appends the live posts of an input.
func (f *segmentBuilder) add(in *input) error {
	for c := range f.columns {
		values, err := in.column(c)
		if err != nil {
			return err
		}
		for i, place := range in.docMap {
			if place >= 0 {
				f.columns[c] = append(f.columns[c], values.at(i))
			}
		}
	}
	authors, err := in.authors()
	if err != nil {
		return err
	}
	for i, place := range in.docMap {
		if place < 0 {
			continue
		}
		f.authorTerms = append(f.authorTerms, authors.at(i))
		id, err := in.id(i)
		if err != nil {
			return err
		}
		f.ids = append(f.ids, id)
	}
	languages, err := in.languages()
	if err != nil {
		return err
	}
	if f.languageSet != nil {
		all := slices.Concat(f.languageSet.names, languages.names)
		slices.Sort(all)
		languages = newLanguageSet(slices.Compact(all))
	}
	f.languageSet = languages
	return nil
}

func (f *segmentBuilder) posts() int { return len(f.ids) }

func (f *segmentBuilder) version(i int) uint64 { return uint64(f.columns[columnVersion][i]) }

func (f *segmentBuilder) id(docNum int) (uuid, error) { return f.ids[docNum], nil }

func (f *segmentBuilder) column(c int) (values, error) { return numbers(f.columns[c]), nil }

func (f *segmentBuilder) languages() (*languageSet, error) { return f.languageSet, nil }

func (f *segmentBuilder) order(int) ([]byte, error) { return nil, nil }

func (f *segmentBuilder) deleted() (*roaring.Bitmap, error) { return nil, nil }

func (f *segmentBuilder) postings(term) (*roaring.Bitmap, error) { return nil, errBuilding }

func (f *segmentBuilder) minMax(int) minMax { return anyMinMax }

func (f *segmentBuilder) key(byte, uint64) cacheKey { return cacheKey{} }

// numbers is a column in memory.
type numbers []int64

func (n numbers) at(i int) int64 { return n[i] }

func (n numbers) read(first int, into []int64) { copy(into, n[first:]) }

// largeMerge is the number of posts from which sorting them takes a separate
// step.
const largeMerge = 8 << 10

// plan lists the parts that are to be written.
func (f *Merge) plan() {
	id, posts := f.segment.id, f.builder.posts()
	one := func(key func() []byte, value func() ([]byte, error)) {
		f.todo = append(f.todo, func(batch *persistence.Batch) (bool, error) {
			v, err := value()
			if err != nil {
				return false, err
			}
			batch.Put(key(), v)
			f.todo = f.todo[1:]
			return posts > largeMerge, nil
		})
	}
	for c := range columns {
		one(func() []byte { return partKey(id, partColumn, byte(c)) }, func() ([]byte, error) { return encodeColumn(f.builder.columns[c]), nil })
	}
	for o := range orders {
		one(func() []byte { return partKey(id, partOrder, byte(o)) }, func() ([]byte, error) { return sorted(f.builder, o) })
	}
	for chunk := 0; chunk*idChunk < posts; chunk++ {
		one(func() []byte { return idsKey(id, chunk) }, func() ([]byte, error) {
			return joinIDs(f.builder.ids[chunk*idChunk : min(posts, (chunk+1)*idChunk)]), nil
		})
	}
	one(func() []byte { return partKey(id, partLanguages) }, func() ([]byte, error) { return f.builder.languageSet.encode(), nil })
	one(func() []byte { return partKey(id, partAuthors) }, func() ([]byte, error) { return newAuthorColumn(f.builder.authorTerms).encode(), nil })
	f.todo = append(f.todo, newTermMerger(f).write)
}

func joinIDs(ids []uuid) []byte {
	b := make([]byte, 0, len(ids)*len(uuid{}))
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	return b
}

// termMerger writes the terms of all inputs in their order.
type termMerger struct {
	merge   *Merge
	streams []*stream
	block   uint32 // the one that is being made
	writer  blockWriter
	common  []term // for the filter
	scratch []uint16
}

func newTermMerger(f *Merge) *termMerger {
	return &termMerger{merge: f, writer: newBlockWriter(f, 0)}
}

func newBlockWriter(f *Merge, block uint32) blockWriter {
	return blockWriter{b: make([]byte, 0, f.options().BlockBytes), last: blockStart(block, f.segment.blockBits)}
}

// write is a task of a merge.
func (w *termMerger) write(batch *persistence.Batch) (bool, error) {
	if w.streams == nil {
		for _, in := range w.merge.inputs {
			s, err := newStream(in)
			if err != nil {
				return false, err
			}
			w.streams = append(w.streams, s)
		}
	}
	f := w.merge
	for size, _ := batch.Size(); size < f.options().StepBytes; {
		t, more, err := w.next()
		if err != nil {
			return false, err
		}
		if !more {
			w.flush(batch, 1<<f.segment.blockBits)
			batch.Put(partKey(f.segment.id, partFilter), newBloomFilter(w.common))
			f.todo = f.todo[1:]
			return true, nil
		}
		if len(w.scratch) == 0 {
			continue // all its posts are deleted
		}
		if block := blockOf(t, f.segment.blockBits); block != w.block {
			w.flush(batch, block)
			size, _ = batch.Size()
		}
		if err := w.add(batch, t); err != nil {
			return false, err
		}
	}
	return true, nil
}

// next reads the posts of the next term of all streams into scratch.
func (w *termMerger) next() (t term, more bool, err error) {
	for _, s := range w.streams {
		if s.more && (!more || s.term < t) {
			t, more = s.term, true
		}
	}
	w.scratch = w.scratch[:0]
	for _, s := range w.streams {
		if !s.more || s.term != t {
			continue
		}
		if w.scratch, err = s.take(w.scratch); err != nil {
			return 0, false, err
		}
	}
	return t, more, nil
}

// add writes a term with the posts in scratch.
func (w *termMerger) add(batch *persistence.Batch, t term) error {
	if !t.unfiltered() {
		w.common = append(w.common, t)
	}
	var buffer [4 * maxInline]byte
	if most := w.merge.options().InlineBytes; len(w.scratch) <= most {
		if inline := appendDocNums(buffer[:0], w.scratch); len(inline) <= most {
			w.writer.add(t, inline)
			return nil
		}
	}
	value, err := encodePostings(w.scratch)
	if err != nil {
		return err
	}
	batch.Put(postingsKey(w.merge.segment.id, t), value)
	w.merge.segment.bytes += len(value)
	w.writer.add(t, nil)
	return nil
}

// flush writes the blocks up to one that is to be made next.
func (w *termMerger) flush(batch *persistence.Batch, next uint32) {
	f := w.merge
	for w.block < next {
		batch.Put(blockKey(f.segment.id, w.block), w.writer.b)
		f.segment.bytes += len(w.writer.b)
		w.block++
		w.writer = newBlockWriter(f, w.block)
	}
}

// stream goes through the terms of an input.
type stream struct {
	in   *input
	term term
	more bool
	// of a segment
	segment *segment
	block   int
	reader  *blockReader
	// of the buffer: the terms with the document numbers that have them, sorted
	pairs []pair
}

type pair struct {
	term   term
	docNum uint16
}

func newStream(in *input) (*stream, error) {
	s := &stream{in: in, block: -1}
	switch source := in.segmentReader.(type) {
	case *segment:
		s.segment = source
	case *bufferReader:
		s.pairs = sortedPairs(source.entries)
	}
	return s, s.advance()
}

// sortedPairs returns the terms of entries with the entries' document numbers, sorted.
// Terms are hashes, so that they are almost in order when they are laid out by
// their first bits.
func sortedPairs(entries []*entry) []pair {
	n := 0
	for _, e := range entries {
		n += len(e.terms)
	}
	const few = 4 // pairs that have the same first bits, about
	shift := 64 - max(bits.Len(uint(n/few)), 1)
	starts := make([]int32, 1<<(64-shift)+1)
	for _, e := range entries {
		for _, t := range e.terms {
			starts[t>>shift+1]++
		}
	}
	for i := range starts[1:] {
		starts[i+1] += starts[i]
	}
	pairs, next := make([]pair, n), slices.Clone(starts)
	for i, e := range entries {
		for _, t := range e.terms {
			pairs[next[t>>shift]] = pair{t, uint16(i)}
			next[t>>shift]++
		}
	}
	for i, from := range starts[:len(starts)-1] {
		if to := starts[i+1]; to-from > 1 {
			slices.SortFunc(pairs[from:to], pair.compare)
		}
	}
	return pairs
}

// advance goes to the next term.
func (s *stream) advance() error {
	if s.segment == nil {
		if s.more = len(s.pairs) > 0; s.more {
			s.term = s.pairs[0].term
		}
		return nil
	}
	for {
		if s.reader != nil {
			t, ok, err := s.reader.next()
			if err != nil {
				return s.segment.damaged(blockKey(s.segment.info.id, uint32(s.block)), err)
			}
			if ok {
				s.term, s.more = t, true
				return nil
			}
		}
		if s.block++; s.block >= 1<<s.segment.info.blockBits {
			s.more = false
			return nil
		}
		key := blockKey(s.segment.info.id, uint32(s.block))
		value, err := s.segment.view.Get(s.segment.space, key)
		if err != nil {
			return s.segment.damaged(key, err)
		}
		s.reader = newBlockReader(value, uint32(s.block), s.segment.info.blockBits)
	}
}

// take appends the new document numbers of the present term's live posts, and advances.
func (s *stream) take(dst []uint16) ([]uint16, error) {
	if s.segment == nil {
		for len(s.pairs) > 0 && s.pairs[0].term == s.term {
			dst = s.in.append(dst, s.pairs[0].docNum)
			s.pairs = s.pairs[1:]
		}
		return dst, s.advance()
	}
	if len(s.reader.inline) > 0 {
		start := len(dst)
		dst, err := readDocNums(dst, s.reader.inline, s.segment.posts())
		if err != nil {
			return dst, s.segment.damaged(blockKey(s.segment.info.id, uint32(s.block)), err)
		}
		read := dst[start:]
		dst = dst[:start]
		for _, o := range read {
			dst = s.in.append(dst, o)
		}
		return dst, s.advance()
	}
	key := postingsKey(s.segment.info.id, s.term)
	value, err := s.segment.view.Get(s.segment.space, key)
	if err != nil {
		return dst, s.segment.damaged(key, err)
	}
	set, err := s.segment.decodeSet(value)
	if err != nil {
		return dst, s.segment.damaged(key, err)
	}
	set.Iterate(func(o uint32) bool {
		dst = s.in.append(dst, uint16(o))
		return true
	})
	return dst, s.advance()
}

// append appends the new document number of a post unless it is deleted.
func (in *input) append(dst []uint16, docNum uint16) []uint16 {
	if place := in.docMap[docNum]; place >= 0 {
		dst = append(dst, uint16(place))
	}
	return dst
}
