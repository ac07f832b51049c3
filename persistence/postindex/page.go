package postindex

import (
	"container/heap"
	"math"
	"math/bits"
	"slices"
	"sort"

	"watchpost/watchpost"
)

// page returns the versions of the posts from one place to another of all that
// were found. The nearer end is where it begins to count.
func (s *snapshot) page(some []*matches, q *watchpost.PostQuery, from, to, count int) ([]uint64, error) {
	if from >= to {
		return nil, nil
	}
	if q.Order == watchpost.StoredFirst {
		last := *q
		last.Order = watchpost.StoredLast
		versions, err := s.page(some, &last, count-to, count-from, count)
		slices.Reverse(versions)
		return versions, err
	}
	m := mergeIterator{query: q, backwards: from > count-to}
	skip, take := from, to-from
	if m.backwards {
		skip = count - to
	}
	all := make([]cursor, len(some))
	m.cursors = make([]*cursor, len(some))
	for i, f := range some {
		all[i] = newCursor(f, orderOf(q.Order), m.backwards, (skip+take)*f.count/count+1)
		if err := all[i].readLate(s, q); err != nil {
			return nil, err
		}
		m.cursors[i] = &all[i]
	}
	defer func() {
		for i := range all {
			all[i].close()
		}
	}()
	heap.Init(&m)
	versions := make([]uint64, 0, take)
	for len(versions) < take && len(m.cursors) > 0 && m.fault == nil {
		var err error
		if skip, versions, err = m.run(skip, versions); err != nil {
			return nil, err
		}
	}
	if m.backwards {
		slices.Reverse(versions)
	}
	return versions, m.fault
}

// mergeIterator yields the posts of several sources in one order. It is a heap of
// cursors, the one with the first post on top.
type mergeIterator struct {
	query     *watchpost.PostQuery
	cursors   []*cursor
	backwards bool
	fault     error
}

// run opens the top cursor, or advances it while it leads: it skips skip posts,
// then appends up to cap(versions) versions.
func (m *mergeIterator) run(skip int, versions []uint64) (int, []uint64, error) {
	c := m.cursors[0]
	more := true
	if !c.open {
		if err := c.start(m.query); err != nil {
			return 0, nil, err
		}
		more = c.next()
	} else {
		runnerUp := m.runnerUp()
		for more {
			if skip > 0 {
				skip -= c.skip(skip, runnerUp)
			} else {
				versions = append(versions, uint64(c.versions.at(c.head.docNum)))
			}
			more = c.next()
			if len(versions) == cap(versions) || runnerUp != nil && more && !m.before(c, runnerUp) {
				break
			}
		}
	}
	if more {
		heap.Fix(m, 0)
	} else {
		heap.Pop(m)
	}
	return skip, versions, nil
}

// runnerUp is the cursor that comes after the top one; nil when it is the last.
func (m *mergeIterator) runnerUp() *cursor {
	switch len(m.cursors) {
	case 1:
		return nil
	case 2:
		return m.cursors[1]
	}
	if m.before(m.cursors[2], m.cursors[1]) {
		return m.cursors[2]
	}
	return m.cursors[1]
}

// before reports whether the head of a comes first. Of two that are alike, one
// that is not open does: where its posts are is not known.
func (m *mergeIterator) before(a, b *cursor) bool {
	c := a.head.compare(b.head)
	if c == 0 {
		if !a.open || !b.open {
			return !a.open && b.open
		}
		var err error
		if c, err = compareIDs(a.ranking.reader, a.head.docNum, b.ranking.reader, b.head.docNum); err != nil {
			m.fault = err
		}
	}
	return c < 0 != m.backwards
}

// Len implements heap.Interface.
func (m *mergeIterator) Len() int { return len(m.cursors) }

// Less implements heap.Interface.
func (m *mergeIterator) Less(i, j int) bool { return m.before(m.cursors[i], m.cursors[j]) }

// Swap implements heap.Interface.
func (m *mergeIterator) Swap(i, j int) { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }

// Push implements heap.Interface.
func (m *mergeIterator) Push(c any) { m.cursors = append(m.cursors, c.(*cursor)) }

// Pop implements heap.Interface.
func (m *mergeIterator) Pop() any {
	last := m.cursors[len(m.cursors)-1]
	m.cursors = m.cursors[:len(m.cursors)-1]
	return last
}

// cursor iterates over the matches of a segmentReader in an order. It walks the
// segment's stored order and skips other posts, or it sorts a list when there
// are few matches. It opens when its posts may be next, as most readers have
// none for the page.
type cursor struct {
	matches   *matches
	order     int
	backwards bool
	want      int // approximate number of posts needed
	open      bool
	// head is the next post; before the cursor is open, what none of its posts
	// comes before.
	head ranked

	ranking  *ranking
	versions values
	sorted   []byte
	bitset   bitset        // nil: all were found
	memory   *bitsetMemory // of bitset
	list     []ranked
	place    int
	length   int
	left     int        // matches from place on
	late     *lateTimes // nil: the source's own order is right
}

func newCursor(f *matches, order int, backwards bool, want int) cursor {
	c := cursor{matches: f, order: order, backwards: backwards, want: want, left: f.count}
	o := orderings[order]
	first, posted := f.reader.minMax(o.first), f.reader.minMax(columnPosted)
	switch sign := int64(o.firstSign); {
	case (sign < 0) != backwards:
		c.head.key = sign * first.greatest
	default:
		c.head.key = sign * first.least
	}
	if o.then && backwards {
		c.head.then = -posted.least
	} else if o.then {
		c.head.then = -posted.greatest
	}
	return c
}

