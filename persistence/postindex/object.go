package postindex

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"watchpost/watchpost"
)

// PostObject is a post in JSON as the API shows it, made once when the post is
// written. Three members depend on who asks: which watchlist tracks the post,
// which have matched it, and whether its author is a potential lead of one of
// those. The rest is ready to be sent.
type PostObject struct {
	// Head is the object up to the value of tracking_lists_id, Tail what
	// follows it up to the value of potential_lead.
	Head, Tail []byte
	Matches    []watchpost.Match
}

// postObject fixes the members and their order. It must show what package http
// documents, which its tests compare.
type postObject struct {
	ID       watchpost.PostID `json:"id"`
	URL      string           `json:"network_post_url"`
	URN      string           `json:"network_post_urn"`
	Tracking string           `json:"tracking_lists_id"`
	postObjectTail
}

type postObjectTail struct {
	Content         string               `json:"content"`
	AuthorName      string               `json:"author_name"`
	AuthorURL       string               `json:"author_url"`
	AuthorHeadline  string               `json:"author_headline"`
	AuthorImageURL  string               `json:"author_image_url"`
	PostedAt        string               `json:"posted_at"`
	CreatedAt       string               `json:"created_at"`
	Likes           int64                `json:"likes_count"`
	Comments        int64                `json:"comments_count"`
	Shares          int64                `json:"shares_count"`
	Type            string               `json:"post_type"`
	Language        string               `json:"language"`
	ImageURL        string               `json:"image_url"`
	ImageURLs       []string             `json:"image_urls"`
	ImageText       string               `json:"image_text"`
	Videos          []string             `json:"videos"`
	Tags            []string             `json:"tags"`
	TagDescriptions []postObjectTag      `json:"tagDescriptions"`
	Sentiment       string               `json:"sentiment"`
	Influence       int                  `json:"influence_score"`
	Relevance       float64              `json:"relevance_score"`
	Seniority       string               `json:"seniority_level"`
	Bookmark        bool                 `json:"bookmark"`
	Liked           bool                 `json:"liked"`
	Commented       bool                 `json:"commented"`
	Source          watchpost.PostSource `json:"source"`
}

type postObjectTag struct {
	Tag         string `json:"tag"`
	Description string `json:"description"`
}

// objectTime is how a post object writes moments: RFC 3339, UTC, milliseconds.
const objectTime = "2006-01-02T15:04:05.000Z"

// The texts around the members that depend on who asks.
const (
	objectTracking = `,"tracking_lists_id":`
	objectLead     = `,"potential_lead":`
	objectMatched  = `,"matched":[`
	objectEnd      = `]}`
)

// NewPostObject encodes a post.
func NewPostObject(p *watchpost.Post) (PostObject, error) {
	tail := postObjectTail{
		Content: p.Content, AuthorName: p.AuthorName, AuthorURL: p.AuthorURL, AuthorHeadline: p.AuthorHeadline, AuthorImageURL: p.AuthorImageURL,
		PostedAt: p.PostedAt.UTC().Format(objectTime), CreatedAt: p.CreatedAt.UTC().Format(objectTime),
		Likes: p.Likes, Comments: p.Comments, Shares: p.Shares, Type: p.Type, Language: p.Language,
		ImageURLs: append([]string{}, p.ImageURLs...), ImageText: p.ImageText,
		Sentiment: p.Sentiment, Influence: p.Influence, Relevance: p.Relevance, Seniority: p.Seniority,
		Bookmark: p.Bookmark, Liked: p.Liked, Commented: p.Commented, Source: p.Source,
	}
	if len(p.ImageURLs) > 0 {
		tail.ImageURL = p.ImageURLs[0]
	}
	if len(p.Videos) > 0 {
		tail.Videos = p.Videos
	}
	tail.showTags(p.Tags)
	rest, err := tail.encode()
	if err != nil {
		return PostObject{}, fmt.Errorf("encode post %s: %w", p.ID, err)
	}
	o := PostObject{Matches: p.Matches}
	o.Head = appendJSONText(append(o.Head, `{"id":`...), string(p.ID))
	o.Head = appendJSONText(append(o.Head, `,"network_post_url":`...), p.URL)
	o.Head = appendJSONText(append(o.Head, `,"network_post_urn":`...), p.URN)
	o.Head = append(o.Head, objectTracking...)
	o.Tail = rest
	return o, nil
}

