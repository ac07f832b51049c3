package postindex

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// Leads returns the page of leads that q asks for and the count of all leads.
// watchpost.LeadQuery.Select defines their meaning.
func (x *Index) Leads(view persistence.View, space persistence.Space, q *watchpost.LeadQuery) (page []watchpost.Lead, count int, err error) {
	g, err := x.leadGroups(view, space, q)
	if err != nil {
		return nil, 0, err
	}
	from, to := q.Bounds(len(g.rows))
	g.rows, count = firstOf(g.rows, to, g.compare), len(g.rows)
	if g.fault != nil {
		return nil, 0, g.fault
	}
	g.rows = g.rows[min(from, len(g.rows)):]
	page, err = g.leads()
	return page, count, err
}

// leadsAtOnce is the number of leads that EachLead describes together.
const leadsAtOnce = 500

// EachLead calls yield for the leads of a query, in the order of a hash of their keys,
// from the one after a given key on ("": the first), until yield returns false. It holds
// a row for each author. The page and order of the query mean nothing.
func (x *Index) EachLead(view persistence.View, space persistence.Space, q *watchpost.LeadQuery, after string, yield func(*watchpost.Lead) bool) error {
	g, err := x.leadGroups(view, space, q)
	if err != nil {
		return err
	}
	rows := g.rows
	slices.SortFunc(rows, func(a, b leadRow) int { return cmp.Compare(a.author, b.author) })
	if last := authorTerm(after); last != 0 {
		rows = slices.DeleteFunc(rows, func(row leadRow) bool { return row.author <= last })
	}
	for g.rows = range slices.Chunk(rows, leadsAtOnce) {
		leads, err := g.leads()
		if err != nil {
			return err
		}
		for i := range leads {
			if !yield(&leads[i]) {
				return nil
			}
		}
	}
	return nil
}

// leadGroups returns the rows of all leads of a query, in no order.
func (x *Index) leadGroups(view persistence.View, space persistence.Space, q *watchpost.LeadQuery) (*leadGroups, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	some, err := s.matching(&q.PostQuery)
	if err != nil {
		return nil, err
	}
	g := &leadGroups{snapshot: s, query: q, sources: some}
	if err := g.group(); err != nil {
		return nil, err
	}
	g.keep()
	return g, g.fault
}

// leadGroups groups the matches of a query by their author.
type leadGroups struct {
	snapshot *snapshot
	query    *watchpost.LeadQuery
	sources  []*matches
	rows     []leadRow
	reading  sync.Mutex // guards fault and reads of ids
	fault    error
}

// leadRow is what the choice and the order of authors need of each. The rest is read for
// those of the page.
type leadRow struct {
	author         term
	last           int64
	best           int64 // relevance, where it is the order; else 0
	posts          uint32
	source, docNum uint32 // the author's newest post
}

// merge adds the posts of another source to a row.
func (g *leadGroups) merge(row, more *leadRow) {
	row.posts += more.posts
	row.best = max(row.best, more.best)
	if more.last > row.last {
		row.last, row.source, row.docNum = more.last, more.source, more.docNum
	} else if more.last == row.last {
		g.newer(row, more)
	}
}

// newer lets the newest post of a row be that of another row if its id is smaller: both
// were published at the same moment.
func (g *leadGroups) newer(row, other *leadRow) {
	if g.compareIDs(other, row) < 0 {
		row.source, row.docNum = other.source, other.docNum
	}
}

func (g *leadGroups) compareIDs(a, b *leadRow) int {
	g.reading.Lock() // a reader of the store is not for several goroutines
	defer g.reading.Unlock()
	c, err := compareIDs(g.sources[a.source].reader, int(a.docNum), g.sources[b.source].reader, int(b.docNum))
	if err != nil {
		g.fault = err
	}
	return c
}

// keep drops the rows that the query does not ask for.
func (g *leadGroups) keep() {
	if g.query.OnlyContacted == nil && g.query.MinPosts <= 1 {
		return
	}
	contacted := map[term]bool{}
	for key, was := range g.query.Contacted {
		contacted[authorTerm(key)] = was
	}
	g.rows = slices.DeleteFunc(g.rows, func(row leadRow) bool { return !g.query.Keeps(int(row.posts), contacted[row.author]) })
}

// compare is watchpost.LeadOrder.Compare.
func (g *leadGroups) compare(a, b leadRow) int {
	c := 0
	switch g.query.By {
	case watchpost.LeadsMostPosts:
		c = cmp.Compare(b.posts, a.posts)
	case watchpost.LeadsRelevanceFirst:
		c = cmp.Compare(b.best, a.best)
	}
	if c == 0 {
		c = cmp.Compare(b.last, a.last)
	}
	if c == 0 {
		c = g.compareIDs(&a, &b)
	}
	return c
}

// firstOf returns the first n of a list in an order, sorted. It overwrites the list.
func firstOf[T any](all []T, n int, compare func(a, b T) int) []T {
	if n <= 0 {
		return nil
	}
	if n < len(all)/4 {
		kept, full := make([]T, 0, 2*n), false // full: the first n are sorted
		for _, v := range all {
			if full && compare(v, kept[n-1]) >= 0 {
				continue
			}
			if kept = append(kept, v); len(kept) == cap(kept) {
				slices.SortFunc(kept, compare)
				kept, full = kept[:n], true
			}
		}
		all = kept
	}
	slices.SortFunc(all, compare)
	return all[:min(n, len(all))]
}

