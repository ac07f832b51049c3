package httpapi_test

import (
	"maps"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/testclock"
)

var shownKey = regexp.MustCompile(`wpk_[0-9A-Za-z]{35}`)

// TestDashboardKeys makes, lists, changes and deletes keys with scopes.
func TestDashboardKeys(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	t.Cleanup(clock.Close)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	m, other := h.team("Keyholders", "growth"), h.team("Strangers", "growth")
	b, stranger := h.browser(), h.browser()
	b.signIn(m.email)
	stranger.signIn(other.email)
	send := func(b *browser, path string, form url.Values) reply {
		form.Set("token", b.token())
		return b.send(path, form)
	}
	require.Contains(t, b.do("GET", "/app/team", "").raw, `href="/app/keys"`)
	require.Contains(t, b.do("GET", "/app/keys", "").raw, "No key yet")

	// Each error stands next to its field, and nothing typed is lost.
	for field, form := range map[string]url.Values{
		"name": {"name": {" "}, "scopes": {"read"}}, "scopes": {"name": {"Report"}}, "expires_at": {"name": {"Report"}, "scopes": {"read"}, "expires_at": {"1999-01-01"}},
		"daily_limits": {"name": {"Report"}, "scopes": {"read"}, "limit_like": {"many"}}, "networks": {"name": {"Report"}, "scopes": {"read"}, "networks": {"home"}},
	} {
		sent := maps.Clone(form)
		sent.Set("do", "save")
		refused := send(b, "/app/keys", sent)
		require.Equal(t, 422, refused.status, field)
		require.Contains(t, refused.raw, `href="#`+field+`"`)
		for name := range form {
			require.Contains(t, refused.raw, form.Get(name))
		}
	}

	day := clock.Now().AddDate(0, 0, 7).UTC().Format(time.DateOnly)
	made := send(b, "/app/keys", url.Values{
		"do": {"save"}, "name": {"Weekly report"}, "scopes": {"read", "tasks"}, "expires_at": {day}, "limit_profile_fetch": {"20"}, "networks": {"127.0.0.0/8\n10.1.2.3/8"},
	})
	require.Equal(t, 200, made.status, made.raw)
	require.Equal(t, "no-store", made.header.Get("Cache-Control"))
	key := shownKey.FindString(made.raw)
	require.NotEmpty(t, key)
	shown := read[fields](m.call("GET", keysPath, ""), 200)["keys"].([]any)[0].(fields)
	require.Equal(t, []any{"Weekly report", []any{"read", "tasks"}, fields{"profile_fetch": 20.0}, []any{"127.0.0.0/8", "10.0.0.0/8"}},
		[]any{shown["name"], shown["scopes"], shown["daily_limits"], shown["networks"]})
	require.Equal(t, 200, m.with(key, "GET", "/api-team", "").status)

	page := b.do("GET", "/app/keys", "").raw
	require.NotContains(t, page, key, "it is shown once")
	for _, text := range []string{"Weekly report", "May read, tasks.", "Profiles: 0 of 20 today.", "From 127.0.0.0/8, 10.0.0.0/8 only.", "Works until the end of " + clock.Now().AddDate(0, 0, 7).UTC().Format("2 January 2006"), "Last used", "from 127.0.0.1"} {
		require.Contains(t, page, text)
	}
	at := "/app/keys/" + shown["id"].(string)
	form := b.do("GET", at, "").raw
	require.Contains(t, form, `value="`+day+`"`)
	require.Contains(t, form, "Programs that use it are refused at once, and this cannot be undone.")

	// A change keeps the end that it does not name.
	change := url.Values{"do": {"save"}, "name": {"Monthly report"}, "scopes": {"read"}, "expires_at": {day}}
	require.Equal(t, 303, send(b, at, change).status)
	changed := read[fields](m.call("GET", keysPath, ""), 200)["keys"].([]any)[0].(fields)
	require.Equal(t, []any{"Monthly report", []any{"read"}, shown["expires_at"], fields{}, []any{}}, []any{changed["name"], changed["scopes"], changed["expires_at"], changed["daily_limits"], changed["networks"]})

	// Another team's page knows nothing of it, and changes nothing.
	require.NotContains(t, stranger.do("GET", "/app/keys", "").raw, "Monthly report")
	require.Equal(t, 404, stranger.do("GET", at, "").status)
	require.Equal(t, 404, send(stranger, at, url.Values{"do": {"delete"}}).status)
	require.Equal(t, 403, b.send(at, url.Values{"do": {"delete"}}).status, "without the form token")
	require.Equal(t, 400, send(b, at, url.Values{"do": {"nothing"}}).status)

	// Making and changing takes a fresh sign-in, deleting does not: it takes rights away.
	require.NoError(t, clock.Set(clock.Now().Add(time.Hour)))
	require.Contains(t, b.do("GET", "/app/keys", "").raw, "/app/sign-in?again=keys")
	for _, path := range []string{at, "/app/keys"} {
		refused := send(b, path, change)
		require.Equal(t, 422, refused.status)
		require.Contains(t, refused.raw, "/app/sign-in?again=keys")
		require.Empty(t, shownKey.FindString(refused.raw))
	}
	require.Equal(t, 303, send(b, at, url.Values{"do": {"delete"}}).status)
	m.with(key, "GET", "/api-team", "").fails(401, "Invalid API Key")
	require.Equal(t, 404, b.do("GET", at, "").status)
	require.Contains(t, b.do("GET", "/app/team", "").raw, "Key deleted")
}

// TestDashboardKeysAfterSignIn: a fresh sign-in that was asked for leads back to the keys.
func TestDashboardKeysAfterSignIn(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Returning", "growth")
	b := h.browser()
	b.signIn(m.email)
	page := b.do("GET", "/app/sign-in?again=keys", "").raw
	require.Contains(t, page, `name="next" value="keys"`)
	require.NotContains(t, b.do("GET", "/app/sign-in?again=elsewhere", "").raw, `name="next"`)
	require.Equal(t, 200, b.send("/app/sign-in", url.Values{"email": {m.email}, "next": {"keys"}}).status)
	entered := b.send("/app/sign-in/code", url.Values{"email": {m.email}, "otp": {b.mail.code(t, m.email)}, "next": {"keys"}})
	require.Equal(t, 303, entered.status)
	require.Equal(t, "/app/keys", entered.header.Get("Location"))
}
