package browser_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
)

// TestDashboard signs a member in by a mailed code, in a real browser, and reads
// the posts that the extension of the same browser collects.
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

	status, reply := m.call(http.MethodPost, "/api-keyword-watchlist", fields{"name": "Grid", "keywords": []string{"hiring"}})
	require.Equal(t, http.StatusOK, status, reply)
	eventually(t, func() bool {
		_, posts := m.call(http.MethodGet, "/api-posts", nil)
		return posts["count"].(float64) > 0
	}, func() string { return "no posts" })
	p.run(`location.reload()`)
	p.until(`document.querySelectorAll(".post mark").length > 0`)
	p.until(`document.querySelector(".chip[aria-current] .count").textContent === document.querySelector(".result-line b").textContent`)
	// The policy lets the page load what it needs: stylesheet and icons.
	p.until(`getComputedStyle(document.querySelector(".post")).display === "grid"`)
	p.until(`document.querySelector(".nav use").getBoundingClientRect().width > 5`)
	eventually(t, func() bool {
		_, watchlist := m.call(http.MethodGet, "/api-keyword-watchlist?id="+reply["id"].(string), nil)
		return watchlist["last_scan_at"] != nil
	}, func() string { return "the scan has not ended" })
	p.run(`document.querySelector('a[href="/app/watchlists"]').click()`)
	p.says("h1", "Watchlists")
	p.says(".wl .state", "On time")

	link, err := actors.Ask(t.Context(), m.registry, m.id, actors.CreateSignInLink{Email: "reader@example.com"})
	require.NoError(t, err)
	other := launch(t, m.dist, t.TempDir()).open(m.service + "/app/sign-in/link?link=" + link.Token)
	other.run(`document.querySelector("form").requestSubmit()`)
	other.until(`location.pathname === "/app" && document.querySelectorAll(".post").length > 0`)
	p.run(`document.querySelector('form[action="/app/sign-out"]').requestSubmit()`)
	p.says("h1", "Sign in")
	other.run(`location.reload()`)
	other.until(`document.readyState === "complete" && document.querySelectorAll(".post").length > 0`)
}
