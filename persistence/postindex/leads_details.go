package postindex

import (
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/watchpost"
)

// leadDetails is what the posts of a lead say together.
type leadDetails struct {
	first, best int64 // moment of the first post, best relevance
	interacted  bool
	sentiments  map[string]int // nil: none was counted
	watchlists  bitset         // places of known watchlists
}

// newLeadDetails returns those of n leads without a post.
func newLeadDetails(n, watchlists int) []leadDetails {
	words := (watchlists + 63) / 64
	all, places := make([]leadDetails, n), make(bitset, n*words)
	for i := range all {
		all[i] = leadDetails{first: math.MaxInt64, best: math.MinInt64, watchlists: places[i*words : (i+1)*words]}
	}
	return all
}

func (d *leadDetails) count(sentiment string, n int) {
	if d.sentiments == nil {
		d.sentiments = map[string]int{}
	}
	d.sentiments[sentiment] += n
}

// add adds what other posts of the lead say.
func (d *leadDetails) add(more *leadDetails) {
	d.first, d.best, d.interacted = min(d.first, more.first), max(d.best, more.best), d.interacted || more.interacted
	for name, n := range more.sentiments {
		d.count(name, n)
	}
	for i, word := range more.watchlists {
		d.watchlists[i] |= word
	}
}

// details returns what the posts of the leads of the page say.
func (g *leadGroups) details(known []watchlistTerm) ([]leadDetails, error) {
	sources := make([]*describedSource, len(g.sources))
	for i, f := range g.sources {
		var err error
		if sources[i], err = g.readAuthors(f, len(known)); err != nil {
			return nil, err
		}
	}
	inParallel(len(sources), func(i int) { sources[i].ofLeads() })
	sources = slices.DeleteFunc(sources, func(s *describedSource) bool { return len(s.posts) == 0 })
	for _, s := range sources {
		if err := s.readTerms(g.query, known); err != nil {
			return nil, err
		}
	}
	inParallel(len(sources), func(i int) { sources[i].describe() })
	all := newLeadDetails(len(g.rows), len(known))
	for _, s := range sources {
		for i := range s.details {
			all[i].add(&s.details[i])
		}
	}
	return all, nil
}

// describedSource are the posts of the leads of a page in one source, and the data that
// is read from it first, because a reader of the store is not safe for concurrent use. A
// set is nil when no post has the term.
type describedSource struct {
	*matches
	posted, relevance values
	authors           []*roaring.Bitmap // of the rows
	watchlists        []*roaring.Bitmap // the known ones, nil also for one that is not asked for
	sentiments        []*roaring.Bitmap // as watchpost.Sentiments
	interacted        *roaring.Bitmap

	posts   []leadPost
	chosen  bitset // the posts
	details []leadDetails
}

// leadPost is a post and the place of its lead.
type leadPost struct {
	docNum uint32
	lead   uint16
}

// readAuthors reads what ofLeads needs.
func (g *leadGroups) readAuthors(f *matches, watchlists int) (*describedSource, error) {
	s := &describedSource{matches: f, details: newLeadDetails(len(g.rows), watchlists), authors: make([]*roaring.Bitmap, len(g.rows))}
	var err error
	if s.posted, err = f.reader.column(columnPosted); err != nil {
		return nil, err
	}
	if s.relevance, err = f.reader.column(columnRelevance); err != nil {
		return nil, err
	}
	for i := range g.rows {
		if s.authors[i], err = f.reader.postings(g.rows[i].author); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ofLeads finds the matches that are of the leads, and adds what the columns say of them to
// the details.
func (s *describedSource) ofLeads() {
	members := bitsetPool.Get().(*bitsetMemory)
	defer bitsetPool.Put(members)
	among := s.bitset(members)
	s.chosen = make(bitset, len(among))
	for i, set := range s.authors {
		if set == nil {
			continue
		}
		d := &s.details[i]
		set.Iterate(func(docNum uint32) bool {
			if among.has(int(docNum)) {
				s.posts = append(s.posts, leadPost{docNum, uint16(i)})
				s.chosen.add(int(docNum))
				d.first, d.best = min(d.first, s.posted.at(int(docNum))), max(d.best, s.relevance.at(int(docNum)))
			}
			return true
		})
	}
}

// readTerms reads what describe needs.
func (s *describedSource) readTerms(q *watchpost.LeadQuery, known []watchlistTerm) (err error) {
	set := func(t term) (set *roaring.Bitmap) {
		if err == nil {
			set, err = s.reader.postings(t)
		}
		return set
	}
	s.interacted = set(termOf(termInteracted, ""))
	for _, name := range watchpost.Sentiments() {
		s.sentiments = append(s.sentiments, set(termOf(termSentiment, name)))
	}
	s.watchlists = make([]*roaring.Bitmap, len(known))
	for i, w := range known {
		if q.Tagging == nil || q.Tagging.Live[w.id] {
			s.watchlists[i] = set(w.term)
		}
	}
	return err
}

// describe adds what the terms of the posts say to the details.
func (s *describedSource) describe() {
	leads := numbersPool.Get().(*postNumbers) // by post; only those of the posts mean something
	defer numbersPool.Put(leads)
	for _, p := range s.posts {
		leads[p.docNum] = p.lead
	}
	s.with(s.interacted, leads, func(d *leadDetails) { d.interacted = true })
	for i, name := range watchpost.Sentiments() {
		s.with(s.sentiments[i], leads, func(d *leadDetails) { d.count(name, 1) })
	}
	for i, set := range s.watchlists {
		s.with(set, leads, func(d *leadDetails) { d.watchlists.add(i) })
	}
}

// with calls visit with the leads of the posts that are in a set, once for each post.
func (s *describedSource) with(set *roaring.Bitmap, leads *postNumbers, visit func(*leadDetails)) {
	if set == nil {
		return
	}
	// To look a post up costs about as much as to go over that many posts of the set.
	const lookUp = 32
	if set.GetCardinality() > lookUp*uint64(len(s.posts)) {
		for _, p := range s.posts {
			if set.Contains(p.docNum) {
				visit(&s.details[p.lead])
			}
		}
		return
	}
	for some := range inChunks(set) {
		for _, docNum := range some {
			if s.chosen.has(int(docNum)) {
				visit(&s.details[leads[docNum]])
			}
		}
	}
}
