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

// segmentReader is a part of a team's index whose posts have document numbers from 0: a
// segment, or the buffer. Sets and columns that it returns must not be changed.
type segmentReader interface {
	posts() int
	languages() (*languageSet, error)
	// postings returns the posts that have a term; nil: none.
	postings(t term) (*roaring.Bitmap, error)
	// deleted returns the posts that do not count any more; nil: none.
	deleted() (*roaring.Bitmap, error)
	column(c int) (values, error)
	authors() (*authorColumn, error)
	// order returns the document numbers in an order, two little-endian bytes each.
	order(o int) ([]byte, error)
	id(docNum int) (uuid, error)
	// minMax bounds the values of a column.
	minMax(c int) minMax
	// key names an immutable thing of the source in the cache.
	key(kind byte, b uint64) cacheKey
}

// values is a column.
type values interface {
	at(i int) int64
	// read reads the values of consecutive posts.
	read(first int, into []int64)
}

// snapshot is a view of one team's index.
type snapshot struct {
	index *Index
	view  persistence.View
	space persistence.Space
	name  unique.Handle[persistence.Space] // of the space, in the cache
	*manifest
	// live is the map that allLive was asked about last, by its address. Callers keep it.
	live struct {
		of  uintptr
		all bool
	}
}

// readers returns the parts of the index, the buffer first.
func (s *snapshot) readers() ([]segmentReader, error) {
	all, err := s.bufferReaders()
	if err != nil {
		return nil, err
	}
	for i := len(s.segments) - 1; i >= 0; i-- {
		all = append(all, &segment{snapshot: s, info: s.segments[i]})
	}
	return all, nil
}

// Kinds of cached values other than the parts of segments.
const (
	cachedRecord     = 'B'
	cachedBuffer     = 't'
	cachedManifest   = 'm'
	cachedWatchlists = 'W'
	cachedKeyword    = 'K' // the terms of a keyword in the known watchlists
	cachedStems      = 'c' // how words are cut in some languages
	cachedTerm       = 'T' // the posts of a term of a segment
	cachedRanks      = 'R' // the posts of a buffer in an order
	cachedMatches    = 'V' // the posts of a segment whose text was looked at
	cachedCounts     = 'N' // the counts of several queries in a source
	cachedLeads      = 'L' // the authors of a query's posts in a source
	cachedNewWords   = 'w' // the words that are new in some posts
	cachedLate       = 'E' // the late posts of a source for some watchlists
	cachedSet        = 's' // the posts of a source that are in a watchpost.PostSet
	cachedList       = 'l' // the posts of a source that are in a watchpost.PostList
)

// segment reads a flushed segment.
type segment struct {
	*snapshot
	info segmentInfo
	// of is the filter, once it was asked for.
	of bloomFilter
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

func (s *segment) minMax(c int) minMax {
	if c == columnVersion {
		return anyMinMax
	}
	return s.info.minMax[c]
}

func (s *segment) languages() (*languageSet, error) {
	return part(s, s.key(partLanguages, 0), partKey(s.info.id, partLanguages), decodeLanguageSet, (*languageSet).size)
}

func (s *segment) deleted() (*roaring.Bitmap, error) {
	if s.info.deleted == 0 {
		return nil, nil
	}
	return part(s, s.key(partDeleted, uint64(s.info.deleted)), partKey(s.info.id, partDeleted), s.decodeSet, bitmapSize)
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

func (s *segment) id(docNum int) (id uuid, err error) {
	ids, err := s.idsOf(docNum / idChunk)
	if err == nil {
		copy(id[:], ids[docNum%idChunk*len(id):])
	}
	return id, err
}

// idsOf returns the ids of a chunk.
func (s *segment) idsOf(chunk int) ([]byte, error) {
	want := len(uuid{}) * min(idChunk, s.info.posts-chunk*idChunk)
	decode := func(value []byte) ([]byte, error) {
		if len(value) != want {
			return nil, errDamaged
		}
		return value, nil
	}
	return part(s, s.key(partIDs, uint64(chunk)), idsKey(s.info.id, chunk), decode, func(b []byte) int { return len(b) })
}

func (s *segment) filter() (f bloomFilter, err error) {
	if s.of == nil {
		s.of, err = part(s, s.key(partFilter, 0), partKey(s.info.id, partFilter), decodeBloomFilter, func(f bloomFilter) int { return len(f) })
	}
	return s.of, err
}

func (s *segment) postings(t term) (*roaring.Bitmap, error) {
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
		docNums, err := readDocNums(nil, b.inline, s.info.posts)
		if err != nil {
			return nil, s.damaged(key, err)
		}
		return bitmapOf(docNums), nil
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

// languageSet is the languages of the posts of a source.
type languageSet struct {
	names      []string // sorted
	normalized []string // the names without case
	terms      []term
	name       uint64 // of all of them
}

func newLanguageSet(names []string) *languageSet {
	slices.Sort(names)
	s := &languageSet{names: names, name: uint64(termOf(termLanguage, strings.Join(names, "\x00")))}
	for _, name := range names {
		s.normalized = append(s.normalized, text.NormalizeName(name))
		s.terms = append(s.terms, termOf(termLanguage, name))
	}
	return s
}

func (s *languageSet) encode() []byte {
	var b []byte
	for _, name := range s.names {
		b = appendText(b, name)
	}
	return b
}

func decodeLanguageSet(value []byte) (*languageSet, error) {
	var names []string
	r := &reader{b: value}
	for len(r.b) > 0 {
		names = append(names, r.text())
	}
	return newLanguageSet(names), r.end()
}

// size is the memory that it takes.
func (s *languageSet) size() int { return 100 + 60*len(s.names) }
