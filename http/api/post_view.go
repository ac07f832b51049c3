package api

import (
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// post is the post object of the API. Every field is always there.
type post struct {
	ID              watchpost.PostID      `json:"id"`
	URL             string                `json:"network_post_url"`
	URN             string                `json:"network_post_urn"`
	Tracking        watchpost.WatchlistID `json:"tracking_lists_id"`
	Content         string                `json:"content"`
	AuthorName      string                `json:"author_name"`
	AuthorURL       string                `json:"author_url"`
	AuthorHeadline  string                `json:"author_headline"`
	AuthorImageURL  string                `json:"author_image_url"`
	PostedAt        endpoint.Timestamp    `json:"posted_at"`
	CreatedAt       endpoint.Timestamp    `json:"created_at"`
	Likes           int64                 `json:"likes_count"`
	Comments        int64                 `json:"comments_count"`
	Shares          int64                 `json:"shares_count"`
	Type            string                `json:"post_type"`
	Language        string                `json:"language"`
	ImageURL        string                `json:"image_url"`
	ImageURLs       []string              `json:"image_urls" validate:"required"`
	ImageText       string                `json:"image_text"`
	Videos          []string              `json:"videos"`
	Tags            []string              `json:"tags" validate:"required"`
	TagDescriptions []tagDescription      `json:"tagDescriptions" validate:"required"`
	Sentiment       string                `json:"sentiment"`
	Influence       int                   `json:"influence_score"`
	Relevance       float64               `json:"relevance_score"`
	Seniority       string                `json:"seniority_level"`
	Bookmark        bool                  `json:"bookmark"`
	Liked           bool                  `json:"liked"`
	Commented       bool                  `json:"commented"`
	Source          watchpost.PostSource  `json:"source"`
	Lead            bool                  `json:"potential_lead"`
	Matched         []match               `json:"matched" validate:"required"`
}

type tagDescription struct {
	Tag         string `json:"tag"`
	Description string `json:"description"`
}

type match struct {
	Watchlist watchpost.WatchlistID `json:"watchlist_id"`
	Keyword   string                `json:"keyword"`
}

// shownPost shows a post as one of the watchlists asked for collected it; marks
// of watchlists that are deleted are not shown.
func shownPost(p *watchpost.Post, asked map[watchpost.WatchlistID]bool, tagging *watchpost.Tagging) post {
	tags := p.TagsGiven(tagging)
	v := post{
		ID: p.ID, URL: p.URL, URN: p.URN, Tracking: watchpost.TrackedBy(p, asked), Content: p.Content,
		AuthorName: p.AuthorName, AuthorURL: p.AuthorURL, AuthorHeadline: p.AuthorHeadline, AuthorImageURL: p.AuthorImageURL,
		PostedAt: endpoint.TimestampOf(p.PostedAt), CreatedAt: endpoint.TimestampOf(p.CreatedAt),
		Likes: p.Likes, Comments: p.Comments, Shares: p.Shares,
		Type: p.Type, Language: p.Language, ImageURLs: endpoint.Whole(p.ImageURLs), ImageText: p.ImageText,
		Sentiment: p.Sentiment, Influence: p.Influence, Relevance: p.Relevance, Seniority: p.Seniority,
		Bookmark: p.Bookmark, Liked: p.Liked, Commented: p.Commented, Source: p.Source,
		Tags:            make([]string, len(tags)),
		TagDescriptions: make([]tagDescription, len(tags)),
		Matched:         []match{},
	}
	if len(p.ImageURLs) > 0 {
		v.ImageURL = p.ImageURLs[0]
	}
	if len(p.Videos) > 0 {
		v.Videos = p.Videos
	}
	for i, t := range tags {
		v.Tags[i], v.TagDescriptions[i] = t.Name, tagDescription{t.Name, t.Description}
	}
	for _, m := range p.Matches {
		if tagging.Live[m.Watchlist] {
			v.Matched = append(v.Matched, match{m.Watchlist, m.Keyword})
			v.Lead = v.Lead || m.Lead
		}
	}
	return v
}
