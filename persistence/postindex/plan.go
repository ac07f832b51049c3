package postindex

import (
	"cmp"
	"reflect"
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
	of := p.snapshot.keywordTerms(known, text.NormalizeName(q.Keyword))
	p.conditions = append(p.conditions, anyOf(p.snapshot.liveTerms(of, q.Live)))
	return nil
}

// keywordTerms returns the term of a keyword in each of the known watchlists. A page of the
// feed asks for a hundred keywords, which are as many hashes each with a hundred watchlists.
func (s *snapshot) keywordTerms(known []watchlistTerm, keyword string) []watchlistTerm {
	k := cacheKey{s.name, cachedKeyword, s.watchlists, uint64(termOf(termKeyword, keyword))}
	if v, ok := s.index.cache.get(k); ok {
		return v.([]watchlistTerm)
	}
	terms := make([]watchlistTerm, len(known))
	for i, w := range known {
		terms[i] = watchlistTerm{w.id, termOf(termKeyword, string(w.id), keyword)}
	}
	sortTerms(terms)
	s.index.cache.put(k, terms, watchlistTermSize*len(terms))
	return terms
}

// addLabels adds the condition of the labels. As long as all watchlists count of
// which posts bear marks, the tags of a post are all that it has.
func (p *plan) addLabels() error {
	q := p.query
	known, err := p.snapshot.knownWatchlists()
	if err != nil {
		return err
	}
	if q.Tagging == nil || len(q.Tagging.Names) == 0 && p.snapshot.allLive(known, q.Tagging.Live) {
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
	p.conditions = append(p.conditions, givenTerms(q, known))
	return nil
}

// givenLabels is the condition of labels that count one by one.
type givenLabels struct {
	any      []term // of posts that have one of the labels
	none     bool   // posts without tags are asked for
	anything []term // of posts that have any tag
}

func givenTerms(q *watchpost.PostQuery, known []watchlistTerm) *givenLabels {
	g := &givenLabels{}
	for _, w := range known {
		id := w.id
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
	if len(known) > 0 && p.snapshot.allLive(known, p.query.Live) {
		return nil
	}
	live := p.snapshot.liveTerms(known, p.query.Live)
	p.nothing = p.nothing || len(live) == 0
	p.conditions = append(p.conditions, anyOf(live))
	return nil
}

// watchlistTerm is a term of a watchlist that posts bear marks of.
type watchlistTerm struct {
	id   watchpost.WatchlistID
	term term
}

// watchlistTermSize is the memory that a watchlistTerm takes, with its id.
const watchlistTermSize = 60

// sortTerms sorts by terms, so that what names a query need not sort those of each query.
func sortTerms(terms []watchlistTerm) {
	slices.SortFunc(terms, func(a, b watchlistTerm) int { return cmp.Compare(a.term, b.term) })
}

// allLive reports whether live has all known watchlists. The hundreds of queries of a page
// mostly have the same map.
func (s *snapshot) allLive(known []watchlistTerm, live map[watchpost.WatchlistID]bool) bool {
	if len(live) < len(known) {
		return false
	}
	if of := reflect.ValueOf(live).Pointer(); s.live.of != of {
		s.live.of, s.live.all = of, !slices.ContainsFunc(known, func(w watchlistTerm) bool { return !live[w.id] })
	}
	return s.live.all
}

// liveTerms returns the terms of the watchlists in live, or of all without such a set.
func (s *snapshot) liveTerms(terms []watchlistTerm, live map[watchpost.WatchlistID]bool) []term {
	all := live == nil || s.allLive(terms, live)
	found := make([]term, 0, cmp.Or(min(len(live), len(terms)), len(terms)))
	for _, w := range terms {
		if all || live[w.id] {
			found = append(found, w.term)
		}
	}
	return found
}

// knownWatchlists returns the watchlists that posts bear marks of, with the term of such a
// mark.
func (s *snapshot) knownWatchlists() ([]watchlistTerm, error) {
	k := cacheKey{s.name, cachedWatchlists, s.watchlists, 0}
	if v, ok := s.index.cache.get(k); ok {
		return v.([]watchlistTerm), nil
	}
	set, err := readWatchlists(s.view, s.space)
	if err != nil {
		return nil, manifestFault(s.space, err)
	}
	known := make([]watchlistTerm, 0, len(set))
	for id := range set {
		known = append(known, watchlistTerm{watchpost.WatchlistID(id), termOf(termWatchlist, id)})
	}
	sortTerms(known)
	s.index.cache.put(k, known, watchlistTermSize*len(known))
	return known, nil
}