// leads reads what the columns do not say of the rows of the page.
func (g *leadGroups) leads() ([]watchpost.Lead, error) {
	known, err := g.snapshot.knownWatchlists()
	if err != nil {
		return nil, err
	}
	page, details := make([]watchpost.Lead, len(g.rows)), make([]leadDetails, len(g.rows))
	for i := range page {
		row := &g.rows[i]
		newest, err := g.post(g.sources[row.source].reader, row.docNum)
		if err != nil {
			return nil, err
		}
		page[i].Describe(newest)
		page[i].Posts = int(row.posts)
		details[i] = leadDetails{first: math.MaxInt64, best: math.MinInt64, sentiments: map[string]int{}, watchlists: make(bitset, (len(known.ids)+63)/64)}
	}
	for _, f := range g.sources {
		if err := g.describe(f, known, page, details); err != nil {
			return nil, err
		}
	}
	for i := range page {
		lead, d := &page[i], &details[i]
		lead.FirstAt, lead.BestRelevance, lead.Sentiment = time.Unix(0, d.first).UTC(), unsortable(d.best), watchpost.LeadSentiment(d.sentiments)
		for place := range d.watchlists.all() {
			lead.Watchlists = append(lead.Watchlists, known.ids[place])
		}
		slices.Sort(lead.Watchlists)
	}
	return page, nil
}

// leadDetails is what the posts of a lead say together.
type leadDetails struct {
	first, best int64 // moment of the first post, best relevance
	sentiments  map[string]int
	watchlists  bitset // places of known watchlists
}

// post reads a post of a source.
func (g *leadGroups) post(s segmentReader, docNum uint32) (*watchpost.Post, error) {
	versions, err := s.column(columnVersion)
	if err != nil {
		return nil, err
	}
	stored, err := g.snapshot.stored(uint64(versions.at(int(docNum))))
	if err != nil {
		return nil, err
	}
	return stored.Post()
}

// describe adds what the posts of a source say to the leads.
func (g *leadGroups) describe(f *matches, known *taggedWatchlists, page []watchpost.Lead, details []leadDetails) error {
	posts := &leadPosts{reader: f.reader, leads: numbersPool.Get().(*postNumbers)}
	defer numbersPool.Put(posts.leads)
	if err := g.postsOf(f, posts, details); err != nil || len(posts.docNums) == 0 {
		return err
	}
	if err := posts.with(termOf(termInteracted, ""), func(lead uint16) { page[lead].Interacted = true }); err != nil {
		return err
	}
	for _, name := range watchpost.Sentiments() {
		if err := posts.with(termOf(termSentiment, name), func(lead uint16) { details[lead].sentiments[name]++ }); err != nil {
			return err
		}
	}
	if err := g.describeEarlier(posts, func(lead uint16, name string) { details[lead].sentiments[name]++ }); err != nil {
		return err
	}
	for i, id := range known.ids {
		if tagging := g.query.Tagging; tagging != nil && !tagging.Live[id] {
			continue
		}
		if err := posts.with(known.terms[i], func(lead uint16) { details[lead].watchlists.add(i) }); err != nil {
			return err
		}
	}
	return nil
}

// leadPosts are the posts of the leads of a page in one source.
type leadPosts struct {
	reader  segmentReader
	docNums []uint32
	chosen  bitset       // the docNums
	leads   *postNumbers // the place of each one's lead; nothing else in it means something
}

// with calls visit with the leads of the posts that have a term, once for each post.
func (p *leadPosts) with(t term, visit func(lead uint16)) error {
	set, err := p.reader.postings(t)
	if err != nil || set == nil {
		return err
	}
	// To look a post up costs about as much as to go over that many posts of the term.
	const lookUp = 32
	if set.GetCardinality() > lookUp*uint64(len(p.docNums)) {
		for _, docNum := range p.docNums {
			if set.Contains(docNum) {
				visit(p.leads[docNum])
			}
		}
		return nil
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
			return nil
		}
	}
}

// postsOf finds the matches of a source that are of the leads, and adds what the columns
// say of them to the details.
func (g *leadGroups) postsOf(f *matches, posts *leadPosts, details []leadDetails) error {
	posted, err := f.reader.column(columnPosted)
	if err != nil {
		return err
	}
	relevance, err := f.reader.column(columnRelevance)
	if err != nil {
		return err
	}
	memory := bitsetPool.Get().(*bitsetMemory)
	defer bitsetPool.Put(memory)
	among := f.bitset(memory)
	posts.chosen = make(bitset, len(among))
	for i := range g.rows {
		set, err := f.reader.postings(g.rows[i].author)
		if err != nil {
			return err
		}
		if set == nil {
			continue
		}
		d := &details[i]
		set.Iterate(func(docNum uint32) bool {
			if among.has(int(docNum)) {
				posts.docNums = append(posts.docNums, docNum)
				posts.chosen.add(int(docNum))
				posts.leads[docNum] = uint16(i)
				d.first, d.best = min(d.first, posted.at(int(docNum))), max(d.best, relevance.at(int(docNum)))
			}
			return true
		})
	}
	return nil
}

// describeEarlier calls visit with the sentiments of posts of the layout before, which
// lack the terms.
func (g *leadGroups) describeEarlier(posts *leadPosts, visit func(lead uint16, sentiment string)) error {
	current, err := posts.reader.postings(currentTerm)
	if err != nil || current != nil && int(current.GetCardinality()) == posts.reader.posts() {
		return err
	}
	for _, docNum := range posts.docNums {
		if current != nil && current.Contains(docNum) {
			continue
		}
		post, err := g.post(posts.reader, docNum)
		if err != nil {
			return err
		}
		visit(posts.leads[docNum], text.NormalizeName(post.Sentiment))
	}
	return nil
}
