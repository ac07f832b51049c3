package passkey_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/passkey"
	"watchpost/internal/passkey/passkeytest"
)

func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{"https://watch.example.com", "https://watch.example.com:8443/", "http://localhost:8080", "http://watch.localhost"} {
		_, err := passkey.New(origin)
		require.NoError(t, err, origin)
	}
	for origin, why := range map[string]string{
		"":                                  "browsers have passkeys for https",
		"watch.example.com":                 "browsers have passkeys for https",
		"http://watch.example.com":          "browsers have passkeys for https",
		"http://localhost.example.com":      "browsers have passkeys for https",
		"http://127.0.0.1:8080":             "browsers have passkeys for https",
		"https://192.0.2.1":                 "not for an address",
		"https://[2001:db8::1]:8443":        "not for an address",
		"https://":                          "not for an address",
		"https://watch.example.com/app":     "without a path",
		"https://ada@watch.example.com":     "without a path",
		"https://watch.example.com?x=1":     "without a path",
		"https://watch.example.com:8443/#a": "without a path",
	} {
		_, err := passkey.New(origin)
		require.ErrorContains(t, err, why, origin)
	}
}

const origin = "https://watch.example.com"

func TestCeremonies(t *testing.T) {
	t.Parallel()
	site, err := passkey.New(origin)
	require.NoError(t, err)
	d := passkeytest.New(t, origin)
	options, creation, err := site.Create("ada", "ada@example.com", nil)
	require.NoError(t, err)
	made := d.Create(options)
	_, other, err := site.Create("ada", "ada@example.com", nil)
	require.NoError(t, err)
	_, err = site.Created("ada", other, []byte(made))
	require.Error(t, err, "an answer to another challenge")
	_, err = site.Created("bob", creation, []byte(made))
	require.Error(t, err, "for another person")
	key, err := site.Created("ada", creation, []byte(made))
	require.NoError(t, err)

	find := func([]byte) (passkey.Key, string, error) { return key, "ada", nil }
	options, request, err := site.Request()
	require.NoError(t, err)
	used := d.Get(options)
	counter, err := site.Used(request, []byte(used), find)
	require.NoError(t, err)
	require.EqualValues(t, 1, counter)
	refused := func(why string, c passkey.Ceremony, answer string, find func([]byte) (passkey.Key, string, error)) {
		t.Helper()
		_, err := site.Used(c, []byte(answer), find)
		require.Error(t, err, why)
	}
	_, request2, err := site.Request()
	require.NoError(t, err)
	refused("an answer to another challenge", request2, used, find)
	refused("the key of another person", request, used, func([]byte) (passkey.Key, string, error) { return key, "bob", nil })
	refused("an unknown key", request, used, func([]byte) (passkey.Key, string, error) { return key, "", errors.New("unknown") })
	refused("nothing", request, "{}", find)
	refused("a creation", request, made, find)
	copied := d.Copy()
	copied.Origin = "https://watch.example.org"
	refused("a page of another site", request, copied.Get(options), find)
	copied = d.Copy()
	copied.Unverified = true
	refused("a holder who was not verified", request, copied.Get(options), find)
	stranger := passkeytest.New(t, origin)
	refused("another key", request, stranger.Get(options), find)
}
