package httpapi_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestDashboardWaits: the pages give the reason of the API's open scans, and the
// navigation counts what the page of tasks counts.
func TestDashboardWaits(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Waiters", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	list := m.watch()
	p.hear(protocol.TypeTask)
	require.Contains(t, b.do("GET", "/app/watchlists", "").raw, "A browser is looking for new posts.")
	require.Contains(t, b.do("GET", "/app?watchlist_id="+list, "").raw, "Looking for the first posts")
	require.NotContains(t, b.do("GET", "/app/nav?page=tasks", "").raw, "waiting")

	for _, slug := range []string{"ada", "grace"} {
		read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"`+slug+`"}`), 200)
	}
	page := b.do("GET", "/app/tasks", "").raw
	waiting := regexp.MustCompile(`id="waiting">Waiting</h2><span class="soft small">(\d+)`).FindStringSubmatch(page)[1]
	require.Equal(t, "2", waiting)
	require.Contains(t, page, `<span class="count">2<span class="sr"> waiting</span></span>`)

	// The scan in the browser that goes away may still be done by it; others wait.
	require.NoError(t, p.ws.CloseNow())
	second := read[fields](m.call("POST", watchlists, `{"keywords":["lighthouse"]}`), 200)["id"].(string)
	for path, text := range map[string]string{"/app/watchlists": "No browser with the extension is connected.", "/app?watchlist_id=" + second: "The first scan begins when one is."} {
		require.Eventually(t, func() bool { return strings.Contains(b.do("GET", path, "").raw, text) }, time.Minute, 20*time.Millisecond, path)
	}
}
