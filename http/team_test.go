package httpapi_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

func TestTeam(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Acme", "growth")
	h.do("GET", "/api-team", "").fails(401, "Missing API Key")
	h.do("GET", "/api-team", "", "x-api-key", "wp_"+strings.Repeat("0", 32)).fails(401, badKey)
	m.call("POST", "/api-team", "{}").fails(405, "Method not allowed")

	// Without an extension.
	raw := m.call("GET", "/api-team", "")
	seen := read[fields](raw, 200)
	require.Equal(t, []string{"id", "members", "name", "plan", "plan_expires_at", "quotas", "waiting_scans"}, sortedKeys(seen))
	require.Equal(t, m.id, seen["id"])
	require.Equal(t, "growth", seen["plan"])
	ada := seen["members"].([]any)[0].(fields)
	require.Equal(t, fields{"active": false, "connected": false, "last_active_at": nil}, ada["extension"])
	require.Nil(t, ada["account"])
	require.Equal(t, fields{}, ada["allowances"])
	require.Equal(t, []any{}, ada["pauses"])
	require.Equal(t, true, ada["acting"])
	require.Equal(t, fields{"count": 0.0, "oldest": nil}, seen["waiting_scans"])
	require.Equal(t, fields{"used": 0.0, "limit": 5.0}, seen["quotas"].(fields)["watchlists"])
	require.Equal(t, fields{"used": 1.0, "limit": 10.0}, seen["quotas"].(fields)["members"])
	keepsToTheDocument(t, "GET", "/api-team", raw)

	// A scan waits until there is a session.
	read[fields](m.call("POST", watchlists, `{"keywords":["go","rust"]}`), 200)
	require.Eventually(t, func() bool { // the watchlist makes its tasks after the reply
		seen = read[fields](m.call("GET", "/api-team", ""), 200)
		return seen["waiting_scans"].(fields)["count"] == 2.0
	}, patience, time.Millisecond)
	require.NotNil(t, seen["waiting_scans"].(fields)["oldest"])
	require.Equal(t, fields{"used": 1.0, "limit": 5.0}, seen["quotas"].(fields)["watchlists"])

	// With one the first scan runs, and is debited.
	m.join().hear(protocol.TypeTask)
	raw = m.call("GET", "/api-team", "")
	seen = read[fields](raw, 200)
	ada = seen["members"].([]any)[0].(fields)
	require.Equal(t, true, ada["extension"].(fields)["active"])
	require.Equal(t, true, ada["extension"].(fields)["connected"])
	require.Equal(t, []string{"name", "signed_in", "slug", "urn"}, sortedKeys(ada["account"].(fields)))
	allowances := ada["allowances"].(fields)
	require.Len(t, allowances, len(watchpost.Allowances))
	require.Equal(t, 1.0, allowances["keyword_scan"].(fields)["used"])
	require.Equal(t, 30.0, allowances["keyword_scan"].(fields)["limit"])
	require.Regexp(t, `T00:00:00\.000Z$`, allowances["keyword_scan"].(fields)["resets_at"])
	require.Equal(t, 1.0, seen["waiting_scans"].(fields)["count"])
	keepsToTheDocument(t, "GET", "/api-team", raw)

	// What watchlists follow: that of the longest list counts.
	for _, body := range []string{`{"profiles":["jane","joe","eve"]}`, `{"profiles":["jane"]}`} {
		read[fields](m.call("POST", "/api-people-watchlist", body), 200)
	}
	read[fields](m.call("POST", "/api-company-watchlist", `{"companies":["acme","other"]}`), 200)
	quotas := read[fields](m.call("GET", "/api-team", ""), 200)["quotas"].(fields)
	require.Equal(t, fields{"used": 3.0, "limit": 200.0}, quotas["profiles_per_watchlist"])
	require.Equal(t, fields{"used": 2.0, "limit": 200.0}, quotas["companies_per_watchlist"])
	require.Equal(t, fields{"used": 4.0, "limit": 5.0}, quotas["watchlists"])

	// Without a limit.
	read[fields](m.admin("PATCH", "/admin/teams/"+m.id, `{"plan":"ultimate"}`), 200)
	raw = m.call("GET", "/api-team", "")
	require.Equal(t, fields{"used": 1.0, "limit": nil}, read[fields](raw, 200)["quotas"].(fields)["members"])
	keepsToTheDocument(t, "GET", "/api-team", raw)
}

