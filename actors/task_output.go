package actors

import (
	"encoding/json"

	"watchpost/actors/intake"
	"watchpost/internal/enrich"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// onOutput takes the output of a client's task.
func (t *task) onOutput(m fromSession, lease watchpost.Lease) {
	kind := t.state.Type
	if kind == watchpost.TaskProfilesPosts || kind == watchpost.TaskCompanyPosts {
		t.onFetchedPosts(m, lease)
		return
	}
	output, err := watchpost.CleanOutput(kind, m.frame.Output, t.env.network)
	switch {
	case err != nil:
		t.onBadOutput(m, lease, err)
	case kind.OnPost():
		t.ctx.Send(t.team, engaged{task: t.state, from: m, output: output})
	default:
		t.complete(m, output, nil)
	}
}

func (t *task) onBadOutput(m fromSession, lease watchpost.Lease, err error) {
	acted := true // as far as can be known
	t.onError(m, lease, &protocol.TaskError{Code: "invalid_output", Message: err.Error(), Acted: &acted})
}

// onFlagsUpdated completes a like or comment that the post shows by now.
func (t *task) onFlagsUpdated(m flagsUpdated) {
	switch {
	case m.err != nil: // the session sends its journal to the next activation
	case t.state.State.Final():
		t.ctx.Send(t.team, lateResult{session: m.from.id, frame: m.from.frame})
	default:
		t.complete(m.from, m.output, nil)
	}
}

// fetchedPost is a post in the output of a task: what the network shows and
// the service understands of it, and nothing of the team's.
type fetchedPost struct {
	URL            string               `json:"network_post_url"`
	URN            string               `json:"network_post_urn"`
	Content        string               `json:"content"`
	AuthorName     string               `json:"author_name"`
	AuthorURL      string               `json:"author_url"`
	AuthorHeadline string               `json:"author_headline"`
	AuthorImageURL string               `json:"author_image_url"`
	PostedAt       string               `json:"posted_at"`
	Likes          int64                `json:"likes_count"`
	Comments       int64                `json:"comments_count"`
	Shares         int64                `json:"shares_count"`
	Type           string               `json:"post_type"`
	Language       string               `json:"language"`
	ImageURL       string               `json:"image_url"`
	ImageURLs      []string             `json:"image_urls"`
	ImageText      string               `json:"image_text"`
	Videos         []string             `json:"videos"`
	Sentiment      string               `json:"sentiment"`
	Influence      int                  `json:"influence_score"`
	Seniority      string               `json:"seniority_level"`
	Source         watchpost.PostSource `json:"source"`
}

func fetched(p *watchpost.Post) fetchedPost {
	enrich.Post(p, enrich.Context{})
	v := fetchedPost{
		URL: p.URL, URN: p.URN, Content: p.Content,
		AuthorName: p.AuthorName, AuthorURL: p.AuthorURL, AuthorHeadline: p.AuthorHeadline, AuthorImageURL: p.AuthorImageURL,
		PostedAt: p.PostedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
		Likes:    p.Likes, Comments: p.Comments, Shares: p.Shares, Type: p.Type, Language: p.Language,
		ImageURLs: p.ImageURLs, ImageText: p.ImageText, Videos: p.Videos,
		Sentiment: p.Sentiment, Influence: p.Influence, Seniority: p.Seniority, Source: p.Source,
	}
	if len(v.ImageURLs) == 0 {
		v.ImageURLs = []string{}
	} else {
		v.ImageURL = v.ImageURLs[0]
	}
	return v
}

// onFetchedPosts takes the posts of a slice.
func (t *task) onFetchedPosts(m fromSession, lease watchpost.Lease) {
	if _, err := watchpost.CleanOutput(t.state.Type, m.frame.Output, t.env.network); err != nil && len(m.frame.Output) <= watchpost.MaxOutput {
		t.onBadOutput(m, lease, err)
		return
	}
	var output protocol.PostsOutput
	if err := json.Unmarshal(m.frame.Output, &output); err != nil {
		t.onBadOutput(m, lease, err)
		return
	}
	posts := intake.CleanPosts(output.Posts, t.state.Type, t.env.network, t.env.Clock.Now(), t.guardPost)
	shown := make([]json.RawMessage, len(posts))
	for i := range posts {
		raw, err := json.Marshal(fetched(&posts[i]))
		if err != nil {
			panic(err) // texts and numbers: a bug
		}
		shown[i] = raw
	}
	t.gather(m, lease, shown, true, 0)
}

// onNothingFound takes the answer to a slice without any existing profile: that
// fails the task only when nothing at all does. It reports whether that is so.
func (t *task) onNothingFound(m fromSession, lease watchpost.Lease, v watchpost.Outcome) bool {
	if t.state.Type != watchpost.TaskProfilesPosts {
		return false
	}
	next, rest, ok := t.state.AddPage(lease, nil, false)
	if ok && !rest && !next.Progress.Found {
		return false
	}
	refund := 0
	if v.Refund {
		refund = lease.Attempt
	}
	t.gather(m, lease, nil, false, refund)
	return true
}

// gather adds a slice's posts to those of the task, and completes it with the
// last slice. The answer to a slice that was handed out once more calls the
// newer attempt off.
func (t *task) gather(m fromSession, lease watchpost.Lease, posts []json.RawMessage, found bool, refund int) {
	next, rest, ok := t.state.AddPage(lease, posts, found)
	if !ok {
		t.answer(t.ack(m))
		return
	}
	if !rest {
		output, err := next.PagedOutput()
		if err != nil {
			panic(err) // it is JSON already
		}
		next.Progress.Posts = nil
		t.state.Progress = next.Progress
		t.completeWith(m, output, nil, refund)
		return
	}
	change, then := taskChange{event: taskReturned, by: m.id, refund: refund}, t.ack(m)
	switch {
	case t.state.State == watchpost.TaskPending:
		change.event, change.by = taskStays, ""
	case !t.state.Holds(m.frame.Lease):
		change.by = t.state.Lease.Session
		then = t.alsoCancel(then)
	}
	t.decide(next, change, then)
}
