package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestDashboardFailedToday: the navigation of each page alerts of the tasks that failed today,
// also behind "More", with the number that the page of tasks has. Without one it has the tasks
// that wait.
func TestDashboardFailedToday(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Workers", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	fail := func(slug string) {
		t.Helper()
		read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"`+slug+`"}`), 200)
		task := p.hear(protocol.TypeTask)
		p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
		p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Error: &protocol.TaskError{Code: "not_found", Acted: new(bool)}})
		p.hear(protocol.TypeAck)
	}
	pages := []string{"/app", "/app/people", "/app/tasks", "/app/settings", "/app/nav?page=rules"}
	for _, path := range pages {
		require.NotContains(t, b.do("GET", path, "").raw, "failed today", path)
	}
	for n, words := range []string{"task failed today", "tasks failed today"} {
		fail(fmt.Sprint("person-", n))
		for _, path := range pages {
			page := b.do("GET", path, "").raw
			require.Contains(t, page, fmt.Sprintf(`<span>Tasks</span><span class="count alert">%d<span class="sr"> %s</span></span>`, n+1, words), path)
			require.Contains(t, page, fmt.Sprintf(`<span>More</span><span class="count alert"><span aria-hidden="true">%d</span><span class="sr"> %d %s</span></span>`, n+1, n+1, words), path)
		}
		require.Contains(t, b.do("GET", "/app/tasks", "").raw, fmt.Sprintf(`<h2 id="failed">Failed today</h2><span class="soft small">%d</span>`, n+1))
	}
	require.Contains(t, b.do("GET", "/app/nav", "", "Accept-Language", "de").raw, `<span class="count alert">2<span class="sr"> Aufgaben heute fehlgeschlagen</span></span>`)
}
