package fakenetwork

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf8"
)

// corpusDays is the number of days before the start over which the posts of a
// corpus are dated.
const corpusDays = 7

// maxCorpusLine bounds a line of a corpus in bytes.
const maxCorpusLine = 4 << 20

// corpusLine is a line of a corpus. Language and sentiment are human
// judgements; the network does not show them.
type corpusLine struct {
	ID        string  `json:"id"`
	Language  string  `json:"language"`
	Sentiment string  `json:"sentiment"`
	Text      *string `json:"text"`
}

// loadCorpus uses the posts of a corpus file as the posts of the world,
// without a forum. An error names the line.
func (w *world) loadCorpus(file string, start time.Time) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	posts, err := w.readCorpus(f, start)
	if err != nil {
		return fmt.Errorf("corpus %s: %w", file, err)
	}
	w.posts, w.forum = newTimeline(posts), newTimeline(nil)
	return nil
}

// readCorpus reads the lines of a corpus.
func (w *world) readCorpus(from io.Reader, start time.Time) ([]*post, error) {
	var posts []*post
	seen := make(map[string]int)
	ids := make(map[uint64]string)
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), maxCorpusLine)
	n := 0
	for lines.Scan() {
		n++
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		line, err := parseCorpusLine(raw)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if other, ok := seen[line.ID]; ok {
			return nil, fmt.Errorf("line %d: id %q is that of line %d", n, line.ID, other)
		}
		seen[line.ID] = n
		p := w.corpusPost(line, start)
		for ids[p.id] != "" { // so unlikely that the order of the lines may decide
			p.id++
		}
		ids[p.id] = line.ID
		p.slug = postSlug(p)
		posts = append(posts, p)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return posts, nil
}

// parseCorpusLine reads one line. It rejects input that JSON decoding would
// silently replace (broken UTF-8, lone surrogates), because a post must keep
// its text character for character.
func parseCorpusLine(raw []byte) (corpusLine, error) {
	var line corpusLine
	if !utf8.Valid(raw) {
		return line, errors.New("not UTF-8")
	}
	if err := json.Unmarshal(raw, &line); err != nil {
		return line, err
	}
	if line.ID == "" {
		return line, errors.New("no id")
	}
	if line.Text == nil {
		return line, errors.New("no text")
	}
	if bytes.ContainsRune([]byte(*line.Text), utf8.RuneError) &&
		!bytes.ContainsRune(raw, utf8.RuneError) && !bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`)) {
		return line, errors.New("text with half a surrogate pair")
	}
	return line, nil
}

// corpusPost converts a line: name, author and counters follow from its id,
// the date from the id and the start.
func (w *world) corpusPost(line corpusLine, start time.Time) *post {
	r := stream(w.seed, "corpus "+line.ID)
	ago := time.Duration(1+r.Int64N(corpusDays*86_400-2)) * time.Second
	p := &post{
		// The name of a post is that of its line, independent of the seed.
		id:      1_000_000_000_000_000_000 + hash(0, line.ID)%8_000_000_000_000_000_000,
		content: *line.Text,
		kind:    "text",
		at:      start.UTC().Truncate(time.Second).Add(-ago),
	}
	w.sign(r, p)
	count(r, p)
	return p
}

// parseID returns the number at the end of a URN or address part, or a bare
// number.
func parseID(ref string) (uint64, bool) {
	for i := len(ref); ; i-- {
		if i == 0 || ref[i-1] < '0' || ref[i-1] > '9' {
			id, err := strconv.ParseUint(ref[i:], 10, 64)
			return id, err == nil
		}
	}
}