// readLate finds the posts whose place is another one for the watchlists of a query.
func (c *cursor) readLate(s *snapshot, q *watchpost.PostQuery) error {
	if c.order != orderCreated {
		return nil
	}
	late, err := s.late(c.matches.reader, q)
	if err != nil || len(late.at) == 0 {
		return err
	}
	if c.late = late; !c.backwards {
		c.head.key = min(c.head.key, -late.greatest)
	}
	return nil
}

// start opens the cursor before its first post.
func (c *cursor) start(q *watchpost.PostQuery) (err error) {
	c.open = true
	f := c.matches
	if c.ranking, err = newRanking(f.reader, c.order); err != nil {
		return err
	}
	c.ranking.late = c.late
	if c.versions, err = f.reader.column(columnVersion); err != nil {
		return err
	}
	// Going along takes n/count steps for each post, sorting some comparisons
	// for each post that was found, each as dear as many steps.
	const comparison = 8
	n := f.reader.posts()
	walk := min(n, c.want*(n/f.count+1))
	if c.late == nil && (f.all() || walk < f.count*bits.Len(uint(f.count))*comparison) {
		if c.sorted, err = f.reader.order(c.order); err != nil {
			return err
		}
	}
	if c.sorted == nil {
		return c.startList()
	}
	c.length = n
	if !f.all() {
		c.memory = bitsetPool.Get().(*bitsetMemory)
		c.bitset = f.bitset(c.memory)
	}
	if c.order == orderRecent || c.order == orderOldest {
		c.startWithin(q)
	}
	return nil
}

// startList sorts the matches into a list.
func (c *cursor) startList() (err error) {
	if t, ok := c.matches.reader.(*bufferReader); ok && c.matches.all() && c.late == nil {
		c.list, err = t.ranked(c.ranking, c.order)
	} else {
		c.list = c.ranking.rankAll(c.matches.docNums(), c.matches.count)
		err = c.ranking.sort(c.list)
	}
	c.length = len(c.list)
	return err
}

// close gives the memory back.
func (c *cursor) close() {
	if c.memory != nil {
		bitsetPool.Put(c.memory)
		c.bitset, c.memory = nil, nil
	}
}

// startWithin passes over the posts that are too new or too old, in an order
// that goes by that.
func (c *cursor) startWithin(q *watchpost.PostQuery) {
	if q.From.IsZero() && q.To.IsZero() {
		return
	}
	from, to := bound(q.From, math.MinInt64), bound(q.To, math.MaxInt64)
	newestFirst := c.ranking.sign < 0 != c.backwards
	c.place = sort.Search(c.length, func(place int) bool {
		posted := c.ranking.key.at(c.docNum(place))
		if newestFirst {
			return posted < to
		}
		return posted >= from
	})
}

// docNum is that of the post at a place, whether or not it was found.
func (c *cursor) docNum(place int) int {
	if c.backwards {
		place = c.length - 1 - place
	}
	if c.sorted == nil {
		return c.list[place].docNum
	}
	return docNumAt(c.sorted, place)
}

// at ranks the post at a place.
func (c *cursor) at(place int) ranked {
	if c.sorted == nil {
		if c.backwards {
			place = c.length - 1 - place
		}
		return c.list[place]
	}
	return c.ranking.rank(c.docNum(place))
}

// next goes to the next post; false when there is none.
func (c *cursor) next() bool {
	for ; c.place < c.length; c.place++ {
		if c.bitset == nil || c.bitset.has(c.docNum(c.place)) {
			c.head = c.at(c.place)
			c.place++
			c.left--
			return true
		}
	}
	return false
}

// skip goes past the head and what follows it, at most n posts and none that
// may come after the head of the runner-up. It returns how many they are.
func (c *cursor) skip(n int, runnerUp *cursor) int {
	n-- // the head
	if n == 0 {
		return 1
	}
	end, skipped := c.end(runnerUp), 0
	switch {
	case c.bitset == nil:
		skipped = min(n, end-c.place)
		c.place += skipped
	case c.length-end < end-c.place: // fewer posts remain than are skipped
		if skipped = c.left - c.countIn(end, c.length); skipped <= n {
			c.place = end
			break
		}
		skipped = 0
		fallthrough
	default:
		for ; c.place < end && skipped < n; c.place++ {
			if c.bitset.has(c.docNum(c.place)) {
				skipped++
			}
		}
	}
	c.left -= skipped
	return 1 + skipped
}

// countIn counts the matches between two places.
func (c *cursor) countIn(from, to int) (n int) {
	for place := from; place < to; place++ {
		if c.bitset.has(c.docNum(place)) {
			n++
		}
	}
	return n
}

// end returns a place up to which all posts come before the head of the runner-up
// by their sort keys. It gallops ahead, then bisects.
func (c *cursor) end(runnerUp *cursor) int {
	if runnerUp == nil {
		return c.length
	}
	after := func(place int) bool {
		if c.backwards {
			return c.at(place).compare(runnerUp.head) <= 0
		}
		return c.at(place).compare(runnerUp.head) >= 0
	}
	from, to, step := c.place, c.place, 1
	for to < c.length && !after(to) {
		from, to, step = to+1, to+step, 2*step
	}
	to = min(to, c.length)
	return from + sort.Search(to-from, func(i int) bool { return after(from + i) })
}
