package postindex

import (
	"cmp"
	"slices"
	"sync"
	"time"

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
	p, err := s.plan(&q.PostQuery)
	if err != nil {
		return nil, err
	}
	some, err := p.matching()
	if err != nil {
		return nil, err
	}
	name := planHash{}
	name.SetSeed(x.cache.seed)
	name.plan(p)
	name.flag(q.By == watchpost.LeadsRelevanceFirst)
	g := &leadGroups{snapshot: s, query: q, name: name.Sum64(), sources: some}
	if err := g.group(); err != nil {
		return nil, err
	}
	if err := g.keepNew(view, space); err != nil {
		return nil, err
	}
	g.keep()
	if err := g.keepDescribed(); err != nil {
		return nil, err
	}
	return g, g.fault
}

// leadGroups groups the matches of a query by their author.
type leadGroups struct {
	snapshot *snapshot
	query    *watchpost.LeadQuery
	name     uint64 // of all that the rows of a source depend on
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

// keepNew drops the authors of older posts.
func (g *leadGroups) keepNew(view persistence.View, space persistence.Space) error {
	if g.query.NewSince.IsZero() {
		return nil
	}
	older, err := g.snapshot.index.leadGroups(view, space, &watchpost.LeadQuery{PostQuery: g.query.Older()})
	if err != nil {
		return err
	}
	known := make(map[term]bool, len(older.rows))
	for _, row := range older.rows {
		known[row.author] = true
	}
	g.rows = slices.DeleteFunc(g.rows, func(row leadRow) bool { return known[row.author] })
	return nil
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

// keepDescribed drops the authors without the words or not of the kind that the query asks
// for. The index does not have these, so it reads the newest post of each author that is left.
func (g *leadGroups) keepDescribed() error {
	if g.query.Words == "" && g.query.Kind == "" {
		return nil
	}
	kept := g.rows[:0]
	for rows := range slices.Chunk(g.rows, leadsAtOnce) {
		versions := make([]uint64, len(rows))
		for i, row := range rows {
			column, err := g.sources[row.source].reader.column(columnVersion)
			if err != nil {
				return err
			}
			versions[i] = uint64(column.at(int(row.docNum)))
		}
		posts, err := g.snapshot.storedAll(versions)
		if err != nil {
			return err
		}
		for i, row := range rows {
			newest, err := posts[i].Post()
			if err != nil {
				return err
			}
			if g.query.Describes(newest) {
				kept = append(kept, row)
			}
		}
	}
	g.rows = kept
	return nil
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
	all, err := g.details(known)
	if err != nil {
		return nil, err
	}
	page := make([]watchpost.Lead, len(g.rows))
	for i := range page {
		row, lead, d := &g.rows[i], &page[i], &all[i]
		newest, err := g.post(g.sources[row.source].reader, row.docNum)
		if err != nil {
			return nil, err
		}
		lead.Describe(newest)
		lead.Posts, lead.Interacted = int(row.posts), d.interacted
		lead.FirstAt, lead.BestRelevance, lead.Sentiment = time.Unix(0, d.first).UTC(), unsortable(d.best), watchpost.LeadSentiment(d.sentiments)
		for place := range d.watchlists.all() {
			lead.Watchlists = append(lead.Watchlists, known[place].id)
		}
		slices.Sort(lead.Watchlists)
	}
	return page, nil
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
