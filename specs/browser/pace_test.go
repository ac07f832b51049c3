package browser_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// TestMemberIsAsked: a member who wants to be asked sees what would be written, and where.
// Reads go on meanwhile. What the member allows is done, what the member skips is not,
// and nothing is done before. A pause ends by itself, also when the worker was stopped.
func TestMemberIsAsked(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := w.createTeam(t, "decides@example.com").join("decides@example.com", "decides")
	post := w.feed(t)[5].URN // of this test only
	settings := m.settings()
	settings.run(`document.querySelector("#ask").click()`)
	settings.until(`chrome.storage.local.get("writes").then(({ writes }) => writes?.ask === true)`)

	popup := m.open("chrome-extension://" + m.installed + "/popup.html")
	allowed := m.ask("/network-agent/comment-post", fields{"social_urn": post, "comment_text": "Well done,\nreally"})
	popup.until(`document.querySelector("#pill").textContent === "Your decision" && document.querySelector("blockquote")?.textContent === "Well done,\nreally"`)
	popup.until(`document.querySelector("#state a[href*='/posts/']") !== null`)
	m.waitsFor(allowed, "member_asked")
	m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "decides"}))
	popup = m.reopened(popup, settings) // the question survives the worker
	popup.until(`document.querySelector("blockquote")?.textContent === "Well done,\nreally"`)
	popup.run(`document.querySelector("#state .primary").click()`)
	m.completed(allowed)
	require.Equal(t, 1, w.writes.count("decides", fakenetwork.WriteComment))

	skipped := m.ask("/network-agent/comment-post", fields{"social_urn": post, "comment_text": "Not this"})
	popup.until(`document.querySelector("blockquote")?.textContent === "Not this"`)
	popup.run(`[...document.querySelectorAll("#state button")].find(b => b.textContent === "Skip").click()`)
	state, output := m.ended(skipped)
	require.Equal(t, "failed", state)
	require.Equal(t, "declined", output["error"].(fields)["code"])
	require.Equal(t, false, output["retry_safe"])
	require.Equal(t, 1, w.writes.count("decides", fakenetwork.WriteComment))

	// The shortcuts, and a pause of an hour that is over.
	popup.until(`chrome.commands.getAll().then(all => all.map(c => c.name).sort().join() === "_execute_action,pause")`)
	t.Logf("shortcuts: %s", popup.run(`chrome.commands.getAll().then(all => all.map(c => c.name + " " + c.shortcut))`))
	popup.run(`document.querySelector("#pause").click(); document.querySelector("#pause-for [value=hour]").click()`)
	popup.until(`document.querySelector("#pill").textContent === "Paused" && document.querySelector("#state .details").textContent.includes("until")`)
	popup.until(`chrome.alarms.get("resume").then(alarm => alarm.scheduledTime > Date.now() + 59 * 60_000)`)
	m.isConnected(false)
	popup.run(`chrome.storage.local.set({ paused_until: Date.now() - 1 })`)
	popup = m.reopened(popup)
	popup.until(`document.querySelector("#pill").textContent !== "Paused"`)
	m.isConnected(true)
}

// reopened stops the extension's worker while none of its pages is open, and opens the
// popup again.
func (m *member) reopened(pages ...*page) *page {
	m.team.t.Helper()
	for _, p := range pages {
		m.close(target{TargetID: p.target})
	}
	m.killWorker()
	return m.open("chrome-extension://" + m.installed + "/popup.html")
}

// waitsFor waits until a task waits for a reason.
func (m *member) waitsFor(id, reason string) {
	m.team.t.Helper()
	var got any
	eventually(m.team.t, func() bool {
		_, reply := m.team.call(http.MethodGet, "/network-agent/get-task-status?api_agent_task_id="+id, nil)
		got = reply["data"].(fields)["pending_reason"]
		return got == reason
	}, func() string { return reason + " was not the reason, but " + got.(string) })
}
