package httpapi_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/http/dashboard"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// follow signs the founder of a team in by a link; codes are limited.
func (b *browser) follow(m team) {
	b.t.Helper()
	link, err := actors.Ask(b.t.Context(), b.registry, watchpost.TeamID(m.id), actors.CreateSignInLink{Email: m.email})
	require.NoError(b.t, err)
	require.Equal(b.t, 303, b.send("/app/sign-in/link", url.Values{"link": {link.Token}}).status)
}

// publicPages need no session.
var publicPages = map[string]bool{
	"/{$}": true, "/app/assets/{file}": true, "/app/sign-in": true, "/app/sign-in/code": true, "/app/sign-in/link": true,
	"/app/sign-in/passkey": true, "/app/sign-in/passkey/options": true, "/app/sign-in/proven": true,
	"/app/pair": true, "/app/language": true, "/app/sign-in/oidc": true, "/app/sign-in/oidc/callback": true,
}

// filled puts ids into the path of a route.
func filled(path string, ids map[string]string) string {
	for prefix, id := range ids {
		if strings.HasPrefix(path, prefix) {
			path = strings.ReplaceAll(path, "{id}", id)
		}
	}
	return strings.ReplaceAll(path, "{id}", "00000000-0000-7000-8000-000000000000")
}

// TestDashboardRoutes checks each route of the dashboard: without a session,
// without a form token, from another site, and for things of another team.
func TestDashboardRoutes(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Routes", "growth"), h.team("Foreign", "growth")
	session := other.join()
	theirs := other.collect(session, "telemetry", sample(1, "telemetry of others"))
	post := other.posts("")[0]["id"].(string)
	task := read[fields](other.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"x"}`), 200)["api_agent_task_id"].(string)
	rule := read[fields](other.call("POST", "/api-engagement-rules", `{"watchlist_id":"`+theirs+`","action":"like"}`), 200)["id"].(string)
	foreign := map[string]string{"/app/posts/": post, "/app/watchlists/": theirs, "/app/tasks/": task, "/app/rules/": rule}
	b := h.browser()
	b.signIn(m.email)
	token := b.token()
	me := m.member(m.email)
	before := other.call("GET", "/api-posts", "").raw
	for _, route := range dashboard.New(dashboard.Options{}).Routes() {
		path := filled(route.Path, foreign)
		name := route.Method + " " + route.Path
		if route.Method != http.MethodGet {
			crossed := b.send(path, url.Values{"token": {token}}, "Sec-Fetch-Site", "cross-site")
			require.Equal(t, 403, crossed.status, "%s from another site", name)
		}
		if publicPages[route.Path] {
			continue
		}
		form := []string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin"}
		out := h.browser().do(route.Method, path, "", form...)
		require.Equal(t, 303, out.status, "%s without a session", name)
		require.Equal(t, "/app/sign-in", out.header.Get("Location"))
		part := h.browser().do(route.Method, path, "", append(form, "HX-Request", "true")...)
		require.Equal(t, 401, part.status, name)
		require.Empty(t, part.header.Get("HX-Redirect"), "what is typed in the page stays")
		require.NotEmpty(t, part.header.Get("Watchpost-Page"), "a script tells it from the answer of a proxy")
		if route.Stream {
			continue
		}
		if route.Method != http.MethodGet {
			require.Equal(t, 403, b.send(path, nil).status, "%s without the form token", name)
			require.Equal(t, 403, b.send(path, url.Values{"token": {strings.Repeat("A", len(token))}}).status, name)
		}
		page := b.do(route.Method, path, url.Values{"token": {token}, "as": {me}, "text": {"Hello"}}.Encode(), form...)
		require.Less(t, page.status, 500, name)
		require.NotContains(t, page.raw, "telemetry of others", name)
		if strings.Contains(route.Path, "{id}") {
			require.Contains(t, []int{403, 404}, page.status, "%s of another team", name)
		}
		require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'", name)
		require.NotContains(t, page.header.Get("Content-Security-Policy"), "unsafe", name)
		require.Equal(t, "nosniff", page.header.Get("X-Content-Type-Options"), name)
		require.Equal(t, "no-store", page.header.Get("Cache-Control"), name)
		if strings.HasPrefix(route.Path, "/app/team") || strings.HasPrefix(route.Path, "/app/sign-out") {
			b = h.browser() // it may have ended its session
			b.follow(m)
			token = b.token()
		}
	}
	require.Equal(t, before, other.call("GET", "/api-posts", "").raw, "nothing of the other team has changed")
}

// TestDashboardFixation never takes over a session that was there before the sign-in.
func TestDashboardFixation(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, attacker := h.team("Victims", "growth"), h.team("Attackers", "growth")
	evil := h.browser()
	evil.signIn(attacker.email)
	at, err := url.Parse(h.url)
	require.NoError(t, err)
	planted := evil.client.Jar.Cookies(at)
	b := h.browser()
	b.client.Jar.SetCookies(at, planted)
	b.signIn(m.email)
	for _, c := range b.client.Jar.Cookies(at) {
		for _, old := range planted {
			require.False(t, c.Name == old.Name && c.Value == old.Value, "%s was kept", c.Name)
		}
	}
	require.Contains(t, b.do("GET", "/app", "").raw, m.email)
	require.Equal(t, 303, evil.do("GET", "/app", "").status, "the planted session has ended")
}

// TestDashboardHostileTexts puts markup into every text that a page shows.
func TestDashboardHostileTexts(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`
	h := build(t)
	m := h.team("Hostile", "growth")
	quoted := strings.ReplaceAll(hostile, `"`, `\"`)
	require.Equal(t, 201, h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"bob@example.com","role":"member","full_name":"`+quoted+`"}`).status)
	p := m.join()
	post := sample(1, "telemetry "+hostile)
	post.AuthorName, post.AuthorHeadline, post.AuthorURL = hostile, hostile, "javascript:alert(1)"
	list := m.collect(p, "telemetry", post)
	read[fields](m.call("PUT", watchlists, `{"id":"`+list+`","name":"`+quoted+`","labels":[{"name":"`+quoted+`","description":"telemetry"}]}`), 200)
	read[fields](m.call("POST", "/network-agent/search-profiles", `{"keywords":"`+quoted+`"}`), 200)
	task := p.hear(protocol.TypeTask)
	for task.TaskType != "agent_profiles_search" {
		task = p.hear(protocol.TypeTask)
	}
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	p.send(protocol.Frame{
		Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt,
		Error: &protocol.TaskError{Code: protocol.CodeNotFound, Message: hostile},
	})
	p.hear(protocol.TypeAck)
	b := h.browser()
	b.signIn(m.email)
	stored := m.posts("")[0]["id"].(string)
	shown := 0
	for _, route := range dashboard.New(dashboard.Options{}).Routes() {
		if route.Method != http.MethodGet || route.Stream || strings.HasPrefix(route.Path, "/app/assets") {
			continue
		}
		path := filled(route.Path, map[string]string{"/app/posts/": stored, "/app/watchlists/": list})
		for _, query := range []string{"", "?search_term=" + url.QueryEscape(hostile), "?link=" + url.QueryEscape(hostile), "?back=" + url.QueryEscape("/app?x="+hostile)} {
			page := b.do("GET", path+query, "")
			if strings.HasPrefix(page.header.Get("Content-Type"), "text/csv") {
				continue
			}
			require.NotContains(t, page.raw, "<script>", path+query)
			require.NotContains(t, page.raw, "<img src=x", path+query)
			require.NotContains(t, page.raw, "javascript:", path+query)
			if strings.Contains(page.raw, "&lt;script&gt;alert(1)") {
				shown++
			}
		}
	}
	require.Greater(t, shown, 8, "the texts are shown")
	csv := b.do("GET", "/app/journal.csv", "")
	require.Contains(t, csv.header.Get("Content-Disposition"), "attachment")
	require.Contains(t, csv.raw, "agent_profiles_search")
}

// TestDashboardTasks lists what waits and what failed, and exports the journal.
func TestDashboardTasks(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Workers", "growth")
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry one"))
	b := h.browser()
	b.signIn(m.email)
	require.Contains(t, b.do("GET", "/app/tasks", "").raw, "Nothing is waiting")
	require.Contains(t, b.do("GET", "/app/journal", "").raw, "Nothing was asked for yet")

	post := m.posts("")[0]["id"].(string)
	like := url.Values{"token": {b.token()}, "as": {m.member(m.email)}, "key": {"one"}}
	require.Equal(t, 303, b.send("/app/posts/"+post+"/like", like).status)
	task := p.hear(protocol.TypeTask)
	page := b.do("GET", "/app/tasks", "").raw
	require.Contains(t, page, "Like a post as "+m.email+", asked by "+m.email)
	require.Contains(t, page, "In the browser of "+m.email)
	require.Contains(t, b.do("GET", "/app", "").raw, `data-live-id="`+task.Task+`"`, "the feed shows the state of the like")
	no := false
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	p.send(protocol.Frame{
		Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt,
		Error: &protocol.TaskError{Code: "busy", Message: "The page was busy.", Acted: &no},
	})
	p.hear(protocol.TypeAck)
	page = b.do("GET", "/app/tasks", "").raw
	require.Contains(t, page, "Failed today")
	require.Regexp(t, `The page was busy\.[^<]* It is safe to try again\.`, page[strings.Index(page, "<main"):])

	// Once more, once: a second click is the same.
	again := url.Values{"token": {b.token()}, "key": {"again"}}
	for range 2 {
		require.Equal(t, 303, b.send("/app/tasks/"+task.Task+"/retry", again).status)
	}
	next := p.hear(protocol.TypeTask)
	require.Equal(t, "agent_like_post", next.TaskType)
	require.Equal(t, 409, b.send("/app/tasks/"+next.Task+"/retry", url.Values{"token": {b.token()}}).status, "it is not over")
	read[fields](m.call("POST", "/network-agent/search-profiles", `{"keywords":"=1+1"}`), 200)

	require.Contains(t, html.UnescapeString(b.do("GET", "/app/journal?by=key", "").raw), "Search profiles: =1+1")
	require.NotContains(t, b.do("GET", "/app/journal?by=key", "").raw, "Like a post")
	require.Contains(t, b.do("GET", "/app/journal?outcome=failed&action=agent_like_post&as="+m.member(m.email), "").raw, "Failed")
	require.Contains(t, b.do("GET", "/app/journal?outcome=completed", "").raw, "No entry matches")
	require.Contains(t, b.do("GET", "/app/journal?to=2020-01-01", "").raw, "No entry matches")
	require.Equal(t, 400, b.do("GET", "/app/journal?from=yesterday", "").status)

	// A value of a filter is a link, which keeps the others; days can be typed too.
	page = html.UnescapeString(b.do("GET", "/app/journal?by=key&to=2100-01-31", "").raw)
	require.Contains(t, page, `<summary class="chip on">Asked by: The API key`)
	require.Contains(t, page, `<summary class="chip on">… to 2100-01-31`)
	require.Contains(t, page, `href="/app/journal?by=key&outcome=failed&to=2100-01-31">Failed</a>`)
	require.Contains(t, page, `href="/app/journal?to=2100-01-31">Any</a>`)
	require.Contains(t, page, `href="/app/journal?by=key">Any day</a>`)
	require.Contains(t, page, `action="/app/journal"><input type="hidden" name="by" value="key">`)
	require.Contains(t, page, `type="date" name="to" value="2100-01-31"`)
	page = html.UnescapeString(b.do("GET", "/app/journal", "").raw)
	require.NotContains(t, page, "Clear filters")
	today := between(t, page, `<a class="choice" href="/app/journal?from=`, `">Today</a>`)
	require.Contains(t, b.do("GET", "/app/journal?from="+today, "").raw, `<summary class="chip on">Today`)
	csv := b.do("GET", "/app/journal.csv?action=agent_profiles_search", "").raw
	require.Equal(t, 2, strings.Count(csv, "\n"))
	require.Contains(t, csv, `,"'=1+1",`, "a spreadsheet takes it for no formula")
}