func (v *postObjectTail) showTags(tags []watchpost.Tag) {
	v.Tags, v.TagDescriptions = make([]string, len(tags)), make([]postObjectTag, len(tags))
	for i, t := range tags {
		v.Tags[i], v.TagDescriptions[i] = t.Name, postObjectTag{t.Name, t.Description}
	}
}

// encode returns what a PostObject has as its Tail.
func (v *postObjectTail) encode() ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b[0] = ',' // was the opening brace
	return append(b[:len(b)-1], objectLead...), nil
}

// tail returns Tail with the tags that count.
func (o *PostObject) tail(t *watchpost.Tagging) []byte {
	if t.All(o.Matches) || !slices.ContainsFunc(o.Matches, func(m watchpost.Match) bool { return len(m.Tags) > 0 }) {
		return o.Tail
	}
	var v postObjectTail
	p, err := o.Post()
	if err == nil {
		err = json.Unmarshal(slices.Concat([]byte{'{'}, o.Tail[1:], []byte(`false}`)), &v)
	}
	if err == nil {
		v.showTags(p.TagsGiven(t))
		var tail []byte
		if tail, err = v.encode(); err == nil {
			return tail
		}
	}
	return o.Tail // what NewPostObject wrote can be read
}

// Append appends the object as one of the watchlists asked for collected it;
// matches and tags of watchlists that are not live are not shown.
func (o *PostObject) Append(dst []byte, asked map[watchpost.WatchlistID]bool, t *watchpost.Tagging) []byte {
	live := map[watchpost.WatchlistID]bool(nil)
	if t != nil {
		live = t.Live
	}
	dst = append(dst, o.Head...)
	dst = appendJSONText(dst, string(watchpost.TrackedBy(&watchpost.Post{Matches: o.Matches}, asked)))
	dst = append(dst, o.tail(t)...)
	lead := slices.ContainsFunc(o.Matches, func(m watchpost.Match) bool { return m.Lead && live[m.Watchlist] })
	dst = append(strconv.AppendBool(dst, lead), objectMatched...)
	for i, first := 0, true; i < len(o.Matches); i++ {
		m := &o.Matches[i]
		if !live[m.Watchlist] {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendJSONText(append(dst, `{"watchlist_id":`...), string(m.Watchlist))
		dst = appendJSONText(append(dst, `,"keyword":`...), m.Keyword)
		dst = append(dst, '}')
	}
	return append(dst, objectEnd...)
}

// Post decodes the object. Times are cut to milliseconds. Fields that the
// API does not show, or that depend on the caller, are empty.
func (o *PostObject) Post() (*watchpost.Post, error) {
	whole := slices.Concat(o.Head, []byte(`""`), o.Tail, []byte(`false}`))
	var v postObject
	if err := json.Unmarshal(whole, &v); err != nil {
		return nil, fmt.Errorf("stored post: %w", err)
	}
	p := &watchpost.Post{
		ID: v.ID, URN: v.URN, URL: v.URL, Content: v.Content,
		AuthorName: v.AuthorName, AuthorURL: v.AuthorURL, AuthorHeadline: v.AuthorHeadline, AuthorImageURL: v.AuthorImageURL,
		Likes: v.Likes, Comments: v.Comments, Shares: v.Shares, Type: v.Type, ImageText: v.ImageText, Videos: v.Videos, Source: v.Source,
		Language: v.Language, Sentiment: v.Sentiment, Seniority: v.Seniority, Relevance: v.Relevance, Influence: v.Influence,
		Matches: o.Matches, Bookmark: v.Bookmark, Liked: v.Liked, Commented: v.Commented,
	}
	if len(v.ImageURLs) > 0 {
		p.ImageURLs = v.ImageURLs
	}
	for _, t := range v.TagDescriptions {
		p.Tags = append(p.Tags, watchpost.Tag{Name: t.Tag, Description: t.Description})
	}
	var err error
	if p.PostedAt, err = time.Parse(time.RFC3339, v.PostedAt); err != nil {
		return nil, fmt.Errorf("stored post: %w", err)
	}
	if p.CreatedAt, err = time.Parse(time.RFC3339, v.CreatedAt); err != nil {
		return nil, fmt.Errorf("stored post: %w", err)
	}
	return p, nil
}

// appendJSONText appends a text as JSON, as package json writes it.
func appendJSONText(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			b, err := json.Marshal(s)
			if err != nil {
				return strconv.AppendQuote(dst, s) // a text is always encoded
			}
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
