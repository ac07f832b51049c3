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

// engagements is the component of a team that acts on its stored posts: it makes the tasks
// of likes and comments, and has the post store note what was done.
//
// The others ask what is recorded of an engagement (interaction).
type engagements struct {
	*rootActor
	team *team
}

func (e *engagements) receive(message any) bool {
	switch m := message.(type) {
	case Engage:
		e.onEngage(m)
	case BookmarkPost:
		e.onBookmarkPost(m)
	case engaged:
		e.onEngaged(m)
	default:
		return false
	}
	return true
}

// onEngage makes the task of a like or comment.
func (e *engagements) onEngage(m Engage) {
	post, err := e.post(m.Post)
	if err == nil && post.Source == watchpost.SourceForum {
		err = watchpost.Errorf(watchpost.Invalid, textNoLikes)
		if m.Type == watchpost.TaskCommentPost {
			err = watchpost.Errorf(watchpost.Invalid, textNoComments)
		}
	}
	if err != nil {
		e.Answer(nil, err)
		return
	}
	member, err := e.team.members.byEmail(m.Email)
	if err != nil {
		e.Answer(nil, err)
		return
	}
	e.team.tasks.createWrite(m.Type, withMember(m.Input, "social_urn", post.URN), member.ID, m.Delay)
}

// post returns a post that one of the team's watchlists collected (NotFound).
func (e *engagements) post(id watchpost.PostID) (*watchpost.Post, error) {
	notFound := watchpost.Errorf(watchpost.NotFound, watchpost.TextPostNotFound)
	if !watchpost.ValidID(string(id)) {
		return nil, notFound
	}
	view, err := e.env.View()
	if err != nil {
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	post, err := postindex.Get(view, e.Space, id)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return nil, notFound
	case err != nil:
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	case !post.Collected(func(w watchpost.WatchlistID) bool { return e.team.watchlists.find(w) != nil }):
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
func (e *engagements) onBookmarkPost(m BookmarkPost) {
	post, err := e.post(m.Post)
	if err != nil {
		e.Answer(nil, err)
		return
	}
	e.Context.Send(e.team.postStore, poststore.UpdatePostFlags{Post: post.ID, Bookmark: &m.Bookmark, Then: e.env.ReplyTo(e.Context.Sender(), root.Done{})})
}

// onEngaged lets the post store record what a session has done; the task completes
// when that is durable, so that who sees it completed sees the post liked.
func (e *engagements) onEngaged(m engaged) {
	open := e.team.tasks.find(m.task.ID)
	if open == nil {
		return
	}
	engagement, ok := m.task.Engagement()
	if !ok {
		e.team.tasks.tell(flagsUpdated{from: m.from, output: m.output}, open)
		return
	}
	root, task := e.env.System.Root, open.actor
	e.Context.Send(e.team.postStore, poststore.UpdatePostFlags{Done: e.interaction(&m.task, engagement), Then: func(err error) {
		root.Send(task, flagsUpdated{m.from, m.output, err})
	}})
}

// interaction records a engagement. Its id is the task's, so that one which is
// reported twice is recorded once.
func (e *engagements) interaction(task *watchpost.Task, engagement watchpost.Engagement) *watchpost.Interaction {
	i := &watchpost.Interaction{
		ID: task.ID, Kind: watchpost.InteractionLike, At: e.env.Clock.Now(), URN: engagement.URN, Target: engagement.Target,
		Author: watchpost.Author{ID: engagement.Company, FullName: engagement.Company, Type: engagement.Type},
	}
	if engagement.Action == watchpost.ActionComment {
		i.Kind, i.Text = watchpost.InteractionComment, engagement.Text
	}
	if engagement.Type == watchpost.ActorUser {
		member, _ := e.team.members.byID(task.Member)
		i.Author.ID, i.Author.FullName = string(task.Member), member.FullName
		bound, _ := e.team.members.binding(task.Member)
		i.Author.Slug = bound.Slug
	}
	return i
}
