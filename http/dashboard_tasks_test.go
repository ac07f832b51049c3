package httpapi_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestDashboardManyTasks: the page of tasks shows fifty at a time, of those that wait and
// of those that failed, with totals that are those of the API, and groups failures by
// their cause.
func TestDashboardManyTasks(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Workers", "ultimate")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	no := false
	end := func(path, body, code string) {
		read[fields](m.call("POST", path, body), 200)
		task := p.hear(protocol.TypeTask)
		p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
		result := protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt}
		if code != "" {
			result.Error = &protocol.TaskError{Code: code, Message: "Because of " + code + ".", Acted: &no}
		} else {
			result.Output = []byte(`{"results":[]}`)
		}
		p.send(result)
		p.hear(protocol.TypeAck)
	}
	for i := range 45 {
		end("/network-agent/fetch-profile", fmt.Sprintf(`{"profile_slug":"p-%d"}`, i), "not_found")
	}
	for i := range 25 {
		end("/network-agent/fetch-company", fmt.Sprintf(`{"company_slug":"c-%d"}`, i), "invalid_input")
	}
	journal := func(query string) int {
		n, after := 0, ""
		for {
			page := read[fields](m.call("GET", "/api-journal?page_size=100&"+query+after, ""), 200)
			n += len(page["entries"].([]any))
			next, _ := page["next"].(string)
			if next == "" {
				return n
			}
			after = "&after=" + next
		}
	}
	failed := journal("status=failed")
	require.Equal(t, 70, failed)

	row := regexp.MustCompile(`<li class="task">`)
	page := b.do("GET", "/app/tasks", "").raw
	require.Contains(t, page, `<h2 id="failed">Failed today</h2><span class="soft small">70</span>`)
	require.Len(t, row.FindAllString(page, -1), 50)
	require.Contains(t, page, "50 of 70 are on this page.")
	older := html.UnescapeString(regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page)[1])
	rest := b.do("GET", older, "").raw
	require.Len(t, row.FindAllString(rest, -1), 20)
	require.Contains(t, rest, `hx-get="`+html.EscapeString(older)+`"`, "news leaves the page where it is")

	// Each cause has its number and its tasks.
	causes := regexp.MustCompile(`<h3>([^<]+): ([0-9]+)</h3><p class="small soft">([^<]+)</p>.*?href="([^"]+)"`).FindAllStringSubmatch(page, -1)
	require.Len(t, causes, 2)
	for i, want := range []string{"45", "25"} {
		require.Equal(t, want, causes[i][2])
		require.Contains(t, causes[i][3], "Because of ")
		of := b.do("GET", html.UnescapeString(causes[i][4]), "").raw
		require.Equal(t, want, fmt.Sprint(len(row.FindAllString(of, -1))))
		require.Contains(t, of, `<span class="soft small">`+want+`</span>`)
	}

	// Those that wait, a page at a time.
	require.NoError(t, p.ws.CloseNow())
	for i := range 120 {
		read[fields](m.call("POST", "/network-agent/search-profiles", fmt.Sprintf(`{"keywords":"q%d"}`, i)), 200)
	}
	seen := map[string]bool{}
	require.Equal(t, 120, journal("status=pending"))
	for path, pages := "/app/tasks", 0; path != ""; pages++ {
		require.Less(t, pages, 3)
		page = b.do("GET", path, "").raw
		waiting := page[:strings.Index(page, `id="causes"`)] // and one that was handed out before
		total := 0
		for _, n := range regexp.MustCompile(`id="(?:running|waiting)">\w+</h2><span class="soft small">([0-9]+)</span>`).FindAllStringSubmatch(waiting, -1) {
			total += whole(t, n[1])
		}
		if pages == 0 { // where the running ones are
			require.Equal(t, 120, total)
		}
		found := regexp.MustCompile(`Search profiles: (q[0-9]+)`).FindAllStringSubmatch(waiting, -1)
		require.LessOrEqual(t, len(found), 50)
		for _, f := range found {
			require.False(t, seen[f[1]], f[1])
			seen[f[1]] = true
		}
		path = ""
		if next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(waiting); next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	require.Len(t, seen, 120)
	require.Equal(t, 400, b.do("GET", "/app/tasks?waiting=0", "").status)
	require.Equal(t, 400, b.do("GET", "/app/tasks?waiting=x", "").status)
	require.Equal(t, 400, b.do("GET", "/app/tasks?after=x", "").status)
}
