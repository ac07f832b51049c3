package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/watchpost"
)

const (
	textNoTaskID = "Missing or invalid 'api_agent_task_id'"
)

// routes is the table of agent tasks: the body, path, type and the words
// of the reply.
func (s tasks) routes() {
	member := withError(http.StatusNotFound, watchpost.TextNoAdmin, textUserNotFound)
	agentTask[fetchProfile](s.shared, "fetch-profile", watchpost.TaskProfileFetch, "Profile fetch task created successfully")
	agentTask[fetchCompany](s.shared, "fetch-company", watchpost.TaskCompanyFetch, "Company fetch task created successfully")
	agentTask[fetchProfilesPosts](s.shared, "fetch-profiles-posts", watchpost.TaskProfilesPosts, "Profile posts fetch task created successfully")
	agentTask[fetchCompany](s.shared, "fetch-company-posts", watchpost.TaskCompanyPosts, "Company posts fetch task created successfully")
	agentTask[searchProfiles](s.shared, "search-profiles", watchpost.TaskProfilesSearch, "Profile search task created successfully",
		withError(http.StatusBadRequest, textNoFilter), member)
	agentTask[likePost](s.shared, "like-post", watchpost.TaskLikePost, "Like post task created successfully", member)
	agentTask[commentPost](s.shared, "comment-post", watchpost.TaskCommentPost, "Comment post task created successfully", member)
	agentTask[sendMessage](s.shared, "send-message", watchpost.TaskSendMessage, "Send message task created successfully",
		withError(http.StatusBadRequest, textLongMessage), member)
	agentTask[sendConnectionRequest](s.shared, "send-connection-request", watchpost.TaskConnectionRequest, "Send connection request task created successfully",
		withError(http.StatusBadRequest, textLongNote), member,
		withError(http.StatusTooManyRequests, watchpost.TextInvitationCap))
	agentTask[fetchConnections](s.shared, "fetch-connections", watchpost.TaskConnectionsFetch, "Fetch connections task created successfully", member)

	handle(s.api, http.MethodGet, "/network-agent/get-task-status", s.getTaskStatus,
		s.operation(requiresExtension, "getTaskStatus", "Ask how far a task is", tagTasks),
		query("api_agent_task_id", "the task", openapi3.NewStringSchema()), required(),
		withError(http.StatusBadRequest, textNoTaskID),
		withError(http.StatusNotFound, watchpost.TextTaskNotFound))
}

type taskCreated struct {
	Success bool             `json:"success"`
	ID      watchpost.TaskID `json:"api_agent_task_id"`
	Message string           `json:"message"`
}

// agentTask adds the route of one type of agent task, whose body is a B.
func agentTask[B any](s *shared, name string, t watchpost.TaskType, message string,
	options ...func(*fuego.BaseRoute),
) {
	send := func(ctx context.Context, key *actors.IdempotencyKey, body taskBody[B]) (actors.TaskCreated, error) {
		return sendOnce(ctx, s.registry, key, actors.CreateTask{Type: t, Input: body.input, Email: emailOf(&body.fields)})
	}
	show := func(_ taskBody[B], task actors.TaskCreated) taskCreated { return taskCreated{true, task.ID, message} }
	var texts []string
	for _, f := range fieldsOf(reflect.TypeFor[B]()) {
		texts = append(texts, f.text)
	}
	options = append([]func(*fuego.BaseRoute){s.operation(requiresExtension, camel(name), summaryOf(message), tagTasks), withBody(texts...), withExampleMessage(message)}, options...)
	handleCreate(s.api, "/network-agent/"+name, send, show, options...)
}

