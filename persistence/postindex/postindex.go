// Package postindex stores the posts of a team and answers queries over them,
// on nothing but the Store contract. A post and all that finds it are written
// in one batch; a query reads one snapshot and may run beside writes.
//
// This engine keeps the posts themselves and a key from the network's name of
// a post to its id, and answers a query by reading every post. What a query
// means is fixed by watchpost.PostQuery.
package postindex

import (
	"encoding/json"
	"fmt"

	"watchpost"
	"watchpost/persistence"
)

// Keys in a team's space:
//
//	p <post id>   the post
//	u <urn>       the id of the post with that urn
const (
	keyPost = "p"
	keyURN  = "u"
)

// What one Put may add to a batch at most.
const (
	// MaxPost bounds the bytes of one stored post.
	MaxPost = 256 << 10
	// MaxOps bounds the operations.
	MaxOps = 4
)

// recordVersion is the first byte of a stored post.
const recordVersion = 1

// Put writes a post, in place of old (nil: there is none).
func Put(batch *persistence.Batch, old, p *watchpost.Post) error {
	value, err := encode(p)
	if err != nil {
		return err
	}
	batch.Put(postKey(p.ID), value)
	if old == nil {
		batch.Put(urnKey(p.URN), []byte(p.ID))
	}
	return nil
}

// Delete removes a post.
func Delete(batch *persistence.Batch, p *watchpost.Post) {
	batch.Delete(postKey(p.ID))
	batch.Delete(urnKey(p.URN))
}

// ByURN returns the post with that urn, or persistence.ErrNotFound.
func ByURN(view persistence.View, space persistence.Space, urn string) (*watchpost.Post, error) {
	id, err := view.Get(space, urnKey(urn))
	if err != nil {
		return nil, err
	}
	return Get(view, space, watchpost.PostID(id))
}

// Get returns the post with that id, or persistence.ErrNotFound.
func Get(view persistence.View, space persistence.Space, id watchpost.PostID) (*watchpost.Post, error) {
	value, err := view.Get(space, postKey(id))
	if err != nil {
		return nil, err
	}
	return decode(value)
}

// Each calls yield for the posts after a key in the order of their ids, until
// yield returns false. It returns the key of the last post that it showed, for
// going on from there, or nil when there were no more.
func Each(view persistence.View, space persistence.Space, after []byte, yield func(*watchpost.Post) bool) (last []byte, err error) {
	from := []byte(keyPost)
	if after != nil {
		from = append(append([]byte(nil), after...), 0)
	}
	var failure error
	err = view.Scan(space, from, persistence.PrefixEnd([]byte(keyPost)), func(k, v []byte) bool {
		p, err := decode(v)
		if err != nil {
			failure = err
			return false
		}
		if !yield(p) {
			last = append([]byte(nil), k...)
			return false
		}
		return true
	})
	if err == nil {
		err = failure
	}
	return last, err
}

// Query returns the page that q asks for and the count of all posts that match.
func Query(view persistence.View, space persistence.Space, q *watchpost.PostQuery) (page []*watchpost.Post, count int, err error) {
	var all []*watchpost.Post
	if _, err := Each(view, space, nil, func(p *watchpost.Post) bool {
		if q.Matches(p) {
			all = append(all, p)
		}
		return true
	}); err != nil {
		return nil, 0, err
	}
	page, count = q.Select(all)
	return page, count, nil
}

func postKey(id watchpost.PostID) []byte { return append([]byte(keyPost), id...) }

func urnKey(urn string) []byte { return append([]byte(keyURN), urn...) }

func encode(p *watchpost.Post) ([]byte, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode post %s: %w", p.ID, err)
	}
	return append([]byte{recordVersion}, b...), nil
}

func decode(value []byte) (*watchpost.Post, error) {
	if len(value) == 0 || value[0] != recordVersion {
		return nil, fmt.Errorf("stored post: unknown version")
	}
	p := &watchpost.Post{}
	if err := json.Unmarshal(value[1:], p); err != nil {
		return nil, fmt.Errorf("stored post: %w", err)
	}
	return p, nil
}
