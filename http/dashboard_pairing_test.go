package httpapi_test

import (
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
)

// TestPairingLink: the team's page opens, shows and mails links that pair a browser of the
// visitor once. No later page and no other mail has the code.
func TestPairingLink(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.ExtensionOrigins = []string{ourExtension, "moz-extension://*"} })
	m := h.team("Crew", "free")
	b := h.browser()
	b.signIn(m.email)
	ask := func(do string) reply {
		return b.send("/app/team", url.Values{"do": {do}, "token": {b.token()}})
	}
	link := regexp.MustCompile(`/app/pair#([0-9A-Z]{8,})`)
	pairs := func(text string) {
		t.Helper()
		found := link.FindStringSubmatch(text)
		require.NotNil(t, found, text)
		require.Equal(t, m.email, read[fields](h.do("POST", "/extension/sign-in", `{"code":"`+found[1]+`"}`), 200)["member"].(fields)["email"])
		h.do("POST", "/extension/sign-in", `{"code":"`+found[1]+`"}`).fails(401, "Invalid or expired pairing code")
	}

	here := ask("pair")
	require.Equal(t, 303, here.status)
	require.NotContains(t, here.raw+here.header.Get("Location"), "?", "the code goes to no server")
	pairs(here.header.Get("Location"))

	mails := len(h.mail.to(m.email))
	shown := ask("code")
	require.Equal(t, 200, shown.status)
	require.Equal(t, "no-store", shown.header.Get("Cache-Control"))
	require.Contains(t, shown.raw, ">"+passkeySite+"/app/pair#")
	require.NotContains(t, b.do("GET", "/app/team", "").raw, "/app/pair#")
	require.Len(t, h.mail.to(m.email), mails)
	pairs(shown.raw)

	mailed := ask("mail-code")
	require.Contains(t, mailed.raw, "Mailed to")
	require.Len(t, h.mail.to(m.email), mails+1)
	mail := h.mail.to(m.email)[mails]
	require.Equal(t, "Pair a browser with Watchpost", mail.Subject)
	require.True(t, mail.Code, "it waits for no other mail")
	pairs(mail.Body)

	// The page of a link is the same for everybody, and names the extensions in Chromium
	// that may receive the link.
	page := h.do("GET", "/app/pair", "")
	require.Equal(t, 200, page.status)
	require.Contains(t, page.raw, `data-extensions="abcdefghijklmnopabcdefghijklmnop"`)
}
