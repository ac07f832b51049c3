package httpapi_test

import (
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestStaleEngagement: a like or comment from a page that is older than what another
// member did is not sent before its member has read of it.
func TestStaleEngagement(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Colleagues", "growth")
	require.Equal(t, 201, h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"jan@example.com","role":"member"}`).status)
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry one"))
	post := m.posts("")[0]["id"].(string)
	mina, jan := h.browser(), h.browser()
	mina.signIn(m.email)
	jan.signIn("jan@example.com")
	account := m.member(m.email)
	tokens := map[*browser]string{mina: mina.token(), jan: jan.token()}
	since := regexp.MustCompile(`name="since" value="([^"]+)"`)
	of := func(b *browser) string { return since.FindStringSubmatch(b.do("GET", "/app", "").raw)[1] }
	old := of(jan)
	send := func(b *browser, action string, form url.Values, headers ...string) reply {
		form.Set("token", tokens[b])
		form.Set("as", account)
		form.Set("since", old)
		return b.send("/app/posts/"+post+"/"+action, form, headers...)
	}
	tasks := func() int {
		return len(read[fields](m.call("GET", "/api-journal?page_size=100", ""), 200)["entries"].([]any))
	}
	finish := func() {
		task := p.hear(protocol.TypeTask)
		p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
		p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: []byte(`{"liked":true,"commented":true}`)})
		p.hear(protocol.TypeAck)
	}

	// While the like waits, and when it is done.
	like := url.Values{"key": {"mina"}}
	for range 2 {
		require.Equal(t, 303, send(mina, "like", like).status, "her own second click is no other's")
	}
	check := func() {
		told := send(jan, "like", url.Values{"key": {"jan"}})
		require.Equal(t, 409, told.status)
		require.Regexp(t, m.email+` liked it at [0-9:]+ UTC\.`, told.raw)
		require.Contains(t, told.raw, "Your like was not sent a second time.")
		part := send(jan, "like", url.Values{"key": {"jan"}}, "HX-Request", "true")
		require.Equal(t, 200, part.status, "a script shows it in place")
		require.Contains(t, part.raw, "Your like was not sent a second time.")
		require.NotContains(t, part.raw, `data-act="like"`)
		require.Equal(t, 1, tasks())
	}
	check()
	finish()
	require.Eventually(t, func() bool { return m.posts("")[0]["liked"] == true }, time.Minute, 10*time.Millisecond)
	check()

	// The comment is kept, and goes out when its member says so.
	require.Equal(t, 303, send(mina, "comment", url.Values{"key": {"c1"}, "text": {"Sorry to read this."}}).status)
	told := send(jan, "comment", url.Values{"key": {"c2"}, "text": {"Well <said>"}})
	require.Equal(t, 409, told.status)
	require.Contains(t, told.raw, "commented at ")
	require.Contains(t, told.raw, "“Sorry to read this.”")
	require.Contains(t, told.raw, `name="text" value="Well &lt;said&gt;"`)
	require.Equal(t, 2, tasks())
	require.Equal(t, 303, send(jan, "comment", url.Values{"key": {"c2"}, "text": {"Well <said>"}, "again": {"1"}}).status)
	require.Equal(t, 3, tasks())
	old = of(mina)
	require.Equal(t, 303, send(mina, "comment", url.Values{"key": {"c3"}, "text": {"And more"}}).status, "she has seen it")
}
