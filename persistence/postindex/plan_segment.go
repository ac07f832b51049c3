package postindex

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// in returns the posts of a source that match. They are counted without being
// listed, as of most sources no post is on the page.
func (p *plan) in(s segmentReader) (f *matches, err error) {
	f = &matches{reader: s}
	var none bool
	if f.conditions, none, err = p.conditions(s); err != nil || none {
		return f, err
	}
	if f.deleted, err = s.deleted(); err != nil {
		return f, err
	}
	f.count = f.countAll()
	return f, nil
}

// conditions returns for each condition of the plan sets of the posts for which
// it holds, but for those that hold for all; none is true when one holds for no
// post.
func (p *plan) conditions(s segmentReader) (all [][]*roaring.Bitmap, none bool, err error) {
	q := p.query
	for _, r := range []struct {
		order, column int
		from, to      time.Time
	}{{orderRecent, columnPosted, q.From, q.To}, {orderCreated, columnCreated, q.StoredFrom, time.Time{}}} {
		if r.from.IsZero() && r.to.IsZero() {
			continue
		}
		set, whole, err := within(s, r.order, r.column, bound(r.from, math.MinInt64), bound(r.to, math.MaxInt64))
		if err != nil || !whole && cardinality(set) == 0 {
			return nil, true, err
		}
		if !whole {
			all = append(all, []*roaring.Bitmap{set})
		}
	}
	for _, terms := range p.anyOf {
		sets, err := postingsOf(s, terms)
		if err != nil || len(sets) == 0 {
			return nil, true, err
		}
		all = append(all, sets)
	}
	for i := range p.facets {
		sets, err := p.facets[i].in(p, s)
		if err != nil || len(sets) == 0 {
			return nil, true, err
		}
		all = append(all, sets)
	}
	if len(p.languages) > 0 {
		sets, whole, err := p.inLanguage(s)
		if err != nil || !whole && len(sets) == 0 {
			return nil, true, err
		}
		if !whole {
			all = append(all, sets)
		}
	}
	for _, clause := range q.Search.Clauses() {
		set, err := p.search.clause(s, clause)
		if err != nil || cardinality(set) == 0 {
			return nil, true, err
		}
		all = append(all, []*roaring.Bitmap{set})
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

// inLanguage returns the posts whose language has a name that is asked for.
func (p *plan) inLanguage(s segmentReader) (sets []*roaring.Bitmap, whole bool, err error) {
	languages, err := s.languages()
	if err != nil {
		return nil, false, err
	}
	var terms []term
	for i, name := range languages.normalized {
		if slices.Contains(p.languages, name) {
			terms = append(terms, languages.terms[i])
		}
	}
	if len(terms) == len(languages.names) {
		return nil, true, nil
	}
	sets, err = postingsOf(s, terms)
	return sets, false, err
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
