package fakenetwork

import (
	"hash/fnv"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Prefixes of the network's names of things.
const (
	urnMember  = "urn:network:member:"
	urnCompany = "urn:network:company:"
	urnPost    = "urn:network:activity:"
	urnForum   = "urn:network:forum:"
	urnComment = "urn:network:comment:"
	urnMessage = "urn:network:message:"
	urnGeo     = "urn:network:geo:"
)

// member is a person with a profile.
type member struct {
	id          uint64
	slug        string
	first, last string
	language    string
	headline    string
	place       place
	about       string
	followers   int
	positions   []position
	schools     []education
	skills      []string
	company     *company // the present employer
	manages     []*company
	text        string // folded text for the keyword search
}

func (m *member) urn() string  { return urnMember + strconv.FormatUint(m.id, 10) }
func (m *member) name() string { return strings.TrimSpace(m.first + " " + m.last) }
func (m *member) path() string { return "/in/" + m.slug }

// position is a job of a member.
type position struct {
	title      string
	company    *company
	place      string
	start, end time.Time // a zero end means a present job
}

// education is a school of a member.
type education struct {
	school, degree, field string
	from, to              int // years
}

// company is a company with a page.
type company struct {
	id          uint64
	slug        string
	name        string
	industry    string
	about       string
	employees   int
	place       place
	website     string
	followers   int
	specialties []string
}

func (c *company) urn() string  { return urnCompany + strconv.FormatUint(c.id, 10) }
func (c *company) path() string { return "/company/" + c.slug }

// place is a town with the network's number of its region.
type place struct {
	name string
	geo  int
}

// post is a post of the network or of the forum. It has its final counters; a
// young post shows less (see grown).
type post struct {
	id       uint64
	forum    bool
	slug     string
	member   *member  // the author, or nil
	company  *company // the author, or nil
	content  string
	kind     string // text, image, video, article or poll
	at       time.Time
	likes    int
	comments int
	shares   int
	caption  string // the text of the image
}

func (p *post) urn() string {
	if p.forum {
		return urnForum + strconv.FormatUint(p.id, 10)
	}
	return urnPost + strconv.FormatUint(p.id, 10)
}

func (p *post) path() string {
	if p.forum {
		return "/forum/" + p.slug
	}
	return "/posts/" + p.slug
}

// grown returns the part of a final count that a post of that age shows: half
// of it after half a day.
func grown(final int, age time.Duration) int {
	if age <= 0 {
		return 0
	}
	return int(float64(final) * float64(age) / float64(age+12*time.Hour))
}

// world is everything that follows from the seed (and the corpus). It is
// immutable.
type world struct {
	seed      uint64
	members   []*member
	companies []*company
	posts     timeline
	forum     timeline

	memberBySlug  map[string]*member
	memberByID    map[uint64]*member
	companyBySlug map[string]*company
	companyByID   map[uint64]*company
}

// timeline is a list of posts, newest first, future ones included, with its
// indexes.
type timeline struct {
	posts    []*post
	byID     map[uint64]*post
	byMember map[*member][]*post
	byFirm   map[*company][]*post
	index    *index
}

// newTimeline sorts posts and builds their indexes.
func newTimeline(posts []*post) timeline {
	sort.Slice(posts, func(i, j int) bool {
		if !posts[i].at.Equal(posts[j].at) {
			return posts[i].at.After(posts[j].at)
		}
		return posts[i].id > posts[j].id
	})
	t := timeline{
		posts:    posts,
		byID:     make(map[uint64]*post, len(posts)),
		byMember: make(map[*member][]*post),
		byFirm:   make(map[*company][]*post),
	}
	texts := make([]string, len(posts))
	for i, p := range posts {
		t.byID[p.id] = p
		texts[i] = p.content + "\n" + p.caption
		if p.member != nil {
			t.byMember[p.member] = append(t.byMember[p.member], p)
		} else {
			t.byFirm[p.company] = append(t.byFirm[p.company], p)
		}
	}
	t.index = newIndex(texts)
	return t
}

// visible returns the part of a newest-first list that is not in the future.
func visible(posts []*post, now time.Time) []*post {
	return posts[sort.Search(len(posts), func(i int) bool { return !posts[i].at.After(now) }):]
}

// search returns one page of the posts that match the query and are visible at
// now, newest first, and the total.
func (t *timeline) search(query string, now time.Time, page, size int) (posts []*post, total int) {
	hits := t.index.search(query)
	hits = hits[sort.Search(len(hits), func(i int) bool { return !t.posts[hits[i]].at.After(now) }):]
	for _, h := range cut(hits, page, size) {
		posts = append(posts, t.posts[h])
	}
	return posts, len(hits)
}

// cut returns one page of a list; pages count from 1.
func cut[T any](list []T, page, size int) []T {
	from := min((page-1)*size, len(list))
	return list[from:min(from+size, len(list))]
}

// find returns the visible post with that id.
func (t *timeline) find(id uint64, now time.Time) *post {
	if p := t.byID[id]; p != nil && !p.at.After(now) {
		return p
	}
	return nil
}

// hash maps a seed and a text to a number, the same in every run.
func hash(seed uint64, text string) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for i := range b {
		b[i] = byte(seed >> (8 * i))
	}
	_, _ = h.Write(b[:])
	_, _ = h.Write([]byte(text))
	// The low bits of FNV are weak for short texts: mix them.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// stream returns the random numbers of a name; each thing of the world has its
// own stream, independent of the others.
func stream(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, hash(seed, name))) //nolint:gosec // a world is to be made again, not to be secret
}

// pick returns one of list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
