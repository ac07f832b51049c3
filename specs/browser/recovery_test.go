package browser_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/network"
	"watchpost/network/networktest"
)

// repetitions is how often a recovery is tried.
func repetitions() int {
	if os.Getenv("WATCHPOST_LONG") != "" {
		return 10
	}
	return 1
}

// anyPost returns the urn of some post of the network.
func (w *world) anyPost(t testing.TB) string {
	t.Helper()
	b := networktest.NewBrowser(t, w.siteAddress)
	b.Client.Transport = http.DefaultTransport
	b.SignIn("onlooker")
	posts := b.Get("/feed").Posts
	require.NotEmpty(t, posts)
	return posts[0].URN
}

// onceWhile lets something happen to the browser while a comment was applied
// and is not answered; the network must count it once, and so must the service.
func (m *member) onceWhile(post, text string, happens func(h *held)) {
	t := m.team.t
	t.Helper()
	before := m.writes.count(m.account, network.WriteComment)
	h := m.writes.hold(t, m.account, network.WriteComment)
	id := m.ask("/network-agent/comment-post", fields{"social_urn": post, "comment_text": text})
	h.await(t)
	happens(h)
	output := m.completed(id)
	require.NotEmpty(t, output["comment_urn"])
	require.Equal(t, before+1, m.writes.count(m.account, network.WriteComment), "written more than once")
	m.journalled(0)
}

func TestDeathOfWhatWrites(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	d := w.openDoor(t, true)
	m := w.found(t, "deaths@example.com").joinBy("deaths@example.com", "deaths", d.url)
	post := w.anyPost(t)
	for range repetitions() {
		// The page's answer wakes the worker that comes after.
		m.onceWhile(post, "The worker dies", func(h *held) {
			m.killWorker()
			h.release()
		})
		m.onceWhile(post, "The tab is closed", func(h *held) {
			m.close(m.workTab())
			h.release()
		})
		m.onceWhile(post, "The worker dies, and then the tab", func(h *held) {
			m.killWorker()
			m.close(m.workTab())
			h.release()
		})
		m.onceWhile(post, "The result is lost", func(h *held) {
			d.setDeaf(true)
			h.release()
			id := m.newest
			m.completed(id) // the service has it, the extension has heard nothing
			d.cut()
			d.setDeaf(false)
		})
		m.onceWhile(post, "The connection is lost", func(h *held) {
			d.cut()
			h.release()
		})
	}
	// A read begins anew.
	m.network.SetFaults(m.account, network.Faults{Slow: slowPage})
	id := m.ask("/network-agent/fetch-profile", fields{"profile_slug": "deaths"})
	eventually(t, func() bool { return m.hasWorkTab() }, func() string { return "no tab was opened" })
	m.killWorker()
	m.network.SetFaults(m.account, network.Faults{})
	require.Equal(t, "deaths", m.completed(id)["profile_slug"])
}

func TestBrowserIsKilled(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := w.found(t, "killed@example.com").join("killed@example.com", "killed")
	post := w.anyPost(t)
	for range repetitions() {
		m.onceWhile(post, "The browser is killed", func(h *held) {
			m.kill()
			h.release()
			m.chromium = launch(t, m.dist, m.profile)
			m.signIn() // a cookie as young as this was not on the disk yet
		})
	}
}
