package postindex

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"

	"watchpost/watchpost"
)

// authorColumn holds the author of each post of a segment, as it is stored: the number
// of authors, their terms in rising order, and then for each post the place of its
// author's term, in two bytes. The term 0 stands for an author without a page.
type authorColumn struct {
	terms  []term
	places []uint16
}

// authorTerm is the term by which posts of the author are found; 0 for none.
func authorTerm(key string) term {
	if key == "" {
		return 0
	}
	return termOf(termAuthor, key)
}

// newAuthorColumn makes the column of the authors of posts.
func newAuthorColumn(authors []term) *authorColumn {
	c := &authorColumn{terms: slices.Clone(authors), places: make([]uint16, len(authors))}
	slices.Sort(c.terms)
	c.terms = slices.Compact(c.terms)
	places := make(map[term]uint16, len(c.terms))
	for i, t := range c.terms {
		places[t] = uint16(i)
	}
	for i, t := range authors {
		c.places[i] = places[t]
	}
	return c
}

func (c *authorColumn) at(docNum int) term { return c.terms[c.places[docNum]] }

func (c *authorColumn) encode() []byte {
	b := make([]byte, 0, 4+8*len(c.terms)+2*len(c.places))
	b = binary.AppendUvarint(b, uint64(len(c.terms)))
	for _, t := range c.terms {
		b = binary.LittleEndian.AppendUint64(b, uint64(t))
	}
	for _, place := range c.places {
		b = binary.LittleEndian.AppendUint16(b, place)
	}
	return b
}

// decodeAuthorColumn reads the column of n posts.
func decodeAuthorColumn(value []byte, n int) (*authorColumn, error) {
	r := &reader{b: value}
	c := &authorColumn{terms: make([]term, r.count(8)), places: make([]uint16, n)}
	for i := range c.terms {
		if b := r.bytes(8); b != nil {
			c.terms[i] = term(binary.LittleEndian.Uint64(b))
		}
		if i > 0 && c.terms[i] <= c.terms[i-1] {
			return nil, errDamaged
		}
	}
	places := r.bytes(2 * n)
	if err := r.end(); err != nil {
		return nil, err
	}
	for i := range c.places {
		if c.places[i] = binary.LittleEndian.Uint16(places[2*i:]); int(c.places[i]) >= len(c.terms) {
			return nil, errDamaged
		}
	}
	return c, nil
}

// size is the memory that the column takes.
func (c *authorColumn) size() int { return 100 + 8*len(c.terms) + 2*len(c.places) }

// authors returns the column of a segment. A segment of an earlier build has none: it is
// made of the posts that are not deleted.
func (s *segment) authors() (*authorColumn, error) {
	k := s.key(partAuthors, 0)
	made := s.key(partAuthors, 1+uint64(s.info.deleted))
	for _, k := range []cacheKey{k, made} {
		if v, ok := s.index.cache.get(k); ok {
			return v.(*authorColumn), nil
		}
	}
	key := partKey(s.info.id, partAuthors)
	values, err := s.view.GetAll(s.space, [][]byte{key})
	if err != nil {
		return nil, err
	}
	var c *authorColumn
	if values[0] != nil {
		if c, err = decodeAuthorColumn(values[0], s.info.posts); err != nil {
			return nil, s.damaged(key, err)
		}
	} else if c, err = s.authorsOfPosts(); err != nil {
		return nil, err
	} else {
		k = made
	}
	s.index.cache.put(k, c, c.size())
	return c, nil
}

// authorsAtOnce is the number of posts that are read together.
const authorsAtOnce = 1000

// authorsOfPosts reads the authors of the posts that are not deleted; the others have none.
func (s *segment) authorsOfPosts() (*authorColumn, error) {
	deleted, err := s.deleted()
	if err != nil {
		return nil, err
	}
	versions, err := s.column(columnVersion)
	if err != nil {
		return nil, err
	}
	authors, known := make([]term, s.posts()), map[string]term{}
	var docNums []int
	var keys [][]byte
	for i := range authors {
		if deleted == nil || !deleted.ContainsInt(i) {
			docNums, keys = append(docNums, i), append(keys, versionKey(keyRecord, uint64(versions.at(i))))
		}
		if len(keys) < authorsAtOnce && i < len(authors)-1 || len(keys) == 0 {
			continue
		}
		values, err := s.view.GetAll(s.space, keys)
		if err != nil {
			return nil, err
		}
		for n, value := range values {
			version := uint64(versions.at(docNums[n]))
			if value == nil {
				return nil, recordFault(s.space, version, errDamaged)
			}
			stored, err := readStored(value)
			if err != nil {
				return nil, recordFault(s.space, version, err)
			}
			if authors[docNums[n]], err = stored.author(known); err != nil {
				return nil, recordFault(s.space, version, err)
			}
		}
		docNums, keys = docNums[:0], keys[:0]
	}
	return newAuthorColumn(authors), nil
}

// authors returns the authors of the entries of the buffer; those of deleted ones are
// not all known.
func (t *bufferReader) authors() (*authorColumn, error) {
	authors := make([]term, len(t.entries))
	deleted, err := t.deleted()
	if err != nil {
		return nil, err
	}
	known := map[string]term{}
	for i := range authors {
		if deleted != nil && deleted.ContainsInt(i) {
			continue
		}
		version := t.first + uint64(i)
		if author, ok := t.buffer.author(i); ok {
			authors[i] = author
			continue
		}
		stored, err := t.stored(version)
		if err != nil {
			return nil, err
		}
		if authors[i], err = stored.author(known); err != nil {
			return nil, recordFault(t.space, version, err)
		}
		t.buffer.noteAuthor(i, authors[i])
	}
	return newAuthorColumn(authors), nil
}

// author returns the author of an entry, once it was noted.
func (t *buffer) author(i int) (author term, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	author, known = t.authors[i]
	return author, known
}

func (t *buffer) noteAuthor(i int, author term) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.authors == nil {
		t.authors = map[int]term{}
	}
	t.authors[i] = author
}

// authors implements segmentReader for the segment in the making.
func (f *segmentBuilder) authors() (*authorColumn, error) { return newAuthorColumn(f.authorTerms), nil }

// authorMember is the member of a post object before its author's address. It cannot be
// in a text: there, quotes are escaped.
var authorMember = []byte(`,"author_url":"`)

// author returns the author of a post; known are authors by their address as it is
// stored.
func (s *Stored) author(known map[string]term) (term, error) {
	_, rest, found := bytes.Cut(s.object.Tail, authorMember)
	raw, _, ends := bytes.Cut(rest, []byte{'"'})
	if found && ends && !bytes.Contains(raw, []byte{'\\'}) {
		if author, ok := known[string(raw)]; ok {
			return author, nil
		}
		author := authorTerm((&watchpost.Post{AuthorURL: string(raw)}).AuthorKey())
		known[string(raw)] = author
		return author, nil
	}
	var v struct {
		AuthorURL string `json:"author_url"`
	}
	if err := json.Unmarshal(slices.Concat([]byte{'{'}, s.object.Tail[1:], []byte("false}")), &v); err != nil {
		return 0, err
	}
	return authorTerm((&watchpost.Post{AuthorURL: v.AuthorURL}).AuthorKey()), nil
}
