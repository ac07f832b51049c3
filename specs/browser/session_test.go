package browser_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/internal/fakenetwork"
	"watchpost/watchpost"
)

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// mailed returns the newest one-time code for an address.
func (p *mailbox) mailed(t testing.TB, email string) string {
	t.Helper()
	var code string
	eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, m := range p.mails {
			if m.To == email {
				code = sixDigits.FindString(m.Body)
			}
		}
		return code != ""
	}, func() string { return "no mail to " + email })
	return code
}

func TestSessionOfAMember(t *testing.T) { onBothSites(t, false, sessionOfAMember) }

func sessionOfAMember(t *testing.T, w *world) {
	team := w.createTeam(t, "admin@example.com")
	_, err := w.registry.Invite(t.Context(), team.id, actors.InviteMember{Email: "member@example.com", Role: watchpost.RoleMember})
	require.NoError(t, err)
	m := &member{team: team, chromium: launch(t, w.dist, t.TempDir()), email: "member@example.com", account: "member"}
	t.Cleanup(m.explain)
	m.signIn()
	p := m.settings()

	// Errors are at their field, with the next step.
	p.run(`document.querySelector("#service").value = "` + m.service + `"; document.querySelector("#code").value = "AAAAAAAAAA"; document.querySelector("#pairing").requestSubmit()`)
	p.says("#code-error", "Create a new one on your team's page")
	// An unreachable or insecure address is refused too.
	p.run(`document.querySelector("#service").value = "http://watchpost.example"; document.querySelector("#pairing").requestSubmit()`)
	p.says("#service-error", "must begin with https")

	// Pairing by email.
	p.run(`document.querySelector("#service").value = "` + m.service + `"; document.querySelector("#tab-mail").click();
		document.querySelector("#email").value = "` + m.email + `"; document.querySelector("#pairing").requestSubmit()`)
	p.until(`!document.querySelector("#otp-step").hidden`)
	p.run(`document.querySelector("#otp").value = "` + w.mail.mailed(t, m.email) + `"; document.querySelector("#pairing").requestSubmit()`)
	// The browser works for no team that its member has not joined.
	p.until(`!document.querySelector("#choice").hidden && document.querySelector("#go").hidden`)
	p.says("#invitations li", "The operator of the service invites you")
	p.run(`document.querySelector("#invitations button").click()`)
	p.says("#offered-member", m.email)
	p.agree()
	p.until(`document.querySelector("#pill").dataset.kind === "good" && document.querySelector("#account").textContent.includes("(member)")`)
	m.isSignedIn(true)
	require.Equal(t, "member", m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "member"}))["profile_slug"])

	// A paused browser receives nothing; after the pause it does the waiting
	// task.
	popup := m.open("chrome-extension://" + extensionID + "/popup.html")
	popup.until(`!document.querySelector("#paired").hidden`)
	popup.run(`document.querySelector("#pause").click(); document.querySelector("#pause-for [value=ever]").click()`)
	popup.until(`document.querySelector("#pill").textContent === "Paused"`)
	m.isConnected(false)
	waiting := m.ask("/network-agent/fetch-profile", fields{"profile_slug": "member"})
	popup.run(`document.querySelector("#state button").click()`)
	m.completed(waiting)

	// Signed out of the network: the task waits until the member signs in
	// again.
	m.network.SignOut(m.account)
	late := m.ask("/network-agent/fetch-profile", fields{"profile_slug": "member"})
	m.isSignedIn(false)
	popup.until(`document.querySelector("#pill").textContent === "Signed out" && document.querySelector("#state button").textContent === "Sign in"`)
	state, _ := m.status(late)
	require.Equal(t, "pending", state)
	m.signIn()
	m.completed(late)

	// A changed page is never read as an empty one.
	m.network.SetFaults(m.account, fakenetwork.Faults{LayoutChanged: true})
	unknown := m.ask("/network-agent/fetch-profile", fields{"profile_slug": "member"})
	eventually(t, func() bool {
		_, reply := m.team.call(http.MethodGet, "/network-agent/get-task-status?api_agent_task_id="+unknown, nil)
		return reply["data"].(fields)["pending_reason"] == "paused"
	}, func() string { return "not paused" })
	popup.says("#state .sentence", "These pages look different now: profiles.")

	// A human check is not a sign-out.
	m.network.SetFaults(m.account, fakenetwork.Faults{Challenge: true})
	m.ask("/network-agent/fetch-company", fields{"company_slug": "alder-analytics"})
	popup.until(`document.querySelector("#pill").textContent === "Check needed" && document.querySelector("#state button").textContent === "Open the check"`)
	m.network.SetFaults(m.account, fakenetwork.Faults{})

	// After a revocation the token is deleted, and the popup shows it.
	view, err := actors.Ask(t.Context(), m.registry, m.id, actors.GetTeam{})
	require.NoError(t, err)
	joined, known := view.Team.MemberByEmail(m.email)
	require.True(t, known)
	_, err = actors.Ask(t.Context(), m.registry, m.id, actors.RemoveMember{Member: joined.ID})
	require.NoError(t, err)
	p.until(`!document.querySelector("#unpaired").hidden && document.querySelector("#state").textContent.includes("Pair it again")`)
	p.until(`chrome.storage.local.get().then(all => !JSON.stringify(all).match(/token|"account"/))`)
	// The list of actions stays readable until the member deletes it.
	p.says("#left", "until you delete it")
	p.until(`document.querySelectorAll("#deeds .deed").length > 0`)
	draw(t, "revoked", p.picture(640, false))
	p.must(p.session, "Page.bringToFront", nil, nil) // dialogs close with a frame
	p.run(`document.querySelector("#forget").click()`)
	p.until(`document.querySelector("dialog .agree") !== null`)
	p.run(`document.querySelector("dialog .agree").click()`)
	p.until(`document.querySelector("#log").hidden && chrome.storage.local.get("activities").then(all => Object.keys(all).length === 0)`)

	// The service refuses other origins.
	stranger := m.open(m.site + "/feed")
	stranger.until(`new Promise(resolve => { const s = new WebSocket("` + "ws" + m.service[len("http"):] + `/extension/socket"); s.onopen = () => resolve(false); s.onerror = () => resolve(true) })`)
	stranger.until(`fetch("` + m.service + `/extension/sign-in", {method: "POST", body: "{}"}).then(() => false, () => true)`)
}

