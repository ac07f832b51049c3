package postindex

import (
	"math"
	"sort"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost"
)

// plan is a query made ready to be asked of one source after the other: all of
// its conditions must hold.
type plan struct {
	snapshot *snapshot
	query    *watchpost.PostQuery
	// anyOf holds for each condition the terms of which a post must have one.
	anyOf [][]term
	// nothing is set when no post can match.
	nothing bool
	// language is the folded name of the one that is asked for.
	language string
	search   searcher
}

func (s *snapshot) plan(q *watchpost.PostQuery) (*plan, error) {
	p := &plan{snapshot: s, query: q, search: searcher{snapshot: s}}
	if err := p.addWatchlists(); err != nil {
		return nil, err
	}
	if len(q.Labels) > 0 {
		var labels []term
		for _, label := range q.Labels {
			label = watchpost.FoldName(label)
			labels = append(labels, termOf(termLabel, label))
			if label == watchpost.NoLabels {
				labels = append(labels, termOf(termUntagged))
			}
		}
		p.anyOf = append(p.anyOf, labels)
	}
	if len(q.People)+len(q.Companies) > 0 {
		var authors []term
		for _, some := range [][]string{q.People, q.Companies} {
			for _, key := range some {
				authors = append(authors, termOf(termAuthor, key))
			}
		}
		p.anyOf = append(p.anyOf, authors)
	}
	for kind, text := range map[byte]string{termReference: q.Slug, termType: q.Type, termSeniority: q.Seniority} {
		if text != "" {
			if kind != termReference {
				text = watchpost.FoldName(text)
			}
			p.anyOf = append(p.anyOf, []term{termOf(kind, text)})
		}
	}
	for kind, asked := range map[byte]bool{termSaved: q.Saved, termTrending: q.Trending, termInteracted: q.Interacted} {
		if asked {
			p.anyOf = append(p.anyOf, []term{termOf(kind)})
		}
	}
	p.language = watchpost.FoldName(q.Language)
	return p, nil
}

// addWatchlists asks for the posts of the live watchlists, unless there are no
// others.
func (p *plan) addWatchlists() error {
	if p.query.Live == nil {
		return nil
	}
	known, err := p.snapshot.knownWatchlists()
	if err != nil {
		return err
	}
	var live []term
	for id := range known {
		if p.query.Live[watchpost.WatchlistID(id)] {
			live = append(live, termOf(termWatchlist, id))
		}
	}
	p.nothing = len(live) == 0
	if len(live) < len(known) {
		p.anyOf = append(p.anyOf, live)
	}
	return nil
}

// knownWatchlists returns the watchlists that posts bear marks of.
func (s *snapshot) knownWatchlists() (map[string]bool, error) {
	k := cacheKey{s.space, cachedWatchlists, s.watchlists, 0}
	if v, ok := s.index.cache.get(k); ok {
		return v.(map[string]bool), nil
	}
	set, err := readWatchlists(s.view, s.space)
	if err != nil {
		return nil, manifestFault(s.space, err)
	}
	s.index.cache.put(k, set, 100*len(set))
	return set, nil
}

// found is the posts of a source that match.
type found struct {
	source source
	set    *roaring.Bitmap // nil: all
	count  int
}

// in returns the posts of a source that match.
func (p *plan) in(s source) (found, error) {
	f := found{source: s}
	sets, none, err := p.sets(s)
	if err != nil || none {
		return f, err
	}
	dead, err := s.dead()
	if err != nil {
		return f, err
	}
	sort.Slice(sets, func(i, j int) bool { return sets[i].GetCardinality() < sets[j].GetCardinality() })
	for _, set := range sets {
		if f.set == nil {
			f.set = set
		} else if f.set = roaring.And(f.set, set); f.set.IsEmpty() {
			return f, nil
		}
	}
	switch {
	case f.set != nil && dead != nil:
		f.set = roaring.AndNot(f.set, dead)
	case dead != nil:
		f.set = roaring.Flip(dead, 0, uint64(s.posts()))
	}
	f.count = s.posts()
	if f.set != nil {
		f.count = int(f.set.GetCardinality())
	}
	return f, nil
}

