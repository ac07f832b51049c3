package api

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// maxListedOutputs bounds the outputs of a page, in bytes: one may have half a megabyte.
const maxListedOutputs = 4 << 20

// listRoutes adds the list of tasks.
func (s tasks) listRoutes() {
	const path = "/api-tasks"
	text := openapi3.NewStringSchema
	types := text().WithEnum(endpoint.TextsOf(watchpost.JournalTypes()...)...)
	endpoint.Handle(s.API, http.MethodGet, path, s.getTasks,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getTasks", "List the tasks that were asked for, newest first", endpoint.TagTasks),
		endpoint.Query("ids", "these tasks, at most 100", openapi3.NewArraySchema().WithItems(text())),
		endpoint.Query("status", "tasks with this status only", text().WithEnum("pending", "completed", "failed")),
		endpoint.Query("task_type", "any of these types", openapi3.NewArraySchema().WithItems(types)),
		endpoint.Query("since", "created at or after this moment, or on or after this date", text()),
		endpoint.Query("page", "from 1; the alias `current_page` is accepted", openapi3.NewIntegerSchema().WithMin(1).WithDefault(1)),
		endpoint.Query("page_size", "tasks per page; above 100 it is 100", openapi3.NewIntegerSchema().WithMin(1).WithDefault(watchpost.TaskPageSize)),
		endpoint.WithError(http.StatusBadRequest, "Too many values for 'ids', at most 100", "Invalid 'status': use pending, completed or failed",
			"Invalid 'task_type': use "+endpoint.InWords(watchpost.JournalTypes(), "or"), "Invalid 'since'", "Invalid 'page'", "Invalid 'page_size'"))
	endpoint.Handle(s.API, http.MethodDelete, path, s.cancelTask,
		s.Operation(endpoint.TeamsByTask(), "cancelTask", "Cancel a task that has not begun to act", endpoint.TagTasks),
		endpoint.Query("id", "the task", text()), endpoint.Required(),
		endpoint.WithError(http.StatusBadRequest, textMissingID),
		endpoint.WithError(http.StatusNotFound, watchpost.TextTaskNotFound),
		endpoint.WithError(http.StatusConflict, watchpost.TextBeingDone))
}

type tasksReply struct {
	Data  []listedTask `json:"data" validate:"required"`
	Count int          `json:"count" description:"tasks that match, on all pages"`
}

// listedTask is a task of a list.
type listedTask struct {
	ID          watchpost.TaskID        `json:"id"`
	Type        watchpost.TaskType      `json:"task_type"`
	Status      string                  `json:"status" validate:"oneof=pending completed failed"`
	Input       json.RawMessage         `json:"task_input"`
	Output      json.RawMessage         `json:"task_output"`
	Omitted     bool                    `json:"output_omitted,omitempty" description:"the outputs of the page are too large together; get-task-status shows this one"`
	Reason      watchpost.PendingReason `json:"pending_reason,omitempty" description:"why a pending task waits"`
	NotBefore   *endpoint.Timestamp     `json:"not_before,omitempty" description:"until when a pending task waits at least"`
	CreatedAt   endpoint.Timestamp      `json:"created_at"`
	CompletedAt *endpoint.Timestamp     `json:"completed_at,omitempty"`
}

func (s tasks) getTasks(r *http.Request) (tasksReply, error) {
	q, err := readTaskQuery(endpoint.ReadParams(r))
	if err != nil {
		return tasksReply{}, err
	}
	page, err := s.Registry.Tasks(r.Context(), endpoint.TeamOf(r.Context()), q)
	if err != nil {
		return tasksReply{}, err
	}
	reply, outputs := tasksReply{make([]listedTask, len(page.Tasks)), page.Count}, 0
	for i := range page.Tasks {
		reply.Data[i] = listTask(&page.Tasks[i])
		t := &reply.Data[i]
		if outputs += len(t.Output); outputs > maxListedOutputs {
			outputs -= len(t.Output)
			t.Output, t.Omitted = endpoint.Null, true
		}
	}
	return reply, nil
}

func listTask(v *actors.TaskView) listedTask {
	t := shownTask(*v)
	return listedTask{
		ID: t.ID, Type: v.Type, Status: t.Status, Input: t.Input, Output: t.Output, Reason: t.Reason, NotBefore: t.NotBefore,
		CreatedAt: endpoint.TimestampOf(v.CreatedAt), CompletedAt: t.CompletedAt,
	}
}

// readTaskQuery reads the parameters of GET /api-tasks. An id that no task has finds none.
func readTaskQuery(p *endpoint.Params) (watchpost.TaskQuery, error) {
	q := watchpost.TaskQuery{Since: p.Instant("since"), Page: p.Page()}
	for _, id := range p.ListOf("ids", watchpost.MaxTaskIDs) {
		q.IDs = append(q.IDs, watchpost.TaskID(id))
	}
	statuses := []string{"pending", "completed", "failed"}
	if q.Status = p.One("status"); q.Status != "" && !slices.Contains(statuses, q.Status) {
		p.RefuseValue("status", statuses)
	}
	for _, name := range endpoint.Each(p, "task_type", watchpost.OneOf(journalTypes()...), journalTypes()...) {
		q.Types = append(q.Types, watchpost.TaskType(name))
	}
	q.Size = min(p.Number("page_size", watchpost.TaskPageSize, math.MaxInt), watchpost.MaxTaskPage)
	return q, p.Err
}

func (s tasks) cancelTask(r *http.Request) (taskStatusReply, error) {
	p := endpoint.ReadParams(r)
	id := p.One("id")
	switch {
	case p.Err != nil:
		return taskStatusReply{}, p.Err
	case id == "":
		return taskStatusReply{}, watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	view, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.CancelTask{ID: watchpost.TaskID(id)})
	if err != nil {
		return taskStatusReply{}, err
	}
	return showTask(view), nil
}
