package postindex

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost"
	"watchpost/internal/text"
)

// plan is a query made ready to be asked of one source after the other: all of
// its conditions must hold.
type plan struct {
	snapshot *snapshot
	query    *watchpost.PostQuery
	// anyOf lists the terms of each condition; a post must have one of them.
	anyOf [][]term
	// facets are conditions by terms that posts of the layout before lack.
	facets []facet
	// nothing is set when no post can match.
	nothing bool
	// languages are the merged names of those that are asked for.
	languages []string
	search    searcher
}

// facet is a condition: find returns the posts of the latest layout for which it
// holds, rule is the same for one post. What find returns depends on nothing but the
// source and terms.
type facet struct {
	find  func(s segmentReader) ([]*roaring.Bitmap, error)
	rule  *watchpost.PostQuery
	terms [][]term
}

func (s *snapshot) plan(q *watchpost.PostQuery) (*plan, error) {
	p := &plan{snapshot: s, query: q, search: searcher{snapshot: s}}
	if err := p.addWatchlists(); err != nil {
		return nil, err
	}
	if err := p.addLabels(); err != nil {
		return nil, err
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
	if q.Slug != "" {
		p.anyOf = append(p.anyOf, []term{termOf(termReference, q.Slug)})
	}
	for _, c := range []struct {
		kind  byte
		names []string
	}{{termType, q.Types}, {termSeniority, q.Levels}} {
		if len(c.names) > 0 {
			p.anyOf = append(p.anyOf, namesOf(c.kind, c.names))
		}
	}
	for _, c := range []struct {
		kind  byte
		asked bool
	}{{termSaved, q.Saved}, {termTrending, q.Trending}, {termInteracted, q.Interacted}} {
		if c.asked {
			p.anyOf = append(p.anyOf, []term{termOf(c.kind)})
		}
	}
	for _, language := range q.Languages {
		p.languages = append(p.languages, text.NormalizeName(language))
	}
	p.nothing = p.nothing || q.Search.Nothing()
	if err := p.addFacets(); err != nil {
		return nil, err
	}
	return p, nil
}

// namesOf returns the terms of names of a kind.
func namesOf(kind byte, names []string) []term {
	terms := make([]term, len(names))
	for i, name := range names {
		terms[i] = termOf(kind, text.NormalizeName(name))
	}
	return terms
}

// addFacets adds the conditions of sentiment, source and keyword.
func (p *plan) addFacets() error {
	q := p.query
	if len(q.Sentiments) > 0 {
		p.addFacet(namesOf(termSentiment, q.Sentiments), &watchpost.PostQuery{Sentiments: q.Sentiments})
	}
	if len(q.Sources) > 0 {
		p.addFacet(namesOf(termSource, q.Sources), &watchpost.PostQuery{Sources: q.Sources})
	}
	if q.Keyword == "" {
		return nil
	}
	known, err := p.snapshot.knownWatchlists()
	if err != nil {
		return err
	}
	var terms []term
	for _, id := range known.ids {
		if q.Live == nil || q.Live[id] {
			terms = append(terms, termOf(termKeyword, string(id), text.NormalizeName(q.Keyword)))
		}
	}
	p.addFacet(terms, &watchpost.PostQuery{Keyword: q.Keyword, Live: q.Live})
	return nil
}

// addFacet adds a condition that holds for the posts that have one of the terms.
func (p *plan) addFacet(terms []term, rule *watchpost.PostQuery) {
	p.facets = append(p.facets, facet{func(s segmentReader) ([]*roaring.Bitmap, error) { return postingsOf(s, terms) }, rule, [][]term{terms}})
}

// addLabels adds the condition of the labels. As long as all watchlists count of
// which posts bear marks, the tags of a post are all that it has.
func (p *plan) addLabels() error {
	q := p.query
	if len(q.Labels) == 0 {
		return nil
	}
	known, err := p.snapshot.knownWatchlists()
	if err != nil {
		return err
	}
	if q.Tagging == nil || len(q.Tagging.Names) == 0 && !slices.ContainsFunc(known.ids, func(id watchpost.WatchlistID) bool { return !q.Tagging.Live[id] }) {
		var labels []term
		for _, label := range q.Labels {
			label = text.NormalizeName(label)
			labels = append(labels, termOf(termLabel, label))
			if label == watchpost.NoLabels {
				labels = append(labels, termOf(termUntagged))
			}
		}
		p.anyOf = append(p.anyOf, labels)
		return nil
	}
	given := givenTerms(q, known.ids)
	terms := [][]term{given.any}
	if given.none {
		terms = append(terms, given.anything)
	}
	p.facets = append(p.facets, facet{given.find, &watchpost.PostQuery{Labels: q.Labels, Tagging: q.Tagging}, terms})
	return nil
}

// givenLabels are the terms by which posts are found whose labels count one by
// one.
type givenLabels struct {
	any      []term // of posts that have one of the labels
	none     bool   // posts without tags are asked for
	anything []term // of posts that have any tag
}

func givenTerms(q *watchpost.PostQuery, ids []watchpost.WatchlistID) givenLabels {
	var g givenLabels
	for _, id := range ids {
		if !q.Tagging.Live[id] {
			continue
		}
		names, changed := q.Tagging.Names[id]
		if !changed {
			g.anything = append(g.anything, termOf(termGives, string(id)))
		}
		for name := range names {
			g.anything = append(g.anything, termOf(termGiven, string(id), name))
		}
		for _, label := range q.Labels {
			if q.Tagging.Counts(id, label) {
				g.any = append(g.any, termOf(termGiven, string(id), text.NormalizeName(label)))
			}
		}
	}
	g.none = slices.ContainsFunc(q.Labels, func(label string) bool { return text.NormalizeName(label) == watchpost.NoLabels })
	return g
}

func (g givenLabels) find(s segmentReader) ([]*roaring.Bitmap, error) {
	sets, err := postingsOf(s, g.any)
	if err != nil || !g.none {
		return sets, err
	}
	tagged, err := anyPostings(s, g.anything)
	if err != nil {
		return nil, err
	}
	all, err := s.postings(currentTerm)
	if err != nil || all == nil {
		return sets, err
	}
	if tagged != nil {
		all = roaring.AndNot(all, tagged)
	}
	return append(sets, all), nil
}

// in returns for a facet the posts of a source for which it holds. Posts of the
// layout before, until they are written again, are looked at one by one.
func (f *facet) in(p *plan, s segmentReader) ([]*roaring.Bitmap, error) {
	sets, err := f.find(s)
	if err != nil {
		return nil, err
	}
	current, err := s.postings(currentTerm)
	if err != nil || current != nil && int(current.GetCardinality()) == s.posts() {
		return sets, err
	}
	old := everything(s)
	if current != nil {
		old.AndNot(current)
	}
	deleted, err := s.deleted()
	if err != nil {
		return nil, err
	}
	if deleted != nil {
		old.AndNot(deleted)
	}
	versions, err := s.column(columnVersion)
	if err != nil {
		return nil, err
	}
	var hold []uint16
	for it := old.Iterator(); it.HasNext(); {
		docNum := it.Next()
		stored, err := p.snapshot.stored(uint64(versions.at(int(docNum))))
		if err != nil {
			return nil, err
		}
		post, err := stored.Post()
		if err != nil {
			return nil, err
		}
		if f.rule.Matches(post) {
			hold = append(hold, uint16(docNum))
		}
	}
	if len(hold) > 0 {
		sets = append(sets, bitmapOf(hold))
	}
	return sets, nil
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
	gone := func(id watchpost.WatchlistID) bool { return !p.query.Live[id] }
	if len(known.ids) > 0 && !slices.ContainsFunc(known.ids, gone) {
		return nil
	}
	var live []term
	for i, id := range known.ids {
		if p.query.Live[id] {
			live = append(live, known.terms[i])
		}
	}
	p.nothing = p.nothing || len(live) == 0
	p.anyOf = append(p.anyOf, live)
	return nil
}

// taggedWatchlists is the watchlists that posts bear marks of.
type taggedWatchlists struct {
	ids   []watchpost.WatchlistID
	terms []term
}

func (s *snapshot) knownWatchlists() (*taggedWatchlists, error) {
	k := cacheKey{s.name, cachedWatchlists, s.watchlists, 0}
	if v, ok := s.index.cache.get(k); ok {
		return v.(*taggedWatchlists), nil
	}
	set, err := readWatchlists(s.view, s.space)
	if err != nil {
		return nil, manifestFault(s.space, err)
	}
	m := &taggedWatchlists{}
	for id := range set {
		m.ids = append(m.ids, watchpost.WatchlistID(id))
		m.terms = append(m.terms, termOf(termWatchlist, id))
	}
	s.index.cache.put(k, m, 100*len(set))
	return m, nil
}

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
