package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
)

// TestEachSecretOpensItsOwnDoor tries every secret at every kind of route, in each
// header: each opens its own and no other.
func TestEachSecretOpensItsOwnDoor(t *testing.T) {
	t.Parallel()
	const scraper = "token-of-prometheus"
	h := build(t, func(o *httpapi.Options) { o.MetricsToken = scraper })
	m := h.team("Doors", "growth")
	session := read[fields](h.admin("POST", "/admin/teams/"+m.id+"/sessions", `{"email":"`+m.email+`"}`), 201)["session_token"].(string)
	code := read[fields](h.admin("POST", "/admin/teams/"+m.id+"/pairing-codes", `{"email":"`+m.email+`"}`), 201)["code"].(string)
	b := h.browser()
	b.signIn(m.email)
	require.Equal(t, 200, b.do("GET", "/app/team", "").status)
	site, err := url.Parse(h.url)
	require.NoError(t, err)
	cookies := b.client.Jar.Cookies(site)
	i := slices.IndexFunc(cookies, func(c *http.Cookie) bool { return c.Name == "watchpost" })
	require.GreaterOrEqual(t, i, 0)
	web := cookies[i].Value

	secrets := map[string]string{"key": m.key, "session": session, "code": code, "web": web, "operator": adminToken, "scraper": scraper, "nothing": ""}
	doors := []struct {
		method, path string
		opens        map[string]bool // by Authorization or x-api-key
		refused      []int
	}{
		{"GET", "/api-team", map[string]bool{"key": true}, []int{401}},
		{"GET", "/admin/teams", map[string]bool{"operator": true}, []int{401}},
		{"GET", "/admin/profile/heap", map[string]bool{"operator": true}, []int{401}},
		{"GET", "/metrics", map[string]bool{"operator": true, "scraper": true}, []int{401}},
		{"GET", "/app/team", nil, []int{200, 303}}, // 200: the page that loads itself once more
	}
	for _, door := range doors {
		for name, secret := range secrets {
			byKey := h.do(door.method, door.path, "{}", "x-api-key", secret)
			byBearer := h.do(door.method, door.path, "{}", "Authorization", "Bearer "+secret)
			if door.opens[name] {
				require.True(t, byKey.status == 200 || byBearer.status == 200, "%s opens %s: %d, %d", name, door.path, byKey.status, byBearer.status)
				continue
			}
			for _, r := range []reply{byKey, byBearer} {
				require.Contains(t, door.refused, r.status, "%s opens %s", name, door.path)
				require.NotContains(t, r.raw, m.id, "%s at %s", name, door.path)
			}
		}
	}
	for name, secret := range secrets {
		if name != "session" {
			r := h.poll(secret, hello(session))
			require.Equal(t, 401, r.status, "%s works as a session: %s", name, r.raw)
		}
	}
	require.Equal(t, protocol.TypeWelcome, h.joinByPoll(session).Type)
}
