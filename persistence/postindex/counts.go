package postindex

import (
	"encoding/binary"
	"hash/maphash"
	"reflect"
	"slices"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// Counts returns for each query how many posts match it, all on one snapshot. The
// counts of a source are remembered until a post of it is deleted or replaced: a page
// of the dashboard asks the same hundreds of queries each time.
func (x *Index) Counts(view persistence.View, space persistence.Space, queries []*watchpost.PostQuery) ([]int, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	plans := make([]*plan, len(queries))
	name := planHash{withoutSets: true}
	name.SetSeed(x.cache.seed)
	for i, q := range queries {
		if plans[i], err = s.plan(q); err != nil {
			return nil, err
		}
		name.plan(plans[i])
	}
	sources, err := s.readers()
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(queries))
	for _, source := range sources {
		in, err := s.countsIn(source, plans, name.Sum64())
		if err != nil {
			return nil, err
		}
		for i, n := range in {
			counts[i] += int(n)
		}
	}
	return counts, nil
}

// countsIn returns the counts of plans in a source; name is that of all plans.
func (s *snapshot) countsIn(source segmentReader, plans []*plan, name uint64) ([]uint32, error) {
	deleted, err := source.deleted()
	if err != nil {
		return nil, err
	}
	if name, err = nameSets(name, source, plans); err != nil {
		return nil, err
	}
	// The number of deleted posts tells one state of a source from another.
	k := source.key(cachedCounts, name^mix(uint64(cardinality(deleted))))
	if v, ok := s.index.cache.get(k); ok {
		return v.([]uint32), nil
	}
	counts := make([]uint32, len(plans))
	for i, p := range plans {
		if p.nothing {
			continue
		}
		f, err := p.in(source)
		if err != nil {
			return nil, err
		}
		counts[i] = uint32(f.count)
	}
	s.index.cache.put(k, counts, 4*len(counts))
	return counts, nil
}

// planHash names plans by all that their matches in a source depend on. Its seed is
// random, so no one can choose two plans of one name.
type planHash struct {
	maphash.Hash
	// withoutSets leaves out sets of posts: nameSets then names the posts that they have in
	// a source, as a set that has changed has mostly the same ones there.
	withoutSets bool
}

func (h *planHash) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	_, _ = h.Write(b[:])
}

func (h *planHash) flag(set bool) {
	n := uint64(0)
	if set {
		n = 1
	}
	h.number(n)
}

func (h *planHash) text(s string) {
	h.number(uint64(len(s)))
	_, _ = h.WriteString(s)
}

// terms adds terms, whose order means nothing.
func (h *planHash) terms(terms []term) {
	h.number(uint64(len(terms)))
	if !slices.IsSorted(terms) {
		terms = slices.Sorted(slices.Values(terms))
	}
	for _, t := range terms {
		h.number(uint64(t))
	}
}

func (h *planHash) plan(p *plan) {
	h.flag(p.nothing)
	h.number(uint64(len(p.conditions)))
	for _, c := range p.conditions {
		h.text(reflect.TypeOf(c).String())
		c.hash(h)
	}
}

func (h *planHash) clause(clause text.SearchClause) {
	h.number(uint64(len(clause)))
	for _, t := range clause {
		h.flag(t.Negative)
		h.flag(t.Exact)
		h.text(t.Substring)
		h.number(uint64(len(t.Words)))
		for _, w := range t.Words {
			h.text(w.Text)
			h.number(uint64(w.Sigil))
		}
	}
}
