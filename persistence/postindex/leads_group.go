package postindex

import (
	"cmp"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"watchpost/watchpost"
)

// leadSource is what the authors of a source's matches are grouped by.
type leadSource struct {
	key       cacheKey  // of its rows
	kept      []leadRow // nil: they are to be made
	authors   *authorColumn
	posted    values
	relevance values // nil where it is not the order
}

// group fills in rows, in no order.
func (g *leadGroups) group() error {
	sources := make([]leadSource, len(g.sources))
	for i, f := range g.sources {
		var err error
		if sources[i], err = g.leadSourceOf(f); err != nil {
			return err
		}
	}
	rows := make([][]leadRow, len(sources))
	inParallel(len(sources), func(i int) { rows[i] = g.rowsOf(uint32(i), &sources[i]) })
	if g.fault != nil {
		return g.fault
	}
	for i := range sources {
		g.keepRows(&sources[i], rows[i], g.sources[i].count)
	}
	if len(rows) == 1 {
		g.rows = rows[0]
		return nil
	}
	g.join(rows)
	return g.fault
}

// leadSourceOf reads the needed data of a source: a reader of the store is not safe for
// concurrent use.
func (g *leadGroups) leadSourceOf(f *matches) (of leadSource, err error) {
	s := f.reader
	of.key = s.key(cachedLeads, g.name^mix(uint64(cardinality(f.deleted))))
	if v, ok := g.snapshot.index.cache.get(of.key); ok {
		of.kept = v.([]leadRow)
		return of, nil
	}
	if of.authors, err = s.authors(); err != nil {
		return of, err
	}
	if of.posted, err = s.column(columnPosted); err != nil {
		return of, err
	}
	if g.query.By == watchpost.LeadsRelevanceFirst {
		of.relevance, err = s.column(columnRelevance)
	}
	return of, err
}

// rowsOf returns the rows of a source, as the caller's own.
func (g *leadGroups) rowsOf(source uint32, of *leadSource) []leadRow {
	if of.kept == nil {
		return g.groupSource(source, of)
	}
	rows := slices.Clone(of.kept)
	for i := range rows {
		rows[i].source = source
	}
	return rows
}

// keptLeadShare is the most authors a post for which the rows of a source are kept: with
// more, they take much memory and spare little.
const keptLeadShare = 1. / 4

// keepRows keeps the rows of a source until a post of it is deleted or replaced: pages and
// orders of leads are asked for one after the other.
func (g *leadGroups) keepRows(of *leadSource, rows []leadRow, posts int) {
	if float64(len(rows)) <= keptLeadShare*float64(posts) {
		g.snapshot.index.cache.put(of.key, slices.Clone(rows), int(unsafe.Sizeof(leadRow{}))*len(rows))
	}
}

// groupSource returns the rows of the authors of a source's matches, in the order of the
// authors.
func (g *leadGroups) groupSource(source uint32, of *leadSource) []leadRow {
	authors := of.authors
	rows := make([]leadRow, len(authors.terms))
	for i, author := range authors.terms {
		rows[i] = leadRow{author: author, source: source}
		if of.relevance != nil {
			rows[i].best = math.MinInt64
		}
	}
	g.sources[source].eachValue(of.posted, func(docNum int, at int64) {
		row := &rows[authors.places[docNum]]
		if row.posts++; row.posts == 1 || at > row.last {
			row.last, row.docNum = at, uint32(docNum)
		} else if at == row.last {
			g.newer(row, &leadRow{source: source, docNum: uint32(docNum)})
		}
		if of.relevance != nil {
			row.best = max(row.best, of.relevance.at(docNum))
		}
	})
	return slices.DeleteFunc(rows, func(row leadRow) bool { return row.posts == 0 || row.author == 0 })
}

// leadParts is the number of parts in which the rows of sources are joined, by the first
// bits of their authors' terms, which are as good as random. The table of a part fits in
// the cache of a processor.
const (
	leadPartBits = 6
	leadParts    = 1 << leadPartBits
)

// join joins the rows of an author in several sources, each in the order of authors.
func (g *leadGroups) join(rows [][]leadRow) {
	parts := make([][]leadRow, leadParts)
	inParallel(leadParts, func(part int) {
		some := make([][]leadRow, 0, len(rows))
		n := 0
		for _, of := range rows {
			if of = partOf(of, part); len(of) > 0 {
				some, n = append(some, of), n+len(of)
			}
		}
		parts[part] = g.joinPart(some, n)
	})
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	g.rows = make([]leadRow, 0, n)
	for _, part := range parts {
		g.rows = append(g.rows, part...)
	}
}

// partOf returns the rows of a part.
func partOf(rows []leadRow, part int) []leadRow {
	at := func(part int) int {
		if part == leadParts {
			return len(rows)
		}
		first := term(part) << (64 - leadPartBits)
		i, _ := slices.BinarySearchFunc(rows, first, func(row leadRow, t term) int { return cmp.Compare(row.author, t) })
		return i
	}
	return rows[at(part):at(part+1)]
}

// joinPart joins n rows by a table of open addressing.
func (g *leadGroups) joinPart(rows [][]leadRow, n int) []leadRow {
	if len(rows) == 1 {
		return rows[0]
	}
	size := 1 << bits.Len(uint(2*n))
	table := make([]uint32, size) // places in joined, from 1
	joined := make([]leadRow, 0, n)
	for _, of := range rows {
		for i := range of {
			row := &of[i]
			slot := int(row.author>>1) & (size - 1)
			for table[slot] != 0 && joined[table[slot]-1].author != row.author {
				slot = (slot + 1) & (size - 1)
			}
			if place := table[slot]; place != 0 {
				g.merge(&joined[place-1], row)
				continue
			}
			joined = append(joined, *row)
			table[slot] = uint32(len(joined))
		}
	}
	return joined
}

// inParallel calls do for 0 to n-1, on all processors.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}
