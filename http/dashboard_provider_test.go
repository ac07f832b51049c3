package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	httpapi "watchpost/http"
	"watchpost/internal/identity"
	"watchpost/internal/identity/identitytest"
)

// withIssuer opens a service whose people of acme.example sign in at an issuer. The
// issuer sends browsers to the address of the service on paper; the tests' browsers go to
// the path of it.
func withIssuer(t *testing.T, registration func(*actors.Options)) (*testServer, *identitytest.Issuer) {
	t.Helper()
	issuer := identitytest.New(t, "ada@acme.example")
	provider, err := identity.New(identity.Options{
		Issuer: issuer.URL, ClientID: issuer.ClientID, Secret: issuer.Secret, Callback: passkeySite + "/app/sign-in/oidc/callback", Now: time.Now,
	})
	require.NoError(t, err)
	t.Cleanup(provider.Close)
	return buildWith(t, registration, func(o *httpapi.Options) {
		o.Provider, o.ProviderDomains = provider, []string{"acme.example", "beta.example"}
	}), issuer
}

// toProvider begins a sign-in and returns the address with which the issuer sends the
// browser back.
func (b *browser) toProvider() string {
	b.t.Helper()
	begun := b.do("GET", "/app/sign-in/oidc", "")
	require.Equal(b.t, 303, begun.status, begun.raw)
	client := &http.Client{Transport: b.testServer.client.Transport, CheckRedirect: b.client.CheckRedirect}
	resp, err := client.Get(begun.header.Get("Location"))
	require.NoError(b.t, err)
	require.NoError(b.t, resp.Body.Close())
	back, ok := strings.CutPrefix(resp.Header.Get("Location"), passkeySite)
	require.True(b.t, ok, resp.Header.Get("Location"))
	return back
}

// comeBack loads the page to which the issuer sends the browser, and which loads itself
// once more.
func (b *browser) comeBack(back string) reply {
	b.t.Helper()
	again := b.do("GET", back, "", "Sec-Fetch-Site", "cross-site")
	require.Equal(b.t, 200, again.status)
	require.Contains(b.t, again.raw, `http-equiv="refresh"`)
	return b.do("GET", back, "", "Sec-Fetch-Site", "same-origin")
}

// byProvider signs the issuer's person in.
func (b *browser) byProvider() reply {
	b.t.Helper()
	return b.comeBack(b.toProvider())
}

func (h *testServer) setDomains(team string, domains ...string) reply {
	return h.admin("PATCH", "/admin/teams/"+team, `{"domains":["`+strings.Join(domains, `","`)+`"]}`)
}

// TestProviderSignsIn: a member signs in by the provider; a person without a team joins
// that of the domain, unless an admin has removed the person.
func TestProviderSignsIn(t *testing.T) {
	t.Parallel()
	h, issuer := withIssuer(t, func(o *actors.Options) { o.RegistrationClosed = true })
	m, other := h.team("Acme", "growth"), h.team("Other", "growth")
	b := h.browser()
	require.Contains(t, b.do("GET", "/app/sign-in", "").raw, "Sign in with your organisation")
	waits := b.byProvider()
	require.Equal(t, 403, waits.status)
	require.Contains(t, waits.raw, "Ask an admin of your team to invite ada@acme.example")

	h.setDomains(m.id, "acme..example").fails(400, "Invalid 'domains'")
	require.Equal(t, 200, h.setDomains(m.id, "Acme.example", "acme.example").status)
	h.setDomains(other.id, "acme.example").fails(409, "Domain already belongs to a team")
	signed := b.byProvider()
	require.Equal(t, 303, signed.status, signed.raw)
	require.Equal(t, "/app", signed.header.Get("Location"))
	require.Contains(t, b.do("GET", "/app", "").raw, "Ada Lovelace")
	ada := m.member("ada@acme.example")
	require.Equal(t, 303, h.browser().byProvider().status, "again, as a member")
	audit := h.admin("GET", "/admin/teams/"+m.id+"/audit", "").raw
	require.Contains(t, audit, `ada@acme.example, member, by the domain`)
	require.Contains(t, audit, `"subject":"provider of identities"`)

	require.Equal(t, 200, h.admin("DELETE", "/admin/teams/"+m.id+"/members/"+ada, "").status)
	require.Equal(t, 403, h.browser().byProvider().status, "who was removed does not come back alone")
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"ada@acme.example","role":"member"}`), 201)
	require.Equal(t, 303, h.browser().byProvider().status)

	issuer.Claim("email", "bob@acme.example")
	require.Equal(t, 200, h.admin("PATCH", "/admin/teams/"+m.id, `{"domains":[]}`).status)
	require.Equal(t, 403, h.browser().byProvider().status, "the domain is the team's no more")
	require.Equal(t, 200, h.setDomains(other.id, "acme.example").status)
	require.Equal(t, 303, h.browser().byProvider().status)
	require.NotEmpty(t, other.member("bob@acme.example"))
}

// TestProviderOfFullTeam: the plan bounds those who join, too.
func TestProviderOfFullTeam(t *testing.T) {
	t.Parallel()
	h, _ := withIssuer(t, nil)
	m := h.team("Full", "free")
	for n := 1; ; n++ {
		added := h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"m`+strings.Repeat("x", n)+`@acme.example","role":"member"}`)
		if added.status == 402 {
			break
		}
		require.Equal(t, 201, added.status)
	}
	require.Equal(t, 200, h.setDomains(m.id, "acme.example").status)
	full := h.browser().byProvider()
	require.Equal(t, 402, full.status)
	require.Contains(t, full.raw, "The team of your domain is full")
}

