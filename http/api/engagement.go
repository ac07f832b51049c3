package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textNoPostID      = "Missing required parameter: post_id"
	textNoUserEmail   = "Missing required parameter: user_email"
	textNoComment     = "Missing required parameter: comment_text"
	textEmptyComment  = "comment_text cannot be empty"
	textLongComment   = "Invalid 'comment_text': must be 1250 characters or fewer"
	textActorType     = "Invalid actor_type. Must be 'user' or 'company'"
	textCompanyTitle  = "company_title is required when actor_type is 'company'"
	textForumLikes    = "Post does not support like functionality (missing social_urn)"
	textForumComments = "Post does not support comment functionality (missing social_urn)"
	textPostNotFound  = "Post not found"
)

func (s engagements) routes() {
	missing := endpoint.WithError(http.StatusNotFound, textPostNotFound, endpoint.TextUserNotFound)
	like := engage(s.Registry, watchpost.TaskLikePost, func(l *likeRequest) (filled, filled) { return l.Post, l.Email })
	endpoint.HandleCreate(s.API, "/api-like", like, showEngagement[likeRequest]("Like task created successfully"),
		s.Operation(endpoint.RequiresExtension(watchpost.ScopeEngage), "createLike", "Like a post in a member's name", endpoint.TagEngagement),
		endpoint.WithBody(textNoPostID, textNoUserEmail, textActorType, textCompanyTitle, textForumLikes), missing, withDailyLimit(watchpost.ActionLike),
		endpoint.WithExampleMessage("Like task created successfully"))
	comment := engage(s.Registry, watchpost.TaskCommentPost, func(c *commentRequest) (filled, filled) { return c.Post, c.Email })
	endpoint.HandleCreate(s.API, "/api-comment", comment, showEngagement[commentRequest]("Comment task created successfully"),
		s.Operation(endpoint.RequiresExtension(watchpost.ScopeEngage), "createComment", "Comment on a post in a member's name", endpoint.TagEngagement),
		endpoint.WithBody(textNoPostID, textNoUserEmail, textNoComment, textEmptyComment, textLongComment, textActorType, textCompanyTitle, textForumComments), missing, withDailyLimit(watchpost.ActionComment),
		endpoint.WithExampleMessage("Comment task created successfully"))
}

// filled is a text with something in it.
type filled string

// UnmarshalJSON implements json.Unmarshaler.
func (f *filled) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*string)(f)); err != nil {
		return err
	}
	if endpoint.IsBlank(string(*f)) {
		return errors.New("empty")
	}
	return nil
}

type likeRequest struct {
	Post    filled  `json:"post_id" required:"Missing required parameter: post_id" description:"a post of GET /api-posts"`
	Email   filled  `json:"user_email" required:"Missing required parameter: user_email" example:"jane@example.com" description:"the member who acts"`
	Actor   *string `json:"actor_type,omitempty" invalid:"Invalid actor_type. Must be 'user' or 'company'" validate:"oneof=user company" example:"user"`
	Company string  `json:"company_title,omitempty" description:"the company's page that acts, for the actor type company"`
}

type commentRequest struct {
	Post    filled  `json:"post_id" required:"Missing required parameter: post_id" description:"a post of GET /api-posts"`
	Email   filled  `json:"user_email" required:"Missing required parameter: user_email" example:"jane@example.com" description:"the member who acts"`
	Text    string  `json:"comment_text" required:"Missing required parameter: comment_text" example:"Well done!" description:"at most 1250 characters" maxLength:"1250,own"`
	Actor   *string `json:"actor_type,omitempty" invalid:"Invalid actor_type. Must be 'user' or 'company'" validate:"oneof=user company" example:"user"`
	Company string  `json:"company_title,omitempty" description:"the company's page that acts, for the actor type company"`
}

// CleanField implements endpoint.FieldCleaner.
func (r *likeRequest) CleanField(name string) error { return checkActor(name, r.Actor, r.Company) }

// CleanField implements endpoint.FieldCleaner.
func (r *commentRequest) CleanField(name string) error {
	if name != "comment_text" {
		return checkActor(name, r.Actor, r.Company)
	}
	text, ok := watchpost.CleanComment(r.Text)
	switch {
	case text == "":
		return watchpost.Errorf(watchpost.Invalid, textEmptyComment)
	case !ok:
		return watchpost.Errorf(watchpost.Invalid, textLongComment)
	}
	r.Text = text
	return nil
}

// cleaned implements cleanedField: the task writes the comment without the
// spaces around it.
func (r *commentRequest) cleaned() (name, text string) { return "comment_text", r.Text }

type engagementReply struct {
	Success bool             `json:"success"`
	Message string           `json:"message"`
	ID      watchpost.TaskID `json:"task_id"`

	Expected expected `json:"expected"`
}

// engage returns how a like or comment is sent to the team.
func engage[B any](registry *actors.Registry, t watchpost.TaskType, named func(*B) (post, email filled)) func(context.Context, *actors.IdempotencyKey, taskBody[B]) (actors.TaskCreated, error) {
	return func(ctx context.Context, key *actors.IdempotencyKey, body taskBody[B]) (actors.TaskCreated, error) {
		post, email := named(&body.fields)
		return endpoint.SendOnce(ctx, registry, key, actors.Engage{Type: t, Post: watchpost.PostID(post), Email: knownEmail(email), Input: body.input})
	}
}

// showEngagement returns how the reply of a like or comment is made.
func showEngagement[B any](message string) func(taskBody[B], actors.TaskCreated) engagementReply {
	return func(_ taskBody[B], task actors.TaskCreated) engagementReply {
		return engagementReply{true, message, task.ID, showExpected(task.Expected)}
	}
}

// checkActor checks the two fields that say who acts.
func checkActor(name string, actor *string, company string) error {
	if actor == nil {
		return nil
	}
	acts := watchpost.ActorType(*actor)
	switch {
	case name == "actor_type" && acts != watchpost.ActorUser && acts != watchpost.ActorCompany:
		return watchpost.Errorf(watchpost.Invalid, textActorType)
	case name == "company_title" && acts == watchpost.ActorCompany && endpoint.IsBlank(company):
		return watchpost.Errorf(watchpost.Invalid, textCompanyTitle)
	}
	return nil
}

// knownEmail normalizes the email of a member; text that is no address is "", which
// no member has.
func knownEmail(given filled) string {
	email, _ := watchpost.NormalizeEmail(string(given))
	return email
}
