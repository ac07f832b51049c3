package watchpost

import (
	"slices"
	"time"

	"watchpost/internal/text"
)

// Post is a post of the network as a team stores it: the content of the page,
// the computed fields, and the team's own data. There is one per team and
// network post (api.md#post).
type Post struct {
	ID  PostID
	URN string // the network's name of the post; unique within a team
	URL string

	Content        string // character for character as reported
	AuthorName     string
	AuthorURL      string
	AuthorHeadline string
	AuthorImageURL string
	PostedAt       time.Time
	CreatedAt      time.Time // when the service stored it first
	Likes          int64
	Comments       int64
	Shares         int64
	Type           string
	ImageURLs      []string
	ImageText      string
	Videos         []string
	Source         PostSource

	Language   string
	Sentiment  string
	Seniority  string
	Tags       []Tag
	Relevance  float64 // 0–10, one decimal
	Influence  int     // 0–100
	Enrichment int     // version of the rules that computed the fields
	Matches    []Match // in the order of collection; never empty
	Bookmark   bool
	Liked      bool
	Commented  bool
}

// PostSource is the place on the network where a post was found.
type PostSource string

// The sources.
const (
	SourceNetwork PostSource = "network"
	SourceForum   PostSource = "forum"
)

// Match says which watchlist collected a post, and for which of its keywords.
// Keyword is empty for people and company watchlists.
type Match struct {
	Watchlist WatchlistID
	Keyword   string
	At        time.Time
	// Tags are the indexes of the post's tags that the match gives.
	Tags []int `json:",omitempty"`
	// Lead reports whether the post is by a potential lead of the watchlist.
	Lead bool `json:",omitempty"`
}

// Tag is a label of a post.
type Tag struct {
	Name        string
	Description string
}

// Engagement returns the value by which the order engagement sorts.
func (p *Post) Engagement() int64 { return p.Likes + p.Comments }

// TrendingEngagement is the minimum number of likes, comments and shares
// together of a trending post.
const TrendingEngagement = 100

// Trending reports whether the post reaches TrendingEngagement.
func (p *Post) Trending() bool { return p.Likes+p.Comments+p.Shares >= TrendingEngagement }

// Collected reports whether a watchlist for which by returns true collected the
// post.
func (p *Post) Collected(by func(WatchlistID) bool) bool {
	for _, m := range p.Matches {
		if by(m.Watchlist) {
			return true
		}
	}
	return false
}

// GotAt returns when the watchlist got the post: with its first match, and not before the
// service stored it. Without a match it is when the service stored it.
func (p *Post) GotAt(id WatchlistID) time.Time {
	var at time.Time
	found := false
	for i := range p.Matches {
		if m := &p.Matches[i]; m.Watchlist == id && (!found || m.At.Before(at)) {
			at, found = m.At, true
		}
	}
	if !found || at.Before(p.CreatedAt) {
		return p.CreatedAt
	}
	return at
}

// PageSize and MaxPageSize bound a page of posts.
const (
	PageSize    = 20
	MaxPageSize = 100
)

// PostOrder is a value of sort_by.
type PostOrder string

// The orders. Each order breaks ties by PostedAt, newest first (OldestFirst:
// oldest first), then by ID, so that pages of an unchanged set never overlap.
const (
	RecentFirst    PostOrder = "recent_first"
	OldestFirst    PostOrder = "oldest_first"
	MostEngaging   PostOrder = "engagement"
	MostLiked      PostOrder = "popular_first"
	MostInfluence  PostOrder = "influence_score"
	RelevanceFirst PostOrder = "relevance_first"
	// These go by StoredAt of the query, then by ID. One is the other backwards.
	StoredFirst PostOrder = "stored_first"
	StoredLast  PostOrder = "stored_last"
)

// Lead reports whether a watchlist collected the post as one of a potential
// lead.
func (p *Post) Lead() bool {
	return slices.ContainsFunc(p.Matches, func(m Match) bool { return m.Lead })
}

// A post's tags come from its live watchlists. Each match records which of the
// post's tags it gives. When a watchlist is deleted, or its labels change, its
// old tags therefore disappear at once. A post that is not stored yet may lack this
// record: then all its tags count, and the index attributes them (Attribute).

