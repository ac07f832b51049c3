package browser_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/internal/fakenetwork"
)

// TestDashboard signs a member in by a mailed code, in a real browser, and reads
// the posts that the extension of the same browser collects. In another browser the
// member signs in by a link, and by a passkey.
func TestDashboard(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := w.createTeam(t, "reader@example.com")
	one := m.join("reader@example.com", "reader-account")
	p := one.open(m.service + "/")
	p.until(`location.pathname === "/app/sign-in"`)
	p.run(`document.querySelector("#email").value = "reader@example.com"; document.querySelector("form").requestSubmit()`)
	p.says("h1", "Enter your code")
	p.run(`document.querySelector("#code").value = "` + m.mail.mailed(t, "reader@example.com") + `"; document.querySelector("form").requestSubmit()`)
	p.until(`location.pathname === "/app" && document.readyState === "complete"`)
	p.says("h2", "No watchlist yet")

	// A watchlist from a sentence: read, then saved.
	p.run(`document.querySelector('.empty a[href="/app/watchlists/new"]').click()`)
	p.says("h1", "New watchlist")
	p.run(`document.querySelector("#prompt").value = "I want to see posts about machine learning, every day"; document.querySelector('button[value="read"]').click()`)
	p.until(`[...document.querySelectorAll("[name='any.0']")].some(k => k.value.toLowerCase().includes("machine learning"))`)
	p.run(`document.querySelector("#name").value = "Grid"; document.querySelector('button[value="save"]').click()`)
	p.until(`location.pathname === "/app" && location.search.startsWith("?watchlist_id=")`)
	_, reply := m.call(http.MethodGet, "/api-keyword-watchlist", nil)
	watchlist := reply["watchlists"].([]any)[0].(fields)
	require.Equal(t, "Grid", watchlist["name"])

	eventually(t, func() bool {
		_, posts := m.call(http.MethodGet, "/api-posts", nil)
		return posts["count"].(float64) > 0
	}, func() string { return "no posts" })
	p.run(`location.href = "/app"`)
	p.until(`document.querySelectorAll(".post mark").length > 0`)
	p.until(`document.querySelector(".chip[aria-current] .count").textContent === document.querySelector(".result-line b").textContent`)
	// The policy lets the page load its stylesheet and icons.
	p.until(`getComputedStyle(document.querySelector(".post")).display === "grid"`)
	p.until(`document.querySelector(".nav use").getBoundingClientRect().width > 5`)
	// A like is done in this browser and shows.
	p.run(`document.querySelector('form[action$="/like"] button').click()`)
	p.until(`document.querySelector(".action-state") !== null && document.querySelector(".action-state").textContent.startsWith("Like as Ada Lovelace")`)
	eventually(t, func() bool {
		_, posts := m.call(http.MethodGet, "/api-posts?interacted=true", nil)
		return posts["count"].(float64) == 1
	}, func() string { return "the like is not done" })
	p.run(`location.href = "/app?interacted=true"`)
	p.says(".post-actions", "Liked")
	require.Equal(t, 1, m.writes.count("reader-account", fakenetwork.WriteLike))

	eventually(t, func() bool {
		_, shown := m.call(http.MethodGet, "/api-keyword-watchlist?id="+watchlist["id"].(string), nil)
		return shown["last_scan_at"] != nil
	}, func() string { return "the scan has not ended" })
	p.run(`document.querySelector('a[href="/app/watchlists"]').click()`)
	p.says("h1", "Watchlists")
	p.says(".wl .state", "On time")

	// A deletion waits, is shown, and is taken back.
	p.run(`document.querySelector(".wl .tools a").click()`)
	p.says("h1", "Grid")
	p.run(`document.querySelector('button[value="delete"]').click()`)
	p.says(".wl .state", "Being deleted")
	p.until(`document.querySelector("#undo .toast span")?.textContent === "“Grid” is being deleted." &&
		(document.querySelector('.toast button[value="undo"]').click(), true)`)
	p.says(".wl .state", "On time")
	p.until(`!document.querySelector(".toast")`)

	link, err := actors.Ask(t.Context(), m.registry, m.id, actors.CreateSignInLink{Email: "reader@example.com"})
	require.NoError(t, err)
	second := launch(t, m.dist, t.TempDir())
	other := second.open(m.service + "/app/sign-in/link?link=" + link.Token)
	other.run(`document.querySelector("form").requestSubmit()`)
	other.until(`location.pathname === "/app" && document.querySelectorAll(".post").length > 0`)
	p.run(`document.querySelector('form[action="/app/sign-out"]').requestSubmit()`)
	p.says("h1", "Sign in")
	other.run(`document.querySelector('a[href="/app/team"]').click()`)
	other.says("h1", "Team")

	// Times are in the zone of the browser, once a page has told it.
	other.must(other.session, "Emulation.setTimezoneOverride", map[string]any{"timezoneId": "America/New_York"}, nil)
	other.visit("/app/team")
	other.visit("/app/team")
	other.says("#audit", "times in America/New_York")
	passkeys(m, second, "reader@example.com")
}

// TestPagesLoadBehindOthers: pages of the dashboard end loading in a tab behind others,
// which the browser does not draw.
func TestPagesLoadBehindOthers(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	team := w.createTeam(t, "behind@example.com")
	m := &member{team: team, chromium: launch(t, w.dist, t.TempDir()), email: "behind@example.com"}
	m.signedIn()
	for range 4 {
		for _, path := range []string{"/app", "/app/team", "/app/tasks"} {
			p := m.openTab(m.service+path, true)
			require.JSONEq(t, `true`, string(p.run(`document.hidden && document.querySelector(".nav .icon use") !== null`)), path)
			m.close(target{TargetID: p.target})
		}
	}
}
