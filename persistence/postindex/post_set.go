package postindex

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// addOnly asks for the posts of a set, if the query is about one.
func (p *plan) addOnly() error {
	if set := p.query.Only; set != nil {
		p.conditions = append(p.conditions, &inPostSet{p.snapshot.index.cache, set})
	}
	return nil
}

// inPostSet holds for the posts of a set. The condition is the same for hundreds of queries
// of a page, so its posts in a source are remembered.
type inPostSet struct {
	cache *cache
	set   *watchpost.PostSet
}

// found is the posts of a source that are in a set; whole: all are. Its name tells it from
// those of other sets in the source.
type found struct {
	posts *roaring.Bitmap
	whole bool
	name  uint64
}

func (c *inPostSet) hash(h *planHash) {
	if !h.withoutSets {
		h.number(c.set.Name())
	}
}

func (c *inPostSet) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	f, err := c.remembered(s)
	if err != nil || f.whole || f.posts.IsEmpty() {
		return nil, f.whole, err
	}
	return []*roaring.Bitmap{f.posts}, false, nil
}

func (c *inPostSet) remembered(s segmentReader) (f found, err error) {
	k := s.key(cachedSet, c.set.Name())
	if v, known := c.cache.get(k); known {
		return v.(found), nil
	}
	if f, err = c.find(s); err != nil {
		return f, err
	}
	h := planHash{}
	h.SetSeed(c.cache.seed)
	h.flag(f.whole)
	if f.posts != nil {
		for docNums := range inChunks(f.posts) {
			for _, docNum := range docNums {
				h.number(uint64(docNum))
			}
		}
	}
	f.name = h.Sum64()
	c.cache.put(k, f, 50+bitmapSize(f.posts))
	return f, nil
}

// nameSets adds to a name without sets the posts that those of plans have in a source.
// Plans mostly have the same few sets.
func nameSets(name uint64, s segmentReader, plans []*plan) (uint64, error) {
	var last *watchpost.PostSet
	var f found
	for i, p := range plans {
		set := p.query.Only
		if set == nil {
			continue
		}
		if set != last {
			var err error
			if f, err = (&inPostSet{p.snapshot.index.cache, set}).remembered(s); err != nil {
				return 0, err
			}
			last = set
		}
		name = mix(name ^ f.name ^ mix(uint64(i)))
	}
	return name, nil
}

func (c *inPostSet) find(s segmentReader) (f found, err error) {
	if !c.set.OnlyWith {
		f.posts, f.whole, err = within(s, orderCreated, columnCreated, bound(c.set.From, math.MinInt64), bound(c.set.To, math.MaxInt64))
		if err != nil {
			return f, err
		}
	}
	with, err := c.docNumsOf(s, c.set.With)
	if err != nil {
		return f, err
	}
	var without []uint16
	for _, list := range c.set.Without {
		some, err := c.docNumsOf(s, list)
		if err != nil {
			return f, err
		}
		without = append(without, some...)
	}
	if f.whole && len(without) == 0 {
		return f, nil
	}
	var posts bitset
	w := bitsetPool.Get().(*bitsetMemory)
	defer bitsetPool.Put(w)
	switch posts = w.empty(s.posts()); {
	case f.whole:
		posts.addAll(s.posts())
	case f.posts != nil:
		posts.fill([]*roaring.Bitmap{f.posts})
	}
	for _, docNum := range without {
		posts[docNum/64] &^= 1 << (docNum % 64)
	}
	for _, docNum := range with {
		posts.add(int(docNum))
	}
	f.posts, f.whole = roaring.New(), false
	f.posts.FromDense(posts, true)
	return f, nil
}

// docNumsOf returns the versions that a source has of the posts of a list. Sets have lists
// in common, so they are remembered.
func (c *inPostSet) docNumsOf(s segmentReader, list watchpost.PostList) ([]uint16, error) {
	if len(list.Posts) == 0 {
		return nil, nil
	}
	k := s.key(cachedList, list.Name())
	if v, known := c.cache.get(k); known {
		return v.([]uint16), nil
	}
	span := s.minMax(columnCreated)
	first, last := time.Unix(0, span.least), time.Unix(0, span.greatest)
	var posts []watchpost.MarkedPost
	for _, p := range list.Posts {
		if !p.StoredAt.Before(first) && !p.StoredAt.After(last) {
			posts = append(posts, p)
		}
	}
	find := search
	if s.posts() < len(posts) {
		find = among
	}
	all, err := find(s, posts)
	if err == nil {
		c.cache.put(k, all, 50+2*len(all))
	}
	return all, err
}

// search looks for each of the posts in the order in which those of a source were stored.
func search(s segmentReader, posts []watchpost.MarkedPost) (all []uint16, err error) {
	if len(posts) == 0 {
		return nil, nil
	}
	created, err := s.column(columnCreated)
	if err != nil {
		return nil, err
	}
	sorted, err := s.order(orderCreated)
	if err != nil {
		return nil, err
	}
	ids := idReader{of: s}
	for _, p := range posts {
		id, ok := parseID(p.ID)
		if !ok {
			continue
		}
		at := bound(p.StoredAt, math.MinInt64)
		compare := func(place int) int { // of the post at a place with p
			docNum := docNumAt(sorted, place)
			if c := cmp.Compare(at, created.at(docNum)); c != 0 {
				return c
			}
			return bytes.Compare(ids.at(docNum), id[:])
		}
		place := sort.Search(s.posts(), func(place int) bool { return compare(place) >= 0 })
		for ; place < s.posts() && compare(place) == 0; place++ {
			all = append(all, uint16(docNumAt(sorted, place)))
		}
	}
	return all, ids.fault
}

// among looks for each post of a source among the posts.
func among(s segmentReader, posts []watchpost.MarkedPost) (all []uint16, err error) {
	byID := func(p watchpost.MarkedPost, id watchpost.PostID) int { return cmp.Compare(p.ID, id) }
	for docNum := range s.posts() {
		id, err := s.id(docNum)
		if err != nil {
			return nil, err
		}
		if _, found := slices.BinarySearchFunc(posts, textOf(id), byID); found {
			all = append(all, uint16(docNum))
		}
	}
	return all, nil
}

// idReader reads ids of a source again and again: it looks up each chunk of a segment once.
type idReader struct {
	of     segmentReader
	chunks [maxSegment / idChunk][]byte
	fault  error
}

// at returns the id of a post; of none after a fault.
func (r *idReader) at(docNum int) []byte {
	flushed, is := r.of.(*segment)
	if !is {
		id, err := r.of.id(docNum)
		r.fault = cmp.Or(r.fault, err)
		return id[:]
	}
	chunk, first := docNum/idChunk, docNum%idChunk*len(uuid{})
	if r.chunks[chunk] == nil {
		ids, err := flushed.idsOf(chunk)
		if r.fault = cmp.Or(r.fault, err); err != nil {
			return nil
		}
		r.chunks[chunk] = ids
	}
	return r.chunks[chunk][first : first+len(uuid{})]
}

// DeletedIn returns the posts that a batch of a Writer deletes.
func DeletedIn(batch *persistence.Batch) (ids []watchpost.PostID) {
	for _, w := range batch.Writes {
		if w.Delete && bytes.HasPrefix(w.Key, []byte(keyID)) && len(w.Key) == len(keyID)+len(uuid{}) {
			ids = append(ids, textOf(uuid(w.Key[len(keyID):])))
		}
	}
	return ids
}

// textOf returns the canonical form of an id.
func textOf(id uuid) watchpost.PostID {
	h := hex.EncodeToString(id[:])
	return watchpost.PostID(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
}
