package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	httpapi "watchpost/http"
	"watchpost/watchpost"
)

// browser returns a client that keeps cookies, sends forms as browsers do, and does
// not follow redirects.
func (h *testServer) browser() *browser {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(h.t, err)
	return &browser{h, &http.Client{Transport: h.client.Transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

type browser struct {
	*testServer
	client *http.Client
}

func (b *browser) do(method, path, body string, headers ...string) reply {
	b.t.Helper()
	other := *b.testServer
	other.client = b.client
	return other.do(method, path, body, headers...)
}

// send sends a form of the dashboard's own page.
func (b *browser) send(path string, form url.Values, headers ...string) reply {
	b.t.Helper()
	return b.do("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin"}, headers...)...)
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// token returns the form token of the pages.
func (b *browser) token() string {
	b.t.Helper()
	page := b.do("GET", "/app", "")
	require.Equal(b.t, 200, page.status, page.raw)
	return formToken.FindStringSubmatch(page.raw)[1]
}

// signIn signs a member in by a mailed code.
func (b *browser) signIn(email string) {
	b.t.Helper()
	asked := b.send("/app/sign-in", url.Values{"email": {email}})
	require.Equal(b.t, 200, asked.status, asked.raw)
	entered := b.send("/app/sign-in/code", url.Values{"email": {email}, "otp": {b.mail.code(b.t, email)}})
	require.Equal(b.t, 303, entered.status, entered.raw)
	require.Equal(b.t, "/app", entered.header.Get("Location"))
}

func TestDashboardSignIn(t *testing.T) {
	t.Parallel()
	h := build(t)
	acme := h.team("Acme", "growth")
	b := h.browser()

	root := b.do("GET", "/", "")
	require.Equal(t, 303, root.status)
	require.Equal(t, "/app", root.header.Get("Location"))
	out := b.do("GET", "/app", "")
	require.Equal(t, 303, out.status)
	require.Equal(t, "/app/sign-in", out.header.Get("Location"))
	crossed := b.do("GET", "/app", "", "Sec-Fetch-Site", "cross-site")
	require.Equal(t, 200, crossed.status, "a strict cookie is sent when the page loads itself again")
	require.Contains(t, crossed.raw, `http-equiv="refresh"`)

	bad := b.send("/app/sign-in", url.Values{"email": {`"><script>`}})
	require.Equal(t, 422, bad.status)
	require.Contains(t, bad.raw, "Error: Sign in")
	require.NotContains(t, bad.raw, "<script>")
	b.send("/app/sign-in", url.Values{"email": {acme.email}})
	wrong := b.send("/app/sign-in/code", url.Values{"email": {acme.email}, "otp": {"000000"}})
	require.Equal(t, 422, wrong.status)
	require.Contains(t, wrong.raw, "That is not the code we sent")
	require.Empty(t, wrong.header.Values("Set-Cookie"))

	entered := b.send("/app/sign-in/code", url.Values{"email": {acme.email}, "otp": {h.mail.code(t, acme.email)}})
	require.Equal(t, 303, entered.status, entered.raw)
	cookie := entered.header.Values("Set-Cookie")[1] // after the nonce
	require.Contains(t, cookie, "watchpost=")
	for _, attribute := range []string{"Path=/", "HttpOnly", "SameSite=Strict"} {
		require.Contains(t, cookie, attribute)
	}
	page := b.do("GET", "/app", "")
	require.Equal(t, 200, page.status)
	require.Contains(t, page.raw, acme.email)
	require.Contains(t, page.raw, "No watchlist yet")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, page.raw, "<script>")
	require.NotContains(t, page.raw, "style=")
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Equal(t, 303, b.do("GET", "/app/sign-in", "").status)

	token := b.token()
	require.Equal(t, 403, b.send("/app/sign-out", nil).status, "without the form token")
	require.Equal(t, 403, b.send("/app/sign-out", url.Values{"token": {token}}, "Sec-Fetch-Site", "cross-site").status)
	require.Equal(t, 200, b.do("GET", "/app", "").status)
	require.Equal(t, 303, b.send("/app/sign-out", url.Values{"token": {token}}).status)
	require.Equal(t, 303, b.do("GET", "/app", "").status)
	old := b.do("GET", "/app", "", "Cookie", strings.SplitN(cookie, ";", 2)[0])
	require.Equal(t, 303, old.status, "the session has ended, not only the cookie")
}

// TestDashboardCookie is bound to its host where the connection is encrypted.
func TestDashboardCookie(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	acme := h.team("Acme", "growth")
	b := h.browser()
	b.send("/app/sign-in", url.Values{"email": {acme.email}})
	entered := b.send("/app/sign-in/code", url.Values{"email": {acme.email}, "otp": {h.mail.code(t, acme.email)}}, "X-Forwarded-Proto", "https", "X-Forwarded-For", "192.0.2.1")
	require.True(t, strings.HasPrefix(entered.header.Get("Set-Cookie"), "__Host-watchpost-nonce="))
	cookie := entered.header.Values("Set-Cookie")[1]
	require.True(t, strings.HasPrefix(cookie, "__Host-watchpost="), cookie)
	require.Contains(t, cookie, "; Secure")
	plain := strings.Replace(strings.SplitN(cookie, ";", 2)[0], "__Host-", "", 1)
	proxied := []string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "192.0.2.1"}
	require.Equal(t, 303, h.browser().do("GET", "/app", "", append(proxied, "Cookie", plain)...).status, "the plain name does not count over TLS")
	require.Equal(t, 200, h.browser().do("GET", "/app", "", append(proxied, "Cookie", "__Host-"+plain)...).status)
}

