package httpapi_test

import (
	"html"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/passkey/passkeytest"
)

var formPasskey = regexp.MustCompile(`name="passkey" value="([^"]+)"`)

// addPasskey adds a new device's passkey to the member who is signed in.
func (b *browser) addPasskey(name string) *passkeytest.Device {
	b.t.Helper()
	d, token := passkeytest.New(b.t, passkeySite), b.token()
	options := b.send("/app/settings/passkey/options", url.Values{"token": {token}})
	require.Equal(b.t, 200, options.status, options.raw)
	added := b.send("/app/settings", url.Values{"token": {token}, "do": {"add"}, "name": {name}, "answer": {d.Create([]byte(options.raw))}})
	require.Equal(b.t, 303, added.status, added.raw)
	return d
}

// byPasskey signs a device's holder in.
func (b *browser) byPasskey(d *passkeytest.Device) reply {
	b.t.Helper()
	options := b.send("/app/sign-in/passkey/options", nil)
	require.Equal(b.t, 200, options.status, options.raw)
	return b.send("/app/sign-in/passkey", url.Values{"answer": {d.Get([]byte(options.raw))}})
}

// TestDashboardPasskeys adds a passkey at the page of settings, signs in by it and removes
// it.
func TestDashboardPasskeys(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Keys", "growth")
	b := h.browser()
	b.signIn(m.email)
	page := b.do("GET", "/app/settings", "")
	require.Contains(t, page.raw, "You have no passkey")
	require.Contains(t, page.raw, "/app/assets/passkey-")
	d := b.addPasskey("Ada's phone")
	page = b.do("GET", "/app/settings", "")
	require.Contains(t, html.UnescapeString(page.raw), "Ada's phone")
	require.Contains(t, page.raw, "not used yet")

	other := h.browser()
	require.Contains(t, other.do("GET", "/app/sign-in", "").raw, "Sign in with a passkey")
	signed := other.byPasskey(d)
	require.Equal(t, 303, signed.status, signed.raw)
	require.Contains(t, other.do("GET", "/app", "").raw, m.email)
	page = other.do("GET", "/app/settings", "")
	require.NotContains(t, page.raw, "not used yet")
	id := formPasskey.FindStringSubmatch(page.raw)[1]

	token := other.token()
	wrong := other.send("/app/settings", url.Values{"token": {token}, "do": {"rename"}, "passkey": {id}, "name": {" "}})
	require.Equal(t, 422, wrong.status)
	require.Contains(t, wrong.raw, "Enter a name")
	require.Equal(t, 303, other.send("/app/settings", url.Values{"token": {token}, "do": {"rename"}, "passkey": {id}, "name": {"Old phone"}}).status)
	require.Contains(t, other.do("GET", "/app/settings", "").raw, "Old phone")
	export := h.admin("GET", "/admin/teams/"+m.id+"/export", "")
	require.Contains(t, export.raw, `{"type":"passkey","data":{"member_id":"`+m.member(m.email)+`","name":"Old phone"`)
	require.Equal(t, 303, other.send("/app/settings", url.Values{"token": {token}, "do": {"remove"}, "passkey": {id}}).status)
	refused := h.browser().byPasskey(d)
	require.Equal(t, 422, refused.status)
	require.Contains(t, refused.raw, "The passkey was not accepted")
	require.Len(t, h.mail.to(m.email), 4, "a code, what happened to the passkey, and another browser")
}

// TestPasskeyAnswers are taken only from the browser that asked, and a proof only from
// another node.
func TestPasskeyAnswers(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Keys", "growth")
	b := h.browser()
	b.signIn(m.email)
	d := b.addPasskey("Phone")
	asked, thief := h.browser(), h.browser()
	answer := url.Values{"answer": {d.Get([]byte(asked.send("/app/sign-in/passkey/options", nil).raw))}}
	thief.send("/app/sign-in/passkey/options", nil)
	require.Equal(t, 422, thief.send("/app/sign-in/passkey", answer).status, "another browser")
	require.Equal(t, 422, h.browser().send("/app/sign-in/passkey", answer).status, "a browser that never asked")
	require.Equal(t, 303, asked.send("/app/sign-in/passkey", answer).status)
	require.Equal(t, 422, asked.send("/app/sign-in/passkey", answer).status, "used")
	require.Equal(t, 422, asked.send("/app/sign-in/passkey", url.Values{"answer": {"{}"}}).status)
	proven := thief.send("/app/sign-in/proven", url.Values{"email": {m.email}, "counter": {"0"}}, "X-Watchpost-Accepted", `""`, "X-Watchpost-Place", m.id, "X-Watchpost-View", "1")
	require.Equal(t, 404, proven.status)
	require.Equal(t, 303, thief.do("GET", "/app", "").status, "the thief is not signed in")
}
