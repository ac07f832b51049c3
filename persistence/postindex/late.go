package postindex

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/watchpost"
)

// lateTimes has the posts of a source that the watchlists of a query got after the
// service had stored them, with the moments at which they did.
type lateTimes struct {
	at       map[uint16]int64
	greatest int64
}

// late returns the late posts of a source, without the deleted ones. A post says by a
// term that a watchlist got it late; when is in the post, which is read once.
func (s *snapshot) late(r segmentReader, q *watchpost.PostQuery) (*lateTimes, error) {
	if !q.Named {
		return &lateTimes{greatest: math.MinInt64}, nil
	}
	deleted, err := r.deleted()
	if err != nil {
		return nil, err
	}
	name := planHash{}
	name.SetSeed(s.index.cache.seed)
	terms := lateTermsOf(q)
	name.terms(terms)
	name.number(uint64(cardinality(deleted)))
	k := r.key(cachedLate, name.Sum64())
	if v, ok := s.index.cache.get(k); ok {
		return v.(*lateTimes), nil
	}
	sets, err := postingsOf(r, terms)
	if err != nil {
		return nil, err
	}
	l := &lateTimes{at: map[uint16]int64{}, greatest: math.MinInt64}
	if posts := union(sets); posts != nil {
		if deleted != nil {
			posts = roaring.AndNot(posts, deleted)
		}
		if err := l.read(s, r, posts, q); err != nil {
			return nil, err
		}
	}
	s.index.cache.put(k, l, 100+lateSize*len(l.at))
	return l, nil
}

// lateSize is the memory that a late post takes, and lateAtOnce the number of them that
// are read together.
const (
	lateSize   = 20
	lateAtOnce = 1000
)

// lateTermsOf returns the terms of the posts that a watchlist of the query got late.
func lateTermsOf(q *watchpost.PostQuery) []term {
	var terms []term
	for _, id := range slices.Sorted(maps.Keys(q.Live)) {
		if q.Live[id] {
			terms = append(terms, termOf(termLate, string(id)))
		}
	}
	return terms
}

// read finds out when each of the posts was got.
func (l *lateTimes) read(s *snapshot, r segmentReader, posts *roaring.Bitmap, q *watchpost.PostQuery) error {
	versions, err := r.column(columnVersion)
	if err != nil {
		return err
	}
	created, err := r.column(columnCreated)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(posts.ToArray(), lateAtOnce) {
		keys := make([][]byte, len(some))
		for i, docNum := range some {
			keys[i] = versionKey(keyRecord, uint64(versions.at(int(docNum))))
		}
		values, err := s.view.GetAll(s.space, keys)
		if err != nil {
			return err
		}
		for i, value := range values {
			version := uint64(versions.at(int(some[i])))
			if value == nil {
				return recordFault(s.space, version, errDamaged)
			}
			stored, err := readStored(value)
			if err != nil {
				return recordFault(s.space, version, err)
			}
			first := created.at(int(some[i]))
			p := &watchpost.Post{CreatedAt: time.Unix(0, first), Matches: stored.object.Matches}
			if at := bound(q.StoredAt(p), first); at > first {
				l.at[uint16(some[i])] = at
				l.greatest = max(l.greatest, at)
			}
		}
	}
	return nil
}

// storedSince holds for the posts that were stored at or after a moment: by the
// watchlists of the query, when it names some.
type storedSince struct {
	plan *plan
	from time.Time
}

func (c *storedSince) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	from := bound(c.from, math.MinInt64)
	set, whole, err := within(s, orderCreated, columnCreated, from, math.MaxInt64)
	if whole || err != nil {
		return nil, whole, err
	}
	var sets []*roaring.Bitmap
	if cardinality(set) > 0 {
		sets = append(sets, set)
	}
	late, err := c.plan.snapshot.late(s, c.plan.query)
	if err != nil || late.greatest < from {
		return sets, false, err
	}
	var since []uint16
	for docNum, at := range late.at {
		if at >= from {
			since = append(since, docNum)
		}
	}
	return append(sets, bitmapOf(since)), false, nil
}

func (c *storedSince) hash(h *planHash) {
	h.flag(c.from.IsZero())
	h.number(uint64(bound(c.from, 0)))
	if c.plan.query.Named {
		h.terms(lateTermsOf(c.plan.query))
	}
}