// Tagging says which tags of posts are valid.
type Tagging struct {
	// Live holds the team's watchlists.
	Live map[WatchlistID]bool
	// Names holds the normalized names of the tags that a watchlist gives now.
	// It has an entry for each watchlist with posts that are not yet classified
	// again after a change.
	Names map[WatchlistID]map[string]bool
}

// Counts reports whether a tag that a watchlist gave is valid. With a nil
// Tagging all tags are valid.
func (t *Tagging) Counts(w WatchlistID, name string) bool {
	if t == nil {
		return true
	}
	names, changed := t.Names[w]
	return t.Live[w] && (!changed || names[text.NormalizeName(name)])
}

// All reports whether all tags of matches are valid.
func (t *Tagging) All(matches []Match) bool {
	return t == nil || !slices.ContainsFunc(matches, func(m Match) bool {
		_, changed := t.Names[m.Watchlist]
		return changed || !t.Live[m.Watchlist]
	})
}

// TagNames returns the normalized names of the tags that a watchlist gives: its
// labels, or otherwise its keywords.
func (w *Watchlist) TagNames() map[string]bool {
	names := map[string]bool{}
	for _, l := range w.Labels {
		names[text.NormalizeName(l.Name)] = true
	}
	if len(w.Labels) == 0 {
		for _, e := range w.Keywords {
			names[text.NormalizeName(text.CollapseSpace(e.Keyword))] = true
		}
	}
	return names
}

// TagsGiven returns the valid tags of the post.
func (p *Post) TagsGiven(t *Tagging) []Tag {
	if t.All(p.Matches) || !p.attributed() {
		return p.Tags
	}
	var tags []Tag
	for i, tag := range p.Tags {
		if slices.ContainsFunc(p.Matches, func(m Match) bool { return slices.Contains(m.Tags, i) && t.Counts(m.Watchlist, tag.Name) }) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// attributed reports whether the matches record their tags.
func (p *Post) attributed() bool {
	return len(p.Tags) == 0 || slices.ContainsFunc(p.Matches, func(m Match) bool { return len(m.Tags) > 0 })
}

// MatchTags returns the tags of each match. If the matches do not record them,
// each match gets all tags of the post.
func (p *Post) MatchTags() [][]Tag {
	given, known := make([][]Tag, len(p.Matches)), p.attributed()
	for i, m := range p.Matches {
		if !known {
			given[i] = p.Tags
			continue
		}
		for _, at := range m.Tags {
			if at >= 0 && at < len(p.Tags) {
				given[i] = append(given[i], p.Tags[at])
			}
		}
	}
	return given
}

// SetMatchTags sets the tags of the post's matches, in their order. Of tags
// whose names differ only in case it keeps the first, with the first
// description that is not empty. It does not write to the previous slices.
func (p *Post) SetMatchTags(given [][]Tag) {
	p.Tags, p.Matches = nil, slices.Clone(p.Matches)
	at := map[string]int{}
	for i := range p.Matches {
		p.Matches[i].Tags = nil
		for _, tag := range given[i] {
			name := text.NormalizeName(tag.Name)
			n, known := at[name]
			if !known {
				n, at[name] = len(p.Tags), len(p.Tags)
				p.Tags = append(p.Tags, tag)
			}
			if p.Tags[n].Description == "" {
				p.Tags[n].Description = tag.Description
			}
			if !slices.Contains(p.Matches[i].Tags, n) {
				p.Matches[i].Tags = append(p.Matches[i].Tags, n)
			}
		}
	}
}

// Attribute returns the post with all tags attributed to all matches, if the
// matches do not record their tags. It drops tag indexes that are out of range.
func (p *Post) Attribute() *Post {
	astray := slices.ContainsFunc(p.Matches, func(m Match) bool {
		return slices.ContainsFunc(m.Tags, func(at int) bool { return at < 0 || at >= len(p.Tags) })
	})
	if len(p.Matches) == 0 || p.attributed() && !astray {
		return p
	}
	same := *p
	same.SetMatchTags(p.MatchTags())
	return &same
}

// Withdraw returns the post without the matches of a watchlist and without the
// tags that only they gave.
func (p *Post) Withdraw(id WatchlistID) *Post {
	left, given := *p, [][]Tag(nil)
	left.Matches = nil
	for i, tags := range p.MatchTags() {
		if p.Matches[i].Watchlist != id {
			left.Matches, given = append(left.Matches, p.Matches[i]), append(given, tags)
		}
	}
	left.SetMatchTags(given)
	return &left
}