// TestProviderRegistration: with open registration a person whose domain is no team's
// makes a team, as by a code; with closed registration no person joins.
func TestProviderRegistration(t *testing.T) {
	t.Parallel()
	open, _ := withIssuer(t, nil)
	require.Equal(t, 303, open.browser().byProvider().status)
	closed, _ := withIssuer(t, func(o *actors.Options) { o.RegistrationClosed, o.NoJoining = true, true })
	m := closed.team("Acme", "growth")
	require.Equal(t, 200, closed.setDomains(m.id, "acme.example").status)
	require.Equal(t, 403, closed.browser().byProvider().status)
}

// TestProviderOfOthers: a browser is signed in by the way that it has begun itself, in
// time and once, and as the person whom the provider has verified.
func TestProviderOfOthers(t *testing.T) {
	t.Parallel()
	h, issuer := withIssuer(t, nil)
	m := h.team("Acme", "growth")
	require.Equal(t, 200, h.setDomains(m.id, "acme.example").status)
	refused := func(b *browser, back string, status int, says string) {
		t.Helper()
		r := b.comeBack(back)
		require.Equal(t, status, r.status, r.raw)
		require.Contains(t, r.raw, says)
		require.Equal(t, 303, b.do("GET", "/app", "").status, "not signed in")
	}
	attacker, victim := h.browser(), h.browser()
	begun := attacker.toProvider()
	refused(victim, begun, 422, "was not begun in this browser")
	victim.toProvider()
	refused(victim, begun, 422, "was not begun in this browser")
	own := victim.toProvider()
	mixed, err := url.Parse(own)
	require.NoError(t, err)
	query := mixed.Query()
	theirs, err := url.Parse(begun)
	require.NoError(t, err)
	query.Set("code", theirs.Query().Get("code"))
	refused(victim, mixed.Path+"?"+query.Encode(), 403, "answer was not accepted")
	refused(victim, own, 422, "was not begun in this browser")
	refused(victim, "/app/sign-in/oidc/callback?error=access_denied&state=", 422, "was not begun in this browser")
	denied, err := url.Parse(victim.toProvider())
	require.NoError(t, err)
	refused(victim, denied.Path+"?error=access_denied&state="+denied.Query().Get("state"), 422, "did not sign you in")

	issuer.Claim("email_verified", false)
	refused(victim, victim.toProvider(), 403, "answer was not accepted")
	issuer.Claim("email_verified", true)
	issuer.Claim("email", "ada@elsewhere.example")
	refused(victim, victim.toProvider(), 403, "Addresses of this domain")
	issuer.Claim("email", "ada@sub.acme.example")
	refused(victim, victim.toProvider(), 403, "Addresses of this domain")
	issuer.Claim("email", m.email)
	last := victim.toProvider()
	issuer.Down(true)
	refused(victim, last, 503, "cannot be reached")
	require.Contains(t, h.log.String(), "the provider of identities signed nobody in")
}

// TestProviderAsksTheInvited: a person without a team who is invited chooses, as by a code.
func TestProviderAsksTheInvited(t *testing.T) {
	t.Parallel()
	h, _ := withIssuer(t, func(o *actors.Options) { o.RegistrationClosed = true })
	m := h.team("Acme", "growth")
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"ada@acme.example","role":"member","invite":true}`), 201)
	b := h.browser()
	asked := b.byProvider()
	require.Equal(t, 200, asked.status, asked.raw)
	require.Contains(t, asked.raw, "Choose a team")
	form := func(name string) string {
		return regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(asked.raw)[1]
	}
	joined := b.send("/app/sign-in/code", url.Values{"email": {form("email")}, "otp": {form("otp")}, "do": {"join"}, "invitation": {form("invitation")}})
	require.Equal(t, 303, joined.status, joined.raw)
	require.NotEmpty(t, m.member("ada@acme.example"))
	require.Equal(t, 303, h.browser().byProvider().status)
}
