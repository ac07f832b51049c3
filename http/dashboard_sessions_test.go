package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/testclock"
)

// buildAt is build with a clock that can be set.
func buildAt(t *testing.T) (*testServer, *testclock.Clock) {
	t.Helper()
	clock := testclock.New(0, nil, nil)
	return build(t, func(o *httpapi.Options) { o.Clock = clock }), clock
}

// noticesTo returns the mails to an address about browsers.
func (p *postbox) noticesTo(address string) (notices []outgoing.Mail) {
	for _, m := range p.to(address) {
		if m.Subject == "New sign-in to Watchpost" {
			notices = append(notices, m)
		}
	}
	return notices
}

// sessionCookie returns the cookie of a browser's session, as a thief has it.
func (b *browser) sessionCookie() []string {
	b.t.Helper()
	at, err := url.Parse(b.url)
	require.NoError(b.t, err)
	for _, c := range b.client.Jar.Cookies(at) {
		if c.Name == "watchpost" {
			return []string{"Cookie", c.String()}
		}
	}
	b.t.Fatal("the browser has no session")
	return nil
}

// TestStolenCookieOfAnUnusedSession: a cookie that was copied long ago, of a browser that
// is no longer in use, opens nothing; and none does after 30 days.
func TestStolenCookieOfAnUnusedSession(t *testing.T) {
	t.Parallel()
	h, clock := buildAt(t)
	m := h.team("Unused", "growth")
	const day = 24 * time.Hour
	left, used := h.browser(), h.browser()
	left.signIn(m.email)
	used.follow(m)
	left.do("GET", "/app/team", "")
	stolen, daily := left.sessionCookie(), used.sessionCookie()
	page := func(cookie []string) int { return h.browser().do("GET", "/app/watchlists", "", cookie...).status }
	for range 6 {
		require.NoError(t, clock.Advance(day))
		require.Equal(t, 200, page(daily))
	}
	require.Equal(t, 200, left.do("GET", "/app", "").status, "six days are no week")
	for range 7 {
		require.NoError(t, clock.Advance(day))
		require.Equal(t, 200, page(daily))
	}
	require.Equal(t, 303, page(stolen))
	require.Equal(t, 303, left.do("GET", "/app", "").status)
	for range 16 {
		require.NoError(t, clock.Advance(day))
		require.Equal(t, 200, page(daily))
	}
	require.NoError(t, clock.Advance(day))
	require.Equal(t, 303, page(daily), "30 days are the most")
}