// sets returns for each condition of the plan the posts for which it holds, but
// for those that hold for all; none is true when one holds for no post.
func (p *plan) sets(s source) (sets []*roaring.Bitmap, none bool, err error) {
	add := func(set *roaring.Bitmap, all bool, failure error) bool {
		if failure != nil || !all && (set == nil || set.IsEmpty()) {
			none, err = true, failure
			return false
		}
		if !all {
			sets = append(sets, set)
		}
		return true
	}
	for _, terms := range p.anyOf {
		set, failure := havingAny(s, terms)
		if !add(set, false, failure) {
			return nil, none, err
		}
	}
	if p.query.Language != "" && !add(p.inLanguage(s)) {
		return nil, none, err
	}
	q := p.query
	for _, r := range []struct {
		order, column int
		from, to      time.Time
	}{{orderRecent, columnPosted, q.From, q.To}, {orderCreated, columnCreated, q.StoredFrom, time.Time{}}} {
		if (!r.from.IsZero() || !r.to.IsZero()) && !add(within(s, r.order, r.column, bound(r.from, math.MinInt64), bound(r.to, math.MaxInt64))) {
			return nil, none, err
		}
	}
	for _, clause := range q.Search.Clauses() {
		set, failure := p.search.clause(s, clause)
		if !add(set, false, failure) {
			return nil, none, err
		}
	}
	return sets, false, nil
}

// havingAny returns the posts that have one of the terms.
func havingAny(s source, terms []term) (*roaring.Bitmap, error) {
	var sets []*roaring.Bitmap
	for _, t := range terms {
		set, err := s.having(t)
		if err != nil {
			return nil, err
		}
		if set != nil {
			sets = append(sets, set)
		}
	}
	return union(sets), nil
}

// union returns what is in one of the sets; nil when there are none.
func union(sets []*roaring.Bitmap) *roaring.Bitmap {
	switch len(sets) {
	case 0:
		return nil
	case 1:
		return sets[0]
	}
	return roaring.FastOr(sets...)
}

// inLanguage returns the posts whose language has the name that is asked for.
func (p *plan) inLanguage(s source) (set *roaring.Bitmap, all bool, err error) {
	languages, err := s.languages()
	if err != nil {
		return nil, false, err
	}
	var terms []term
	for _, language := range languages {
		if watchpost.FoldName(language) == p.language {
			terms = append(terms, termOf(termLanguage, language))
		}
	}
	if len(terms) == len(languages) {
		return nil, true, nil
	}
	set, err = havingAny(s, terms)
	return set, false, err
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
func within(s source, order, column int, from, to int64) (set *roaring.Bitmap, all bool, err error) {
	values, err := s.column(column)
	if err != nil {
		return nil, false, err
	}
	sorted, err := s.order(order)
	if err != nil {
		return nil, false, err
	}
	first := sort.Search(s.posts(), func(i int) bool { return values.at(ordinalAt(sorted, i)) < to })
	end := first + sort.Search(s.posts()-first, func(i int) bool { return values.at(ordinalAt(sorted, first+i)) < from })
	if end-first == s.posts() {
		return nil, true, nil
	}
	return setOf(sorted, first, end), false, nil
}

// setOf returns the ordinals at some places of an order.
func setOf(sorted []byte, first, end int) *roaring.Bitmap {
	var bits [maxSegment / 64]uint64
	for i := first; i < end; i++ {
		o := ordinalAt(sorted, i)
		bits[o/64] |= 1 << (o % 64)
	}
	set := roaring.New()
	set.FromDense(bits[:], true)
	return set
}

// ordinalAt returns what stands at a place of an order.
func ordinalAt(sorted []byte, i int) int { return int(sorted[2*i]) | int(sorted[2*i+1])<<8 }