// camel makes an operation's name of a path's: fetch-profile is fetchProfile.
func camel(name string) string {
	first, rest, _ := strings.Cut(name, "-")
	for word := range strings.SplitSeq(rest, "-") {
		if word != "" {
			first += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return first
}

// summaryOf makes an operation's summary of the words of its reply.
func summaryOf(message string) string {
	return "Create a task: " + strings.ToLower(strings.TrimSuffix(message, " task created successfully"))
}

// taskBody is a request for a task: its fields, parsed, and as they were
// written, which the task keeps.
type taskBody[B any] struct {
	fields B
	input  json.RawMessage
}

// DecodeObject implements objectDecoder.
func (t *taskBody[B]) DecodeObject(o object) error {
	if err := bind(o, &t.fields); err != nil {
		return err
	}
	if own, ok := any(&t.fields).(cleanedField); ok {
		name, text := own.cleaned()
		raw, err := json.Marshal(text)
		if err != nil {
			return err
		}
		o = maps.Clone(o)
		o[name] = raw
	}
	t.input = o.pick(fieldsOf(reflect.TypeFor[B]()))
	return nil
}

// Documented implements documentedAs.
func (t taskBody[B]) Documented() any { return t.fields }

// cleanedField is a request with a text that the task keeps as it was cleaned.
type cleanedField interface{ cleaned() (name, text string) }

// emailOf returns the email of the member on whose account a task is to run; nil
// when the request names none.
func emailOf(fields any) *string {
	if named, ok := fields.(interface{ email() *string }); ok {
		return named.email()
	}
	return nil
}

// pick returns the object with the given fields only.
func (o object) pick(fields []field) json.RawMessage {
	out := []byte{'{'}
	for _, f := range fields {
		raw, ok := o[f.name]
		if !ok {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, '"')
		out = append(out, f.name...)
		out = append(out, '"', ':')
		out = append(out, raw...)
	}
	return append(out, '}')
}

type taskStatusReply struct {
	Success bool       `json:"success"`
	Data    taskStatus `json:"data"`
}

type taskStatus struct {
	ID          watchpost.TaskID        `json:"id"`
	Status      string                  `json:"status" validate:"oneof=pending completed failed"`
	Input       json.RawMessage         `json:"task_input"`
	Output      json.RawMessage         `json:"task_output"`
	Reason      watchpost.PendingReason `json:"pending_reason,omitempty" description:"why a pending task waits"`
	NotBefore   *timestamp              `json:"not_before,omitempty" description:"until when a pending task waits at least"`
	CompletedAt *timestamp              `json:"completed_at,omitempty"`
}

// appendTo writes the reply as package json would, at a fraction of the cost:
// clients poll more than they do anything else. A task's output is such JSON
// since it was taken.
func (r taskStatusReply) AppendTo(b []byte) []byte {
	t := &r.Data
	member := func(name, value string) {
		b = append(append(append(b, `,"`...), name...), `":"`...)
		b = append(append(b, value...), '"')
	}
	b = append(strconv.AppendBool(append(b, `{"success":`...), r.Success), `,"data":{"id":"`...)
	b = append(append(b, t.ID...), '"')
	member("status", t.Status)
	b = appendJSON(append(b, `,"task_input":`...), t.Input)
	b = append(append(b, `,"task_output":`...), t.Output...)
	if t.Reason != "" {
		member("pending_reason", string(t.Reason))
	}
	if t.NotBefore != nil {
		member("not_before", string(*t.NotBefore))
	}
	if t.CompletedAt != nil {
		member("completed_at", string(*t.CompletedAt))
	}
	return append(b, "}}"...)
}

func (s tasks) getTaskStatus(r *http.Request) (taskStatusReply, error) {
	p := readParams(r)
	id := p.one("api_agent_task_id")
	if p.err != nil || id == "" {
		return taskStatusReply{}, watchpost.Errorf(watchpost.Invalid, textNoTaskID)
	}
	x := stateOf(r.Context())
	view, err := s.registry.TaskStatus(&x.ctx, x.team, watchpost.TaskID(id))
	if err != nil {
		return taskStatusReply{}, err
	}
	return taskStatusReply{true, shownTask(view)}, nil
}

func shownTask(v actors.TaskView) taskStatus {
	t := taskStatus{ID: v.ID, Status: v.State.PublicStatus(), Input: taskInput(v.Type, v.Input), Output: v.Output}
	if t.Output == nil {
		t.Output = null
	}
	if v.State.Final() {
		t.CompletedAt = timestampOrNil(v.CompletedAt)
		return t
	}
	t.Reason, t.NotBefore = v.Reason, timestampOrNil(v.NotBefore)
	return t
}

// taskInput puts the type in front of a task's fields.
func taskInput(t watchpost.TaskType, fields json.RawMessage) json.RawMessage {
	fields = bytes.TrimSpace(fields)
	out := append([]byte(`{"task_type":"`), t...)
	out = append(out, '"')
	if len(fields) > len(`{}`) && fields[0] == '{' {
		out = append(out, ',')
		return append(out, fields[1:]...)
	}
	return append(out, '}')
}
