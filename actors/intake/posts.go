// Package intake is what stands between a session's connection and the team: it cleans what
// is reported of posts, and bounds the posts of a connection and of a team that are handed
// over and not stored yet. It knows no actors.
package intake

import (
	"net/url"
	"strings"
	"time"

	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

// Bounds of what a session may report of a post, in bytes. A longer content is
// cut: the network's own limit is far below.
const (
	// MaxText bounds a short text, MaxURN the name of a thing of the network.
	MaxText = 1000
	MaxURN  = 200

	maxContent  = 64 << 10
	maxURL      = 2000
	maxMedia    = 20
	maxCounter  = 1 << 40
	clockLeeway = 24 * time.Hour
	firstYear   = 1900
)

// CleanPosts takes over the posts of a session's frame. What a page says is
// data and nothing else: a post without a urn or a sensible time is dropped, texts and
// counters are bounded, and of URLs only http(s) ones are kept. network, when it is known,
// completes paths. guard runs the work on each post; it reports false when that panicked,
// and the post is left out.
func CleanPosts(reported []protocol.Post, kind watchpost.TaskType, network *url.URL, now time.Time, guard func(urn, content string, do func()) bool) []watchpost.Post {
	source := watchpost.SourceNetwork
	if kind == watchpost.TaskForumScan {
		source = watchpost.SourceForum
	}
	posts := make([]watchpost.Post, 0, len(reported))
	for i := range reported {
		r := &reported[i]
		if r.URN == "" || len(r.URN) > MaxURN || r.PostedAt.Year() < firstYear || r.PostedAt.After(now.Add(clockLeeway)) {
			continue
		}
		var post watchpost.Post
		clean := func() { post = cleanPost(r, source, network) }
		if guard(r.URN, r.Content, clean) {
			posts = append(posts, post)
		}
	}
	return posts
}

func cleanPost(r *protocol.Post, source watchpost.PostSource, network *url.URL) watchpost.Post {
	return watchpost.Post{
		URN: r.URN, URL: cleanURL(r.URL, network), Source: source,
		Content: text.ClipBytes(r.Content, maxContent), ImageText: text.ClipBytes(r.ImageText, maxContent),
		AuthorName: text.ClipBytes(r.AuthorName, MaxText), AuthorHeadline: text.ClipBytes(r.AuthorHeadline, MaxText),
		AuthorURL: cleanURL(r.AuthorURL, network), AuthorImageURL: cleanURL(r.AuthorImageURL, network),
		PostedAt: r.PostedAt.UTC(), Type: cleanType(r.Type),
		Likes: counter(r.Likes), Comments: counter(r.Comments), Shares: counter(r.Shares),
		ImageURLs: cleanURLs(r.ImageURLs, network), Videos: cleanURLs(r.Videos, network),
	}
}

func counter(n int64) int64 { return min(max(n, 0), maxCounter) }

// cleanType keeps a word of the network's vocabulary; any other is text.
func cleanType(s string) string {
	s = strings.ToLower(s)
	if s == "" || len(s) > 30 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_-") != "" {
		return "text"
	}
	return s
}

// cleanURL returns an absolute http(s) URL as it is, a path completed by the
// network's origin when that is known, and anything else as "".
func cleanURL(s string, network *url.URL) string {
	if s == "" || len(s) > maxURL {
		return ""
	}
	u, err := url.Parse(s)
	if err == nil && network != nil && strings.HasPrefix(s, "/") {
		u = network.ResolveReference(u)
		s = u.String()
	}
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

func cleanURLs(all []string, network *url.URL) []string {
	var kept []string
	for _, s := range all {
		if s = cleanURL(s, network); s != "" && len(kept) < maxMedia {
			kept = append(kept, s)
		}
	}
	return kept
}