// TestNewBrowserIsToldOf: the member hears by mail of a sign-in with a browser that was
// not seen before, whichever way it came in, and the mail has no words of that browser.
func TestNewBrowserIsToldOf(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Known browsers", "growth")
	own, thief, linked := h.browser(), h.browser(), h.browser()
	own.signIn(m.email)
	require.Empty(t, h.mail.noticesTo(m.email), "the first sign-in ever")
	require.Equal(t, 303, own.send("/app/sign-out", url.Values{"token": {own.token()}}).status)
	own.signIn(m.email)
	require.Empty(t, h.mail.noticesTo(m.email), "the same browser")

	const words = "Pay at https://evil.example"
	asked := thief.send("/app/sign-in", url.Values{"email": {m.email}}, "User-Agent", words)
	require.Equal(t, 200, asked.status)
	entered := thief.send("/app/sign-in/code", url.Values{"email": {m.email}, "otp": {h.mail.code(t, m.email)}}, "User-Agent", words)
	require.Equal(t, 303, entered.status)
	notices := h.mail.noticesTo(m.email)
	require.Len(t, notices, 1)
	require.Contains(t, notices[0].Body, "Browser: unknown")
	require.Contains(t, notices[0].Body, "Address: 127.0.0.1")
	require.NotContains(t, notices[0].Body, "evil")
	require.NotRegexp(t, sixDigits, notices[0].Body)

	linked.client.Transport = asFirefox{linked.client.Transport}
	linked.follow(m)
	notices = h.mail.noticesTo(m.email)
	require.Len(t, notices, 2)
	require.Contains(t, notices[1].Body, "Browser: Firefox, Linux")
	linked.follow(m)
	require.Len(t, h.mail.noticesTo(m.email), 2)

	// Of another member, the same browser is a new one.
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"bob@example.com","role":"member"}`), 201)
	bob := team{testServer: h, id: m.id, email: "bob@example.com"}
	h.browser().follow(bob)
	require.Empty(t, h.mail.noticesTo(bob.email))
	own.follow(bob)
	require.Len(t, h.mail.noticesTo(bob.email), 1)
}

// asFirefox sends the User-Agent of a browser.
type asFirefox struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (f asFirefox) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	return f.RoundTripper.RoundTrip(r)
}

// TestKeyNeedsAFreshSignIn: who finds a browser signed in does not see the team's key. A
// code that is mailed to the member opens it, for 15 minutes.
func TestKeyNeedsAFreshSignIn(t *testing.T) {
	t.Parallel()
	h, clock := buildAt(t)
	m := h.team("Left open", "growth")
	b := h.browser()
	b.signIn(m.email)
	reveal := func() reply { return b.send("/app/team", url.Values{"do": {"reveal"}, "token": {b.token()}}) }
	require.Contains(t, reveal().raw, m.key)
	require.NoError(t, clock.Advance(14*time.Minute))
	require.Contains(t, reveal().raw, m.key)
	require.NoError(t, clock.Advance(time.Minute))
	refused := reveal()
	require.Equal(t, 303, refused.status)
	require.NotContains(t, refused.raw, m.key)
	again := b.do("GET", refused.header.Get("Location"), "")
	require.Equal(t, 200, again.status)
	require.Contains(t, again.raw, "Sign in again")
	require.Contains(t, again.raw, `value="`+m.email+`"`)

	// The page leads through a new sign-in back to the key.
	mails := len(h.mail.to(m.email))
	asked := b.send("/app/sign-in", url.Values{"email": {m.email}, "next": {between(t, again.raw, `name="next" value="`, `"`)}})
	require.Len(t, h.mail.to(m.email), mails+1)
	wrong := b.send("/app/sign-in/code", url.Values{"email": {m.email}, "otp": {wrongCode(h.mail.code(t, m.email))}, "next": {between(t, asked.raw, `name="next" value="`, `"`)}})
	require.Equal(t, 422, wrong.status)
	require.NotContains(t, reveal().raw, m.key)
	entered := b.send("/app/sign-in/code", url.Values{"email": {m.email}, "otp": {h.mail.code(t, m.email)}, "next": {between(t, wrong.raw, `name="next" value="`, `"`)}})
	require.Equal(t, 303, entered.status)
	require.Equal(t, "/app/team#key", entered.header.Get("Location"))
	require.Contains(t, reveal().raw, m.key)
	for _, next := range []string{"https://evil.example", "//evil.example", "/app/try"} {
		evil := h.browser()
		evil.send("/app/sign-in", url.Values{"email": {m.email}})
		entered := evil.send("/app/sign-in/code", url.Values{"email": {m.email}, "otp": {h.mail.code(t, m.email)}, "next": {next}})
		require.Equal(t, 303, entered.status)
		require.Equal(t, "/app", entered.header.Get("Location"))
		require.NoError(t, clock.Advance(10*time.Minute))
	}
}

// TestKeyOfAFormerMember: a removed member can still use the key that they were shown. The
// page says so, an admin asks the operator for another one, and the operator's commands
// and API show that until it is made.
func TestKeyOfAFormerMember(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Parting", "growth")
	b, bob := h.browser(), m.another("bob@example.com")
	b.signIn(m.email)
	shown := bob.send("/app/team", url.Values{"do": {"reveal"}, "token": {bob.token()}})
	require.Contains(t, shown.raw, m.key)
	require.NotContains(t, b.do("GET", "/app/team", "").raw, "may still have this key")
	require.Equal(t, 403, bob.send("/app/team", url.Values{"do": {"rotate"}, "token": {bob.token()}}).status, "admins ask")
	removed := b.send("/app/team", url.Values{"do": {"remove"}, "member": {m.member("bob@example.com")}, "token": {b.token()}})
	require.Equal(t, 303, removed.status)
	require.Equal(t, 200, m.call("GET", "/api-posts", "").status, "the key is still good")
	require.Contains(t, b.do("GET", "/app/team", "").raw, "may still have this key")

	asked := func() any {
		return read[fields](h.admin("GET", "/admin/teams/"+m.id, ""), 200)["key_rotation_asked_at"]
	}
	listed := func() any {
		return read[fields](h.admin("GET", "/admin/teams?email="+m.email, ""), 200)["teams"].([]any)[0].(fields)["key_rotation_asked_at"]
	}
	require.Nil(t, asked())
	require.Nil(t, listed())
	for range 2 { // the second asks for nothing more
		require.Equal(t, 303, b.send("/app/team", url.Values{"do": {"rotate"}, "token": {b.token()}}).status)
	}
	require.NotNil(t, asked())
	require.Equal(t, asked(), listed())
	page := b.do("GET", "/app/team", "").raw
	require.Contains(t, page, "The operator is asked to replace the key since")
	require.NotContains(t, page, `value="rotate"`)
	require.Equal(t, 1, strings.Count(h.admin("GET", "/admin/teams/"+m.id+"/audit", "").raw, `"key_rotation_asked"`))

	m.key = read[fields](h.admin("POST", "/admin/teams/"+m.id+"/rotate-key", ""), 200)["api_key"].(string)
	require.Nil(t, asked())
	require.Nil(t, listed())
	page = b.do("GET", "/app/team", "").raw
	require.NotContains(t, page, "may still have this key")
	require.NotContains(t, page, "The operator is asked")
}
