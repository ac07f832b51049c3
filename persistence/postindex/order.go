package postindex

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"watchpost/watchpost"
)

// The orders in which a segment keeps its posts.
const (
	orderRecent = iota
	orderOldest
	orderEngagement
	orderLikes
	orderInfluence
	orderRelevance
	orderCreated
	orders
)

// ordering is what an order compares: one column, then posted_at, then the id.
// A sign of -1 puts the greatest first.
type ordering struct {
	first, firstSign int
	then             bool // newest first
}

// orderings is the table of watchpost.PostOrder as columns.
var orderings = [orders]ordering{
	orderRecent:     {columnPosted, -1, false},
	orderOldest:     {columnPosted, 1, false},
	orderEngagement: {columnEngagement, -1, true},
	orderLikes:      {columnLikes, -1, true},
	orderInfluence:  {columnInfluence, -1, true},
	orderRelevance:  {columnRelevance, -1, true},
	orderCreated:    {columnCreated, -1, false},
}

// orderOf returns the order that a query asks for.
func orderOf(o watchpost.PostOrder) int {
	switch o {
	case watchpost.OldestFirst:
		return orderOldest
	case watchpost.MostEngaging:
		return orderEngagement
	case watchpost.MostLiked:
		return orderLikes
	case watchpost.MostInfluence:
		return orderInfluence
	case watchpost.RelevanceFirst:
		return orderRelevance
	case watchpost.StoredLast:
		return orderCreated
	}
	return orderRecent
}

// ranked is a post with its sort keys, smallest first.
type ranked struct {
	key, then int64
	docNum    int
}

func (a ranked) compare(b ranked) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.then, b.then)
}

// ranking ranks the posts of a source in an order.
type ranking struct {
	reader      segmentReader
	sign        int64
	key, posted values
	late        *lateTimes // nil: the key of every post is in its column
}

func newRanking(s segmentReader, order int) (*ranking, error) {
	o := orderings[order]
	r := &ranking{reader: s, sign: int64(o.firstSign)}
	var err error
	if r.key, err = s.column(o.first); err == nil && o.then {
		r.posted, err = s.column(columnPosted)
	}
	return r, err
}

func (r *ranking) rank(docNum int) ranked {
	key := r.key.at(docNum)
	if r.late != nil {
		if at, late := r.late.at[uint16(docNum)]; late {
			key = at
		}
	}
	v := ranked{key: r.sign * key, docNum: docNum}
	if r.posted != nil {
		v.then = -r.posted.at(docNum)
	}
	return v
}

// rankAll ranks posts; posts is their approximate number.
func (r *ranking) rankAll(docNums iter.Seq[int], posts int) []ranked {
	all := make([]ranked, 0, posts)
	for docNum := range docNums {
		all = append(all, r.rank(docNum))
	}
	return all
}

// upTo yields the document numbers below posts.
func upTo(posts int) iter.Seq[int] {
	return func(yield func(docNum int) bool) {
		for i := range posts {
			if !yield(i) {
				return
			}
		}
	}
}

// sort sorts posts of the source; of equal ones the smaller id is first.
func (r *ranking) sort(all []ranked) error {
	var fault error
	slices.SortFunc(all, func(a, b ranked) int {
		if c := a.compare(b); c != 0 || a.docNum == b.docNum {
			return c
		}
		c, err := compareIDs(r.reader, a.docNum, r.reader, b.docNum)
		if err != nil {
			fault = err
		}
		return c
	})
	return fault
}

func compareIDs(s segmentReader, a int, t segmentReader, b int) (int, error) {
	one, err := s.id(a)
	if err != nil {
		return 0, err
	}
	other, err := t.id(b)
	return bytes.Compare(one[:], other[:]), err
}

// sorted returns all posts of a source in an order, as segments keep them.
func sorted(s segmentReader, order int) ([]byte, error) {
	r, err := newRanking(s, order)
	if err != nil {
		return nil, err
	}
	all := r.rankAll(upTo(s.posts()), s.posts())
	if err := r.sort(all); err != nil {
		return nil, err
	}
	b := make([]byte, 0, 2*len(all))
	for _, v := range all {
		b = binary.LittleEndian.AppendUint16(b, uint16(v.docNum))
	}
	return b, nil
}
