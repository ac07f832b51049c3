package postindex

import (
	"sync"
	"time"

	"watchpost/persistence"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// Trend counts the posts of a query, and those of each of its groups, by interval from the
// first that is counted. trend.Query.Select defines their meaning.
func (x *Index) Trend(view persistence.View, space persistence.Space, q *trend.Query) (all []int, groups [][]int, err error) {
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

// postNumbers holds a number for each post of a source of any size.
type postNumbers [maxSegment]uint16

var numbersPool = sync.Pool{New: func() any { return new(postNumbers) }}

func (t *trendCounter) count(f *matches) error {
	posted, err := f.reader.column(columnPosted)
	if err != nil {
		return err
	}
	memory := numbersPool.Get().(*postNumbers)
	defer numbersPool.Put(memory)
	intervals := memory[:f.reader.posts()] // from 1; 0 for a post that does not match
	clear(intervals)
	f.eachValue(posted, func(docNum int, at int64) {
		i := (at - t.first) / t.length
		t.all[i]++
		intervals[docNum] = uint16(i + 1)
	})
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
		for some := range inChunks(f.conditions[0][0]) {
			for _, docNum := range some {
				if i := intervals[docNum]; i > 0 {
					counts[i-1]++
				}
			}
		}
		return
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

// NewWords returns the words that are new in the posts of one page, as against those of
// another; trend.NewWords says which are. They are remembered for these versions of
// posts: most spikes of a trend are in the past, and their posts do not change.
func (x *Index) NewWords(view persistence.View, space persistence.Space, in, before *watchpost.PostQuery) ([]string, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	of := [2][]uint64{}
	for i, q := range []*watchpost.PostQuery{in, before} {
		if of[i], _, err = s.pageOf(q); err != nil {
			return nil, err
		}
	}
	k := cacheKey{s.name, cachedNewWords, x.nameOf(of[0]), x.nameOf(of[1])}
	if v, ok := x.cache.get(k); ok {
		return v.([]string), nil
	}
	words := [2][][]string{}
	for i, versions := range of {
		if words[i], err = s.wordsOf(versions); err != nil {
			return nil, err
		}
	}
	found := trend.NewWords(words[0], words[1])
	x.cache.put(k, found, 50*len(found))
	return found, nil
}

// nameOf names a list of versions.
func (x *Index) nameOf(versions []uint64) uint64 {
	name := planHash{}
	name.SetSeed(x.cache.seed)
	for _, version := range versions {
		name.number(version)
	}
	return name.Sum64()
}

// wordsOf returns the words of each of some posts.
func (s *snapshot) wordsOf(versions []uint64) ([][]string, error) {
	posts, err := s.storedAll(versions)
	if err != nil {
		return nil, err
	}
	words := make([][]string, len(posts))
	for i, post := range posts {
		text, _, err := post.text()
		if err != nil {
			return nil, err
		}
		words[i] = text.Words()
	}
	return words, nil
}
