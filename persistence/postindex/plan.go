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
	snapshot   *snapshot
	query      *watchpost.PostQuery
	conditions []condition
	// nothing is set when no post can match.
	nothing bool
	search  searcher
}

// finder is how the index finds what a filter lets through.
type finder struct {
	filter *watchpost.PostFilter // nil: what is part of every query
	// kind is that of the terms which a post has for its names; 0: add finds it.
	kind byte
	add  func(*plan) error
}

// finders are in the order in which a source is asked: first what soonest tells that
// it has no post.
var finders = forEachFilter([]finder{
	{filter: watchpost.PostFilterOf("published"), add: (*plan).addPublished},
	{filter: watchpost.PostFilterOf("stored_since"), add: (*plan).addStored},
	{add: (*plan).addWatchlists},
	{add: (*plan).addOnly},
	{filter: watchpost.PostFilterOf("labels"), add: (*plan).addLabels},
	{filter: watchpost.PostFilterOf("author"), kind: termAuthor},
	{filter: watchpost.PostFilterOf("network_post_slug"), kind: termReference},
	{filter: watchpost.PostFilterOf("id"), add: (*plan).addIDs},
	{filter: watchpost.PostFilterOf("post_type"), kind: termType},
	{filter: watchpost.PostFilterOf("seniority_level"), kind: termSeniority},
	{filter: watchpost.PostFilterOf("is_saved"), kind: termSaved},
	{filter: watchpost.PostFilterOf("trending"), kind: termTrending},
	{filter: watchpost.PostFilterOf("interacted"), kind: termInteracted},
	{filter: watchpost.PostFilterOf("sentiment"), kind: termSentiment},
	{filter: watchpost.PostFilterOf("source"), kind: termSource},
	{filter: watchpost.PostFilterOf("keyword"), add: (*plan).addKeyword},
	{filter: watchpost.PostFilterOf("lang"), add: (*plan).addLanguages},
	{filter: watchpost.PostFilterOf("search_term"), add: (*plan).addSearch},
})

// forEachFilter panics unless there is one finder for each filter: a query would
// find posts that it does not match.
func forEachFilter(all []finder) []finder {
	for _, f := range watchpost.PostFilters() {
		if !slices.ContainsFunc(all, func(one finder) bool { return one.filter == f }) {
			panic("postindex: nothing finds the posts of the filter " + f.Name)
		}
	}
	return all
}

func (s *snapshot) plan(q *watchpost.PostQuery) (*plan, error) {
	p := &plan{snapshot: s, query: q, search: searcher{snapshot: s}, conditions: make([]condition, 0, 4)}
	for i := range finders {
		if err := finders[i].plan(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// plan adds the condition of a filter that the query has.
func (f *finder) plan(p *plan) error {
	if f.kind == 0 {
		if f.filter != nil && !f.filter.Given(p.query) {
			return nil
		}
		return f.add(p)
	}
	if asked := f.filter.Asked(p.query); len(asked) > 0 {
		p.conditions = append(p.conditions, anyOf(termsNamed(f.kind, asked)))
	}
	return nil
}

// termsNamed returns the terms of names of a kind.
func termsNamed(kind byte, names []string) []term {
	terms := make([]term, len(names))
	for i, name := range names {
		terms[i] = termOf(kind, name)
	}
	return terms
}

func (p *plan) addPublished() error {
	p.conditions = append(p.conditions, &span{orderRecent, columnPosted, p.query.From, p.query.To})
	return nil
}

func (p *plan) addStored() error {
	p.conditions = append(p.conditions, &storedSince{p, p.query.StoredFrom})
	return nil
}

// addIDs asks for the newest versions of posts.
func (p *plan) addIDs() error {
	var keys [][]byte
	for _, id := range p.query.IDs {
		if u, ok := parseID(watchpost.PostID(id)); ok {
			keys = append(keys, idKey(u))
		}
	}
	values, err := p.snapshot.view.GetAll(p.snapshot.space, keys)
	if err != nil {
		return err
	}
	var versions versionSet
	for _, value := range values {
		if value == nil {
			continue
		}
		r := &reader{b: value}
		version := r.uint()
		if err := r.end(); err != nil {
			return manifestFault(p.snapshot.space, err)
		}
		versions = append(versions, version)
	}
	slices.Sort(versions)
	p.nothing = p.nothing || len(versions) == 0
	p.conditions = append(p.conditions, slices.Compact(versions))
	return nil
}

func (p *plan) addLanguages() error {
	p.conditions = append(p.conditions, inLanguages(watchpost.PostFilterOf("lang").Asked(p.query)))
	return nil
}

func (p *plan) addSearch() error {
	p.nothing = p.nothing || p.query.Search.Nothing()
	for _, clause := range p.query.Search.Clauses() {
		p.conditions = append(p.conditions, &searched{&p.search, clause})
	}
	return nil
}

// addKeyword asks for the keyword of each watchlist that counts.
func (p *plan) addKeyword() error {
	q := p.query
	known, err := p.snapshot.knownWatchlists()
	if err != nil {
		return err
	}
	var terms anyOf
	of := p.snapshot.keywordTerms(known, text.NormalizeName(q.Keyword))
	for i, id := range known.ids {
		if q.Live == nil || q.Live[id] {
			terms = append(terms, of[i])
		}
	}
	p.conditions = append(p.conditions, terms)
	return nil
}

// keywordTerms returns the term of a keyword in each of the known watchlists. A page of the
// feed asks for a hundred keywords, which are as many hashes each with a hundred watchlists.
func (s *snapshot) keywordTerms(known *taggedWatchlists, keyword string) []term {
	k := cacheKey{s.name, cachedKeyword, s.watchlists, uint64(termOf(termKeyword, keyword))}
	if v, ok := s.index.cache.get(k); ok && v.(keywordTerms).known == known { // else they may be in another order
		return v.(keywordTerms).terms
	}
	terms := make([]term, len(known.ids))
	for i, id := range known.ids {
		terms[i] = termOf(termKeyword, string(id), keyword)
	}
	s.index.cache.put(k, keywordTerms{known, terms}, 8*len(terms))
	return terms
}

// keywordTerms are the terms of a keyword in the order of the known watchlists.
type keywordTerms struct {
	known *taggedWatchlists
	terms []term
}

// addLabels adds the condition of the labels. As long as all watchlists count of
// which posts bear marks, the tags of a post are all that it has.
func (p *plan) addLabels() error {
	q := p.query
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
		p.conditions = append(p.conditions, anyOf(labels))
		return nil
	}
	p.conditions = append(p.conditions, givenTerms(q, known.ids))
	return nil
}

// givenLabels is the condition of labels that count one by one.
type givenLabels struct {
	any      []term // of posts that have one of the labels
	none     bool   // posts without tags are asked for
	anything []term // of posts that have any tag
}

func givenTerms(q *watchpost.PostQuery, ids []watchpost.WatchlistID) *givenLabels {
	g := &givenLabels{}
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

func (g *givenLabels) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	sets, err := postingsOf(s, g.any)
	if err != nil || !g.none {
		return sets, false, err
	}
	tagged, err := anyPostings(s, g.anything)
	if err != nil {
		return nil, false, err
	}
	all, err := s.postings(anyTerm)
	if err != nil || all == nil {
		return sets, false, err
	}
	if tagged != nil {
		all = roaring.AndNot(all, tagged)
	}
	return append(sets, all), false, nil
}

func (g *givenLabels) hash(h *planHash) {
	h.terms(g.any)
	h.flag(g.none)
	if g.none {
		h.terms(g.anything)
	}
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
	p.conditions = append(p.conditions, anyOf(live))
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
