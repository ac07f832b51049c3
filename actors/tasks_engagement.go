package actors

import (
	"encoding/json"
	"errors"
	"time"

	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

const (
	textNoLikes    = "Post does not support like functionality (missing social_urn)"
	textNoComments = "Post does not support comment functionality (missing social_urn)"
)

// Engage makes a task that likes a stored post or comments on it in a member's
// name; answered by TaskCreated (NotFound; Invalid for a post of the forum).
// Input is a JSON object with the request's fields as given.
type Engage struct {
	Type  watchpost.TaskType
	Post  watchpost.PostID
	Email string // normalised
	Input json.RawMessage
	// Delay is how long no session gets the task, so that it can be cancelled.
	Delay time.Duration
}

// BookmarkPost changes the bookmark of a post; answered by Done (NotFound).
type BookmarkPost struct {
	Post     watchpost.PostID
	Bookmark bool
}

// engaged tells the team that a session has liked a post or commented on it;
// answered to the task by flagsUpdated when the post shows it.
type engaged struct {
	task   watchpost.Task
	from   fromSession
	output json.RawMessage
}

// flagsUpdated tells a task that its change of a post is durable, or was lost.
type flagsUpdated struct {
	from   fromSession
	output json.RawMessage
	err    error
}

// onEngage makes the task of a like or comment.
func (t *tasks) onEngage(m Engage) {
	post, err := t.post(m.Post)
	if err == nil && post.Source == watchpost.SourceForum {
		err = watchpost.Errorf(watchpost.Invalid, textNoLikes)
		if m.Type == watchpost.TaskCommentPost {
			err = watchpost.Errorf(watchpost.Invalid, textNoComments)
		}
	}
	if err != nil {
		t.Answer(nil, err)
		return
	}
	member, err := t.team.members.byEmail(m.Email)
	if err != nil {
		t.Answer(nil, err)
		return
	}
	t.createWrite(m.Type, withMember(m.Input, "social_urn", post.URN), member.ID, m.Delay)
}

// post returns a post that one of the team's watchlists collected (NotFound).
func (t *tasks) post(id watchpost.PostID) (*watchpost.Post, error) {
	notFound := watchpost.Errorf(watchpost.NotFound, watchpost.TextPostNotFound)
	if !watchpost.ValidID(string(id)) {
		return nil, notFound
	}
	view, err := t.env.View()
	if err != nil {
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	post, err := postindex.Get(view, t.Space, id)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return nil, notFound
	case err != nil:
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	case !post.Collected(func(w watchpost.WatchlistID) bool { return t.team.watchlists.byID[w] != nil }):
		return nil, notFound
	}
	return post, nil
}

// withMember adds a text member to a JSON object.
func withMember(object json.RawMessage, name, value string) json.RawMessage {
	member, err := json.Marshal(map[string]string{name: value})
	if err != nil || len(object) <= len(`{}`) {
		return member
	}
	out := append(json.RawMessage(nil), object[:len(object)-1]...)
	return append(append(out, ','), member[1:]...)
}

// onBookmarkPost lets the post store change a bookmark.
func (t *tasks) onBookmarkPost(m BookmarkPost) {
	post, err := t.post(m.Post)
	if err != nil {
		t.Answer(nil, err)
		return
	}
	t.Context.Send(t.team.postStore, poststore.UpdatePostFlags{Post: post.ID, Bookmark: &m.Bookmark, Then: t.env.ReplyTo(t.Context.Sender(), root.Done{})})
}

// onEngaged lets the post store record what a session has done; the task completes
// when that is durable, so that who sees it completed sees the post liked.
func (t *tasks) onEngaged(m engaged) {
	open := t.open[m.task.ID]
	if open == nil {
		return
	}
	engagement, ok := m.task.Engagement()
	if !ok {
		t.tell(flagsUpdated{from: m.from, output: m.output}, open)
		return
	}
	root, task := t.env.System.Root, open.actor
	t.Context.Send(t.team.postStore, poststore.UpdatePostFlags{Done: t.interaction(&m.task, engagement), Then: func(err error) {
		root.Send(task, flagsUpdated{m.from, m.output, err})
	}})
}

// interaction records a engagement. Its id is the task's, so that one which is
// reported twice is recorded once.
func (t *tasks) interaction(task *watchpost.Task, engagement watchpost.Engagement) *watchpost.Interaction {
	i := &watchpost.Interaction{
		ID: task.ID, Kind: watchpost.InteractionLike, At: t.env.Clock.Now(), URN: engagement.URN, Target: engagement.Target,
		Author: watchpost.Author{ID: engagement.Company, FullName: engagement.Company, Type: engagement.Type},
	}
	if engagement.Action == watchpost.ActionComment {
		i.Kind, i.Text = watchpost.InteractionComment, engagement.Text
	}
	if engagement.Type == watchpost.ActorUser {
		member, _ := t.team.members.byID(task.Member)
		i.Author.ID, i.Author.FullName = string(task.Member), member.FullName
		i.Author.Slug = t.team.members.bindings[task.Member].Slug
	}
	return i
}
