package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
	"watchpost/internal/testclock"
	"watchpost/watchpost"
)

const taskStatus = "/network-agent/get-task-status?api_agent_task_id="

// created makes a task and returns the reply.
func (m team) created(path, body string) fields {
	m.t.Helper()
	return read[fields](m.call("POST", "/network-agent/"+path, body), 200)
}

// later sends a request and returns its reply when it comes.
func (m team) later(method, path string) <-chan reply {
	replies := make(chan reply, 1)
	go func() { replies <- m.call(method, path, "") }()
	return replies
}

// awaited returns a reply of later, which does not use up the patience of the test.
func awaited(t *testing.T, replies <-chan reply) fields {
	t.Helper()
	select {
	case r := <-replies:
		return read[fields](r, 200)
	case <-time.After(patience):
		t.Fatal("no reply")
		return nil
	}
}

// never lets requests wait for longer than a test takes.
func never(o *httpapi.Options) { o.Timing.Running, o.Timing.Request = time.Hour, time.Hour }

// waiting returns when the given number of requests wait for something.
func (h *testServer) waiting(n int) {
	h.t.Helper()
	line := fmt.Sprintf("\nwatchpost_http_requests_waiting %d\n", n)
	require.Eventually(h.t, func() bool { return strings.Contains(h.admin("GET", "/metrics", "").raw, line) }, patience, 5*time.Millisecond)
}

// TestStatusWaitsForRunningTask: a client that polls just after the request gets the
// result with the first poll.
func TestStatusWaitsForRunningTask(t *testing.T) {
	t.Parallel()
	h := build(t, never)
	m := h.team("Pollers", "growth")
	p := m.join()
	id := m.created("fetch-profile", `{"profile_slug":"jane"}`)["api_agent_task_id"].(string)
	task := p.hear(protocol.TypeTask)
	poll := m.later("GET", taskStatus+id)
	h.waiting(1)
	queued := m.created("fetch-profile", `{"profile_slug":"joe"}`)["api_agent_task_id"].(string)
	require.Equal(t, "queued", m.status(queued)["pending_reason"], "what does not run is not waited for")
	now := read[fields](m.call("GET", taskStatus+id+"&wait=0", ""), 200)
	require.Equal(t, "running", now["data"].(fields)["pending_reason"], "nor is anything with wait=0")
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: json.RawMessage(`{"name":"Jane"}`)})
	done := awaited(t, poll)
	require.Equal(t, "completed", done["status"])
	require.Equal(t, "agent_profile_fetch", done["task_type"])
	require.Equal(t, "Jane", done["task_output"].(fields)["name"])
	require.Equal(t, done["task_output"], done["data"].(fields)["task_output"])
	h.waiting(0)
}

func TestWaitForTask(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Waiters", "growth")
	p := m.join()
	busy := m.created("fetch-profile", `{"profile_slug":"first"}`)["api_agent_task_id"].(string)
	id := m.created("fetch-profile", `{"profile_slug":"jane"}`)["api_agent_task_id"].(string)
	for _, wait := range []string{"26", "-1", "x", "1.5", "1&wait=2", "99999999999999999999"} {
		m.call("GET", taskStatus+id+"&wait="+wait, "").fails(400, "Invalid 'wait'")
	}
	began := time.Now()
	require.Equal(t, "pending", read[fields](m.call("GET", taskStatus+id+"&wait=1", ""), 200)["status"])
	require.GreaterOrEqual(t, time.Since(began), time.Second)

	several := []<-chan reply{m.later("GET", taskStatus+id+"&wait=25"), m.later("GET", taskStatus+id+"&wait=25")}
	h.waiting(2)
	require.Equal(t, busy, m.work(p, "agent_profile_fetch", `{}`).Task)
	require.Equal(t, id, m.work(p, "agent_profile_fetch", `{"name":"Jane"}`).Task)
	for _, poll := range several {
		require.Equal(t, "completed", awaited(t, poll)["status"])
	}
}

// TestWaitEndsWithService: a service that stops answers who waits.
func TestWaitEndsWithService(t *testing.T) {
	t.Parallel()
	h := build(t, never)
	m := h.team("Waiters", "growth")
	p := m.join()
	id := m.created("fetch-profile", `{"profile_slug":"jane"}`)["api_agent_task_id"].(string)
	p.hear(protocol.TypeTask)
	poll := m.later("GET", taskStatus+id)
	h.waiting(1)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(t, h.server.CloseSessions(ctx))
	require.Equal(t, "pending", awaited(t, poll)["status"])
}

