package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

const (
	tagEngagement     = "Engagement"
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
	textUserNotFound  = "User not found"
)

func (s *Server) engagementRoutes() {
	missing := withError(http.StatusNotFound, textPostNotFound, textUserNotFound)
	fuego.Post(s.api, "/api-like", s.like, s.operation(requiresExtension, "createLike", "Like a post in a member's name", tagEngagement), s.idempotent(),
		withBody(textNoPostID, textNoUserEmail, textActorType, textCompanyTitle, textForumLikes), missing,
		withExampleMessage("Like task created successfully"))
	fuego.Post(s.api, "/api-comment", s.comment, s.operation(requiresExtension, "createComment", "Comment on a post in a member's name", tagEngagement), s.idempotent(),
		withBody(textNoPostID, textNoUserEmail, textNoComment, textEmptyComment, textLongComment, textActorType, textCompanyTitle, textForumComments), missing,
		withExampleMessage("Comment task created successfully"))
}

// filled is a text with something in it.
type filled string

// UnmarshalJSON implements json.Unmarshaler.
func (f *filled) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*string)(f)); err != nil {
		return err
	}
	if isBlank(string(*f)) {
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

// checkField implements fieldChecker.
func (r *likeRequest) checkField(name string) error { return checkActor(name, r.Actor, r.Company) }

// checkField implements fieldChecker.
func (r *commentRequest) checkField(name string) error {
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
	return nil
}

type engagementReply struct {
	Success bool             `json:"success"`
	Message string           `json:"message"`
	ID      watchpost.TaskID `json:"task_id"`
}

func (s *Server) like(c fuego.ContextWithBody[likeRequest]) (engagementReply, error) {
	body, err := readBody(c.Request())
	if err != nil {
		return engagementReply{}, err
	}
	var request likeRequest
	if err := bind(body, &request); err != nil {
		return engagementReply{}, err
	}
	return s.engage(c.Request(), actors.Engage{
		Type: watchpost.TaskLikePost, Post: watchpost.PostID(request.Post), Email: knownEmail(request.Email),
		Input: body.pick(fieldsOf(reflect.TypeFor[likeRequest]())),
	}, "Like task created successfully")
}

func (s *Server) comment(c fuego.ContextWithBody[commentRequest]) (engagementReply, error) {
	body, err := readBody(c.Request())
	if err != nil {
		return engagementReply{}, err
	}
	var request commentRequest
	if err := bind(body, &request); err != nil {
		return engagementReply{}, err
	}
	text, _ := watchpost.CleanComment(request.Text)
	if body["comment_text"], err = json.Marshal(text); err != nil {
		return engagementReply{}, err
	}
	return s.engage(c.Request(), actors.Engage{
		Type: watchpost.TaskCommentPost, Post: watchpost.PostID(request.Post), Email: knownEmail(request.Email),
		Input: body.pick(fieldsOf(reflect.TypeFor[commentRequest]())),
	}, "Comment task created successfully")
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
	case name == "company_title" && acts == watchpost.ActorCompany && isBlank(company):
		return watchpost.Errorf(watchpost.Invalid, textCompanyTitle)
	}
	return nil
}

// knownEmail is how the team knows a member; what is no address is nobody's.
func knownEmail(given filled) string {
	email, _ := watchpost.NormalizeEmail(string(given))
	return email
}

func (s *Server) engage(r *http.Request, request actors.Engage, message string) (engagementReply, error) {
	task, err := create(r.Context(), s, request)
	if err != nil {
		return engagementReply{}, err
	}
	return engagementReply{true, message, task.ID}, nil
}
