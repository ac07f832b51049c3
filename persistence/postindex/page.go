package postindex

import (
	"container/heap"
	"math"
	"math/bits"
	"slices"
	"sort"

	"watchpost"
)

// page returns the versions of the posts from one place to another of all that
// were found. The nearer end is where it begins to count.
func page(some []*found, q *watchpost.PostQuery, from, to, count int) ([]uint64, error) {
	if from >= to {
		return nil, nil
	}
	m := merge{query: q, backwards: from > count-to}
	skip, take := from, to-from
	if m.backwards {
		skip = count - to
	}
	all := make([]cursor, len(some))
	m.cursors = make([]*cursor, len(some))
	for i, f := range some {
		all[i] = newCursor(f, orderOf(q.Order), m.backwards, (skip+take)*f.count/count+1)
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

// merge yields the posts of several sources in one order. It is a heap of
// cursors, the one with the first post on top.
type merge struct {
	query     *watchpost.PostQuery
	cursors   []*cursor
	backwards bool
	fault     error
}

// run opens the top cursor or goes along it for as long as its posts come
// first: past so many, and then appends versions until there is no room.
func (m *merge) run(skip int, versions []uint64) (int, []uint64, error) {
	c := m.cursors[0]
	more := true
	if !c.open {
		if err := c.start(m.query); err != nil {
			return 0, nil, err
		}
		more = c.next()
	} else {
		rival := m.rival()
		for more {
			if skip > 0 {
				skip -= c.pass(skip, rival)
			} else {
				versions = append(versions, uint64(c.versions.at(c.head.ordinal)))
			}
			more = c.next()
			if len(versions) == cap(versions) || rival != nil && more && !m.before(c, rival) {
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

// rival is the cursor that comes after the top one; nil when it is the last.
func (m *merge) rival() *cursor {
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
func (m *merge) before(a, b *cursor) bool {
	c := a.head.compare(b.head)
	if c == 0 {
		if !a.open || !b.open {
			return !a.open && b.open
		}
		var err error
		if c, err = compareIDs(a.ranking.source, a.head.ordinal, b.ranking.source, b.head.ordinal); err != nil {
			m.fault = err
		}
	}
	return c < 0 != m.backwards
}

// Len implements heap.Interface.
func (m *merge) Len() int { return len(m.cursors) }

// Less implements heap.Interface.
func (m *merge) Less(i, j int) bool { return m.before(m.cursors[i], m.cursors[j]) }

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
// through a list that is sorted for it. It is opened when its posts may be
// next, as most sources have none for the page.
type cursor struct {
	found     *found
	order     int
	backwards bool
	want      int // about so many posts will be asked for
	open      bool
	// head is the next post; before the cursor is open, what none of its posts
	// comes before.
	head ranked

	ranking  *ranking
	versions values
	sorted   []byte
	member   members // nil: all were found
	memory   *words  // of member
	list     []ranked
	place    int
	length   int
	left     int // what was found from the place on
}

func newCursor(f *found, order int, backwards bool, want int) cursor {
	c := cursor{found: f, order: order, backwards: backwards, want: want, left: f.count}
	o := orderings[order]
	first, posted := f.source.span(o.first), f.source.span(columnPosted)
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

// start opens the cursor before its first post.
func (c *cursor) start(q *watchpost.PostQuery) (err error) {
	c.open = true
	f := c.found
	if c.ranking, err = newRanking(f.source, c.order); err != nil {
		return err
	}
	if c.versions, err = f.source.column(columnVersion); err != nil {
		return err
	}
	// Going along takes n/count steps for each post, sorting some comparisons
	// for each post that was found, each as dear as many steps.
	const comparison = 8
	n := f.source.posts()
	walk := min(n, c.want*(n/f.count+1))
	if f.all() || walk < f.count*bits.Len(uint(f.count))*comparison {
		if c.sorted, err = f.source.order(c.order); err != nil {
			return err
		}
	}
	if c.sorted == nil {
		return c.startList()
	}
	c.length = n
	if !f.all() {
		c.memory = wordsPool.Get().(*words)
		c.member = f.members(c.memory)
	}
	if c.order == orderRecent || c.order == orderOldest {
		c.startWithin(q)
	}
	return nil
}

// startList lists what was found in the order.
func (c *cursor) startList() (err error) {
	if t, ok := c.found.source.(*tailSource); ok && c.found.all() {
		c.list, err = t.ranked(c.ranking, c.order)
	} else {
		c.list = c.ranking.rankAll(c.found.ordinals(), c.found.count)
		err = c.ranking.sort(c.list)
	}
	c.length = len(c.list)
	return err
}

// close gives the memory back.
func (c *cursor) close() {
	if c.memory != nil {
		wordsPool.Put(c.memory)
		c.member, c.memory = nil, nil
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
		posted := c.ranking.key.at(c.ordinal(place))
		if newestFirst {
			return posted < to
		}
		return posted >= from
	})
}

// ordinal is that of the post at a place, whether or not it was found.
func (c *cursor) ordinal(place int) int {
	if c.backwards {
		place = c.length - 1 - place
	}
	if c.sorted == nil {
		return c.list[place].ordinal
	}
	return ordinalAt(c.sorted, place)
}

// at ranks the post at a place.
func (c *cursor) at(place int) ranked {
	if c.sorted == nil {
		if c.backwards {
			place = c.length - 1 - place
		}
		return c.list[place]
	}
	return c.ranking.rank(c.ordinal(place))
}

// next goes to the next post; false when there is none.
func (c *cursor) next() bool {
	for ; c.place < c.length; c.place++ {
		if c.member == nil || c.member.has(c.ordinal(c.place)) {
			c.head = c.at(c.place)
			c.place++
			c.left--
			return true
		}
	}
	return false
}

// pass goes past the head and what follows it, at most n posts and none that
// may come after the head of the rival. It returns how many they are.
func (c *cursor) pass(n int, rival *cursor) int {
	n-- // the head
	if n == 0 {
		return 1
	}
	end, passed := c.end(rival), 0
	switch {
	case c.member == nil:
		passed = min(n, end-c.place)
		c.place += passed
	case c.length-end < end-c.place: // what is not passed is counted sooner
		if passed = c.left - c.foundIn(end, c.length); passed <= n {
			c.place = end
			break
		}
		passed = 0
		fallthrough
	default:
		for ; c.place < end && passed < n; c.place++ {
			if c.member.has(c.ordinal(c.place)) {
				passed++
			}
		}
	}
	c.left -= passed
	return 1 + passed
}

// foundIn counts what was found from one place to another.
func (c *cursor) foundIn(from, to int) (n int) {
	for place := from; place < to; place++ {
		if c.member.has(c.ordinal(place)) {
			n++
		}
	}
	return n
}

// end returns a place up to which all posts come before the head of the rival
// by what they are sorted by. It looks further and further ahead, then halves.
func (c *cursor) end(rival *cursor) int {
	if rival == nil {
		return c.length
	}
	after := func(place int) bool {
		if c.backwards {
			return c.at(place).compare(rival.head) <= 0
		}
		return c.at(place).compare(rival.head) >= 0
	}
	from, to, step := c.place, c.place, 1
	for to < c.length && !after(to) {
		from, to, step = to+1, to+step, 2*step
	}
	to = min(to, c.length)
	return from + sort.Search(to-from, func(i int) bool { return after(from + i) })
}
