package browser_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
	networkpage "watchpost/internal/fakenetwork/page"
)

// repetitions is the number of runs of each recovery.
func repetitions() int {
	if os.Getenv("WATCHPOST_LONG") != "" {
		return 10
	}
	return 1
}

// anyPost returns the URN of any post of the network.
func (w *world) anyPost(t testing.TB) string {
	t.Helper()
	return w.feed(t)[0].URN
}

// feed returns some posts of the network.
func (w *world) feed(t testing.TB) []networkpage.Post {
	t.Helper()
	b := networktest.NewBrowser(t, w.siteAddress)
	b.Client.Transport = http.DefaultTransport
	b.SignIn("onlooker")
	posts := b.Get("/feed").Posts
	require.Greater(t, len(posts), 1)
	return posts
}

// write is a write task that can be requested repeatedly.
type write struct {
	path string
	body func(text string) fields
	kind fakenetwork.WriteKind
}

func comment(post string) write {
	return write{"/network-agent/comment-post", func(text string) fields {
		return fields{"social_urn": post, "comment_text": text}
	}, fakenetwork.WriteComment}
}

// message returns a write: a message to a connection of the member.
func (m *member) message() write {
	m.team.t.Helper()
	friends := elements(m.team.t, m.completed(m.ask("/network-agent/fetch-connections", fields{"count": 1})), "connections")
	return write{"/network-agent/send-message", func(text string) fields {
		return fields{"recipient_urn": friends[0]["profile_urn"], "message": text}
	}, fakenetwork.WriteMessage}
}

// onceWhile disturbs the browser after a write was applied and before its
// response. The network and the service must count the write once.
func (m *member) onceWhile(d write, text string, happens func(h *held)) {
	m.team.t.Helper()
	m.writtenOnceWhile(d, text, happens)
	m.journalled(0)
}

// writtenOnceWhile is onceWhile, without the extension's journal.
func (m *member) writtenOnceWhile(d write, text string, happens func(h *held)) {
	t := m.team.t
	t.Helper()
	before := m.writes.count(m.account, d.kind)
	h := m.writes.hold(t, m.account, d.kind)
	id := m.ask(d.path, d.body(text))
	h.await(t)
	happens(h)
	m.completed(id)
	require.Equal(t, before+1, m.writes.count(m.account, d.kind), "written more than once")
}

func TestExtensionDiesDuringWrite(t *testing.T) { onBothSites(t, false, extensionDiesDuringWrite) }

func extensionDiesDuringWrite(t *testing.T, w *world) {
	way := w.openProxy(t, true)
	m := w.createTeam(t, "deaths@example.com").joinBy("deaths@example.com", "deaths", way.url)
	// A single kind would exceed its allowance after some rounds.
	message := m.message()
	writes := []write{comment(w.anyPost(t)), message, message}
	for round := range repetitions() {
		d := writes[round%len(writes)]
		// The page's outcome starts the next worker.
		m.onceWhile(d, "The worker dies", func(h *held) {
			m.killWorker()
			h.release()
		})
		m.onceWhile(d, "The tab is closed", func(h *held) {
			m.close(m.workTab())
			h.release()
		})
		m.onceWhile(d, "The worker dies, and then the tab", func(h *held) {
			m.killWorker()
			m.close(m.workTab())
			h.release()
		})
		m.onceWhile(d, "The result is lost", func(h *held) {
			way.setDeaf(true)
			h.release()
			id := m.newest
			m.completed(id) // the service has it, the extension has no reply yet
			way.cut()
			way.setDeaf(false)
		})
		// The browser itself resends such a request.
		m.network.SetFaults(m.account, fakenetwork.Faults{LoseAnswers: 1})
		m.onceWhile(d, "The network's answer is lost", func(h *held) { h.release() })
		m.onceWhile(d, "The connection is lost", func(h *held) {
			way.cut()
			h.release()
		})
	}
	// A read starts again.
	m.network.SetFaults(m.account, fakenetwork.Faults{Slow: slowPage})
	id := m.ask("/network-agent/fetch-profile", fields{"profile_slug": "deaths"})
	eventually(t, func() bool { return m.hasWorkTab() }, func() string { return "no tab was opened" })
	m.killWorker()
	m.network.SetFaults(m.account, fakenetwork.Faults{})
	require.Equal(t, "deaths", m.completed(id)["profile_slug"])
}

func TestBrowserIsKilled(t *testing.T) { onBothSites(t, true, browserIsKilled) }

func browserIsKilled(t *testing.T, w *world) {
	m := w.createTeam(t, "killed@example.com").join("killed@example.com", "killed")
	post := comment(w.anyPost(t))
	for range repetitions() {
		m.onceWhile(post, "The browser is killed", func(h *held) {
			m.kill()
			h.release()
			m.chromium = launch(t, m.dist, m.profile)
			m.signIn() // a cookie this recent may not be on disk yet
		})
	}
}

// TestLostWriteIsDoneOnceMore: the extension looks twice for a write that was
// lost on its way, and repeats it once.
func TestLostWriteIsDoneOnceMore(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: the second look comes after half a minute")
	}
	onBothSites(t, false, lostWriteIsDoneOnceMore)
}

func lostWriteIsDoneOnceMore(t *testing.T, w *world) {
	m := w.createTeam(t, "lost@example.com").join("lost@example.com", "lost")
	post := w.anyPost(t)
	// All writes are lost, because the browser resends requests over reused
	// connections.
	m.network.SetFaults(m.account, fakenetwork.Faults{LoseWrites: -1})
	id := m.ask("/network-agent/comment-post", fields{"social_urn": post, "comment_text": "Lost on the way"})
	eventually(t, m.hasWorkTab, func() string { return "no tab was opened" })
	first := m.workTab()
	eventually(t, func() bool { return m.hasWorkTab() && m.workTab().TargetID != first.TargetID }, func() string { return "nobody looks again" })
	m.network.SetFaults(m.account, fakenetwork.Faults{})
	require.NotEmpty(t, m.completed(id)["comment_urn"])
	require.Equal(t, 1, m.writes.count(m.account, fakenetwork.WriteComment))
	m.journalled(0)
}
