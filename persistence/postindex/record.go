package postindex

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// recordVersion is the first byte of a stored post.
const recordVersion = 3

// Stored is a post as it is kept: encoded once, when it was written.
type Stored struct {
	ID     watchpost.PostID
	object PostObject
	raw    []byte
}

// encodeRecord writes what the API does not show, and then the post object:
// both moments exactly, the rules' version, the matches, then Head and Tail.
func encodeRecord(p *watchpost.Post) ([]byte, error) {
	object, err := NewPostObject(p)
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
		b = binary.AppendUvarint(append(b, lead), uint64(len(m.Tags)))
		for _, tag := range m.Tags {
			b = binary.AppendUvarint(b, uint64(tag))
		}
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
		for tags := r.count(1); tags > 0; tags-- {
			m.Tags = append(m.Tags, int(r.uint()))
		}
		p.Matches = append(p.Matches, m)
	}
	p.ID = watchpost.PostID(r.text())
}

// readStored reads a record; the result aliases the value.
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
func (s *Stored) Append(dst []byte, asked map[watchpost.WatchlistID]bool, tagging *watchpost.Tagging) []byte {
	return s.object.Append(dst, asked, tagging)
}

// Collected reports whether one of the watchlists collected the post.
func (s *Stored) Collected(by map[watchpost.WatchlistID]bool) bool {
	return slices.ContainsFunc(s.object.Matches, func(m watchpost.Match) bool { return by[m.Watchlist] })
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
	for _, m := range p.Matches {
		for _, tag := range m.Tags {
			if tag >= len(p.Tags) {
				return nil, fmt.Errorf("stored post: %w", errDamaged)
			}
		}
	}
	return p, nil
}

// text returns the post's text and its language.
func (s *Stored) text() (of text.Text, language string, err error) {
	var v struct {
		Content   string `json:"content"`
		ImageText string `json:"image_text"`
		Language  string `json:"language"`
	}
	whole := slices.Concat([]byte{'{'}, s.object.Tail[1:], []byte("false}"))
	if err := json.Unmarshal(whole, &v); err != nil {
		return of, "", fmt.Errorf("stored post: %w", err)
	}
	return text.New(v.Content).WithImage(v.ImageText), v.Language, nil
}

// stored returns the post as it will be read again: JSON has no bytes that are
// no character, and every tag is that of a match.
func stored(p *watchpost.Post) *watchpost.Post {
	p = p.Attribute()
	same := true
	for _, s := range []string{p.Content, p.ImageText, p.Language, p.Type, p.Seniority, p.Sentiment, string(p.Source), p.AuthorURL, p.URL, p.URN} {
		same = same && utf8.ValidString(s)
	}
	for _, t := range p.Tags {
		same = same && utf8.ValidString(t.Name)
	}
	for _, m := range p.Matches {
		same = same && utf8.ValidString(m.Keyword)
	}
	if same {
		return p
	}
	valid := func(s string) string { return string([]rune(s)) }
	q := *p
	q.Content, q.ImageText, q.Language, q.Type = valid(p.Content), valid(p.ImageText), valid(p.Language), valid(p.Type)
	q.Seniority, q.AuthorURL, q.URL, q.URN = valid(p.Seniority), valid(p.AuthorURL), valid(p.URL), valid(p.URN)
	q.Sentiment, q.Source = valid(p.Sentiment), watchpost.PostSource(valid(string(p.Source)))
	q.Matches = slices.Clone(p.Matches)
	for i := range q.Matches {
		q.Matches[i].Keyword = valid(q.Matches[i].Keyword)
	}
	q.Tags = nil
	for _, t := range p.Tags {
		q.Tags = append(q.Tags, watchpost.Tag{Name: valid(t.Name), Description: valid(t.Description)})
	}
	return &q
}
