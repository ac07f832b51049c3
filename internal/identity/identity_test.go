package identity_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/identity"
	"watchpost/internal/identity/identitytest"
)

const callback = "http://localhost:8080/app/sign-in/oidc/callback"

var secrets = identity.Secrets{State: "the state", Nonce: "the nonce", Verifier: "a verifier of at least forty-three characters"}

// signIn has a browser go to the issuer and come back.
func signIn(t *testing.T, p *identity.Provider, s identity.Secrets) (identity.Person, error) {
	t.Helper()
	address, err := p.Address(t.Context(), s)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(address)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	back, err := url.Parse(resp.Header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, s.State, back.Query().Get("state"))
	return p.Person(t.Context(), back.Query().Get("code"), secrets)
}

func provider(t *testing.T, i *identitytest.Issuer, change func(*identity.Options)) *identity.Provider {
	t.Helper()
	o := identity.Options{Issuer: i.URL, ClientID: i.ClientID, Secret: i.Secret, Callback: callback, Now: time.Now}
	if change != nil {
		change(&o)
	}
	p, err := identity.New(o)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func TestIssuers(t *testing.T) {
	t.Parallel()
	for issuer, ok := range map[string]bool{
		"https://id.example.com": true, "https://id.example.com/realms/acme": true, "http://127.0.0.1:9998": true, "http://localhost:9998": true,
		"http://id.example.com": false, "id.example.com": false, "": false, "https://": false,
	} {
		_, err := identity.New(identity.Options{Issuer: issuer})
		require.Equal(t, ok, err == nil, issuer)
	}
}

// TestPerson is who the provider says, in the token or in userinfo, with an address that
// it has verified.
func TestPerson(t *testing.T) {
	t.Parallel()
	ada := identity.Person{Email: "ada@acme.example", FullName: "Ada Lovelace"}
	for name, says := range map[string]func(*identitytest.Issuer){
		"token":              func(*identitytest.Issuer) {},
		"verified as a text": func(i *identitytest.Issuer) { i.Claim("email_verified", "true") },
		"userinfo":           func(i *identitytest.Issuer) { i.Userinfo("1") },
		"a clock behind":     func(i *identitytest.Issuer) { i.Claim("exp", time.Now().Add(-time.Minute).Unix()) },
		"a clock ahead":      func(i *identitytest.Issuer) { i.Claim("nbf", time.Now().Add(2*time.Minute).Unix()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := identitytest.New(t, ada.Email)
			says(i)
			who, err := signIn(t, provider(t, i, nil), secrets)
			require.NoError(t, err)
			require.Equal(t, ada, who)
		})
	}
}

// TestRefusedTokens identify no person.
func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	for why, says := range map[string]func(*identitytest.Issuer){
		"has not verified the address": func(i *identitytest.Issuer) { i.Claim("email_verified", false) },
		"not verified the address":     func(i *identitytest.Issuer) { i.Claim("email_verified", nil) },
		"it is of another person":      func(i *identitytest.Issuer) { i.Userinfo("2") },
		"it is of another sign-in":     func(i *identitytest.Issuer) { i.Claim("nonce", "of another") },
		"expected audience":            func(i *identitytest.Issuer) { i.Claim("aud", "another client") },
		"different provider":           func(i *identitytest.Issuer) { i.Claim("iss", "https://evil.example") },
		"token is expired":             func(i *identitytest.Issuer) { i.Claim("exp", time.Now().Add(-3*time.Minute).Unix()) },
		"failed to verify signature":   func(i *identitytest.Issuer) { i.Forge(t) },
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			i := identitytest.New(t, "ada@acme.example")
			says(i)
			_, err := signIn(t, provider(t, i, nil), secrets)
			require.ErrorContains(t, err, why)
			require.NotErrorIs(t, err, identity.ErrUnreachable)
		})
	}
	i := identitytest.New(t, "ada@acme.example")
	other := secrets
	other.Verifier = "the verifier of another browser, which began the sign-in"
	_, err := signIn(t, provider(t, i, nil), other)
	require.ErrorContains(t, err, "refused the code", "the code of another browser")
	_, err = signIn(t, provider(t, i, func(o *identity.Options) { o.Secret = "wrong" }), secrets)
	require.ErrorContains(t, err, "refused the code")
}

// TestUnreachable: a provider that is down is asked again, but not at each sign-in.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	now := time.Now()
	i := identitytest.New(t, "ada@acme.example")
	p := provider(t, i, func(o *identity.Options) { o.Now = func() time.Time { return now } })
	i.Down(true)
	require.ErrorIs(t, p.Reach(t.Context()), identity.ErrUnreachable)
	i.Down(false)
	_, err := p.Address(t.Context(), secrets)
	require.ErrorIs(t, err, identity.ErrUnreachable, "it was asked just now")
	now = now.Add(6 * time.Second)
	_, err = signIn(t, p, secrets)
	require.NoError(t, err)
	i.Down(true)
	_, err = p.Person(t.Context(), "code", secrets)
	require.ErrorIs(t, err, identity.ErrUnreachable)
}
