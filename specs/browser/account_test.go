package browser_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// TestOtherAccount: a member's browser that is signed in to the network as
// another account writes nothing. The requested writes run once the member's
// own account is signed in again.
func TestOtherAccount(t *testing.T) { onBothSites(t, false, otherAccount) }

func otherAccount(t *testing.T, w *world) {
	m := w.createTeam(t, "own@example.com").join("own@example.com", "own")
	post := w.feed(t)[1] // of this test only
	comment := func(text string) string {
		return m.ask("/network-agent/comment-post", fields{"social_urn": post.URN, "comment_text": text})
	}
	m.completed(comment("as myself"))
	require.Equal(t, 1, w.writes.count("own", fakenetwork.WriteComment))

	m.account = "somebody-else"
	m.signIn()
	id := comment("while somebody else is signed in")
	paused := func() bool {
		_, reply := m.team.call(http.MethodGet, "/api-team", nil)
		one := reply["members"].([]any)[0].(fields)
		pauses := one["pauses"].([]any)
		return one["account"].(fields)["slug"] == "own" && len(pauses) > 0 && pauses[0].(fields)["reason"] == "other_account"
	}
	eventually(t, paused, func() string { return "the team does not show other_account" })
	state, _ := m.status(id)
	require.Equal(t, "pending", state)
	require.Zero(t, w.writes.count("somebody-else", fakenetwork.WriteComment))

	popup := m.open("chrome-extension://" + extensionID + "/popup.html")
	popup.says("#state .sentence", "Nothing is done as Somebody")

	m.account = "own"
	m.signIn()
	m.completed(id)
	require.Equal(t, 2, w.writes.count("own", fakenetwork.WriteComment))
	require.Zero(t, w.writes.count("somebody-else", fakenetwork.WriteComment))
	m.journalled(0)

	// The member signs in as another account between go and the write: while the
	// page asks, for the last time, who is signed in.
	check := w.requests.hold(t, func(r *http.Request) bool {
		return r.URL.Path == map[variant]string{serverPages: "/invitations", singlePage: "/api/me"}[w.variant] && strings.HasSuffix(r.Referer(), post.URN[strings.LastIndex(post.URN, ":")+1:])
	})
	id = comment("while the account changes")
	check.await(t)
	// The tab is in an open group, and not in front.
	require.Equal(t, `[[false,"Watchpost",false]]`, string(popup.run(`chrome.tabs.query({ url: "`+m.site+`/posts/*" }).then(tabs => Promise.all(
		tabs.map(tab => chrome.tabGroups.get(tab.groupId).then(group => [tab.active, group.title, group.collapsed]))))`)))
	m.account = "somebody-else"
	m.signIn()
	check.release()
	eventually(t, paused, func() string { return "the team does not show other_account" })
	popup.says("#state .sentence", "Nothing is done as Somebody")
	state, _ = m.status(id)
	require.Equal(t, "pending", state)
	require.Equal(t, 2, w.writes.count("own", fakenetwork.WriteComment))
	require.Zero(t, w.writes.count("somebody-else", fakenetwork.WriteComment))
	m.account = "own"
	m.signIn()
	m.completed(id)
	require.Equal(t, 3, w.writes.count("own", fakenetwork.WriteComment))
	require.Zero(t, w.writes.count("somebody-else", fakenetwork.WriteComment))
	m.journalled(0)

	// The member confirms another account: it then does the work.
	m.account = "third-account"
	m.signIn()
	popup.until(`document.querySelector("#state button.link")?.textContent.startsWith("Work as Third")`)
	popup.run(`document.querySelector("#state button.link").click()`)
	popup.until(`document.querySelector("dialog .agree") !== null`)
	popup.run(`document.querySelector("dialog .agree").click()`)
	popup.until(`document.querySelector("#pill").dataset.kind !== "bad"`)
	m.isSignedIn(true)
}
