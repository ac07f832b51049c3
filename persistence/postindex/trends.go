package postindex

import (
	"sync"
	"time"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// Trend counts the posts of a query, and those of each of its groups, by interval from the
// first that is counted. watchpost.TrendQuery.Select defines their meaning.
func (x *Index) Trend(view persistence.View, space persistence.Space, q *watchpost.TrendQuery) (all []int, groups [][]int, err error) {
	all, groups = make([]int, q.Intervals()), make([][]int, len(q.Names))
	for i := range groups {
		groups[i] = make([]int, len(all))
	}
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, nil, err
	}
	counted := q.Counted()
	some, err := s.matching(counted)
	if err != nil || len(some) == 0 {
		return all, groups, err
	}
	plans := make([]*plan, len(q.Names))
	for i, name := range q.Names {
		if plans[i], err = s.plan(q.By.Group(&q.PostQuery, name)); err != nil {
			return nil, nil, err
		}
	}
	t := &trendCounter{plans: plans, first: counted.From.UnixNano(), length: int64(q.Interval.Length() / time.Nanosecond), all: all, groups: groups}
	for _, f := range some {
		if err := t.count(f); err != nil {
			return nil, nil, err
		}
	}
	return all, groups, nil
}

// trendCounter counts the posts of one source after the other.
type trendCounter struct {
	plans         []*plan
	first, length int64
	all           []int
	groups        [][]int
}

// trendMemory holds for each post of a source the number of its interval, from 1; 0 for a
// post that does not match.
type trendMemory [maxSegment]uint16

var trendPool = sync.Pool{New: func() any { return new(trendMemory) }}

func (t *trendCounter) count(f *matches) error {
	posted, err := f.reader.column(columnPosted)
	if err != nil {
		return err
	}
	memory := trendPool.Get().(*trendMemory)
	defer trendPool.Put(memory)
	intervals := memory[:f.reader.posts()]
	clear(intervals)
	matching := f.docNums()
	if f.all() {
		matching = upTo(f.reader.posts())
	}
	for docNum := range matching {
		i := (posted.at(docNum) - t.first) / t.length
		t.all[i]++
		intervals[docNum] = uint16(i + 1)
	}
	groups := make([]*matches, len(t.plans)) // read before: a reader of the store is not for several goroutines
	for g, p := range t.plans {
		if p.nothing {
			continue
		}
		conditions, none, err := p.sets(f.reader)
		if err != nil {
			return err
		}
		if !none {
			groups[g] = &matches{reader: f.reader, conditions: conditions}
		}
	}
	inParallel(len(groups), func(g int) {
		if groups[g] != nil {
			groups[g].countIn(intervals, t.groups[g])
		}
	})
	return nil
}

// countIn adds the posts to the counts of their intervals. Deleted ones have none.
func (f *matches) countIn(intervals []uint16, counts []int) {
	if len(f.conditions) == 1 && len(f.conditions[0]) == 1 {
		var some [512]uint32
		for it := f.conditions[0][0].ManyIterator(); ; {
			n := it.NextMany(some[:])
			if n == 0 {
				return
			}
			for _, docNum := range some[:n] {
				if i := intervals[docNum]; i > 0 {
					counts[i-1]++
				}
			}
		}
	}
	docNums := f.docNums()
	if f.all() {
		docNums = upTo(f.reader.posts())
	}
	for docNum := range docNums {
		if i := intervals[docNum]; i > 0 {
			counts[i-1]++
		}
	}
}