func TestDashboardSessions(t *testing.T) {
	t.Parallel()
	h := build(t)
	acme := h.team("Acme", "growth")
	first, second := h.browser(), h.browser()
	first.signIn(acme.email)
	link, err := actors.Ask(t.Context(), h.registry, watchpost.TeamID(acme.id), actors.CreateSignInLink{Email: acme.email})
	require.NoError(t, err)
	shown := second.do("GET", "/app/sign-in/link?link="+link.Token, "")
	require.Equal(t, 200, shown.status)
	require.Contains(t, shown.raw, link.Token)
	require.Equal(t, 303, second.do("GET", "/app", "").status, "looking at a link does not use it")
	require.Equal(t, 303, second.do("GET", "/app", "", "Cookie", "watchpost="+link.Token).status, "a link is no session")
	require.Equal(t, 303, second.send("/app/sign-in/link", url.Values{"link": {link.Token}}).status)
	require.Equal(t, 200, second.do("GET", "/app", "").status)
	again := h.browser().send("/app/sign-in/link", url.Values{"link": {link.Token}})
	require.Equal(t, 422, again.status)
	require.Contains(t, again.raw, "was used or has expired")

	require.Equal(t, 303, second.send("/app/sign-out", url.Values{"token": {second.token()}, "everywhere": {"1"}}).status)
	require.Equal(t, 303, first.do("GET", "/app", "").status)

	// A member who is removed is signed out.
	require.Equal(t, 201, h.admin("POST", "/admin/teams/"+acme.id+"/members", `{"email":"bob@example.com","role":"member"}`).status)
	bob := h.browser()
	bob.signIn("bob@example.com")
	require.Equal(t, 200, h.admin("DELETE", "/admin/teams/"+acme.id+"/members/"+acme.member("bob@example.com"), "").status)
	require.Equal(t, 303, bob.do("GET", "/app", "").status)
}

func TestDashboardPages(t *testing.T) {
	t.Parallel()
	h := build(t)
	acme, other := h.team("Acme", "growth"), h.team("Other", "growth")
	read[fields](acme.call("POST", "/api-keyword-watchlist", `{"name":"<b>Grid</b>","keywords":["battery storage",{"keyword":"grid","exclude_keywords":["job"]}]}`), 200)
	foreign := read[fields](other.call("POST", "/api-keyword-watchlist", `{"name":"Secret","keywords":["x"]}`), 200)
	b := h.browser()
	b.signIn(acme.email)

	feed := b.do("GET", "/app", "")
	require.Contains(t, feed.raw, "&lt;b&gt;Grid&lt;/b&gt;")
	require.Contains(t, feed.raw, "Not scanned yet")
	require.NotContains(t, feed.raw, "Secret")
	lists := b.do("GET", "/app/watchlists", "")
	require.Equal(t, 200, lists.status)
	require.Contains(t, lists.raw, "1 of 5 watchlists of the Growth plan are in use.")
	require.Contains(t, lists.raw, "Keywords: “battery storage”; “grid” without “job”. Every 12 hours.")
	require.Contains(t, lists.raw, "No browser with the extension is connected.")
	require.NotContains(t, lists.raw, "Secret")

	for path, status := range map[string]int{
		"/app?watchlist_id=" + foreign["id"].(string): 403,
		"/app?watchlist_id=nothing":                   400,
		"/app?sort_by=nothing":                        400,
		"/app/nothing":                                404,
	} {
		page := b.do("GET", path, "")
		require.Equal(t, status, page.status, path)
		require.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"))
		require.Contains(t, page.raw, page.header.Get("X-Request-Id"))
	}
	require.Equal(t, 303, h.browser().do("GET", "/app/watchlists", "").status)

	for _, asset := range regexp.MustCompile(`/app/assets/[^"#]+`).FindAllString(feed.raw, -1) {
		got := b.do("GET", asset, "")
		require.Equal(t, 200, got.status, asset)
		require.Contains(t, got.header.Get("Cache-Control"), "immutable")
	}
	require.Equal(t, 404, b.do("GET", "/app/assets/app.css", "").status, "only by the hashed name")
	h.store.broken.Store(true)
	broken := b.do("GET", "/app", "")
	h.store.broken.Store(false)
	require.Equal(t, 500, broken.status)
	require.NotContains(t, broken.raw, "on fire")
}

