package postindex

import (
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/internal/text"
)

// condition is one that the posts of a plan meet.
type condition interface {
	// in returns sets whose posts, together, are those of the source that meet it;
	// whole: all of the source do.
	in(s segmentReader) (sets []*roaring.Bitmap, whole bool, err error)
	// hash writes all that in depends on except for the source.
	hash(h *planHash)
}

// anyOf holds for the posts that have one of the terms.
type anyOf []term

func (c anyOf) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	sets, err := postingsOf(s, c)
	return sets, false, err
}

func (c anyOf) hash(h *planHash) { h.terms(c) }

// span holds for the posts whose moment in a column is in [from, to); order is that
// of the column.
type span struct {
	order, column int
	from, to      time.Time
}

func (c *span) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	set, whole, err := within(s, c.order, c.column, bound(c.from, math.MinInt64), bound(c.to, math.MaxInt64))
	if cardinality(set) == 0 {
		return nil, whole, err
	}
	return []*roaring.Bitmap{set}, whole, err
}

func (c *span) hash(h *planHash) {
	h.number(uint64(c.column))
	for _, t := range []time.Time{c.from, c.to} {
		h.flag(t.IsZero())
		h.number(uint64(bound(t, 0)))
	}
}

// versionSet holds for the posts of these versions, which are sorted.
type versionSet []uint64

func (c versionSet) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	some := []uint64(c)
	if flushed, ok := s.(*segment); ok {
		first, _ := slices.BinarySearch(some, flushed.info.first)
		end, last := slices.BinarySearch(some, flushed.info.last)
		if last {
			end++
		}
		some = some[first:max(first, end)]
	}
	set := roaring.New()
	for _, version := range some {
		docNum, known, err := docNumOf(s, version)
		if err != nil {
			return nil, false, err
		}
		if known {
			set.Add(uint32(docNum))
		}
	}
	if set.IsEmpty() {
		return nil, false, nil
	}
	return []*roaring.Bitmap{set}, false, nil
}

func (c versionSet) hash(h *planHash) {
	h.number(uint64(len(c)))
	for _, version := range c {
		h.number(version)
	}
}

// inLanguages holds for the posts in one of the languages, by their merged names.
type inLanguages []string

func (c inLanguages) in(s segmentReader) (sets []*roaring.Bitmap, whole bool, err error) {
	languages, err := s.languages()
	if err != nil {
		return nil, false, err
	}
	var terms []term
	for i, name := range languages.normalized {
		if slices.Contains(c, name) {
			terms = append(terms, languages.terms[i])
		}
	}
	if len(terms) == len(languages.names) {
		return nil, true, nil
	}
	sets, err = postingsOf(s, terms)
	return sets, false, err
}

func (c inLanguages) hash(h *planHash) {
	h.number(uint64(len(c)))
	for _, name := range c {
		h.text(name)
	}
}

// searched holds for the posts in which a term of the clause occurs.
type searched struct {
	search *searcher
	clause text.SearchClause
}

func (c *searched) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	set, err := c.search.clause(s, c.clause)
	if cardinality(set) == 0 {
		return nil, false, err
	}
	return []*roaring.Bitmap{set}, false, err
}

func (c *searched) hash(h *planHash) { h.clause(c.clause) }
