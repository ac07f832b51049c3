package postindex

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unique"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/internal/text"
	"watchpost/persistence"
)

// source is a part of a team's index whose posts have ordinals from 0: a
// segment, or the tail. Sets and columns that it returns must not be changed.
type source interface {
	posts() int
	languages() (*spoken, error)
	// having returns the posts that have a term; nil: none.
	having(t term) (*roaring.Bitmap, error)
	// dead returns the posts that do not count any more; nil: none.
	dead() (*roaring.Bitmap, error)
	column(c int) (values, error)
	// order returns the ordinals in an order, two little-endian bytes each.
	order(o int) ([]byte, error)
	id(ordinal int) (uuid, error)
	// span bounds the values of a column.
	span(c int) span
	// key names an immutable thing of the source in the cache.
	key(kind byte, b uint64) cacheKey
}

// values is a column.
type values interface{ at(i int) int64 }

// snapshot is a view of one team's index.
type snapshot struct {
	index *Index
	view  persistence.View
	space persistence.Space
	name  unique.Handle[persistence.Space] // of the space, in the cache
	*manifest
}

// sources returns the parts of the index, the tail first.
func (s *snapshot) sources() ([]source, error) {
	all, err := s.tailSources()
	if err != nil {
		return nil, err
	}
	for i := len(s.segments) - 1; i >= 0; i-- {
		all = append(all, &segment{snapshot: s, info: s.segments[i]})
	}
	return all, nil
}

// Kinds of things in the cache, beside the parts of segments.
const (
	cachedRecord     = 'B'
	cachedTail       = 't'
	cachedManifest   = 'm'
	cachedWatchlists = 'W'
	cachedCut        = 'c' // how words are cut in some languages
	cachedTerm       = 'T' // the posts of a term of a segment
	cachedRanks      = 'R' // the posts of a tail in an order
	cachedFound      = 'V' // the posts of a segment whose text was looked at
)

// segment reads a sealed segment.
type segment struct {
	*snapshot
	info segmentInfo
	// of is the filter, once it was asked for.
	of filter
}

func (s *segment) posts() int { return s.info.posts }

func (s *segment) key(kind byte, b uint64) cacheKey {
	return cacheKey{s.name, kind, uint64(s.info.id), b}
}

// part returns a part of a segment, decoded once.
func part[T any](s *segment, k cacheKey, key []byte, decode func([]byte) (T, error), size func(T) int) (T, error) {
	if v, ok := s.index.cache.get(k); ok {
		return v.(T), nil
	}
	var none T
	value, err := s.view.Get(s.space, key)
	if err != nil {
		return none, s.damaged(key, err)
	}
	v, err := decode(value)
	if err != nil {
		return none, s.damaged(key, err)
	}
	s.index.cache.put(k, v, size(v))
	return v, nil
}

// damaged says which key of the index is at fault.
func (s *segment) damaged(key []byte, err error) error {
	if errors.Is(err, persistence.ErrNotFound) {
		err = errors.Join(errDamaged, err)
	}
	return fmt.Errorf("posts index of team %s, key %q: %w", s.space, key, err)
}

func (s *segment) span(c int) span {
	if c == columnVersion {
		return anySpan
	}
	return s.info.spans[c]
}

func (s *segment) languages() (*spoken, error) {
	return part(s, s.key(partLanguages, 0), partKey(s.info.id, partLanguages), decodeSpoken, (*spoken).size)
}

func (s *segment) dead() (*roaring.Bitmap, error) {
	if s.info.dead == 0 {
		return nil, nil
	}
	return part(s, s.key(partDead, uint64(s.info.dead)), partKey(s.info.id, partDead), s.decodeSet, bitmapSize)
}

func (s *segment) decodeSet(value []byte) (*roaring.Bitmap, error) {
	return decodePostings(value, s.info.posts)
}

func (s *segment) column(c int) (values, error) {
	decode := func(value []byte) (*column, error) { return decodeColumn(value, s.info.posts) }
	return part(s, s.key(partColumn, uint64(c)), partKey(s.info.id, partColumn, byte(c)), decode, (*column).size)
}

