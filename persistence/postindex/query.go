package postindex

import (
	"container/heap"
	"math"
	"math/bits"
	"slices"
	"sort"

	"watchpost"
	"watchpost/persistence"
)

// Result is a page of posts and the count of all that match.
type Result struct {
	Posts []*Stored
	Count int
}

// Query returns the page that q asks for and the count of all posts that match.
func (x *Index) Query(view persistence.View, space persistence.Space, q *watchpost.PostQuery) (Result, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return Result{}, err
	}
	p, err := s.plan(q)
	if err != nil || p.nothing {
		return Result{}, err
	}
	sources, err := s.sources()
	if err != nil {
		return Result{}, err
	}
	var some []found
	var result Result
	for _, source := range sources {
		f, err := p.in(source)
		if err != nil {
			return Result{}, err
		}
		if f.count > 0 {
			some = append(some, f)
			result.Count += f.count
		}
	}
	from, to := q.Bounds(result.Count)
	versions, err := page(some, q, from, to, result.Count)
	if err != nil {
		return Result{}, err
	}
	for _, version := range versions {
		post, err := s.stored(version)
		if err != nil {
			return Result{}, err
		}
		result.Posts = append(result.Posts, post)
	}
	return result, nil
}

// page returns the versions of the posts from one place to another of all that
// were found. The nearer end is where it begins to count.
func page(some []found, q *watchpost.PostQuery, from, to, count int) ([]uint64, error) {
	if from >= to {
		return nil, nil
	}
	m := merge{backwards: from > count-to}
	skip, take := from, to-from
	if m.backwards {
		skip = count - to
	}
	for i := range some {
		c, err := newCursor(&some[i], q, m.backwards, (skip+take)*some[i].count/count+1)
		if err != nil {
			return nil, err
		}
		if c.next() {
			m.cursors = append(m.cursors, c)
		}
	}
	heap.Init(&m)
	versions := make([]uint64, 0, take)
	for len(versions) < take && len(m.cursors) > 0 && m.fault == nil {
		c := m.cursors[0]
		if skip > 0 {
			skip--
		} else {
			versions = append(versions, uint64(c.versions.at(c.head.ordinal)))
		}
		if c.next() {
			heap.Fix(&m, 0)
		} else {
			heap.Pop(&m)
		}
	}
	if m.backwards {
		slices.Reverse(versions)
	}
	return versions, m.fault
}

// merge yields the posts of several sources in one order. It is a heap of
// cursors, the one with the first post on top.
type merge struct {
	cursors   []*cursor
	backwards bool
	fault     error
}

// Len implements heap.Interface.
func (m *merge) Len() int { return len(m.cursors) }

// Less implements heap.Interface.
func (m *merge) Less(i, j int) bool {
	a, b := m.cursors[i], m.cursors[j]
	c := a.head.compare(b.head)
	if c == 0 {
		var err error
		if c, err = compareIDs(a.ranking.source, a.head.ordinal, b.ranking.source, b.head.ordinal); err != nil {
			m.fault = err
		}
	}
	return c < 0 != m.backwards
}

// Swap implements heap.Interface.
func (m *merge) Swap(i, j int) { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }

// Push implements heap.Interface.
func (m *merge) Push(c any) { m.cursors = append(m.cursors, c.(*cursor)) }

// Pop implements heap.Interface.
func (m *merge) Pop() any {
	last := m.cursors[len(m.cursors)-1]
	m.cursors = m.cursors[:len(m.cursors)-1]
	return last
}

// cursor goes through what was found in a source, in an order: along the order
// that a segment keeps, past what was not found; or, where little was found,
// through a list that is sorted for it.
type cursor struct {
	ranking   *ranking
	versions  values
	head      ranked
	backwards bool

	sorted []byte
	member []uint64 // a bit for each post that was found; nil: all were
	list   []ranked
	place  int
}

// newCursor returns a cursor before its first post, of which about so many will
// be asked for.
func newCursor(f *found, q *watchpost.PostQuery, backwards bool, want int) (*cursor, error) {
	order := orderOf(q.Order)
	r, err := newRanking(f.source, order)
	if err != nil {
		return nil, err
	}
	c := &cursor{ranking: r, backwards: backwards}
	if c.versions, err = f.source.column(columnVersion); err != nil {
		return nil, err
	}
	n := f.source.posts()
	// Going along takes n/count steps for each post, sorting some comparisons
	// for each post that was found, each as dear as many steps.
	const comparison = 8
	walk := min(n, want*(n/f.count+1))
	if f.set == nil || walk < f.count*bits.Len(uint(f.count))*comparison {
		if c.sorted, err = f.source.order(order); err != nil {
			return nil, err
		}
	}
	if c.sorted != nil {
		if f.set != nil {
			c.member = make([]uint64, (n+63)/64)
			f.set.WriteDenseTo(c.member)
		}
		if order == orderRecent || order == orderOldest {
			c.startWithin(q)
		}
		return c, nil
	}
	if t, ok := f.source.(*tailSource); ok && f.set == nil {
		c.list, err = t.ranked(r, order)
		return c, err
	}
	c.list = r.rankAll(f)
	return c, r.sort(c.list)
}

// startWithin passes over the posts that are too new or too old, in an order
// that goes by that.
func (c *cursor) startWithin(q *watchpost.PostQuery) {
	if q.From.IsZero() && q.To.IsZero() {
		return
	}
	from, to := bound(q.From, math.MinInt64), bound(q.To, math.MaxInt64)
	newestFirst := c.ranking.sign < 0 != c.backwards
	n := len(c.sorted) / 2
	c.place = sort.Search(n, func(place int) bool {
		c.place = place
		posted := c.ranking.key.at(ordinalAt(c.sorted, c.turned(n)))
		if newestFirst {
			return posted < to
		}
		return posted >= from
	})
}

// next goes to the next post; false when there is none.
func (c *cursor) next() bool {
	if c.sorted == nil {
		if c.place == len(c.list) {
			return false
		}
		c.head = c.list[c.turned(len(c.list))]
		c.place++
		return true
	}
	for n := len(c.sorted) / 2; c.place < n; {
		ordinal := ordinalAt(c.sorted, c.turned(n))
		c.place++
		if c.member == nil || c.member[ordinal/64]&(1<<(ordinal%64)) != 0 {
			c.head = c.ranking.rank(ordinal)
			return true
		}
	}
	return false
}

// turned is the place among n, counted from the end when that is the way.
func (c *cursor) turned(n int) int {
	if c.backwards {
		return n - 1 - c.place
	}
	return c.place
}

// Having returns the posts that bear the mark of a watchlist, at most so many.
func (x *Index) Having(view persistence.View, space persistence.Space, id watchpost.WatchlistID, most int) ([]*watchpost.Post, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	sources, err := s.sources()
	if err != nil {
		return nil, err
	}
	p := &plan{snapshot: s, query: &watchpost.PostQuery{}, anyOf: [][]term{{termOf(termWatchlist, string(id))}}}
	var posts []*watchpost.Post
	for _, source := range sources {
		f, err := p.in(source)
		if err != nil {
			return nil, err
		}
		if f.count == 0 {
			continue
		}
		column, err := source.column(columnVersion)
		if err != nil {
			return nil, err
		}
		for it := f.set.Iterator(); it.HasNext() && len(posts) < most; {
			stored, err := s.stored(uint64(column.at(int(it.Next()))))
			if err != nil {
				return nil, err
			}
			post, err := stored.Post()
			if err != nil {
				return nil, err
			}
			posts = append(posts, post)
		}
	}
	return posts, nil
}
