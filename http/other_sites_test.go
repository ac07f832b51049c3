package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/http/dashboard"
)

// TestPagesAreNotForOtherSites: another site can neither read a page with its visitor's
// session nor show it in a frame.
func TestPagesAreNotForOtherSites(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Visiting", "growth")
	b := h.browser()
	b.signIn(m.email)
	const evil = "https://evil.example"
	for _, route := range dashboard.New(dashboard.Options{}).Routes() {
		if route.Method != http.MethodGet || route.Stream || strings.Contains(route.Path, "{file}") || route.Path == "/{$}" {
			continue
		}
		path := filled(route.Path, nil)
		own := b.do("GET", path, "")
		if own.status == http.StatusOK && strings.HasPrefix(own.header.Get("Content-Type"), "text/html") {
			require.Contains(t, own.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		}
		asked := b.do("GET", path, "", "Origin", evil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors")
		preflight := b.do("OPTIONS", path, "", "Origin", evil, "Access-Control-Request-Method", "GET")
		for _, r := range []reply{own, asked, preflight} {
			for name := range r.header {
				require.False(t, strings.HasPrefix(name, "Access-Control-"), "%s %s", path, name)
			}
		}
	}
	docs := h.do("GET", "/docs", "")
	require.Contains(t, docs.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	for _, path := range []string{"/api-team", "/api-posts", "/docs", "/openapi.json", "/network-agent/auth-verify-otp"} {
		for _, method := range []string{"GET", "OPTIONS"} {
			r := h.do(method, path, "", "Origin", evil, "X-Api-Key", m.key, "Access-Control-Request-Method", "POST")
			require.Empty(t, r.header.Get("Access-Control-Allow-Origin"), path)
		}
	}
}

// TestSignInTellsNoAddress: nothing that a stranger can send about an address tells
// whether it has an account.
func TestSignInTellsNoAddress(t *testing.T) {
	t.Parallel()
	h := build(t)
	known := h.team("Known", "growth").email
	const unknown = "nobody@nowhere.example"
	secret := regexp.MustCompile(`("nonce":"|name="[a-z]+" value=")[^"]*`)
	plain := func(address string, r reply) string {
		headers := fmt.Sprint(r.header.Get("Content-Type"), r.header.Get("Location"), len(r.header.Values("Set-Cookie")))
		return fmt.Sprint(r.status, headers, secret.ReplaceAllString(strings.ReplaceAll(strings.ReplaceAll(r.raw, address, "ADDRESS"), url.QueryEscape(address), "ADDRESS"), "$1"))
	}
	form := func(path string, values url.Values) func(string) reply {
		return func(address string) reply {
			values.Set("email", address)
			return h.browser().send(path, values)
		}
	}
	body := func(path, rest string) func(string) reply {
		return func(address string) reply { return h.do("POST", path, `{"email":"`+address+`"`+rest+`}`) }
	}
	for name, send := range map[string]func(string) reply{
		"ask":             body(sendOTP, ""),
		"ask with a name": body(sendOTP, `,"full_name":"Somebody"`),
		"guess":           body(verifyOTP, `,"otp":"000000"`),
		"guess by nonce":  body(verifyOTP, `,"otp":"000000","nonce":"x"`),
		"pair":            body("/extension/sign-in", `,"otp":"000000"`),
		"form":            form("/app/sign-in", url.Values{}),
		"form of codes":   form("/app/sign-in/code", url.Values{"otp": {"000000"}}),
	} {
		require.Equal(t, plain(unknown, send(unknown)), plain(known, send(known)), name)
	}
}
