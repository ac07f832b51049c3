package httpapi_test

import (
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDashboardTeam shows accounts, key and pairing codes, and lets admins alone
// change the members.
func TestDashboardTeam(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Crew", "free"), h.team("Strangers", "free")
	m.join()
	admin := h.browser()
	admin.signIn(m.email)
	page := admin.do("GET", "/app/team", "").raw
	require.Contains(t, page, "0 of 50") // likes of the account
	require.Contains(t, page, "Free plan")
	require.Contains(t, page, "This browser")
	require.NotContains(t, page, m.key)
	require.NotContains(t, page, other.email)
	send := func(b *browser, form url.Values) reply {
		form.Set("token", b.token())
		return b.send("/app/team", form)
	}

	// Secrets are shown on request, and not by loading the page again.
	revealed := send(admin, url.Values{"do": {"reveal"}})
	require.Equal(t, 200, revealed.status)
	require.Contains(t, revealed.raw, m.key)
	require.Equal(t, "no-store", revealed.header.Get("Cache-Control"))
	require.NotContains(t, admin.do("GET", "/app/team", "").raw, m.key)
	require.Equal(t, 303, send(admin, url.Values{"do": {"pair"}}).status)

	// Members.
	require.Equal(t, 303, send(admin, url.Values{"do": {"invite"}, "email": {"bob@example.com"}, "role": {"member"}}).status)
	for email, status := range map[string]int{"bob@example.com": 409, m.email: 409, "no address": 422} {
		refused := send(admin, url.Values{"do": {"invite"}, "email": {email}})
		require.Equal(t, status, refused.status)
		require.Contains(t, refused.raw, `value="`+email+`"`)
	}
	bob := h.browser()
	bob.join("bob@example.com")
	bobID, me := m.member("bob@example.com"), m.member(m.email)
	require.NotContains(t, bob.do("GET", "/app/team", "").raw, "Invite by email")
	for _, form := range []url.Values{
		{"do": {"invite"}, "email": {"eve@example.com"}}, {"do": {"role"}, "member": {bobID}, "role": {"admin"}}, {"do": {"remove"}, "member": {me}},
	} {
		refused := send(bob, form)
		require.Equal(t, 403, refused.status)
		require.Contains(t, refused.raw, "Only admins")
	}
	session := regexp.MustCompile(`name="session" value="([^"]+)"><span>The browser has`).FindStringSubmatch(admin.do("GET", "/app/team", "").raw)
	require.NotNil(t, session)
	require.Equal(t, 403, send(bob, url.Values{"do": {"revoke"}, "session": {session[1]}}).status, "a member ends no other's browser")
	require.Contains(t, send(bob, url.Values{"do": {"reveal"}}).raw, m.key, "all members share the key")
	require.Equal(t, 403, send(admin, url.Values{"do": {"remove"}, "member": {me}}).status, "not oneself")
	require.Equal(t, 404, send(admin, url.Values{"do": {"remove"}, "member": {other.member(other.email)}}).status)
	require.Equal(t, 303, send(admin, url.Values{"do": {"role"}, "member": {bobID}, "role": {"admin"}}).status)
	require.Contains(t, bob.do("GET", "/app/team", "").raw, "Invite by email")
	require.Equal(t, 303, send(admin, url.Values{"do": {"remove"}, "member": {bobID}}).status)
	require.Equal(t, 303, bob.do("GET", "/app/team", "").status)

	// Admins see who did what, and all when the key was used.
	page = admin.do("GET", "/app/team", "").raw
	for _, text := range []string{`id="audit"`, "Signed in", "API key shown", "Pairing code made", "Role changed", "Member removed", "bob@example.com, admin", "Last used"} {
		require.Contains(t, page, text)
	}
	require.Equal(t, 303, send(admin, url.Values{"do": {"invite"}, "email": {"cid@example.com"}, "role": {"member"}}).status)
	cid := h.browser()
	cid.join("cid@example.com")
	page = cid.do("GET", "/app/team", "").raw
	require.NotContains(t, page, `id="audit"`)
	require.Contains(t, page, "Last used")

	require.Equal(t, 303, send(admin, url.Values{"do": {"revoke"}, "session": {session[1]}}).status)
	require.Equal(t, 404, send(admin, url.Values{"do": {"revoke"}, "session": {session[1]}}).status)
	require.Equal(t, 400, send(admin, url.Values{"do": {"nothing"}}).status)
	require.Equal(t, 403, admin.send("/app/team", url.Values{"do": {"reveal"}}).status, "without the form token")
}
