package postindex

import (
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// found is the posts of a source that match: those that are in one of the sets
// of each condition, and are not dead.
type found struct {
	source     source
	conditions [][]*roaring.Bitmap
	dead       *roaring.Bitmap // nil: none
	count      int
}

// members is a set of the posts of a source, a bit for each. Joining and
// cutting such sets takes the same few hundred nanoseconds whatever is in them.
type members []uint64

// words is memory for the members of a source of any size. A query needs some
// of it for a few microseconds.
type words [maxSegment / 64]uint64

var wordsPool = sync.Pool{New: func() any { return new(words) }}

// empty returns an empty set in the memory.
func (w *words) empty(posts int) members {
	m := members(w[:(posts+63)/64])
	clear(m)
	return m
}

func (m members) has(ordinal int) bool { return m[ordinal/64]&(1<<(ordinal%64)) != 0 }

func (m members) count() (n int) {
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

// all yields the posts of the set.
func (m members) all() iter.Seq[int] {
	return func(yield func(ordinal int) bool) {
		for i, word := range m {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

func (m members) and(other members) {
	for i := range m {
		m[i] &= other[i]
	}
}

func (m members) andNot(other members) {
	for i := range m {
		m[i] &^= other[i]
	}
}

// smallSet is the number of posts up to which roaring keeps a set as a list or
// as ranges, which WriteDenseTo adds; a larger one it may write over the rest.
const smallSet = 4096

// fill makes an empty set that of the posts that are in one of the sets.
func (m members) fill(sets []*roaring.Bitmap) {
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
func (f *found) countAll() int {
	c := f.conditions
	single := len(c) > 0 && len(c[0]) == 1
	switch {
	case len(c) == 0:
		return f.source.posts() - cardinality(f.dead)
	case len(c) == 1 && single && f.dead == nil:
		return cardinality(c[0][0])
	case len(c) == 2 && single && len(c[1]) == 1 && f.dead == nil && max(cardinality(c[0][0]), cardinality(c[1][0])) > smallSet:
		return int(c[0][0].AndCardinality(c[1][0])) // a bit is looked up for each post of the smaller one
	}
	w := wordsPool.Get().(*words)
	defer wordsPool.Put(w)
	return f.members(w).count()
}

// all reports whether all posts of the source were found.
func (f *found) all() bool { return len(f.conditions) == 0 && f.dead == nil }

// members returns the posts, in the memory.
func (f *found) members(w *words) members {
	posts := f.source.posts()
	made := w.empty(posts)
	if len(f.conditions) == 0 {
		for i := range posts {
			made[i/64] |= 1 << (i % 64)
		}
	} else {
		made.fill(f.conditions[0])
	}
	if len(f.conditions) < 2 && f.dead == nil {
		return made
	}
	more := wordsPool.Get().(*words)
	defer wordsPool.Put(more)
	for _, anyOf := range f.conditions[min(1, len(f.conditions)):] {
		other := more.empty(posts)
		other.fill(anyOf)
		made.and(other)
	}
	if f.dead != nil {
		other := more.empty(posts)
		other.fill([]*roaring.Bitmap{f.dead})
		made.andNot(other)
	}
	return made
}

// ordinals yields the posts.
func (f *found) ordinals() iter.Seq[int] {
	if len(f.conditions) == 1 && len(f.conditions[0]) == 1 && f.dead == nil {
		return func(yield func(ordinal int) bool) {
			f.conditions[0][0].Iterate(func(ordinal uint32) bool { return yield(int(ordinal)) })
		}
	}
	return func(yield func(ordinal int) bool) {
		w := wordsPool.Get().(*words)
		defer wordsPool.Put(w)
		for ordinal := range f.members(w).all() {
			if !yield(ordinal) {
				return
			}
		}
	}
}

func cardinality(set *roaring.Bitmap) int {
	if set == nil {
		return 0
	}
	return int(set.GetCardinality())
}
