package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestCancelTask: no session may act for a task once its cancellation was acknowledged.
func TestCancelTask(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Cancelling", "growth"), h.team("Others", "growth")
	p := m.join()
	like := func() string {
		return m.created("like-post", `{"social_urn":"urn:network:activity:7"}`)["api_agent_task_id"].(string)
	}
	cancel := func(id string) reply { return m.call("DELETE", "/api-tasks?id="+id, "") }
	used := func() float64 {
		member := read[fields](m.call("GET", "/api-team", ""), 200)["members"].([]any)[0].(fields)
		return member["allowances"].(fields)["like"].(fields)["used"].(float64)
	}
	id := like()
	task := p.hear(protocol.TypeTask)
	require.EqualValues(t, 1, used())
	other.call("DELETE", "/api-tasks?id="+id, "").fails(404, watchpost.TextTaskNotFound)
	gone := read[fields](cancel(id), 200)
	require.Equal(t, "failed", gone["status"])
	require.Equal(t, "cancelled", gone["task_output"].(fields)["error"].(fields)["code"])
	require.EqualValues(t, 0, used())
	require.Equal(t, id, p.hear(protocol.TypeCancel).Task)
	p.send(protocol.Frame{Type: protocol.TypeActing, Task: id, Lease: task.Lease})
	require.Equal(t, id, p.hear(protocol.TypeCancel).Task, "it may not act")
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: id, Lease: task.Lease, Attempt: 1, Output: json.RawMessage(`{"liked":true}`)})
	p.hear(protocol.TypeAck)
	require.Equal(t, gone["data"], read[fields](m.call("GET", taskStatus+id, ""), 200)["data"])
	require.Equal(t, gone, read[fields](cancel(id), 200), "again")
	require.EqualValues(t, 0, used())

	again := like()
	require.NotEqual(t, id, again, "the effect was released")
	task = p.hear(protocol.TypeTask)
	p.send(protocol.Frame{Type: protocol.TypeActing, Task: again, Lease: task.Lease})
	p.hear(protocol.TypeGo)
	cancel(again).fails(409, "The task is being done")
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: again, Lease: task.Lease, Attempt: 1, Output: json.RawMessage(`{"liked":true}`)})
	p.hear(protocol.TypeAck)
	cancel(again).fails(409, "The task is being done")
	require.EqualValues(t, 1, used())

	profile := m.created("fetch-profile", `{"profile_slug":"x"}`)["api_agent_task_id"].(string)
	p.hear(protocol.TypeTask)
	cancel(profile).fails(409, "The task is being done")
	waiting := m.created("fetch-profile", `{"profile_slug":"y"}`)["api_agent_task_id"].(string)
	poll := m.later("GET", taskStatus+waiting+"&wait=25")
	h.waiting(1)
	require.Equal(t, 200, cancel(waiting).status)
	require.Equal(t, "failed", awaited(t, poll)["status"], "its end wakes who waits")
	list := read[fields](m.call("GET", watchlists, ""), 200)
	require.NotNil(t, list)
	for _, id := range []string{unknownID, "nonsense", "%00"} {
		cancel(id).fails(404, watchpost.TextTaskNotFound)
	}
	m.call("DELETE", "/api-tasks", "").fails(400, "Missing required parameter: id")
	m.call("DELETE", "/api-tasks?id=a&id=b", "").fails(400, "Invalid 'id'")
}

// TestCancelWithScopes: the type of a task decides which scope its cancellation needs.
func TestCancelWithScopes(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Partial", "growth")
	m.join()
	m.created("fetch-profile", `{"profile_slug":"busy"}`) // keeps the session
	for scope, ask := range map[watchpost.Scope][2]string{
		watchpost.ScopeTasks:   {"fetch-profile", `{"profile_slug":"x"}`},
		watchpost.ScopeEngage:  {"like-post", `{"social_urn":"urn:network:activity:7"}`},
		watchpost.ScopeContact: {"send-message", `{"recipient_urn":"1","message":"x"}`},
	} {
		key, _ := m.scopedKey(string(scope))
		id := read[fields](m.with(key, "POST", "/network-agent/"+ask[0], ask[1]), 200)["api_agent_task_id"].(string)
		for _, other := range watchpost.TaskScopes() {
			if other != scope {
				lacking, _ := m.scopedKey(string(other) + ",read")
				m.with(lacking, "DELETE", "/api-tasks?id="+id, "").fails(403, needs(scope))
			}
		}
		for range 2 { // the cancelled task, too
			require.Equal(t, "failed", read[fields](m.with(key, "DELETE", "/api-tasks?id="+id, ""), 200)["status"])
		}
		lacking, _ := m.scopedKey("read")
		m.with(lacking, "DELETE", "/api-tasks?id="+id, "").fails(403, needs(scopeOfTask))
		for _, other := range watchpost.TaskScopes() {
			if other != scope {
				lacking, _ := m.scopedKey(string(other))
				m.with(lacking, "DELETE", "/api-tasks?id="+id, "").fails(403, needs(scope))
			}
		}
	}
}

// TestCancelRace: of a cancellation and an acting that meet, exactly one wins.
func TestCancelRace(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Racing", "ultimate")
	p := m.join()
	won, stopped := map[bool]int{}, map[string]bool{}
	for n := range 40 {
		id := m.created("comment-post", `{"social_urn":"urn:network:activity:7","comment_text":"x"}`)["api_agent_task_id"].(string)
		task := p.hearTask(stopped)
		require.Equal(t, id, task.Task, "number %d", n)
		cancelled := m.later("DELETE", "/api-tasks?id="+id)
		p.send(protocol.Frame{Type: protocol.TypeActing, Task: id, Lease: task.Lease})
		r := <-cancelled
		acts := r.status == http.StatusConflict
		won[acts]++
		if !acts {
			require.Equal(t, http.StatusOK, r.status, r.raw)
			stopped[id] = true
			continue // a go would be heard before the next task
		}
		p.hear(protocol.TypeGo)
		r.fails(409, "The task is being done")
		p.send(protocol.Frame{Type: protocol.TypeResult, Task: id, Lease: task.Lease, Attempt: 1, Error: &protocol.TaskError{Code: "not_found", Message: "x", Acted: new(bool)}})
		p.hear(protocol.TypeAck)
	}
	t.Logf("acted %d, cancelled %d", won[true], won[false])
}

// hearTask returns the next task, and no go for one that was stopped.
func (p *fakeSession) hearTask(stopped map[string]bool) protocol.Frame {
	p.t.Helper()
	return p.hearUntil(func(f *protocol.Frame) bool {
		require.False(p.t, f.Type == protocol.TypeGo && stopped[f.Task], "go for a task that was cancelled")
		return f.Type == protocol.TypeTask
	})
}
