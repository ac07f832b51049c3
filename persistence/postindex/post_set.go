package postindex

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"math"
	"sort"

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

// found is the posts of a source that are in a set; whole: all are.
type found struct {
	posts *roaring.Bitmap
	whole bool
}

func (c *inPostSet) hash(h *planHash) { h.number(c.set.Name()) }

func (c *inPostSet) in(s segmentReader) ([]*roaring.Bitmap, bool, error) {
	k := s.key(cachedSet, c.set.Name())
	v, known := c.cache.get(k)
	if !known {
		f, err := c.find(s)
		if err != nil {
			return nil, false, err
		}
		v = f
		c.cache.put(k, v, 50+bitmapSize(f.posts))
	}
	f := v.(found)
	if f.whole || f.posts.IsEmpty() {
		return nil, f.whole, nil
	}
	return []*roaring.Bitmap{f.posts}, false, nil
}

func (c *inPostSet) find(s segmentReader) (f found, err error) {
	if !c.set.OnlyWith {
		f.posts, f.whole, err = within(s, orderCreated, columnCreated, bound(c.set.From, math.MinInt64), bound(c.set.To, math.MaxInt64))
		if err != nil {
			return f, err
		}
	}
	switch {
	case f.whole && len(c.set.Without) == 0:
		return f, nil
	case f.whole:
		f.posts = everything(s)
	case f.posts == nil:
		f.posts = roaring.New()
	}
	without, err := docNumsOf(s, c.set.Without)
	if err != nil {
		return f, err
	}
	with, err := docNumsOf(s, c.set.With)
	f.posts.AndNot(without)
	f.posts.Or(with)
	f.whole = false
	return f, err
}

// docNumsOf returns the versions that a source has of posts. It searches for each in the
// order in which they were stored.
func docNumsOf(s segmentReader, posts []watchpost.MarkedPost) (*roaring.Bitmap, error) {
	all := roaring.New()
	if len(posts) == 0 {
		return all, nil
	}
	created, err := s.column(columnCreated)
	if err != nil {
		return nil, err
	}
	sorted, err := s.order(orderCreated)
	if err != nil {
		return nil, err
	}
	span := s.minMax(columnCreated)
	for _, p := range posts {
		id, ok := parseID(p.ID)
		at := bound(p.StoredAt, math.MinInt64)
		if !ok || at < span.least || at > span.greatest {
			continue
		}
		var fault error
		compare := func(place int) int { // of the post at a place with p
			docNum := docNumAt(sorted, place)
			if c := cmp.Compare(at, created.at(docNum)); c != 0 {
				return c
			}
			other, err := s.id(docNum)
			fault = cmp.Or(fault, err)
			return bytes.Compare(other[:], id[:])
		}
		place := sort.Search(s.posts(), func(place int) bool { return compare(place) >= 0 })
		for ; place < s.posts() && compare(place) == 0; place++ {
			all.Add(uint32(docNumAt(sorted, place)))
		}
		if fault != nil {
			return nil, fault
		}
	}
	return all, nil
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
