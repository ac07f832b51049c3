package httpapi_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestDashboardCancel: a comment can be taken back for ten seconds. A task that waits can
// be cancelled, and done after all.
func TestDashboardCancel(t *testing.T) {
	t.Parallel()
	h, clock := buildAt(t)
	m := h.team("Hasty", "growth")
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry one"))
	post := m.posts("")[0]["id"].(string)
	b := h.browser()
	b.signIn(m.email)
	account := m.member(m.email)
	task := func() fields { // the newest
		return read[fields](m.call("GET", "/api-tasks?page_size=1", ""), 200)["data"].([]any)[0].(fields)
	}
	comment := func(text string) string {
		sent := b.send("/app/posts/"+post+"/comment", url.Values{"token": {b.token()}, "as": {account}, "key": {text}, "text": {text}}, "HX-Request", "true")
		require.Equal(t, 200, sent.status)
		require.Contains(t, sent.raw, "It goes out in 10 seconds.")
		require.Contains(t, sent.raw, `action="/app/posts/`+post+`/cancel"`)
		require.Equal(t, "queued", task()["pending_reason"])
		return task()["id"].(string)
	}

	first := comment("Too fast")
	require.NoError(t, clock.Advance(9*time.Second))
	back := b.send("/app/posts/"+post+"/cancel", url.Values{"token": {b.token()}, "task": {first}}, "HX-Request", "true")
	require.Equal(t, 200, back.status)
	require.Contains(t, back.raw, "cancelled")
	require.Contains(t, back.raw, "Nothing was sent.")

	// The next is the first that a browser sees, when its time has come.
	second := comment("Well said")
	require.NoError(t, clock.Advance(10*time.Second))
	handed := p.hear(protocol.TypeTask)
	require.Equal(t, second, handed.Task)
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: handed.Task, Lease: handed.Lease})
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: handed.Task, Lease: handed.Lease, Attempt: handed.Attempt, Output: []byte(`{"commented":true}`)})
	p.hear(protocol.TypeAck)
	require.Equal(t, 409, b.send("/app/posts/"+post+"/cancel", url.Values{"token": {b.token()}, "task": {second}}).status)

	// A cancelled task has not failed.
	page := b.do("GET", "/app/tasks", "").raw
	require.Contains(t, page, `<h2 id="cancelled">Cancelled today</h2><span class="soft small">1</span>`)
	require.NotContains(t, page, "Failed today")
	require.NoError(t, p.ws.CloseNow())
	require.Equal(t, 303, b.send("/app/tasks/"+first+"/retry", url.Values{"token": {b.token()}, "key": {"again"}}).status)
	again := task()["id"].(string)
	require.NotEqual(t, first, again)
	require.Contains(t, b.do("GET", "/app/tasks", "").raw, `action="/app/tasks/`+again+`/cancel"`)
	require.Equal(t, 303, b.send("/app/tasks/"+again+"/cancel", url.Values{"token": {b.token()}}).status)
	require.Contains(t, b.do("GET", "/app/tasks", "").raw, `Cancelled today</h2><span class="soft small">2</span>`)
	require.Equal(t, 404, b.send("/app/tasks/nothing/cancel", url.Values{"token": {b.token()}}).status)
}
