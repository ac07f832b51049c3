package watchpost

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/internal/reference"
	"watchpost/internal/text"
)

// postOrders maps sort_by to the first comparison, greatest first, before ties
// are broken (api.md#orders-and-pages).
var postOrders = map[PostOrder]func(a, b *Post) int{
	RecentFirst:    func(_, _ *Post) int { return 0 },
	OldestFirst:    func(_, _ *Post) int { return 0 },
	MostEngaging:   func(a, b *Post) int { return cmp.Compare(b.Engagement(), a.Engagement()) },
	MostLiked:      func(a, b *Post) int { return cmp.Compare(b.Likes, a.Likes) },
	MostInfluence:  func(a, b *Post) int { return cmp.Compare(b.Influence, a.Influence) },
	RelevanceFirst: func(a, b *Post) int { return cmp.Compare(b.Relevance, a.Relevance) },
	StoredFirst:    nil, // by the query
	StoredLast:     nil,
}

// ParsePostOrder parses a value of sort_by; "" is RecentFirst.
func ParsePostOrder(s string) (PostOrder, error) {
	if s == "" || s == "recent" {
		return RecentFirst, nil
	}
	if _, ok := postOrders[PostOrder(s)]; !ok {
		return "", Errorf(Invalid, "Invalid 'sort_by'")
	}
	return PostOrder(s), nil
}

// Less reports whether a sorts before b. It is a total order on posts with
// different ids. An unknown order is RecentFirst.
func (o PostOrder) Less(a, b *Post) bool { return o.Compare(a, b) < 0 }

// Compare orders posts like Less, for package slices.
func (o PostOrder) Compare(a, b *Post) int { return (&PostQuery{Order: o}).Compare(a, b) }

// Compare orders posts as the query asks.
func (q *PostQuery) Compare(a, b *Post) int {
	o := q.Order
	switch o {
	case StoredFirst:
		a, b = b, a
		fallthrough
	case StoredLast:
		return cmp.Or(q.StoredAt(b).Compare(q.StoredAt(a)), cmp.Compare(a.ID, b.ID))
	}
	first := postOrders[o]
	if first == nil {
		first = postOrders[RecentFirst]
	}
	age := b.PostedAt.Compare(a.PostedAt)
	if o == OldestFirst {
		age = -age
	}
	return cmp.Or(first(a, b), age, cmp.Compare(a.ID, b.ID))
}

// StoredAt returns when the first of the watchlists that the query names got the post;
// without names, when the service stored it.
func (q *PostQuery) StoredAt(p *Post) time.Time {
	if !q.Named {
		return p.CreatedAt
	}
	var at time.Time
	found := false
	for i := range p.Matches {
		if id := p.Matches[i].Watchlist; q.Live[id] {
			if got := p.GotAt(id); !found || got.Before(at) {
				at, found = got, true
			}
		}
	}
	if !found {
		return p.CreatedAt
	}
	return at
}

// AuthorKey returns the Key of the author, a person or an organization
// according to the URL, or "" for an author without a page on the network.
func (p *Post) AuthorKey() string {
	if r, err := reference.ParseProfile(p.AuthorURL); err == nil {
		return r.Key()
	}
	if r, err := reference.ParseCompany(p.AuthorURL); err == nil {
		return r.Key()
	}
	return ""
}

// ReferenceKeys returns the Keys that select the post: those of its URL and of
// its URN.
func (p *Post) ReferenceKeys() []string {
	var keys []string
	for _, s := range []string{p.URN, p.URL} {
		if r, err := reference.ParsePost(s); err == nil && !slices.Contains(keys, r.Key()) {
			keys = append(keys, r.Key())
		}
	}
	return keys
}

// Select defines the meaning of a query: it returns the posts of the page, in
// order, and the number of posts on all pages.
func (q *PostQuery) Select(posts []*Post) (page []*Post, count int) {
	var found []*Post
	for _, p := range posts {
		if q.Matches(p) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, q.Compare)
	from, to := q.Bounds(len(found))
	return found[from:to], len(found)
}

