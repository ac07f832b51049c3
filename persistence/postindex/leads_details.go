package postindex

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/internal/text"
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
func (g *leadGroups) details(known *taggedWatchlists) ([]leadDetails, error) {
	sources := make([]*describedSource, len(g.sources))
	for i, f := range g.sources {
		var err error
		if sources[i], err = g.readTerms(f, known); err != nil {
			return nil, err
		}
	}
	parts := make([][]leadDetails, len(sources))
	inParallel(len(sources), func(i int) {
		parts[i] = newLeadDetails(len(g.rows), len(known.ids))
		g.describe(sources[i], parts[i])
	})
	all := newLeadDetails(len(g.rows), len(known.ids))
	for _, part := range parts {
		for i := range part {
			all[i].add(&part[i])
		}
	}
	return all, g.fault
}

// describedSource is what is read of a source to describe leads: readers of the store are
// not for several goroutines. A set is nil when no post has the term.
type describedSource struct {
	*matches
	posted, relevance   values
	authors             []*roaring.Bitmap // of the rows
	watchlists          []*roaring.Bitmap // the known ones, nil also for one that is not asked for
	sentiments          []*roaring.Bitmap // as watchpost.Sentiments
	interacted, current *roaring.Bitmap
}

func (g *leadGroups) readTerms(f *matches, known *taggedWatchlists) (*describedSource, error) {
	var fault error
	set := func(t term) (set *roaring.Bitmap) {
		if fault == nil {
			set, fault = f.reader.postings(t)
		}
		return set
	}
	s := &describedSource{matches: f, interacted: set(termOf(termInteracted, "")), current: set(currentTerm)}
	for i := range g.rows {
		s.authors = append(s.authors, set(g.rows[i].author))
	}
	for _, name := range watchpost.Sentiments() {
		s.sentiments = append(s.sentiments, set(termOf(termSentiment, name)))
	}
	s.watchlists = make([]*roaring.Bitmap, len(known.ids))
	for i, id := range known.ids {
		if tagging := g.query.Tagging; tagging == nil || tagging.Live[id] {
			s.watchlists[i] = set(known.terms[i])
		}
	}
	if fault == nil {
		s.posted, fault = f.reader.column(columnPosted)
	}
	if fault == nil {
		s.relevance, fault = f.reader.column(columnRelevance)
	}
	return s, fault
}

// describe adds what the posts of a source say to the details.
func (g *leadGroups) describe(s *describedSource, details []leadDetails) {
	posts := s.ofLeads(numbersPool.Get().(*postNumbers), details)
	defer numbersPool.Put(posts.leads)
	if len(posts.docNums) == 0 {
		return
	}
	posts.with(s.interacted, func(lead uint16) { details[lead].interacted = true })
	for i, name := range watchpost.Sentiments() {
		posts.with(s.sentiments[i], func(lead uint16) { details[lead].count(name, 1) })
	}
	for i, set := range s.watchlists {
		posts.with(set, func(lead uint16) { details[lead].watchlists.add(i) })
	}
	g.describeEarlier(s, posts, details)
}

// leadPosts are the posts of the leads of a page in one source.
type leadPosts struct {
	docNums []uint32
	chosen  bitset       // the docNums
	leads   *postNumbers // the place of each one's lead; nothing else in it means something
}

// ofLeads finds the matches that are of the leads, and adds what the columns say of them to
// the details.
func (s *describedSource) ofLeads(memory *postNumbers, details []leadDetails) *leadPosts {
	members := bitsetPool.Get().(*bitsetMemory)
	defer bitsetPool.Put(members)
	among := s.bitset(members)
	posts := &leadPosts{leads: memory, chosen: make(bitset, len(among))}
	for i, set := range s.authors {
		if set == nil {
			continue
		}
		d := &details[i]
		set.Iterate(func(docNum uint32) bool {
			if among.has(int(docNum)) {
				posts.docNums = append(posts.docNums, docNum)
				posts.chosen.add(int(docNum))
				posts.leads[docNum] = uint16(i)
				d.first, d.best = min(d.first, s.posted.at(int(docNum))), max(d.best, s.relevance.at(int(docNum)))
			}
			return true
		})
	}
	return posts
}

// with calls visit with the leads of the posts that are in a set, once for each post.
func (p *leadPosts) with(set *roaring.Bitmap, visit func(lead uint16)) {
	if set == nil {
		return
	}
	// To look a post up costs about as much as to go over that many posts of the set.
	const lookUp = 32
	if set.GetCardinality() > lookUp*uint64(len(p.docNums)) {
		for _, docNum := range p.docNums {
			if set.Contains(docNum) {
				visit(p.leads[docNum])
			}
		}
		return
	}
	var some [256]uint32
	for it := set.ManyIterator(); ; {
		n := it.NextMany(some[:])
		for _, docNum := range some[:n] {
			if p.chosen.has(int(docNum)) {
				visit(p.leads[docNum])
			}
		}
		if n < len(some) {
			return
		}
	}
}

// describeEarlier counts the sentiments of posts of the layout before, which lack the terms.
func (g *leadGroups) describeEarlier(s *describedSource, posts *leadPosts, details []leadDetails) {
	if s.current != nil && int(s.current.GetCardinality()) == s.reader.posts() {
		return
	}
	g.reading.Lock()
	defer g.reading.Unlock()
	for _, docNum := range posts.docNums {
		if s.current != nil && s.current.Contains(docNum) {
			continue
		}
		post, err := g.post(s.reader, docNum)
		if err != nil {
			g.fault = err
			return
		}
		details[posts.leads[docNum]].count(text.NormalizeName(post.Sentiment), 1)
	}
}
