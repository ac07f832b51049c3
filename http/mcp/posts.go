package mcp

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"watchpost/watchpost"
)

// post is what the tools show of a post of the API.
type post struct {
	ID          string   `json:"id"`
	PostedAt    string   `json:"posted_at"`
	StoredAt    string   `json:"stored_at,omitempty"`
	Likes       int      `json:"likes"`
	Comments    int      `json:"comments"`
	Shares      int      `json:"shares,omitempty"`
	Type        string   `json:"type,omitempty"`
	Language    string   `json:"language"`
	Sentiment   string   `json:"sentiment"`
	Relevance   float64  `json:"relevance"`
	Seniority   string   `json:"author_level,omitempty"`
	Labels      []string `json:"labels,omitempty"`
	Matched     []match  `json:"matched,omitempty"`
	Forum       bool     `json:"forum,omitempty"`
	Saved       bool     `json:"saved,omitempty"`
	Liked       bool     `json:"liked,omitempty"`
	Commented   bool     `json:"commented,omitempty"`
	Lead        bool     `json:"potential_lead,omitempty"`
	Shortened   bool     `json:"shortened,omitempty"`
	ForeignText postText `json:"content_of_others"`
}

// postText is what people outside of the team wrote of a post.
type postText struct {
	Author    string `json:"author"`
	Headline  string `json:"headline,omitempty"`
	AuthorURL string `json:"author_url,omitempty"`
	URL       string `json:"post_url"`
	URN       string `json:"post_urn,omitempty"`
	Text      string `json:"text"`
	ImageText string `json:"image_text,omitempty"`
}

type match struct {
	Watchlist string `json:"watchlist_id"`
	Keyword   string `json:"keyword,omitempty"`
}

// apiPost is a post object of the API.
type apiPost struct {
	ID        string   `json:"id"`
	URL       string   `json:"network_post_url"`
	URN       string   `json:"network_post_urn"`
	Content   string   `json:"content"`
	Author    string   `json:"author_name"`
	AuthorURL string   `json:"author_url"`
	Headline  string   `json:"author_headline"`
	PostedAt  string   `json:"posted_at"`
	CreatedAt string   `json:"created_at"`
	Likes     int      `json:"likes_count"`
	Comments  int      `json:"comments_count"`
	Shares    int      `json:"shares_count"`
	Type      string   `json:"post_type"`
	Language  string   `json:"language"`
	ImageText string   `json:"image_text"`
	Tags      []string `json:"tags"`
	Sentiment string   `json:"sentiment"`
	Relevance float64  `json:"relevance_score"`
	Seniority string   `json:"seniority_level"`
	Bookmark  bool     `json:"bookmark"`
	Liked     bool     `json:"liked"`
	Commented bool     `json:"commented"`
	Source    string   `json:"source"`
	Lead      bool     `json:"potential_lead"`
	Matched   []match  `json:"matched"`
}

// shown returns the post with its whole text, or the beginning of it and without the rest
// of what only one post is asked for.
func (p *apiPost) shown(whole bool) post {
	shown := post{
		ID: p.ID, PostedAt: p.PostedAt, Likes: p.Likes, Comments: p.Comments, Language: p.Language, Sentiment: p.Sentiment, Relevance: p.Relevance,
		Seniority: p.Seniority, Labels: p.Tags, Forum: p.Source == "forum", Saved: p.Bookmark, Liked: p.Liked, Commented: p.Commented, Lead: p.Lead,
		ForeignText: postText{Author: foreign(p.Author), Headline: foreign(p.Headline), URL: foreign(p.URL), Text: foreign(p.Content)},
	}
	of := &shown.ForeignText
	if !whole {
		of.Text, of.Headline = cut(of.Text, maxShort), cut(of.Headline, maxShort/4) //nolint:mnd // a line of the network
		shown.Shortened = len(of.Text) < len(foreign(p.Content))
		return shown
	}
	shown.StoredAt, shown.Shares, shown.Type, shown.Matched = p.CreatedAt, p.Shares, p.Type, p.Matched
	of.AuthorURL, of.URN, of.ImageText = foreign(p.AuthorURL), foreign(p.URN), foreign(p.ImageText)
	return shown
}

func shownPosts(list []apiPost, whole bool) []post {
	shown := make([]post, len(list))
	for i := range list {
		shown[i] = list[i].shown(whole)
	}
	return shown
}

type apiPosts struct {
	Data     []apiPost `json:"data"`
	Count    int       `json:"count"`
	Warnings []string  `json:"warnings"`
}

// Sizes of pages.
const (
	pageSize    = 10
	maxPageSize = 50
)

var (
	postOrders = []string{"recent_first", "oldest_first", "engagement", "relevance_first", "influence_score", "stored_first", "stored_last"}
	sentiments = []string{"positive", "neutral", "negative"}
	levels     = []string{"C-Level", "Founder", "VP", "Director", "Manager", "Senior", "Entry"}
	postTypes  = []string{"text", "image", "video", "article", "poll"}
)