func (s *segment) order(o int) ([]byte, error) {
	return part(s, s.key(partOrder, uint64(o)), partKey(s.info.id, partOrder, byte(o)), s.decodeOrder, func(b []byte) int { return len(b) })
}

func (s *segment) decodeOrder(value []byte) ([]byte, error) {
	if len(value) != 2*s.info.posts {
		return nil, errDamaged
	}
	for i := range s.info.posts {
		if int(binary.LittleEndian.Uint16(value[2*i:])) >= s.info.posts {
			return nil, errDamaged
		}
	}
	return value, nil
}

// idChunk is the number of ids that are stored together.
const idChunk = 1024

func (s *segment) id(ordinal int) (id uuid, err error) {
	chunk := ordinal / idChunk
	want := len(id) * min(idChunk, s.info.posts-chunk*idChunk)
	decode := func(value []byte) ([]byte, error) {
		if len(value) != want {
			return nil, errDamaged
		}
		return value, nil
	}
	ids, err := part(s, s.key(partIDs, uint64(chunk)), idsKey(s.info.id, chunk), decode, func(b []byte) int { return len(b) })
	if err == nil {
		copy(id[:], ids[ordinal%idChunk*len(id):])
	}
	return id, err
}

func (s *segment) filter() (f filter, err error) {
	if s.of == nil {
		s.of, err = part(s, s.key(partFilter, 0), partKey(s.info.id, partFilter), decodeFilter, func(f filter) int { return len(f) })
	}
	return s.of, err
}

func (s *segment) having(t term) (*roaring.Bitmap, error) {
	f, err := s.filter()
	if err != nil || !f.mayHave(t) {
		return nil, err
	}
	k := s.key(cachedTerm, uint64(t))
	if v, ok := s.index.cache.get(k); ok {
		return v.(*roaring.Bitmap), nil
	}
	b, err := s.readTerm(t)
	if err == nil {
		s.index.cache.put(k, b, bitmapSize(b))
	}
	return b, err
}

// readTerm reads the posts of a term past the cache.
func (s *segment) readTerm(t term) (*roaring.Bitmap, error) {
	block := blockOf(t, s.info.blockBits)
	key := blockKey(s.info.id, block)
	value, err := s.view.Get(s.space, key)
	if err != nil {
		return nil, s.damaged(key, err)
	}
	b := newBlockReader(value, block, s.info.blockBits)
	known, err := b.seek(t)
	switch {
	case err != nil:
		return nil, s.damaged(key, err)
	case !known:
		return nil, nil
	case len(b.inline) > 0:
		ordinals, err := readOrdinals(nil, b.inline, s.info.posts)
		if err != nil {
			return nil, s.damaged(key, err)
		}
		return bitmapOf(ordinals), nil
	}
	key = postingsKey(s.info.id, t)
	if value, err = s.view.Get(s.space, key); err != nil {
		return nil, s.damaged(key, err)
	}
	set, err := s.decodeSet(value)
	if err != nil {
		return nil, s.damaged(key, err)
	}
	return set, nil
}

// bitmapSize is the memory that a set takes.
func bitmapSize(b *roaring.Bitmap) int {
	if b == nil {
		return 0
	}
	return int(b.GetSizeInBytes()) + 200
}

// spoken is the languages of the posts of a source.
type spoken struct {
	names  []string // sorted
	folded []string // the names without case
	terms  []term
	name   uint64 // of all of them
}

func newSpoken(names []string) *spoken {
	slices.Sort(names)
	s := &spoken{names: names, name: uint64(termOf(termLanguage, strings.Join(names, "\x00")))}
	for _, name := range names {
		s.folded = append(s.folded, text.NormalizeName(name))
		s.terms = append(s.terms, termOf(termLanguage, name))
	}
	return s
}

func (s *spoken) encode() []byte {
	var b []byte
	for _, name := range s.names {
		b = appendText(b, name)
	}
	return b
}

func decodeSpoken(value []byte) (*spoken, error) {
	var names []string
	r := &reader{b: value}
	for len(r.b) > 0 {
		names = append(names, r.text())
	}
	return newSpoken(names), r.end()
}

// size is the memory that it takes.
func (s *spoken) size() int { return 100 + 60*len(s.names) }
