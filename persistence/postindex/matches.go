package postindex

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// matches is the posts of a source that match: those that are in one of the sets
// of each condition, and are not deleted.
type matches struct {
	reader     segmentReader
	conditions [][]*roaring.Bitmap
	deleted    *roaring.Bitmap // nil: none
	count      int
}

// bitset is a set of the posts of a source, a bit for each. Joining and
// cutting such sets takes the same few hundred nanoseconds whatever is in them.
type bitset []uint64

// bitsetMemory is memory for the members of a source of any size. A query needs some
// of it for a few microseconds.
type bitsetMemory [maxSegment / 64]uint64

var bitsetPool = sync.Pool{New: func() any { return new(bitsetMemory) }}

// empty returns an empty set in the memory.
func (w *bitsetMemory) empty(posts int) bitset {
	m := bitset(w[:(posts+63)/64])
	clear(m)
	return m
}

func (m bitset) has(docNum int) bool { return m[docNum/64]&(1<<(docNum%64)) != 0 }

func (m bitset) add(docNum int) { m[docNum/64] |= 1 << (docNum % 64) }

// addAll adds the first n posts to an empty set.
func (m bitset) addAll(n int) {
	for i := range n / 64 {
		m[i] = math.MaxUint64
	}
	if n%64 > 0 {
		m[n/64] = 1<<(n%64) - 1
	}
}

func (m bitset) count() (n int) {
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

// all yields the posts of the set.
func (m bitset) all() iter.Seq[int] {
	return func(yield func(docNum int) bool) {
		for i, word := range m {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// inChunks yields the members of a set, many at a time, in memory that it uses again.
func inChunks(set *roaring.Bitmap) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		var some [512]uint32
		it := set.ManyIterator()
		for n := it.NextMany(some[:]); n > 0 && yield(some[:n]); {
			n = it.NextMany(some[:])
		}
	}
}

func (m bitset) and(other bitset) {
	for i := range m {
		m[i] &= other[i]
	}
}

func (m bitset) andNot(other bitset) {
	for i := range m {
		m[i] &^= other[i]
	}
}

// smallSet is the number of posts up to which roaring keeps a set as a list or
// as ranges, which WriteDenseTo adds; a larger one it may write over the rest.
const smallSet = 4096

// fill makes an empty set that of the posts that are in one of the sets.
func (m bitset) fill(sets []*roaring.Bitmap) {
	large := 0
	for _, set := range sets {
		if set.GetCardinality() > smallSet {
			large++
		}
	}
	if large > 1 || large == 1 && sets[0].GetCardinality() <= smallSet {
		sets = slices.Clone(sets)
		slices.SortFunc(sets, func(a, b *roaring.Bitmap) int { return cardinality(b) - cardinality(a) })
		if large > 1 {
			sets[large-1] = roaring.FastOr(sets[:large]...)
			sets = sets[large-1:]
		}
	}
	for _, set := range sets {
		set.WriteDenseTo(m)
	}
}

// countAll counts the posts.
func (f *matches) countAll() int {
	c := f.conditions
	single := len(c) > 0 && len(c[0]) == 1
	switch {
	case len(c) == 0:
		return f.reader.posts() - cardinality(f.deleted)
	case len(c) == 1 && single && f.deleted == nil:
		return cardinality(c[0][0])
	case len(c) == 2 && single && len(c[1]) == 1 && f.deleted == nil && max(cardinality(c[0][0]), cardinality(c[1][0])) > smallSet:
		return int(c[0][0].AndCardinality(c[1][0])) // a bit is looked up for each post of the smaller one
	}
	w := bitsetPool.Get().(*bitsetMemory)
	defer bitsetPool.Put(w)
	return f.bitset(w).count()
}

// all reports whether all posts of the source were found.
func (f *matches) all() bool { return len(f.conditions) == 0 && f.deleted == nil }

// bitset returns the posts, in the memory.
func (f *matches) bitset(w *bitsetMemory) bitset {
	posts := f.reader.posts()
	made := w.empty(posts)
	if len(f.conditions) == 0 {
		made.addAll(posts)
	} else {
		made.fill(f.conditions[0])
	}
	if len(f.conditions) < 2 && f.deleted == nil {
		return made
	}
	more := bitsetPool.Get().(*bitsetMemory)
	defer bitsetPool.Put(more)
	for _, anyOf := range f.conditions[min(1, len(f.conditions)):] {
		other := more.empty(posts)
		other.fill(anyOf)
		made.and(other)
	}
	if f.deleted != nil {
		other := more.empty(posts)
		other.fill([]*roaring.Bitmap{f.deleted})
		made.andNot(other)
	}
	return made
}

// docNums yields the posts.
func (f *matches) docNums() iter.Seq[int] {
	if len(f.conditions) == 1 && len(f.conditions[0]) == 1 && f.deleted == nil {
		return func(yield func(docNum int) bool) {
			f.conditions[0][0].Iterate(func(docNum uint32) bool { return yield(int(docNum)) })
		}
	}
	return func(yield func(docNum int) bool) {
		w := bitsetPool.Get().(*bitsetMemory)
		defer bitsetPool.Put(w)
		for docNum := range f.bitset(w).all() {
			if !yield(docNum) {
				return
			}
		}
	}
}

// eachValue calls visit with the posts and a column's value of each.
func (f *matches) eachValue(column values, visit func(docNum int, value int64)) {
	const enough = 8 // posts of a word for which all of its values are read at once
	w := bitsetPool.Get().(*bitsetMemory)
	defer bitsetPool.Put(w)
	var read [64]int64
	for i, word := range f.bitset(w) {
		first := 64 * i
		if bits.OnesCount64(word) < enough {
			for ; word != 0; word &= word - 1 {
				docNum := first + bits.TrailingZeros64(word)
				visit(docNum, column.at(docNum))
			}
			continue
		}
		column.read(first, read[:min(64, f.reader.posts()-first)])
		for ; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			visit(first+bit, read[bit])
		}
	}
}

func cardinality(set *roaring.Bitmap) int {
	if set == nil {
		return 0
	}
	return int(set.GetCardinality())
}
