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
	"time"

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
	most := float64(endpoint.MaxWait / time.Second)
	endpoint.Handle(s.API, http.MethodGet, endpoint.TaskStatusPath, s.getTaskStatus,
		s.Operation(endpoint.RequiresExtension(watchpost.ScopeRead), "getTaskStatus", "Ask how far a task is", endpoint.TagTasks),
		endpoint.Query("api_agent_task_id", "the task", openapi3.NewStringSchema()), endpoint.Required(),
		endpoint.Query("wait", "seconds to wait for the end of the task; without it, one that is running is waited for up to 2 seconds", openapi3.NewIntegerSchema().WithMin(0).WithMax(most)),
		endpoint.WithError(http.StatusBadRequest, textNoTaskID, "Invalid 'wait'"),
		endpoint.WithError(http.StatusNotFound, watchpost.TextTaskNotFound))
	s.listRoutes()
}

type taskCreated struct {
	Success    bool                `json:"success"`
	ID         watchpost.TaskID    `json:"api_agent_task_id"`
	Message    string              `json:"message"`
	Expected   expected            `json:"expected"`
	FromStored bool                `json:"from_stored,omitempty" description:"the task is one that fetched the same before; nothing is debited"`
	FetchedAt  *endpoint.Timestamp `json:"fetched_at,omitempty" description:"when that task fetched it"`
}

// expected says when a new task will be done.
type expected struct {
	When      string                   `json:"when" validate:"oneof=now waiting"`
	Reason    *watchpost.PendingReason `json:"reason" description:"what the task waits for; null: nothing"`
	NotBefore *endpoint.Timestamp      `json:"not_before" description:"until when it waits at least; null: not known"`
}

func showExpected(e actors.Expected) expected {
	if e.Reason == "" {
		return expected{When: "now"}
	}
	return expected{"waiting", &e.Reason, endpoint.TimestampOrNil(e.NotBefore)}
}

// addTask adds the route of one type of agent task, whose body is a B.
func addTask[B any](s *endpoint.Server, e *taskEndpoint) {
	send := func(ctx context.Context, key *actors.IdempotencyKey, body taskBody[B]) (actors.TaskCreated, error) {
		request := actors.CreateTask{Type: e.kind, Input: body.input, Email: emailOf(&body.fields)}
		if old, ok := any(&body.fields).(agedField); ok {
			request.MaxAge = old.age()
		}
		return endpoint.SendOnce(ctx, s.Registry, key, request)
	}
	message := e.words + " task created successfully"
	show := func(_ taskBody[B], task actors.TaskCreated) taskCreated {
		stored := !task.FetchedAt.IsZero()
		return taskCreated{true, task.ID, message, showExpected(task.Expected), stored, endpoint.TimestampOrNil(task.FetchedAt)}
	}
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
	if _, ok := any(&t.fields).(agedField); ok {
		o = maps.Clone(o)
		delete(o, fieldMaxAge) // says nothing about the task
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

// taskStatusReply has what a client asks for first at the top, too.
type taskStatusReply struct {
	Success bool               `json:"success"`
	Status  string             `json:"status" validate:"oneof=pending completed failed"`
	Type    watchpost.TaskType `json:"task_type"`
	Output  json.RawMessage    `json:"task_output"`
	Data    taskStatus         `json:"data"`
}

func showTask(v actors.TaskView) taskStatusReply {
	t := shownTask(v)
	return taskStatusReply{true, t.Status, v.Type, t.Output, t}
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
	b = strconv.AppendBool(append(b, `{"success":`...), r.Success)
	member("status", r.Status)
	member("task_type", string(r.Type))
	b = append(append(b, `,"task_output":`...), r.Output...)
	b = append(b, `,"data":{"id":"`...)
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
	id := watchpost.TaskID(p.One("api_agent_task_id"))
	if p.Err != nil || id == "" {
		return taskStatusReply{}, watchpost.Errorf(watchpost.Invalid, textNoTaskID)
	}
	wait, given := p.Wait()
	if p.Err != nil {
		return taskStatusReply{}, p.Err
	}
	x := endpoint.StateOf(r.Context())
	view, err := s.Registry.TaskStatus(x.Context(), x.Team, id)
	if !given && view.Reason == watchpost.PendingRunning {
		wait = s.Timing.Running // many clients ask at once and then some seconds later
	}
	if err == nil && wait > 0 && !view.State.Final() {
		view, err = s.awaitTask(r, id, wait)
	}
	if err != nil {
		return taskStatusReply{}, err
	}
	return showTask(view), nil
}

// awaitTask waits for the end of a task, and returns it as it is then.
func (s tasks) awaitTask(r *http.Request, id watchpost.TaskID, most time.Duration) (actors.TaskView, error) {
	x := endpoint.StateOf(r.Context())
	ended, done := s.Registry.AwaitTask(id)
	defer done()
	view, err := s.Registry.TaskStatus(x.Context(), x.Team, id)
	if err != nil || view.State.Final() { // just before a caller waited
		return view, err
	}
	if err := endpoint.Await(s.Server, r, watchpost.ScopeRead, ended, most); err != nil {
		return view, err
	}
	return s.Registry.TaskStatus(x.Context(), x.Team, id)
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
