package browser_test

import (
	"net/url"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
)

// passkeys has the browser add a passkey, sign in by it and remove it. Its device is
// Chromium's virtual authenticator. Browsers have passkeys for names, not for addresses:
// the service is at localhost here.
func passkeys(m *team, b *chromium, email string) {
	t := m.t
	t.Helper()
	service, err := url.Parse(m.service)
	require.NoError(t, err)
	base := "http://localhost:" + service.Port()
	link, err := actors.Ask(t.Context(), m.registry, m.id, actors.CreateSignInLink{Email: email})
	require.NoError(t, err)
	p := b.open(base + "/app/sign-in/link?link=" + link.Token)
	p.must(p.session, "WebAuthn.enable", map[string]any{}, nil)
	var device struct{ AuthenticatorID string }
	p.must(p.session, "WebAuthn.addVirtualAuthenticator", map[string]any{"options": map[string]any{
		"protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
		"isUserVerified": true, "automaticPresenceSimulation": true,
	}}, &device)
	verified := func(is bool) {
		p.must(p.session, "WebAuthn.setUserVerified", map[string]any{"authenticatorId": device.AuthenticatorID, "isUserVerified": is}, nil)
	}
	count := func() int {
		var held struct{ Credentials []struct{ SignCount int } }
		p.must(p.session, "WebAuthn.getCredentials", map[string]any{"authenticatorId": device.AuthenticatorID}, &held)
		require.Len(t, held.Credentials, 1)
		return held.Credentials[0].SignCount
	}
	p.run(`document.querySelector("form").requestSubmit()`)
	p.until(`location.pathname === "/app" && document.readyState === "complete"`)

	p.run(`document.querySelector('a[href="/app/settings"]').click()`)
	p.until(`document.querySelector("#name")?.closest("[data-passkey]")?.hidden === false`)
	p.run(`document.querySelector("#name").value = "Laptop"; document.querySelector('[data-passkey] button').click()`)
	p.says("#passkeys .rows b", "Laptop")
	p.run(`document.querySelector("#name").value = "Again"; document.querySelector('[data-passkey] button').click()`)
	p.says(`[data-passkey] [role=alert]`, "has a passkey of yours already")
	used := count()

	signOut := func() {
		p.run(`document.querySelector('form[action="/app/sign-out"]').requestSubmit()`)
		p.until(`location.pathname === "/app/sign-in" && document.querySelector('[data-passkey]')?.hidden === false`)
	}
	signOut()
	verified(false)
	p.run(`document.querySelector('[data-passkey] button').click()`)
	p.says(`[data-passkey] [role=alert]`, "cancelled")
	verified(true)
	p.run(`document.querySelector('[data-passkey] button').click()`)
	p.until(`location.pathname === "/app" && document.readyState === "complete"`)
	require.Greater(t, count(), used)

	// It is offered, too, when the address is typed.
	signOut()
	p.run(`document.querySelector("#email").value = "` + email + `"; document.querySelector("form").requestSubmit()`)
	p.says("h1", "Enter your code")
	p.run(`document.querySelector('[data-passkey] button').click()`)
	p.until(`location.pathname === "/app" && document.readyState === "complete"`)

	p.visit("/app/settings")
	p.run(`document.querySelector("#passkeys details").open = true; document.querySelector('#passkeys button[value="remove"]').click()`)
	p.says("#passkeys", "You have no passkey")
	signOut()
	p.run(`document.querySelector('[data-passkey] button').click()`)
	p.says(".notice.bad", "The passkey was not accepted")
}