// Bounds returns the range of the page within count ordered posts; it is empty
// past the end. A page below 1 is the first. A page size below 1 is PageSize;
// the maximum is MaxPageSize.
func (q *PostQuery) Bounds(count int) (from, to int) {
	size := q.PageSize
	if size < 1 {
		size = PageSize
	}
	size = min(size, MaxPageSize)
	if page := max(q.Page, 1); page-1 <= count/size {
		from = (page - 1) * size
		return from, min(from+size, count)
	}
	return count, count
}

// TrackedBy returns the watchlist in live that first collected the post, or ""
// (tracking_lists_id). A nil live means all watchlists.
func TrackedBy(p *Post, live map[WatchlistID]bool) WatchlistID {
	var first WatchlistID
	var at time.Time
	for _, m := range p.Matches {
		if live != nil && !live[m.Watchlist] {
			continue
		}
		if first == "" || m.At.Before(at) {
			first, at = m.Watchlist, m.At
		}
	}
	return first
}

// seniorityLevels maps the normalized values of seniority_level to the level of
// a post's author (api.md#derived-fields).
var seniorityLevels = synonyms(map[string]string{
	"C-Level":  "c-level, c level, ceo, cto, cfo, coo, cmo, cio, ciso, cxo, c-suite, c suite, executive, president, managing director",
	"Founder":  "founder, co-founder, cofounder, owner, co-owner, proprietor, partner, entrepreneur",
	"VP":       "vp, svp, evp, avp, vice president, vice-president",
	"Director": "director, head, head of, general manager",
	"Manager":  "manager, team lead, teamlead",
	"Senior":   "senior, lead, principal, expert",
	"Entry":    "entry, entry level, entry-level, junior, intern, trainee, student",
})

// postTypeNames maps the normalized values of post_type to a type of posts.
var postTypeNames = synonyms(map[string]string{
	"text":    "text, text only, text-only, plain text",
	"image":   "image, photo, picture",
	"video":   "video, clip",
	"article": "article, newsletter",
	"poll":    "poll, survey",
})

// synonyms maps each name of a list to the value that has the list.
func synonyms(names map[string]string) map[string]string {
	values := map[string]string{}
	for value, list := range names {
		for name := range strings.SplitSeq(list, ", ") {
			values[name] = value
		}
	}
	return values
}

// valueOf returns the value that a name stands for, ignoring case and a plural's s.
func valueOf(values map[string]string, name string) (value string, known bool) {
	name = text.NormalizeName(name)
	if value, known = values[name]; !known {
		value, known = values[strings.TrimSuffix(name, "s")]
	}
	return value, known
}

// ParseSeniority returns the level for a name, ignoring case and number.
func ParseSeniority(s string) (string, error) {
	level, known := valueOf(seniorityLevels, s)
	if !known {
		return "", Errorf(Invalid, "Invalid 'seniority_level'")
	}
	return level, nil
}

// ParsePostType returns the type for a name, ignoring case and number.
func ParsePostType(s string) (string, error) {
	kind, known := valueOf(postTypeNames, s)
	if !known {
		return "", Errorf(Invalid, "Invalid 'post_type'")
	}
	return kind, nil
}

// SavedView is a filter of the feed with a name, for all members of the team.
type SavedView struct {
	ID        ViewID
	Name      string
	Query     string   // parameters of GET /api-posts, as in an address
	By        MemberID // who saved it last
	CreatedAt time.Time
}

// Bounds of saved views.
const (
	MaxSavedViews = 50 // of a team
	maxViewName   = 60 // characters
)

// Clean returns the view with its name trimmed (Invalid).
func (v SavedView) Clean() (SavedView, error) {
	v.Name = text.CollapseSpace(v.Name)
	switch {
	case text.IsBlank(v.Name), text.HasControl(v.Name), utf8.RuneCountInString(v.Name) > maxViewName:
		return v, Errorf(Invalid, "Enter a name of at most %d characters.", maxViewName)
	case v.Query == "":
		return v, Errorf(Invalid, "Choose a filter first.")
	}
	return v, nil
}

// SameName reports whether two names are those of one view.
func (v SavedView) SameName(other SavedView) bool {
	return text.NormalizeName(v.Name) == text.NormalizeName(other.Name)
}

// CompareNames orders views by their names.
func (v SavedView) CompareNames(other SavedView) int {
	return cmp.Or(cmp.Compare(text.NormalizeName(v.Name), text.NormalizeName(other.Name)), cmp.Compare(v.ID, other.ID))
}
