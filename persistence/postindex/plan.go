package postindex

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/internal/text"
	"watchpost/watchpost"
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
