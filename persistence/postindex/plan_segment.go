package postindex

import (
	"math"
	"sort"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// in returns the posts of a source that match. They are counted without being
// listed, as of most sources no post is on the page.
func (p *plan) in(s segmentReader) (f *matches, err error) {
	f = &matches{reader: s}
	var none bool
	if f.conditions, none, err = p.sets(s); err != nil || none {
		return f, err
	}
	if f.deleted, err = s.deleted(); err != nil {
		return f, err
	}
	f.count = f.countAll()
	return f, nil
}

// sets returns for each condition of the plan sets of the posts that meet it, but
// for those that all posts meet; none is true when no post meets one of them.
func (p *plan) sets(s segmentReader) (all [][]*roaring.Bitmap, none bool, err error) {
	for _, c := range p.conditions {
		sets, whole, err := c.in(s)
		if err != nil || !whole && len(sets) == 0 {
			return nil, true, err
		}
		if !whole {
			all = append(all, sets)
		}
	}
	return all, false, nil
}

// postingsOf returns for each of the terms the posts that have it, where there are
// any.
func postingsOf(s segmentReader, terms []term) (sets []*roaring.Bitmap, err error) {
	for _, t := range terms {
		set, err := s.postings(t)
		if err != nil {
			return nil, err
		}
		if set != nil {
			sets = append(sets, set)
		}
	}
	return sets, nil
}

// anyPostings returns the posts that have one of the terms.
func anyPostings(s segmentReader, terms []term) (*roaring.Bitmap, error) {
	sets, err := postingsOf(s, terms)
	return union(sets), err
}

// union returns the union of the sets; nil when there are none.
func union(sets []*roaring.Bitmap) *roaring.Bitmap {
	switch len(sets) {
	case 0:
		return nil
	case 1:
		return sets[0]
	}
	return roaring.FastOr(sets...)
}

// bound returns a moment as columns hold it; absent when it is zero.
func bound(t time.Time, absent int64) int64 {
	switch year := t.UTC().Year(); {
	case t.IsZero():
		return absent
	case year < firstYear:
		return math.MinInt64
	case year > lastYear:
		return math.MaxInt64
	}
	return t.UnixNano()
}

// within returns the posts whose value in a column is in [from, to); order is
// that of the column, greatest first.
func within(s segmentReader, order, column int, from, to int64) (set *roaring.Bitmap, whole bool, err error) {
	switch span := s.minMax(column); {
	case from <= span.least && to > span.greatest:
		return nil, true, nil
	case from > span.greatest || to <= span.least:
		return nil, false, nil
	}
	values, err := s.column(column)
	if err != nil {
		return nil, false, err
	}
	sorted, err := s.order(order)
	if err != nil {
		return nil, false, err
	}
	first := sort.Search(s.posts(), func(i int) bool { return values.at(docNumAt(sorted, i)) < to })
	end := first + sort.Search(s.posts()-first, func(i int) bool { return values.at(docNumAt(sorted, first+i)) < from })
	if end-first == s.posts() {
		return nil, true, nil
	}
	return setOf(sorted, first, end), false, nil
}

// setOf returns the document numbers at some places of an order.
func setOf(sorted []byte, first, end int) *roaring.Bitmap {
	var bits [maxSegment / 64]uint64
	for i := first; i < end; i++ {
		o := docNumAt(sorted, i)
		bits[o/64] |= 1 << (o % 64)
	}
	set := roaring.New()
	set.FromDense(bits[:], true)
	return set
}

// docNumAt returns what stands at a place of an order.
func docNumAt(sorted []byte, i int) int { return int(sorted[2*i]) | int(sorted[2*i+1])<<8 }
