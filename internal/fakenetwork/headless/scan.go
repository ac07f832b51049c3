package headless

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
)

// maxPartBytes bounds the posts of a part; the rest of the frame is small.
const maxPartBytes = protocol.MaxPartBytes - 4096

// rawPosts is a PostsOutput with encoded posts.
type rawPosts struct {
	Posts     []json.RawMessage `json:"posts"`
	Exhausted *bool             `json:"exhausted,omitempty"`
}

// scan collects the posts of a scan and sends them in parts.
type scan struct {
	*run
	since time.Time
	kind  page.Kind
	path  string
	query url.Values

	known map[string]bool // URNs already added
	posts []json.RawMessage
	size  int
	seq   int
}

// scanPages pages through a list of posts from the newest back to since. It
// stops early, and reports that, at protocol.MaxScanPosts or after ScanTime.
func scanPages(ctx context.Context, sc *scan) (any, error) {
	sc.known = make(map[string]bool)
	within, cancel := context.WithTimeout(ctx, sc.s.opts.Hooks.ScanTime)
	defer cancel()
	exhausted, err := sc.pages(within)
	if err != nil {
		// Only the scan's time is over, not the task's: the posts so far count.
		if ctx.Err() != nil || within.Err() == nil || sc.empty() {
			return nil, err
		}
		exhausted = false
	}
	if sc.posts == nil {
		sc.posts = []json.RawMessage{}
	}
	return rawPosts{Posts: sc.posts, Exhausted: &exhausted}, nil
}

// empty reports whether the scan has no posts yet.
func (sc *scan) empty() bool { return len(sc.known) == 0 }

// pages reads the pages one by one; exhausted is true when the end of the list
// or since was reached.
func (sc *scan) pages(ctx context.Context) (exhausted bool, err error) {
	if sc.query == nil {
		sc.query = url.Values{}
	}
	for n := 1; ; n++ {
		sc.query.Set("page", strconv.Itoa(n))
		data, err := sc.net.get(ctx, sc.path, sc.query, sc.kind)
		if err != nil {
			return false, err
		}
		for i := range data.Posts {
			p := &data.Posts[i]
			if p.PostedAt.Before(sc.since) {
				return true, nil
			}
			if sc.known[p.URN] {
				continue // newer posts have pushed it to the next page
			}
			if len(sc.known) >= protocol.MaxScanPosts {
				return false, nil
			}
			if err := sc.add(p); err != nil {
				return false, err
			}
		}
		if !data.Paging.More {
			return true, nil
		}
	}
}

// add appends a post, and sends a part when it is full.
func (sc *scan) add(p *page.Post) error {
	sc.known[p.URN] = true
	b, err := json.Marshal(postOf(sc.net, p))
	if err != nil {
		return err
	}
	if len(b) > maxPartBytes {
		sc.s.log.Warn("session: post too large to be reported", "urn", p.URN, "bytes", len(b))
		return nil
	}
	if len(sc.posts) == protocol.MaxPartPosts || sc.size+len(b)+1 > maxPartBytes {
		sc.sendPart()
	}
	sc.posts = append(sc.posts, b)
	sc.size += len(b) + 1
	return nil
}

// sendPart sends the collected posts without waiting for the ack.
func (sc *scan) sendPart() {
	output, err := json.Marshal(rawPosts{Posts: sc.posts})
	if err != nil {
		return // cannot fail: the messages were just encoded
	}
	seq := sc.seq
	sc.seq++
	sc.posts, sc.size = nil, 0
	s, t := sc.s, sc.t
	s.mu.Lock()
	defer s.mu.Unlock()
	part := protocol.Frame{
		Type: protocol.TypePart, Task: t.entry.Task, Lease: t.entry.Lease, Attempt: t.entry.Attempt, Seq: &seq, Output: output,
	}
	t.parts = append(t.parts, part)
	s.sendLocked(part)
}

// flush waits until the service has stored all parts of a task. Parts are kept
// in memory, so the journal may not mark the task as done before.
func (s *session) flush(t *task) error {
	s.mu.Lock()
	if len(t.parts) == 0 {
		s.mu.Unlock()
		return nil
	}
	flushed := make(chan struct{})
	t.flushed = flushed
	s.mu.Unlock()
	select {
	case <-flushed:
		return nil
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
}

// postOf converts a post to the protocol's form.
func postOf(net *client, p *page.Post) protocol.Post {
	out := protocol.Post{
		URN: p.URN, URL: net.absolute(p.Path), Content: p.Content, PostedAt: p.PostedAt.UTC(),
		AuthorName: p.Author.Name, AuthorURL: net.absolute(p.Author.Path), AuthorURN: p.Author.URN,
		AuthorHeadline: p.Author.Headline, AuthorImageURL: net.absolute(p.Author.Image),
		Likes: int64(p.Likes), Comments: int64(p.Comments), Shares: int64(p.Shares), Type: p.Type, ImageText: p.ImageText,
	}
	for _, image := range p.Images {
		out.ImageURLs = append(out.ImageURLs, net.absolute(image))
	}
	for _, video := range p.Videos {
		out.Videos = append(out.Videos, net.absolute(video))
	}
	return out
}