// TestWaitingTakesNoRoom: requests that wait keep no others out, and are bounded.
func TestWaitingTakesNoRoom(t *testing.T) {
	t.Parallel()
	h := build(t, never)
	m := h.team("Waiters", "growth")
	p := m.join()
	id := m.created("fetch-profile", `{"profile_slug":"jane"}`)["api_agent_task_id"].(string)
	const most = 2 * watchpost.MaxSessions
	var polls []<-chan reply
	for len(polls) < most {
		for range most / 4 { // fewer than the places of other requests
			polls = append(polls, m.later("GET", taskStatus+id))
		}
		h.waiting(len(polls))
	}
	for range 100 {
		require.Equal(t, "pending", read[fields](m.call("GET", taskStatus+id, ""), 200)["status"], "there is no place for more, so it is answered")
	}
	require.Equal(t, 200, m.call("GET", "/api-team", "").status)
	m.work(p, "agent_profile_fetch", `{}`)
	for _, poll := range polls {
		require.Equal(t, "completed", awaited(t, poll)["status"])
	}
	h.waiting(0)
}

// TestWaitThroughTheEdge: a request waits at the owner of its team, with a place among
// those that wait on both nodes, and is woken through the edge.
func TestWaitThroughTheEdge(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	made := read[struct {
		ID  string
		Key string `json:"api_key"`
	}](d.edge.admin("POST", "/admin/teams", oneTeam), http.StatusCreated)
	opened := read[struct {
		Token string `json:"session_token"`
	}](d.edge.admin("POST", "/admin/teams/"+made.ID+"/sessions", `{"email":"ada@example.com"}`), http.StatusCreated)
	session := d.edge.dial()
	session.send(hello(opened.Token))
	session.hear(protocol.TypeWelcome)
	m := team{d.edge, made.ID, made.Key, "ada@example.com"}
	id := m.created("fetch-profile", `{"profile_slug":"jane"}`)["api_agent_task_id"].(string)
	poll := m.later("GET", taskStatus+id+"&wait=25")
	d.owner.waiting(1)
	d.edge.waiting(1)
	m.work(session, "agent_profile_fetch", `{"name":"Jane"}`)
	require.Equal(t, "completed", awaited(t, poll)["status"])
	d.owner.waiting(0)
	d.edge.waiting(0)
}

// TestExpected: the reply of each call that creates a task says when it will be done.
func TestExpected(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Expecting", "growth")
	p := m.join()
	post := "urn:network:activity:"
	now, queued := fields{"when": "now", "reason": nil, "not_before": nil}, fields{"when": "waiting", "reason": "queued", "not_before": nil}
	like := m.created("like-post", `{"social_urn":"`+post+`1"}`)
	require.Equal(t, now, like["expected"])
	require.Equal(t, queued, m.created("fetch-company", `{"company_slug":"x"}`)["expected"])
	require.Equal(t, queued, m.created("send-message", `{"recipient_urn":"1","message":"x"}`)["expected"])
	require.Eventually(t, func() bool { return m.status(like["api_agent_task_id"].(string))["pending_reason"] == "running" }, patience, time.Millisecond)
	require.Equal(t, now, m.created("like-post", `{"social_urn":"`+post+`1"}`)["expected"], "asked for again while it runs")
	once := []string{"Idempotency-Key", "a"}
	first := read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"x"}`, once...), 200)
	require.Equal(t, queued, first["expected"])
	m.work(p, "agent_like_post", `{"liked":true}`)
	require.Equal(t, first, read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"x"}`, once...), 200), "the first reply, again")
}

// TestExpectedSaysWhy: the reply of each call that creates a task names what a task waits for
// besides a session, and until when. A session that comes back has more than one reason.
func TestExpectedSaysWhy(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	t.Cleanup(clock.Close)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	midnight := watchpost.Daily.Reset(clock.Now())
	require.NoError(t, clock.Set(midnight.Add(8*time.Hour)))
	m := h.team("Waiting", "growth")
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry"))
	post := m.posts("")[0]["id"].(string)
	capped := fields{"when": "waiting", "reason": "daily_cap", "not_before": midnight.Add(24 * time.Hour).Format("2006-01-02T15:04:05.000Z")}
	offline := fields{"when": "waiting", "reason": "extension_offline", "not_before": nil}
	comment := func(i int) fields {
		return m.created("comment-post", fmt.Sprintf(`{"social_urn":"urn:network:activity:%d","comment_text":"x"}`, i))
	}
	commentOnPost := func() any {
		return read[fields](m.call("POST", "/api-comment", `{"post_id":"`+post+`","user_email":"`+m.email+`","comment_text":"x"}`), 200)["expected"]
	}
	comments, _ := watchpost.AllowanceOf(watchpost.ActionComment)
	for i := range comments.Limit {
		require.Equal(t, fields{"when": "now", "reason": nil, "not_before": nil}, comment(i)["expected"], i)
		m.work(p, "agent_comment_post", `{"commented":true,"comment_urn":"c"}`)
	}
	over := comment(comments.Limit)
	require.Equal(t, capped, over["expected"])
	require.Equal(t, capped, commentOnPost())
	require.Equal(t, "now", m.created("fetch-profile", `{"profile_slug":"x"}`)["expected"].(fields)["when"], "it has an allowance of its own")
	m.work(p, "agent_profile_fetch", `{}`)

	// Without a session the team may ask for two days more.
	require.NoError(t, p.ws.CloseNow())
	require.Eventually(t, func() bool {
		return m.status(over["api_agent_task_id"].(string))["pending_reason"] == "extension_offline"
	}, patience, 5*time.Millisecond)
	require.Equal(t, offline, m.created("fetch-profile", `{"profile_slug":"y"}`)["expected"])
	require.Equal(t, offline, m.created("fetch-profiles-posts", `{"profile_urns":["1"]}`)["expected"])
	require.Equal(t, offline, m.created("like-post", `{"social_urn":"urn:network:activity:1"}`)["expected"])
	require.Equal(t, offline, m.created("like-post", `{"social_urn":"urn:network:activity:1"}`)["expected"], "asked for again while it waits")
	require.Equal(t, offline, read[fields](m.call("POST", "/api-like", `{"post_id":"`+post+`","user_email":"`+m.email+`"}`), 200)["expected"])
	require.Equal(t, offline, commentOnPost(), "the session comes before its allowance")
}

