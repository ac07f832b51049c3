package httpapi_test

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
)

// behindProxy makes the test's own machine a trusted proxy.
func behindProxy(o *httpapi.Options) {
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// TestLimitOfMailsKnowsClients: the limit of mails an hour goes by the client,
// however the proxy writes its address; an IPv6 client is its /64.
func TestLimitOfMailsKnowsClients(t *testing.T) {
	t.Parallel()
	mailed := 0
	send := func(h *testServer, client string) bool {
		mailed++
		to := "n" + strconv.Itoa(mailed) + "@example.com"
		r := h.do("POST", sendOTP, `{"email":"`+to+`"}`, "X-Forwarded-For", client)
		require.Contains(t, r.raw, `{"success":true,"email":"`+to+`","nonce":"`)
		return h.mail.last(to).To != ""
	}
	for name, c := range map[string]struct{ one, same, other string }{
		"a port":                {"192.0.2.7:51000", "192.0.2.7:52000", "192.0.2.8:51000"},
		"with and without":      {"192.0.2.7", "192.0.2.7:52000", "192.0.2.8"},
		"brackets":              {"[2001:db8::1]", "2001:db8::1", "[2001:db8:0:1::1]"},
		"brackets and port":     {"[2001:db8::1]:51000", "[2001:db8::2]:443", "[2001:db8:0:1::1]:51000"},
		"one /64":               {"2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"},
		"mapped":                {"::ffff:192.0.2.7", "192.0.2.7", "::ffff:192.0.2.8"},
		"a name of the proxy's": {"_hidden7", "_hidden7", "_hidden8"},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, behindProxy)
			for range 30 {
				require.True(t, send(h, c.one))
			}
			require.False(t, send(h, c.same))
			require.True(t, send(h, c.other))
		})
	}
}

// TestStrangersAreBoundedByClient: the connections before hello are counted by
// the same key, and refused ones are one line of the log.
func TestStrangersAreBoundedByClient(t *testing.T) {
	t.Parallel()
	h := build(t, behindProxy, func(o *httpapi.Options) { o.Insecure = true })
	from := func(address string) []string { return []string{"X-Forwarded-For", address} }
	for n := range 64 {
		h.dial(from("[2001:db8::" + strconv.Itoa(n+1) + "]:443")...)
	}
	for range 20 {
		_, response, err := h.tryDial(from("2001:db8::abcd")...)
		require.Error(t, err)
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	}
	h.dial(from("2001:db8:0:1::1")...)
	h.dial(from("192.0.2.7:8080")...)
	var lines []string
	for line := range strings.Lines(h.log.String()) {
		if strings.Contains(line, `"level":"WARN"`) {
			lines = append(lines, line)
		}
	}
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], `"client":"2001:db8::/64"`)
}

// TestRepliesAreNotStored: no reply is kept by a cache or read as another type.
func TestRepliesAreNotStored(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Private", "free")
	for name, r := range map[string]reply{
		"success":       m.call("GET", "/api-team", ""),
		"posts":         m.call("GET", "/api-posts", ""),
		"refusal":       h.do("GET", "/api-team", ""),
		"unknown path":  h.do("GET", "/nope", ""),
		"wrong method":  h.do("PATCH", "/api-posts", ""),
		"operator":      h.admin("GET", "/admin/teams", ""),
		"one-time code": h.do("POST", sendOTP, `{"email":"a@example.com"}`),
		"poll":          h.do("POST", "/extension/poll", `{}`),
	} {
		require.Equal(t, []string{"no-store"}, r.header.Values("Cache-Control"), name)
		require.Equal(t, []string{"nosniff"}, r.header.Values("X-Content-Type-Options"), name)
	}
}

// TestOtherSitesCannotSignIn: a form of another site cannot ask for a code or
// redeem one in a visitor's browser.
func TestOtherSitesCannotSignIn(t *testing.T) {
	t.Parallel()
	const extension = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	h := build(t, func(o *httpapi.Options) { o.ExtensionOrigins = []string{extension} })
	for _, path := range []string{sendOTP, verifyOTP} {
		post := func(headers ...string) reply {
			return h.do("POST", path, `{"email":"a@example.com","otp":"000000"}`, append(headers, "Content-Type", "text/plain")...)
		}
		post("Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example").fails(403, "Origin not allowed")
		post("Sec-Fetch-Site", "same-site").fails(403, "Origin not allowed")
		post("Origin", "https://evil.example").fails(403, "Origin not allowed")
		post("Origin", "null").fails(403, "Origin not allowed")
		for _, own := range []reply{
			post(), post("Origin", h.url), post("Sec-Fetch-Site", "same-origin"), post("Sec-Fetch-Site", "none"),
			post("Origin", extension, "Sec-Fetch-Site", "cross-site"),
		} {
			require.NotEqual(t, 403, own.status)
		}
	}
}
