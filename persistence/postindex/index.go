// Package postindex stores a team's posts and answers queries over them, using
// only the Store contract. watchpost.PostQuery defines the meaning of a query;
// this package finds the same posts in the same order through an index.
//
// # Structure
//
// Every write of a post creates a new version. A team's newest versions form
// the buffer: one entry per version with its sort values and its terms. A query
// examines the buffer's entries one by one; a small team has nothing else. A
// long buffer is flushed into a segment: for each term the set of posts that
// have it, for each value a column, for each order the sorted posts. Small
// segments are merged into larger ones of up to 65,536 posts, without deleted
// posts. A segment is immutable; its deleted posts are a separate set.
//
// The manifest names the buffer and the segments. It is written in the same
// batch as the posts: a snapshot of the store shows one state of both, a crash
// loses both or none, and queries run in parallel with writes. Flushing and
// merging write a segment in several batches. The last one adds it to the
// manifest; segments that a crash left unfinished are deleted.
//
// # Memory
//
// One cache of bounded size holds what queries read, for all teams. Its values
// are immutable, so they never become stale.
package postindex

import (
	"bytes"
	"context"
	"errors"
	"unique"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// Options configures an index. Only tests need another value than zero.
type Options struct {
	// CacheBytes bounds the cache; 0 is DefaultCache.
	CacheBytes int
	// BufferPosts is the length at which the buffer is flushed. At MaxBuffer a
	// Writer refuses posts until it is; 0 is 8 times BufferPosts. SegmentPosts is
	// the maximum size of a segment, MergeFactor the number of segments that are
	// merged into one of the next level.
	BufferPosts, MaxBuffer, SegmentPosts, MergeFactor int
	// PostTerms is the number of terms above which a post's text is not
	// indexed. BlockBytes is the target size of a block of terms, InlineBytes the
	// longest list of posts in a block, StepBytes the approximate size of a step
	// of a merge.
	PostTerms, BlockBytes, InlineBytes, StepBytes int
}

// DefaultCache is the size of the cache unless Options say otherwise.
const DefaultCache = 128 << 20

// bufferLevels is the quotient of MaxBuffer and BufferPosts unless Options say
// otherwise.
const bufferLevels = 8

// maxSegment is the most posts of a segment, as document numbers have two bytes.
const maxSegment = 1 << 16

func (o Options) withDefaults() Options {
	if o.CacheBytes <= 0 {
		o.CacheBytes = DefaultCache
	}
	if o.BufferPosts <= 0 {
		o.BufferPosts = 512
	}
	if o.MaxBuffer < o.BufferPosts {
		o.MaxBuffer = bufferLevels * o.BufferPosts
	}
	if o.SegmentPosts <= 0 || o.SegmentPosts > maxSegment {
		o.SegmentPosts = maxSegment
	}
	if o.MergeFactor < 2 {
		o.MergeFactor = 8
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

// CacheBytes returns the size of the cache in use.
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

// Next returns the number that the next version of a post will have. It says whether
// posts were changed.
func Next(view persistence.View, space persistence.Space) (uint64, error) {
	m, err := readManifest(view, space)
	if err != nil {
		return 0, manifestFault(space, err)
	}
	return m.next, nil
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

// Buffered returns the number of versions in the buffer of a team, deleted ones
// included.
func (x *Index) Buffered(view persistence.View, space persistence.Space) (int, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return 0, err
	}
	return s.bufferLength(), nil
}

// MaxBuffer is the number of buffered versions at which a Writer refuses posts
// until some of them are flushed.
func (x *Index) MaxBuffer() int { return x.options.MaxBuffer }

// BufferPosts is the number of buffered versions from which the buffer is flushed.
func (x *Index) BufferPosts() int { return x.options.BufferPosts }

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
