package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"watchpost/watchpost"
)

// Properties of a team's posts.
const (
	watchlists    = 90
	labels        = 40
	authors       = 9_000
	labelsAtMost  = 3
	span          = 2 * 365 * 24 * time.Hour // between the first and the last post
	medianWords   = 40
	cjkLanguages  = "zh ja ko"
	networkOrigin = "https://network.example"
)

var (
	languages = []share{
		{"en", 560}, {"es", 130}, {"de", 90}, {"fr", 70}, {"pt", 60}, {"nl", 40}, {"zh", 25}, {"ja", 15}, {"ko", 10},
	}
	kinds       = []share{{"text", 550}, {"image", 250}, {"article", 100}, {"video", 80}, {"poll", 20}}
	seniorities = []share{{"Entry", 250}, {"Senior", 350}, {"Manager", 200}, {"Director", 120}, {"Executive", 80}}
	// epoch is the creation of the first post.
	epoch = time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC)
)

// feed generates the posts of a team. The seed and a post's number determine
// the post.
type feed struct {
	seed  uint64
	size  int // posts between epoch and epoch+span; later ones follow
	words *vocabulary
}

// entry is a post and, as numbers, the columns of the peers.
type entry struct {
	number    int
	post      watchpost.Post
	document  []byte // the post as the peers store it
	watchlist int
	author    int
	labels    []int
}

// text is the searched text.
func (e *entry) text() string { return e.post.Content }

// entry makes the n-th post.
func (f *feed) entry(n int) *entry {
	r := rand.New(rand.NewPCG(f.seed, uint64(n)+1<<32))
	created := epoch.Add(time.Duration(n) * (span / time.Duration(f.size)))
	posted := created.Add(-time.Duration(r.ExpFloat64() * float64(6*time.Hour)))
	e := &entry{number: n, watchlist: skewed(r, watchlists), author: skewed(r, authors)}
	language := of(languages, r.IntN(1000))
	p := &e.post
	*p = watchpost.Post{
		ID:  postID(created, f.seed, n),
		URN: fmt.Sprintf("urn:network:post:%d-%d", f.seed, n), URL: fmt.Sprintf("%s/posts/%d-%d", networkOrigin, f.seed, n),
		AuthorName: fmt.Sprintf("Author %d", e.author), AuthorURL: authorURL(e.author), AuthorHeadline: "Head of things at Example",
		AuthorImageURL: fmt.Sprintf("%s/images/%d.jpg", networkOrigin, e.author),
		PostedAt:       posted.Truncate(time.Millisecond), CreatedAt: created.Truncate(time.Millisecond),
		Likes: heavy(r, 12), Comments: heavy(r, 3), Shares: heavy(r, 1),
		Type: of(kinds, r.IntN(1000)), Source: watchpost.SourceNetwork,
		Language: language, Sentiment: "neutral", Seniority: of(seniorities, r.IntN(1000)),
		Relevance: float64(r.IntN(101)) / 10, Influence: r.IntN(101), Enrichment: 1,
		Bookmark: r.IntN(50) == 0, Liked: r.IntN(60) == 0, Commented: r.IntN(120) == 0,
	}
	p.Content = f.content(r, strings.Contains(cjkLanguages, language))
	if p.Type == "image" {
		p.ImageURLs = []string{fmt.Sprintf("%s/images/posts/%d.jpg", networkOrigin, n)}
	}
	for _, l := range r.Perm(labels)[:r.IntN(labelsAtMost+1)] {
		e.labels = append(e.labels, l)
		p.Tags = append(p.Tags, watchpost.Tag{Name: labelName(l), Description: "Posts about " + labelName(l)})
	}
	p.Matches = []watchpost.Match{{Watchlist: watchlistID(e.watchlist), Keyword: f.words.words[e.watchlist], At: p.CreatedAt}}
	document, err := json.Marshal(p)
	if err != nil {
		panic(err) // a post can always be encoded
	}
	e.document = document
	return e
}

// content generates a text of sentences.
func (f *feed) content(r *rand.Rand, cjk bool) string {
	var b strings.Builder
	begins := true
	for i := range max(5, int(r.NormFloat64()*15)+medianWords) {
		word := f.word(r, cjk && i%5 != 4)
		if begins {
			first, size := utf8.DecodeRuneInString(word)
			word = string(unicode.ToUpper(first)) + word[size:]
		}
		b.WriteString(word)
		begins = r.IntN(9) == 0
		switch {
		case begins:
			b.WriteString(". ")
		case r.IntN(12) == 0:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

func (f *feed) word(r *rand.Rand, cjk bool) string {
	switch {
	case cjk:
		return f.words.cjk[f.words.cjkPicks[r.IntN(len(f.words.cjkPicks))]]
	case r.IntN(120) == 0:
		return tail(r.IntN(tailWords))
	}
	return f.words.words[f.words.picks[r.IntN(len(f.words.picks))]]
}

// skewed picks one of n, the first ones more often.
func skewed(r *rand.Rand, n int) int {
	x := r.Float64()
	return int(x * (0.4 + 0.6*x) * float64(n))
}

// heavy returns a count from a heavy-tailed distribution.
func heavy(r *rand.Rand, median float64) int64 {
	x := r.NormFloat64()
	return int64(median * (1 + max(0, x*x*x)*0.9) * r.Float64() * 2)
}

// postID is a UUIDv7 of the creation time; ids grow with the number, which
// follows the time.
func postID(created time.Time, seed uint64, n int) watchpost.PostID {
	var id uuid.UUID
	ms := created.UnixMilli()
	for i := 5; i >= 0; i-- {
		id[i] = byte(ms)
		ms >>= 8
	}
	id[6], id[8] = 0x70, 0x80
	for i := range 4 {
		id[15-i] = byte(n >> (8 * i))
	}
	id[9], id[10], id[11] = byte(seed>>16), byte(seed>>8), byte(seed)
	return watchpost.PostID(id.String())
}

func watchlistID(n int) watchpost.WatchlistID {
	return watchpost.WatchlistID(fmt.Sprintf("018d0000-0000-7000-8000-%012d", n))
}

func authorURL(n int) string { return fmt.Sprintf("%s/in/author-%d", networkOrigin, n) }

func labelName(n int) string { return fmt.Sprintf("Label %d", n) }
