package postindex

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"watchpost"
)

// recordVersion is the first byte of a stored post.
const recordVersion = 2

// Stored is a post as it is kept: encoded once, when it was written.
type Stored struct {
	ID     watchpost.PostID
	object watchpost.PostObject
	raw    []byte
}

// encodeRecord writes what the API does not show, and then the post object:
// both moments exactly, the rules' version, the matches, then Head and Tail.
func encodeRecord(p *watchpost.Post) ([]byte, error) {
	object, err := watchpost.NewPostObject(p)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 200+len(object.Head)+len(object.Tail)+100*len(p.Matches))
	b = append(b, recordVersion)
	b = appendTime(appendTime(b, p.PostedAt), p.CreatedAt)
	b = binary.AppendVarint(b, int64(p.Enrichment))
	b = binary.AppendUvarint(b, uint64(len(p.Matches)))
	for _, m := range p.Matches {
		b = appendTime(appendText(appendText(b, string(m.Watchlist)), m.Keyword), m.At)
		lead := byte(0)
		if m.Lead {
			lead = 1
		}
		b = append(b, lead)
	}
	b = appendText(b, string(p.ID))
	b = append(binary.AppendUvarint(b, uint64(len(object.Head))), object.Head...)
	return append(b, object.Tail...), nil
}

// decodeHidden reads what stands before the post object into p.
func decodeHidden(r *reader, p *watchpost.Post) {
	if r.byte() != recordVersion {
		r.fail()
		return
	}
	p.PostedAt, p.CreatedAt = r.time(), r.time()
	p.Enrichment = int(r.int())
	for n := r.count(5); n > 0; n-- {
		m := watchpost.Match{Watchlist: watchpost.WatchlistID(r.text()), Keyword: r.text(), At: r.time()}
		m.Lead = r.byte() == 1
		p.Matches = append(p.Matches, m)
	}
	p.ID = watchpost.PostID(r.text())
}

// readStored reads a record; what it returns aliases the value.
func readStored(value []byte) (*Stored, error) {
	r := &reader{b: value}
	var p watchpost.Post
	decodeHidden(r, &p)
	s := &Stored{ID: p.ID, raw: value}
	s.object.Matches = p.Matches
	s.object.Head = r.bytes(r.count(1))
	s.object.Tail = r.b
	if r.bad {
		return nil, fmt.Errorf("stored post: %w", errDamaged)
	}
	return s, nil
}

// Append appends the post object as the API shows it; see PostObject.Append.
func (s *Stored) Append(dst []byte, asked, live map[watchpost.WatchlistID]bool) []byte {
	return s.object.Append(dst, asked, live)
}

// Size is the number of bytes that Append appends at least.
func (s *Stored) Size() int { return len(s.object.Head) + len(s.object.Tail) }

// Post decodes the post.
func (s *Stored) Post() (*watchpost.Post, error) {
	p, err := s.object.Post()
	if err != nil {
		return nil, err
	}
	r := &reader{b: s.raw}
	p.Matches = nil
	decodeHidden(r, p)
	return p, nil
}

// searchText prepares the post's text to be searched.
func (s *Stored) searchText() (watchpost.SearchText, error) {
	var v struct {
		Content   string `json:"content"`
		ImageText string `json:"image_text"`
		Language  string `json:"language"`
	}
	whole := make([]byte, 0, len(s.object.Tail)+2)
	whole = append(append(whole, '{'), s.object.Tail[1:]...)
	if err := json.Unmarshal(append(whole, "]}"...), &v); err != nil {
		return watchpost.SearchText{}, fmt.Errorf("stored post: %w", err)
	}
	return watchpost.NewSearchText(v.Language, v.Content, v.ImageText), nil
}

// stored returns the post as it will be read again: JSON has no bytes that are
// no character.
func stored(p *watchpost.Post) *watchpost.Post {
	same := true
	for _, s := range []string{p.Content, p.ImageText, p.Language, p.Type, p.Seniority, p.AuthorURL, p.URL, p.URN} {
		same = same && utf8.ValidString(s)
	}
	for _, t := range p.Tags {
		same = same && utf8.ValidString(t.Name)
	}
	if same {
		return p
	}
	valid := func(s string) string { return string([]rune(s)) }
	q := *p
	q.Content, q.ImageText, q.Language, q.Type = valid(p.Content), valid(p.ImageText), valid(p.Language), valid(p.Type)
	q.Seniority, q.AuthorURL, q.URL, q.URN = valid(p.Seniority), valid(p.AuthorURL), valid(p.URL), valid(p.URN)
	q.Tags = nil
	for _, t := range p.Tags {
		q.Tags = append(q.Tags, watchpost.Tag{Name: valid(t.Name), Description: valid(t.Description)})
	}
	return &q
}