// TestDashboardWatchlists makes, changes, pauses and deletes watchlists by forms.
func TestDashboardWatchlists(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Makers", "growth"), h.team("Others", "growth")
	foreign := read[fields](other.call("POST", watchlists, `{"keywords":["x"]}`), 200)["id"].(string)
	b := h.browser()
	b.signIn(m.email)
	token := b.token()
	send := func(path string, form url.Values) reply {
		form.Set("token", token)
		return b.send(path, form)
	}
	show := func(id string) fields { return read[fields](m.call("GET", watchlists+"?id="+id, ""), 200) }
	only := func(path, family string) string {
		list := read[fields](m.call("GET", path, ""), 200)["watchlists"].([]any)
		require.Len(t, list, 1, family)
		return list[0].(fields)["id"].(string)
	}
	require.Equal(t, 403, b.send("/app/watchlists/new", url.Values{"kind": {"keyword"}, "keyword": {"x"}}).status, "without the form token")

	// By keywords. The typed values stay in the form.
	bad := send("/app/watchlists/new", url.Values{"kind": {"keyword"}, "name": {"Kept <i>"}, "keyword": {""}, "do": {"save"}})
	require.Equal(t, 422, bad.status)
	require.Contains(t, bad.raw, "Enter at least one keyword.")
	require.Contains(t, bad.raw, "Kept &lt;i&gt;")
	require.Contains(t, bad.raw, "<title>Error: New watchlist")
	form := url.Values{"kind": {"keyword"}, "key": {"once"}, "name": {"Grid"}, "keyword": {"battery storage", "grid", ""}, "required": {"", "cost, price", ""}, "excluded": {"job\r\nhiring", "", ""},
		"any": {"1"}, "every": {"6"}, "labels": {"Pricing: price, cost\r\nNews*"}, "do": {"save"}}
	first, second := send("/app/watchlists/new", form), send("/app/watchlists/new", form) // a repetition
	id := only(watchlists, "keyword")
	for _, saved := range []reply{first, second} {
		require.Equal(t, 303, saved.status)
		require.Equal(t, "/app?watchlist_id="+id, saved.header.Get("Location"))
	}
	made := show(id)
	require.Equal(t, "Grid", made["name"])
	require.Equal(t, 6.0, made["fetchFreqInHours"])
	tracked := made["keyword_tracking"].([]any)
	require.Equal(t, []any{"job", "hiring"}, tracked[0].(fields)["exclude_keywords"])
	require.Equal(t, []any{"cost", "price"}, tracked[1].(fields)["required_keywords"])
	require.Equal(t, false, tracked[1].(fields)["include_all_required"])
	require.Equal(t, []any{fields{"key": "Pricing", "name": "Pricing", "description": "price, cost", "default": false}, fields{"key": "News", "name": "News", "description": "", "default": true}}, made["labels"])

	// Change: the other values stay, with their ids.
	edit := b.do("GET", "/app/watchlists/"+id, "").raw
	require.Contains(t, edit, `value="battery storage"`)
	same := url.Values{"name": {"Grid 2"}, "keyword": {"battery storage", "grid"}, "required": {"", "cost\r\nprice"}, "excluded": {"job\r\nhiring", ""}, "any": {"1"}, "every": {"24"}, "labels": {"Pricing: price, cost\r\nNews*"}, "do": {"save"}}
	require.Equal(t, 303, send("/app/watchlists/"+id, same).status)
	changed := show(id)
	require.Equal(t, "Grid 2", changed["name"])
	require.Equal(t, 24.0, changed["fetchFreqInHours"])
	require.Equal(t, tracked, changed["keyword_tracking"])
	require.Equal(t, made["labels"], changed["labels"])
	require.Equal(t, 422, send("/app/watchlists/"+id, url.Values{"name": {" "}, "keyword": {"a"}, "do": {"save"}}).status)
	require.Equal(t, 303, send("/app/watchlists/"+id, url.Values{"do": {"pause"}}).status)
	require.Equal(t, true, show(id)["disabled"])
	refused := send("/app/watchlists/"+id, same)
	require.Equal(t, 422, refused.status)
	require.Contains(t, refused.raw, "This watchlist is paused. Resume it below, then change it.")
	require.Equal(t, 303, send("/app/watchlists/"+id, url.Values{"do": {"resume"}}).status)
	require.Equal(t, false, show(id)["disabled"])

	// Another team's.
	require.Equal(t, 403, b.do("GET", "/app/watchlists/"+foreign, "").status)
	require.Equal(t, 403, send("/app/watchlists/"+foreign, url.Values{"do": {"delete"}}).status)
	require.Equal(t, 404, b.do("GET", "/app/watchlists/nothing", "").status)

	// By people: each line says how it was understood.
	seen := send("/app/watchlists/new", url.Values{"kind": {"people"}, "references": {"https://network.example/in/jane-doe/\r\na b c\r\njohn"}, "do": {"rows"}})
	require.Equal(t, 200, seen.status)
	require.Contains(t, seen.raw, "https://network.example/in/jane-doe/: jane-doe")
	require.Contains(t, seen.raw, "a b c: not understood")
	followed := send("/app/watchlists/new", url.Values{"kind": {"people"}, "name": {"CTOs"}, "references": {"https://network.example/in/jane-doe/\r\njohn"}, "do": {"save"}})
	require.Equal(t, 303, followed.status)
	people := read[fields](m.call("GET", "/api-people-watchlist", ""), 200)["watchlists"].([]any)
	require.Equal(t, fmt.Sprint("/app?watchlist_id=", people[0].(fields)["id"]), followed.header.Get("Location"))
	require.Equal(t, 2.0, people[0].(fields)["profiles_count"])

	// By a sentence: it is read, corrected and saved.
	vague := send("/app/watchlists/new", url.Values{"kind": {"prompt"}, "prompt": {"?!"}, "do": {"read"}})
	require.Equal(t, 422, vague.status)
	require.Contains(t, vague.raw, "Say a little more")
	understood := send("/app/watchlists/new", url.Values{"kind": {"prompt"}, "prompt": {"Posts about Kubernetes security in Germany, not job ads, twice a day"}, "do": {"read"}})
	require.Equal(t, 200, understood.status)
	require.Contains(t, understood.raw, "What we understood")
	require.Regexp(t, `name="any.0" value="[^"]*[Kk]ubernetes`, understood.raw)
	require.Len(t, read[fields](m.call("GET", watchlists, ""), 200)["watchlists"].([]any), 1, "nothing is saved by reading")
	require.Equal(t, 303, send("/app/watchlists/new", url.Values{"kind": {"prompt"}, "read": {"1"}, "key": {"p"}, "prompt": {"Posts about Kubernetes security in Germany"}, "keyword": {"kubernetes security"}, "name": {"K8s"}, "interpreter": {"rules"}, "every": {"12"}, "do": {"save"}}).status)
	require.Len(t, read[fields](m.call("GET", watchlists, ""), 200)["watchlists"].([]any), 2)

	// The plan's limit keeps the form.
	for i := range 3 {
		send("/app/watchlists/new", url.Values{"kind": {"forum"}, "key": {string(rune('a' + i))}, "keyword": {"word"}, "do": {"save"}})
	}
	full := send("/app/watchlists/new", url.Values{"kind": {"forum"}, "key": {"z"}, "keyword": {"typed"}, "do": {"save"}})
	require.Equal(t, 402, full.status)
	require.Contains(t, full.raw, "Your plan includes up to 5 watchlists.")
	require.Contains(t, full.raw, `value="typed"`)
	require.Equal(t, 303, send("/app/watchlists/"+id, url.Values{"do": {"delete"}}).status)
	require.Equal(t, 200, m.call("GET", watchlists+"?id="+id, "").status, "it can be taken back")
}
