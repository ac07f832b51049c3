package httpapi_test

import (
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// invite sends the form of the team's page by which an admin invites an address.
func (b *browser) invite(email string) reply {
	b.t.Helper()
	return b.send("/app/team", url.Values{"do": {"invite"}, "email": {email}, "role": {"member"}, "token": {b.token()}})
}

// withdraw withdraws the only pending invitation of the team by the form of its page.
func (b *browser) withdraw(m team) {
	b.t.Helper()
	all := m.invitations()
	require.Len(b.t, all, 1)
	require.Equal(b.t, 303, b.send("/app/team", url.Values{"do": {"withdraw"}, "invitation": {all[0]["id"].(string)}, "token": {b.token()}}).status)
}

// invitations are those of the team that are pending.
func (m team) invitations() (all []fields) {
	m.t.Helper()
	for _, one := range read[fields](m.admin("GET", "/admin/teams/"+m.id+"/invitations", ""), 200)["invitations"].([]any) {
		all = append(all, one.(fields))
	}
	return all
}

// enter sends the form of a code, with the chosen action.
func (b *browser) enter(email, code string, do ...string) reply {
	b.t.Helper()
	form := url.Values{"email": {email}, "otp": {code}}
	for i := 0; i < len(do); i += 2 {
		form.Set(do[i], do[i+1])
	}
	return b.send("/app/sign-in/code", form)
}

// join accepts the only invitation of an address by a mailed code.
func (b *browser) join(email string) {
	b.t.Helper()
	b.send("/app/sign-in", url.Values{"email": {email}})
	code := b.mail.code(b.t, email)
	id := invitationOf.FindStringSubmatch(b.enter(email, code).raw)
	require.NotNil(b.t, id)
	require.Equal(b.t, 303, b.enter(email, code, "do", "join", "invitation", id[1]).status)
}

var errorOfField = regexp.MustCompile(`role="alert">.*?</span></span>`)

var invitationOf = regexp.MustCompile(`name="invitation" value="([^"]+)"`)

// paired signs an extension in by a mailed code.
func (h *testServer) paired(email, more string) reply {
	h.t.Helper()
	require.Equal(h.t, 200, h.do("POST", "/network-agent/auth-send-otp", `{"email":"`+email+`"}`).status)
	return h.do("POST", "/extension/sign-in", `{"email":"`+email+`","otp":"`+h.mail.code(h.t, email)+`"`+more+`}`)
}

// TestInvitedVictimStaysOut: who is invited by a stranger is in no team of theirs, not by a
// sign-in and not by pairing a browser, and the address is free for the own team.
func TestInvitedVictimStaysOut(t *testing.T) {
	t.Parallel()
	const victim = "victim@corp.example"
	h := build(t)
	hostile, corp := h.team("Hostile", "free"), h.team("Corp", "growth")
	attacker := h.browser()
	attacker.signIn(hostile.email)
	require.Equal(t, 303, attacker.invite(victim).status)

	asked := h.paired(victim, "")
	require.Equal(t, 404, asked.status, asked.raw)
	require.NotContains(t, asked.raw, "session_token")

	admin := h.browser()
	admin.signIn(corp.email)
	require.Equal(t, 303, admin.invite(victim).status, "the own admin is not refused")
	read[fields](h.admin("POST", "/admin/teams/"+corp.id+"/members", `{"email":"`+victim+`","role":"member"}`), 201)
	paired := read[fields](h.paired(victim, ""), 200)
	require.Equal(t, "Corp", paired["team"].(fields)["name"])
	b := h.browser()
	b.send("/app/sign-in", url.Values{"email": {victim}})
	page := b.send("/app/sign-in/code", url.Values{"email": {victim}, "otp": {h.mail.code(t, victim)}, "do": {"own"}})
	require.Equal(t, 303, page.status, page.raw)
	require.Contains(t, b.do("GET", "/app/team", "").raw, "Corp")
	require.Len(t, read[fields](hostile.call("GET", "/api-team", ""), 200)["members"], 1)
}

// TestInvitationsRevealNothing: the inviter's answers are the same for an address that has
// a team, one that blocks, and one that no person has.
func TestInvitationsRevealNothing(t *testing.T) {
	t.Parallel()
	h := build(t)
	hostile, corp := h.team("Hostile", "free"), h.team("Corp", "growth")
	attacker := h.browser()
	attacker.signIn(hostile.email)
	known, unknown := attacker.invite(corp.email), attacker.invite("nobody@example.com")
	require.Equal(t, unknown.status, known.status)
	require.Equal(t, unknown.raw, known.raw)
	again, of := attacker.invite(corp.email), attacker.invite("nobody@example.com")
	require.Equal(t, of.status, again.status)
	require.Equal(t, errorOfField.FindString(of.raw), errorOfField.FindString(again.raw))
	require.NotEmpty(t, errorOfField.FindString(of.raw))
}

// TestChoosingATeam: the sign-in asks who is invited, naming who invites. The code serves
// until it signs a person in.
func TestChoosingATeam(t *testing.T) {
	t.Parallel()
	const email = "joe@example.com"
	h := build(t)
	hostile, crew := h.team("Hostile", "free"), h.team("Crew", "growth")
	for _, m := range []team{hostile, crew} {
		admin := h.browser()
		admin.signIn(m.email)
		require.Equal(t, 303, admin.invite(email).status)
	}
	b := h.browser()
	b.send("/app/sign-in", url.Values{"email": {email}})
	code := h.mail.code(t, email)
	page := b.enter(email, code)
	require.Equal(t, 200, page.status, page.raw)
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	for _, text := range []string{"Choose a team", "“Hostile”", "“Crew”", hostile.email, crew.email, "Make a team of my own"} {
		require.Contains(t, page.raw, text)
	}
	require.Equal(t, 303, b.do("GET", "/app", "").status, "nobody is signed in yet")

	require.Equal(t, 422, b.enter(email, "000000", "do", "block").status)
	page = b.enter(email, code, "do", "block", "team", hostile.id)
	require.Contains(t, page.raw, "What I block")
	require.Len(t, invitationOf.FindAllString(page.raw, -1), 1)
	require.Len(t, hostile.invitations(), 1, "the team does not hear of it")
	page = b.enter(email, code, "do", "allow", "team", hostile.id)
	require.Len(t, invitationOf.FindAllString(page.raw, -1), 2)
	id := hostile.invitations()[0]["id"].(string)
	page = b.enter(email, code, "do", "decline", "invitation", id)
	require.NotContains(t, page.raw, "“Hostile”")
	require.Empty(t, hostile.invitations())
	require.Equal(t, 404, b.enter(email, code, "do", "decline", "invitation", id).status)
	require.Equal(t, 400, b.enter(email, code, "do", "nothing").status)

	id = crew.invitations()[0]["id"].(string)
	joined := b.enter(email, code, "do", "join", "invitation", id)
	require.Equal(t, 303, joined.status, joined.raw)
	require.Contains(t, b.do("GET", "/app/team", "").raw, "Crew")
	require.Equal(t, 422, b.enter(email, code).status, "the code is used up")

	// A member with another invitation is asked, too, and stays.
	admin := h.browser()
	admin.signIn(hostile.email)
	require.Equal(t, 303, admin.invite(email).status)
	again := h.browser()
	again.send("/app/sign-in", url.Values{"email": {email}})
	code = h.mail.code(t, email)
	page = again.enter(email, code)
	require.Contains(t, page.raw, "Continue to “Crew”")
	require.NotContains(t, page.raw, `value="join"`)
	require.Equal(t, 303, again.enter(email, code, "do", "own").status)
	require.Contains(t, again.do("GET", "/app/team", "").raw, "Crew")
}

// TestLeavingATeam by the dashboard: the last admin makes another one first.
func TestLeavingATeam(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Crew", "growth")
	admin, bob := h.browser(), h.browser()
	admin.signIn(m.email)
	require.Equal(t, 303, admin.invite("bob@example.com").status)
	page := admin.do("GET", "/app/team", "").raw
	for _, text := range []string{"bob@example.com", "just now", "by " + m.email, "expires on", "1 invited", "Withdraw it"} {
		require.Contains(t, page, text)
	}
	require.NotContains(t, page, "Mail it again", "not on the same day")
	bob.join("bob@example.com")
	leave := func(b *browser, closing string) reply {
		return b.send("/app/team", url.Values{"do": {"leave"}, "closing": {closing}, "token": {b.token()}})
	}
	refused := leave(admin, "")
	require.Equal(t, 409, refused.status)
	require.Contains(t, refused.raw, "You are the only admin of the team")
	left := leave(bob, "")
	require.Equal(t, 303, left.status)
	require.Equal(t, "/app/sign-in", left.header.Get("Location"))
	require.Equal(t, 303, bob.do("GET", "/app", "").status)
	require.Contains(t, admin.do("GET", "/app/team", "").raw, "Left the team")
	require.Equal(t, 409, leave(admin, "").status)
	require.Equal(t, 303, leave(admin, "1").status)
	require.Empty(t, read[fields](m.call("GET", "/api-team", ""), 200)["members"])
}
