package postindex

import (
	"encoding/binary"
	"fmt"
	"time"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// entry is what the index knows of one version of a post: its values and terms.
// Those of the buffer are stored one by one, those of a segment by its parts.
type entry struct {
	id       uuid
	values   [columns]int64
	language string
	terms    []term // sorted
}

// The moments that the index can hold lie between these years.
const (
	firstYear = 1700
	lastYear  = 2261
)

// newEntry makes the entry of a post's version.
func newEntry(p *watchpost.Post, version uint64, o *Options) (*entry, error) {
	text := text.New(p.Content).WithImage(p.ImageText)
	return newTextEntry(p, version, newTextTerms(p.Language, text, o.PostTerms))
}

// newTextEntry is newEntry when the terms of the post's text are known.
func newTextEntry(p *watchpost.Post, version uint64, text TextTerms) (*entry, error) {
	if err := indexable(p); err != nil {
		return nil, err
	}
	id, _ := parseID(p.ID)
	e := &entry{id: id, language: p.Language, terms: termsOf(p, text)}
	e.values = [columns]int64{
		columnPosted: p.PostedAt.UnixNano(), columnCreated: p.CreatedAt.UnixNano(),
		columnEngagement: p.Engagement(), columnLikes: p.Likes,
		columnInfluence: int64(p.Influence), columnRelevance: sortable(p.Relevance), columnVersion: int64(version),
	}
	return e, nil
}

// indexable returns ErrUnindexable for a post whose values cannot be in an index.
func indexable(p *watchpost.Post) error {
	if _, ok := parseID(p.ID); !ok {
		return fmt.Errorf("%w: post %q: id: want a UUID in lower case", ErrUnindexable, p.ID)
	}
	if len(p.URN) > maxURN {
		return fmt.Errorf("%w: post %s: urn: want at most %d bytes, have %d", ErrUnindexable, p.ID, maxURN, len(p.URN))
	}
	for name, at := range map[string]time.Time{"posted_at": p.PostedAt, "created_at": p.CreatedAt} {
		if year := at.UTC().Year(); year < firstYear || year > lastYear {
			return fmt.Errorf("%w: post %s: %s: want a year from %d to %d, have %d", ErrUnindexable, p.ID, name, firstYear, lastYear, year)
		}
	}
	return nil
}

func (e *entry) encode() []byte {
	b := make([]byte, 0, 100+8*len(e.terms))
	b = append(b, e.id[:]...)
	for _, v := range e.values {
		b = binary.AppendVarint(b, v)
	}
	b = appendText(b, e.language)
	for _, t := range e.terms {
		b = binary.LittleEndian.AppendUint64(b, uint64(t))
	}
	return b
}

func decodeEntry(value []byte) (*entry, error) {
	r := &reader{b: value}
	e := &entry{}
	copy(e.id[:], r.bytes(len(e.id)))
	for i := range e.values {
		e.values[i] = r.int()
	}
	e.language = r.text()
	if r.bad || len(r.b)%8 != 0 {
		return nil, errDamaged
	}
	e.terms = make([]term, len(r.b)/8)
	for i := range e.terms {
		e.terms[i] = term(binary.LittleEndian.Uint64(r.b[8*i:]))
		if i > 0 && e.terms[i] <= e.terms[i-1] {
			return nil, errDamaged
		}
	}
	return e, nil
}

// size is the memory that the entry takes.
func (e *entry) size() int { return 160 + len(e.language) + 8*len(e.terms) }