func TestAdminMembers(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Acme", "growth")
	members := "/admin/teams/" + m.id + "/members"
	added := read[fields](h.admin("POST", members, `{"email":"joe@example.com","full_name":" Joe  Doe ","role":"member"}`), 201)
	joe := added["id"].(string)
	require.Equal(t, "Joe Doe", added["full_name"])

	invitation := h.mail.last("joe@example.com")
	require.Contains(t, invitation.Subject, "Watchpost")
	require.Contains(t, invitation.Body, "Acme")
	require.NotContains(t, invitation.Body, m.key)

	// The first sign-in lands in the team.
	h.do("POST", sendOTP, `{"email":"joe@example.com"}`)
	signed := read[fields](h.do("POST", verifyOTP, `{"email":"joe@example.com","otp":"`+h.mail.code(t, "joe@example.com")+`"}`), 200)
	require.Equal(t, m.id, signed["team"].(fields)["id"])
	require.Equal(t, m.key, signed["api_key"])
	require.Equal(t, joe, signed["user"].(fields)["id"])

	changed := read[fields](h.admin("PATCH", members+"/"+joe, `{"role":"admin"}`), 200)
	require.Equal(t, "admin", changed["role"])
	require.Equal(t, joe, m.member("joe@example.com"))
	for body, text := range map[string]string{`{}`: "Missing or invalid 'role'", `{"role":"king"}`: "Missing or invalid 'role'", `{"role":""}`: "Missing or invalid 'role'", `[]`: badJSON} {
		h.admin("PATCH", members+"/"+joe, body).fails(400, text)
	}
	other := h.team("Other", "free")
	for _, id := range []string{"nonsense", unknownID, other.member(other.email)} {
		h.admin("PATCH", members+"/"+id, `{"role":"admin"}`).fails(404, "User not found")
		h.admin("DELETE", members+"/"+id, "").fails(404, "User not found")
	}
	h.admin("PATCH", "/admin/teams/"+unknownID+"/members/"+joe, `{"role":"admin"}`).fails(404, "Team not found")
	h.admin("DELETE", "/admin/teams/"+unknownID+"/members/"+joe, "").fails(404, "Team not found")
	h.do("DELETE", members+"/"+joe, "", "x-api-key", m.key).fails(401, "Unauthorized")

	require.Equal(t, fields{"id": joe, "removed": true}, read[fields](h.admin("DELETE", members+"/"+joe, ""), 200))
	h.admin("DELETE", members+"/"+joe, "").fails(404, "User not found")
	h.admin("POST", "/admin/teams/"+m.id+"/sessions", `{"email":"joe@example.com"}`).fails(404, "User not found")
	require.Equal(t, 1.0, read[fields](m.call("GET", "/api-team", ""), 200)["quotas"].(fields)["members"].(fields)["used"])

	// The address is free again.
	require.Equal(t, 201, h.admin("POST", "/admin/teams/"+other.id+"/members", `{"email":"joe@example.com","role":"member"}`).status)
}

// Removing a member hangs up on the sessions of that member.
func TestRemovedMemberIsHungUpOn(t *testing.T) {
	t.Parallel()
	m := build(t).team("Acme", "growth")
	p := m.join()
	read[fields](m.admin("DELETE", "/admin/teams/"+m.id+"/members/"+m.member(m.email), ""), 200)
	p.hear(protocol.TypeRevoked)
	p.ends(4401)
	m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`).fails(403, watchpost.TextExtensionRequired)
}

func TestFullNamesAreBounded(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Acme", "growth")
	long := strings.Repeat("x", watchpost.MaxName+1)
	h.do("POST", sendOTP, `{"email":"a@example.com","full_name":"`+long+`"}`).fails(400, "Invalid 'full_name'")
	h.admin("POST", "/admin/teams", `{"email":"b@example.com","plan":"free","full_name":"`+long+`"}`).fails(400, "Invalid 'full_name'")
	h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"c@example.com","role":"member","full_name":"`+long+`"}`).fails(400, "Invalid 'full_name'")
	require.Equal(t, 200, h.do("POST", sendOTP, `{"email":"a@example.com","full_name":"`+long[1:]+`"}`).status)
}

// last returns the last mail to an address.
func (p *postbox) last(to string) (last outgoing.Mail) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.mails {
		if m.To == to {
			last = m
		}
	}
	return last
}

// The limit of mails for a client goes by the address that a trusted proxy
// names, and by nothing that anybody else says.
func TestClientAddressOfOneTimeCodes(t *testing.T) {
	t.Parallel()
	send := func(h *testServer, n int, client string) (mailed bool) {
		to := strings.Repeat("x", n) + "@example.com"
		r := h.do("POST", sendOTP, `{"email":"`+to+`"}`, "X-Forwarded-For", client)
		require.Contains(t, r.raw, `{"success":true,"email":"`+to+`","nonce":"`)
		return h.mail.last(to).To != ""
	}
	direct := build(t)
	for n := 1; n <= 30; n++ {
		require.True(t, send(direct, n, "192.0.2.7"))
	}
	require.False(t, send(direct, 31, "192.0.2.8"), "nobody is trusted to name the client")

	trusted := build(t, func(o *httpapi.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for n := 1; n <= 30; n++ {
		require.True(t, send(trusted, n, "203.0.113.9, 192.0.2.7"))
	}
	require.False(t, send(trusted, 31, "192.0.2.7"))
	require.True(t, send(trusted, 32, "192.0.2.8"))
}

// A mail that fails changes nothing of the answer.
func TestFailedMailIsNotTold(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.mail.broken = true
	before := time.Now()
	require.Contains(t, h.do("POST", sendOTP, `{"email":"a@example.com"}`).raw, `{"success":true,"email":"a@example.com","nonce":"`)
	require.Less(t, time.Since(before), patience)
	m := h.team("Acme", "growth")
	require.Equal(t, 201, h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"joe@example.com","role":"member"}`).status)
}