// Arguments of lists in pages.
var (
	pageParam     = param{name: "page", kind: number, about: "from 1"}
	pageSizeParam = param{name: "page_size", kind: number, about: "1 to 50, default 10"}
)

// pageNote says how much of a list a page shows.
func (c *call) pageNote(of string, count, shown, size int) string {
	note := fmt.Sprintf("%d %s match; %d are shown.", count, of, shown)
	if page := c.number("page", 1, 1, count+1); page*size < count {
		note += fmt.Sprintf(" Next: page %d.", page+1)
	}
	return note
}

// postFilters are the arguments that select posts.
var postFilters = []param{
	{name: "search_term", kind: text, about: `every word must occur in some inflection; "phrase", -not, OR`},
	{name: "watchlist_id", kind: list, about: "none: all watchlists"},
	{name: "start_date", kind: text, about: "posted on or after this day, YYYY-MM-DD"},
	{name: "end_date", kind: text},
	{name: "stored_since", kind: text, about: "found at or after this RFC 3339 moment"},
	{name: "labels", kind: list},
	{name: "sentiment", kind: list, allowed: sentiments},
	{name: "seniority_level", kind: list, about: "of the author", allowed: levels},
	{name: "lang", kind: list, about: "codes as en"},
	{name: "post_type", kind: list, allowed: postTypes},
	{name: "people_slug", kind: list, about: "authors: slugs or URLs of profiles"},
	{name: "company_slug", kind: list},
	{name: "is_saved", kind: flag},
	{name: "interacted", kind: flag, about: "liked or commented on by the team"},
}

var postTools = []tool{
	{
		name: "search_posts", title: "Search posts", does: reads, routes: []string{"GET /api-posts"},
		about: "Find stored posts of the team's watchlists. All filters given must hold; several values of one are alternatives. Texts are shortened: get_post has the whole.",
		params: slices.Concat(postFilters, []param{
			{name: "sort_by", kind: text, allowed: postOrders},
			pageParam,
			pageSizeParam,
		}),
		run: searchPosts,
	},
	{
		name: "get_post", title: "Read a post", does: reads, routes: []string{"GET /api-posts"},
		about:  "Read one stored post: whole text, author, URN, what it matched.",
		params: []param{{name: "post", kind: text, about: "its id, URL or URN", required: true}},
		run:    getPost,
	},
	{
		name: "wait_for_posts", title: "Wait for new posts", does: reads, routes: []string{"GET /api-posts"},
		about: "Wait until watchlists have posts that were stored at or after a moment, for example after create_watchlist. Returns them, or none when the time is over.",
		params: []param{
			{name: "watchlist_id", kind: list},
			{name: "stored_since", kind: text, about: "RFC 3339; default: any"},
			waitParam,
		},
		run: waitForPosts,
	},
}

func searchPosts(c *call) (result, error) {
	q := query(c.args)
	size := c.number("page_size", 1, pageSize, maxPageSize)
	q.Set("page_size", strconv.Itoa(size))
	var reply apiPosts
	if err := c.get("/api-posts", q, &reply); err != nil {
		return result{}, err
	}
	return result{note: c.pageNote("posts", reply.Count, len(reply.Data), size), data: shownPosts(reply.Data, false), foreign: true}, nil
}

func getPost(c *call) (result, error) {
	var reply apiPosts
	name := "network_post_slug"
	if watchpost.ValidID(c.text("post")) {
		name = "id"
	}
	if err := c.get("/api-posts", url.Values{name: {c.text("post")}}, &reply); err != nil {
		return result{}, err
	}
	if len(reply.Data) == 0 {
		return result{}, &advice{Text: "No stored post is this one.", Next: "Take an id of search_posts. A post that no watchlist has collected is not stored."}
	}
	return result{data: reply.Data[0].shown(true), foreign: true}, nil
}

func waitForPosts(c *call) (result, error) {
	q := query(c.only("watchlist_id", "stored_since"))
	q.Set("page_size", strconv.Itoa(pageSize))
	var reply apiPosts
	err := c.await("waiting for posts", func(time.Duration) (string, bool, error) {
		err := c.get("/api-posts", q, &reply)
		return "no posts yet", reply.Count > 0, err
	})
	if err != nil {
		return result{}, err
	}
	if reply.Count == 0 {
		return result{note: "No post yet. list_watchlists with the id shows when it is scanned; get_team shows what stops the browsers.", data: []post{}}, nil
	}
	note := fmt.Sprintf("%d posts; %d are shown, the newest first.", reply.Count, len(reply.Data))
	return result{note: note, data: shownPosts(reply.Data, false), foreign: true}, nil
}
