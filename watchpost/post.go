package watchpost

import (
	"slices"
	"time"
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
