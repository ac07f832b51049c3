// Package postindex stores the posts of a team and answers queries over them,
// on nothing but the Store contract. What a query means is fixed by
// watchpost.PostQuery; this package finds the same posts, in the same order, by
// an index.
//
// # How it is built
//
// Every write of a post makes a new version of it. The newest versions of a
// team, its tail, are kept as entries: the values that posts are sorted by, and
// the terms that they are found by. A query looks through the entries of the
// tail one by one; a small team has nothing else. When the tail is long enough
// it is sealed into a segment: for each term the set of posts that have it, for
// each value a column, for each order the posts sorted. Small segments are
// folded into larger ones, up to 65,536 posts, and what is dead is left out.
// A segment never changes; which of its posts are dead is kept beside it.
//
// The manifest names the tail and the segments. It is written in the batch of
// the posts themselves: a snapshot of the store shows one state of both, a
// crash loses both or none, and queries run beside writes. Sealing and folding
// write a segment in several batches, of which the last puts it into the
// manifest; what a crash leaves of one is deleted.
//
// # Memory
//
// What queries read is remembered for all teams in one cache of bounded size.
// As nothing that a manifest names ever changes, nothing in it grows stale.
package postindex

import (
	"bytes"
	"context"
	"errors"
	"unique"

	"watchpost"
	"watchpost/persistence"
)

// Options says how an index is built. The zero value is the right one but for
// tests.
type Options struct {
	// CacheBytes bounds the memory for what was read; 0 is DefaultCache.
	CacheBytes int
	// TailPosts is the length from which the tail is sealed, MaxTail the length
	// at which a Writer refuses posts until that was done; 0 is 8 times
	// TailPosts. SegmentPosts is the most posts of a segment, Fan how many
	// segments are folded into one of the next level.
	TailPosts, MaxTail, SegmentPosts, Fan int
	// PostTerms is the number of terms above which a post's text is not
	// indexed, BlockBytes the size that blocks of terms are meant to have,
	// InlineBytes the longest list of posts in a block, StepBytes what a step
	// of a fold writes, about.
	PostTerms, BlockBytes, InlineBytes, StepBytes int
}

// DefaultCache is the size of the cache unless Options say otherwise.
const DefaultCache = 128 << 20

// tailLevels is the quotient of MaxTail and TailPosts unless Options say
// otherwise.
const tailLevels = 8

// maxSegment is the most posts of a segment, as ordinals have two bytes.
const maxSegment = 1 << 16

func (o Options) withDefaults() Options {
	if o.CacheBytes <= 0 {
		o.CacheBytes = DefaultCache
	}
	if o.TailPosts <= 0 {
		o.TailPosts = 512
	}
	if o.MaxTail < o.TailPosts {
		o.MaxTail = tailLevels * o.TailPosts
	}
	if o.SegmentPosts <= 0 || o.SegmentPosts > maxSegment {
		o.SegmentPosts = maxSegment
	}
	if o.Fan < 2 {
		o.Fan = 8
	}
	if o.PostTerms <= 0 || o.PostTerms > maxTerms {
		o.PostTerms = maxTerms
	}
	if o.BlockBytes <= 0 {
		o.BlockBytes = 6 << 10
	}
	if o.InlineBytes <= 0 || o.InlineBytes > maxInline {
		o.InlineBytes = maxInline
	}
	if o.StepBytes <= 0 {
		o.StepBytes = 256 << 10
	}
	return o
}

// Index reads and writes the posts of all teams. Its methods may be called from
// several goroutines; of one team only one may write.
type Index struct {
	options Options
	cache   *cache
}

// New returns an index. Indexes with other Options read the same stores.
func New(o Options) *Index {
	o = o.withDefaults()
	return &Index{options: o, cache: newCache(o.CacheBytes)}
}

// CacheBytes returns the size of what is remembered.
func (x *Index) CacheBytes() int { return x.cache.used() }

// snapshot is for reading: its manifest is shared.
func (x *Index) snapshot(view persistence.View, space persistence.Space) (*snapshot, error) {
	m, err := x.heldManifest(view, space)
	if err != nil {
		return nil, manifestFault(space, err)
	}
	return x.showing(view, space, m), nil
}

