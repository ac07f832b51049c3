package api

import (
	"bytes"
	"cmp"
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
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textNoTaskID = "Missing or invalid 'api_agent_task_id'"
)

func (s tasks) routes() {
	for i := range taskEndpoints {
		e := &taskEndpoints[i]
		e.add(s.Server, e)
	}
	endpoint.Handle(s.API, http.MethodGet, "/network-agent/get-task-status", s.getTaskStatus,
		s.Operation(endpoint.RequiresExtension(watchpost.ScopeRead), "getTaskStatus", "Ask how far a task is", endpoint.TagTasks),
		endpoint.Query("api_agent_task_id", "the task", openapi3.NewStringSchema()), endpoint.Required(),
		endpoint.WithError(http.StatusBadRequest, textNoTaskID),
		endpoint.WithError(http.StatusNotFound, watchpost.TextTaskNotFound))
}

type taskCreated struct {
	Success bool             `json:"success"`
	ID      watchpost.TaskID `json:"api_agent_task_id"`
	Message string           `json:"message"`
}

// addTask adds the route of one type of agent task, whose body is a B.
func addTask[B any](s *endpoint.Server, e *taskEndpoint) {
	send := func(ctx context.Context, key *actors.IdempotencyKey, body taskBody[B]) (actors.TaskCreated, error) {
		return endpoint.SendOnce(ctx, s.Registry, key, actors.CreateTask{Type: e.kind, Input: body.input, Email: emailOf(&body.fields)})
	}
	message := e.words + " task created successfully"
	show := func(_ taskBody[B], task actors.TaskCreated) taskCreated { return taskCreated{true, task.ID, message} }
	var texts []string
	for _, f := range endpoint.FieldsOf(reflect.TypeFor[B]()) {
		texts = append(texts, f.Text)
	}
	detail := e.detail
	if e.kind.Writes() {
		detail += " It is done in the name of the admin who has been in the team longest."
	}
	options := []func(*fuego.BaseRoute){
		s.Operation(endpoint.RequiresExtension(e.kind.Scope()), cmp.Or(e.id, camel(e.path)), "Create a task: "+strings.ToLower(e.words), endpoint.TagTasks),
		endpoint.WithDetail(detail), endpoint.WithBody(texts...), endpoint.WithExampleMessage(message),
	}
	options = append(options, e.errors...)
	if action := e.kind.Action(); action != watchpost.ActionNone {
		options = append(options, withDailyLimit(action))
	}
	if e.kind.OfMember() {
		options = append(options, endpoint.WithError(http.StatusNotFound, watchpost.TextNoAdmin, endpoint.TextUserNotFound))
	}
	endpoint.HandleCreate(s.API, "/network-agent/"+e.path, send, show, options...)
}

// withDailyLimit documents the error of a task over a daily limit of its key.
func withDailyLimit(action watchpost.Action) fuego.RouteOption {
	return endpoint.WithError(http.StatusPaymentRequired, watchpost.TextDailyLimit(20, action))
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

// taskBody is a request for a task: its fields, parsed, and as they were
// written, which the task keeps.
type taskBody[B any] struct {
	fields B
	input  json.RawMessage
}

// DecodeObject implements endpoint.ObjectDecoder.
func (t *taskBody[B]) DecodeObject(o endpoint.Object) error {
	if err := endpoint.Bind(o, &t.fields); err != nil {
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
	t.input = o.Pick(endpoint.FieldsOf(reflect.TypeFor[B]()))
	return nil
}

// Documented implements endpoint.DocumentedAs.
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
	NotBefore   *endpoint.Timestamp     `json:"not_before,omitempty" description:"until when a pending task waits at least"`
	CompletedAt *endpoint.Timestamp     `json:"completed_at,omitempty"`
}

// AppendTo writes the reply as package json would, at a fraction of the cost:
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
	b = endpoint.AppendJSON(append(b, `,"task_input":`...), t.Input)
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
	p := endpoint.ReadParams(r)
	id := p.One("api_agent_task_id")
	if p.Err != nil || id == "" {
		return taskStatusReply{}, watchpost.Errorf(watchpost.Invalid, textNoTaskID)
	}
	x := endpoint.StateOf(r.Context())
	view, err := s.Registry.TaskStatus(x.Context(), x.Team, watchpost.TaskID(id))
	if err != nil {
		return taskStatusReply{}, err
	}
	return taskStatusReply{true, shownTask(view)}, nil
}

func shownTask(v actors.TaskView) taskStatus {
	t := taskStatus{ID: v.ID, Status: v.State.PublicStatus(), Input: taskInput(v.Type, v.Input), Output: v.Output}
	if t.Output == nil {
		t.Output = endpoint.Null
	}
	if v.State.Final() {
		t.CompletedAt = endpoint.TimestampOrNil(v.CompletedAt)
		return t
	}
	t.Reason, t.NotBefore = v.Reason, endpoint.TimestampOrNil(v.NotBefore)
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