// TestMaxAge: a result that is stored is the answer, and nothing is debited.
func TestMaxAge(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Enriching", "growth")
	p := m.join()
	const of = `"max_age":60`
	fetch := func(path, body string) fields { return m.created(path, body) }
	require.NotContains(t, fetch("fetch-company", `{"company_slug":"acme",`+of+`}`), "from_stored")
	m.work(p, "agent_company_fetch", `{"name":"Acme","slug":"acme-corp","company_urn":"urn:network:company:5"}`)
	for _, slug := range []string{"acme", "ACME", "acme-corp", "https://network.example/company/acme/", "urn:network:company:5", "5"} {
		made := fetch("fetch-company", `{"company_slug":"`+slug+`",`+of+`}`)
		require.Equal(t, true, made["from_stored"], slug)
		require.Equal(t, m.status(made["api_agent_task_id"].(string))["completed_at"], made["fetched_at"], slug)
	}
	once := []string{"Idempotency-Key", "a"}
	stored := read[fields](m.call("POST", "/network-agent/fetch-company", `{"company_slug":"5",`+of+`}`, once...), 200)
	require.Equal(t, stored, read[fields](m.call("POST", "/network-agent/fetch-company", `{"company_slug":"5",`+of+`}`, once...), 200))
	require.NotContains(t, fetch("fetch-company", `{"company_slug":"acme"}`), "from_stored", "without max_age it is fetched")
	failed := p.hear(protocol.TypeTask)
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: failed.Task, Lease: failed.Lease, Attempt: 1, Error: &protocol.TaskError{Code: "not_found", Message: "x"}})
	p.hear(protocol.TypeAck)
	again := fetch("fetch-company", `{"company_slug":"acme",`+of+`}`)
	require.Equal(t, stored["api_agent_task_id"], again["api_agent_task_id"], "a failure is no result")
	require.NotContains(t, fetch("fetch-company-posts", `{"company_slug":"acme","max_age":60}`), "from_stored", "an unknown field")
}

// TestListedTasksKeepToTheDocument compares replies with the document.
func TestListedTasksKeepToTheDocument(t *testing.T) {
	t.Parallel()
	document(t) // takes longer than a session may be silent, under the race detector
	h := build(t)
	m := h.team("Contract", "growth")
	p := m.join()
	checkContract(t, m, "POST", "/network-agent/fetch-profile", `{"profile_slug":"x","max_age":5}`)
	m.work(p, "agent_profile_fetch", `{"name":"X"}`)
	checkContract(t, m, "POST", "/network-agent/fetch-profile", `{"profile_slug":"x","max_age":50}`)
	checkContract(t, m, "POST", "/network-agent/like-post", `{"social_urn":"urn:network:activity:7"}`)
	id := m.created("fetch-profile", `{"profile_slug":"y"}`)["api_agent_task_id"].(string)
	checkContract(t, m, "GET", "/api-tasks", "")
	checkContract(t, m, "GET", "/api-tasks?x=1", "")
	checkContract(t, m, "GET", "/api-tasks?status=x", "")
	checkContract(t, m, "GET", taskStatus+id, "")
	checkContract(t, m, "DELETE", "/api-tasks?id="+id, "")
	checkContract(t, m, "DELETE", "/api-tasks?id="+unknownID, "")
	checkContract(t, m, "GET", "/api-tasks?ids="+id, "")
}