// draft is a snapshot whose manifest the caller may change.
func (x *Index) draft(view persistence.View, space persistence.Space) (*snapshot, error) {
	m, err := readManifest(view, space)
	if err != nil {
		return nil, manifestFault(space, err)
	}
	return x.showing(view, space, m), nil
}

func (x *Index) showing(view persistence.View, space persistence.Space, m *manifest) *snapshot {
	return &snapshot{index: x, view: view, space: space, name: unique.Make(space), manifest: m}
}

// ByURN returns the post with that urn, or persistence.ErrNotFound.
func ByURN(view persistence.View, space persistence.Space, urn string) (*watchpost.Post, error) {
	if len(urn) > maxURN {
		return nil, persistence.ErrNotFound
	}
	return byVersionAt(view, space, urnKey(urn))
}

// Get returns the post with that id, or persistence.ErrNotFound.
func Get(view persistence.View, space persistence.Space, id watchpost.PostID) (*watchpost.Post, error) {
	u, ok := parseID(id)
	if !ok {
		return nil, persistence.ErrNotFound
	}
	return byVersionAt(view, space, idKey(u))
}

// byVersionAt returns the post whose version stands at a key.
func byVersionAt(view persistence.View, space persistence.Space, key []byte) (*watchpost.Post, error) {
	s, err := storedAt(view, space, key)
	if err != nil {
		return nil, err
	}
	return s.Post()
}

func storedAt(view persistence.View, space persistence.Space, key []byte) (*Stored, error) {
	version, err := readVersion(view, space, key)
	if err != nil {
		return nil, err
	}
	value, err := view.Get(space, versionKey(keyRecord, version))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, recordFault(space, version, errDamaged)
	}
	if err != nil {
		return nil, err
	}
	return readStored(value)
}

// readVersion returns the version that stands at a key.
func readVersion(view persistence.View, space persistence.Space, key []byte) (uint64, error) {
	value, err := view.Get(space, key)
	if err != nil {
		return 0, err
	}
	r := &reader{b: value}
	version := r.uint()
	return version, r.end()
}

// Buffered returns the number of versions in the tail of a team, dead ones
// included.
func (x *Index) Buffered(view persistence.View, space persistence.Space) (int, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return 0, err
	}
	return s.tailLength(), nil
}

// MaxTail is the number of buffered versions at which a Writer refuses posts
// until some of them are sealed.
func (x *Index) MaxTail() int { return x.options.MaxTail }

// TailPosts is the number of buffered versions from which the tail is sealed.
func (x *Index) TailPosts() int { return x.options.TailPosts }

// Count returns the number of a team's posts.
func (x *Index) Count(ctx context.Context, store persistence.Store, space persistence.Space) (int, error) {
	view, err := store.View(ctx)
	if err != nil {
		return 0, err
	}
	defer view.Close()
	s, err := x.snapshot(view, space)
	if err != nil {
		return 0, err
	}
	return s.posts(), nil
}

// Each calls yield for the posts after a key in the order of their ids, until
// yield returns false. It returns the key of the last post that it showed, for
// going on from there, or nil when there were no more.
func Each(view persistence.View, space persistence.Space, after []byte, yield func(*watchpost.Post) bool) (last []byte, err error) {
	return EachStored(view, space, after, func(_ *Stored, p *watchpost.Post) bool { return yield(p) })
}

// EachStored is Each with what a post is stored as.
func EachStored(view persistence.View, space persistence.Space, after []byte, yield func(*Stored, *watchpost.Post) bool) (last []byte, err error) {
	from := []byte(keyID)
	if after != nil {
		from = append(bytes.Clone(after), 0)
	}
	var failure error
	err = view.Scan(space, from, persistence.PrefixEnd([]byte(keyID)), func(key, _ []byte) bool {
		var s *Stored
		if s, failure = storedAt(view, space, key); failure != nil {
			return false
		}
		var p *watchpost.Post
		if p, failure = s.Post(); failure != nil {
			return false
		}
		if yield(s, p) {
			return true
		}
		last = bytes.Clone(key)
		return false
	})
	return last, errors.Join(err, failure)
}