// isConnected waits until the service sees the member's browser connected, or
// not.
func (m *member) isConnected(want bool) {
	m.team.t.Helper()
	eventually(m.team.t, func() bool {
		_, reply := m.team.call(http.MethodGet, "/api-team", nil)
		for _, one := range reply["members"].([]any) {
			if one := one.(fields); one["email"] == m.email {
				return one["extension"].(fields)["connected"] == want
			}
		}
		return false
	}, func() string { return "the connection stays as it was" })
}

// TestTwoMembers: two members of a team work in two browsers, one of them by
// long poll only. Each acts as its own account.
func TestTwoMembers(t *testing.T) { onBothSites(t, false, twoMembers) }

func twoMembers(t *testing.T, w *world) {
	team := w.createTeam(t, "first@example.com")
	_, err := actors.Ask(t.Context(), w.registry, team.id, actors.AddMember{Email: "second@example.com", Role: watchpost.RoleMember})
	require.NoError(t, err)
	first := team.join("first@example.com", "first")
	second := team.joinBy("second@example.com", "second", w.openProxy(t, false).url)
	status, made := team.call(http.MethodPost, "/api-keyword-watchlist", fields{"keywords": []string{"hiring"}})
	require.Equal(t, http.StatusOK, status, made)
	post := team.posts(made["id"].(string))[0]["id"]
	for _, one := range []*member{first, second} {
		id := team.ask("/api-like", fields{"post_id": post, "user_email": one.email})
		require.Equal(t, true, team.completed(id)["liked"])
		require.Equal(t, 1, w.writes.count(one.account, fakenetwork.WriteLike), one.account)
		one.journalled(0)
	}
}
