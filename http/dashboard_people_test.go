package httpapi_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPeople: the page of authors agrees with GET /api-leads, its filters and tabs select,
// a name leads to the posts of the author, and the CSV has the same authors.
func TestPeople(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("People", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	page := func(query string) string { return html.UnescapeString(b.do("GET", "/app/people"+query, "").raw) }
	tabs := func(page string) (counts string) {
		for part := range strings.SplitSeq(between(t, page, `<nav class="tabs" aria-label="People">`, "</nav>"), `<span class="count">`) {
			if n, _, found := strings.Cut(part, "</span>"); found {
				counts += n + " "
			}
		}
		return strings.TrimSpace(counts)
	}
	require.Contains(t, page(""), "Nobody yet")

	jane, again, bob, acme := sample(1, "telemetry one"), sample(2, "telemetry two"), sample(3, "telemetry three"), sample(4, "telemetry four")
	bob.AuthorName, bob.AuthorURL, bob.AuthorHeadline = "=Bob", "https://network.example/in/bob", "Engineer"
	acme.AuthorName, acme.AuthorURL, acme.AuthorHeadline = "Acme", "https://network.example/company/acme", ""
	again.PostedAt = again.PostedAt.AddDate(0, 0, -20)
	list := m.collect(p, "telemetry", jane, again, bob, acme)
	all := page("")
	require.Equal(t, "3 3 0", tabs(all))
	require.Contains(t, all, "1 to 3 of 3")
	require.Contains(t, all, `<bdi>Acme</bdi></a> <span class="soft small">company</span>`)
	for _, lead := range read[fields](m.call("GET", "/api-leads", ""), 200)["data"].([]any) {
		param, kind := "people_slug", "profile"
		if lead.(fields)["kind"] == "company" {
			param, kind = "company_slug", "company"
		}
		address := lead.(fields)["author_url"].(string)
		person := "/app/people/" + kind + address[strings.LastIndexByte(address, '/'):]
		require.Contains(t, all, `<a href="`+person+`"><bdi>`+lead.(fields)["name"].(string))
		href := "/app?" + url.Values{param: {address}}.Encode()
		require.Contains(t, html.UnescapeString(b.do("GET", person, "").raw), `<a href="`+href+`">`+fmt.Sprint(lead.(fields)["posts"])+" in the feed")
		posts := between(t, b.do("GET", href, "").raw, `<p class="result-line"><span><b>`, "</b>")
		require.Equal(t, fmt.Sprint(lead.(fields)["posts"]), posts)
	}

	several := page("?posts=2")
	require.Contains(t, several, "1 to 1 of 1")
	require.Contains(t, several, "Jane Doe")
	require.NotContains(t, several, "Bob")
	require.Equal(t, "3 3 0", tabs(page("?list="+list)))
	require.Equal(t, "2 2 0", tabs(page("?new=7")), "Jane has an older post")
	require.Equal(t, "3 3 0", tabs(page("?new=30")))
	require.Equal(t, "1 1 0", tabs(page("?kind=company")))
	require.Contains(t, page("?kind=company"), "<bdi>Acme</bdi>")
	require.Equal(t, "2 2 0", tabs(page("?kind=person")))
	require.Contains(t, page("?posts=10"), "No one matches")

	read[fields](m.call("POST", "/network-agent/send-connection-request", `{"profile_urn":"bob"}`), 200)
	m.work(p, "agent_send_connection_request", `{}`)
	require.Equal(t, "3 2 1", tabs(page("?order=most_posts")))
	contacted := page("?contacted=yes")
	require.Equal(t, "3 2 1", tabs(contacted))
	require.Contains(t, contacted, "1 to 1 of 1")
	require.Contains(t, contacted, "=Bob")
	others := page("?contacted=no&level=VP")
	require.Equal(t, "1 1 0", tabs(others))
	require.Contains(t, others, "Jane Doe")

	sent := b.do("GET", "/app/people.csv?contacted=yes", "")
	require.Contains(t, sent.header.Get("Content-Disposition"), "watchpost-people.csv")
	rows, err := csv.NewReader(strings.NewReader(sent.raw)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, []string{"https://network.example/in/bob", "'=Bob"}, rows[1][:2])

	for _, query := range []string{"?days=soon", "?days=0", "?posts=-1", "?level=Boss", "?order=oldest", "?contacted=maybe", "?kind=group", "?new=0", "?new=old", "?list=nothing"} {
		require.Equal(t, 400, b.do("GET", "/app/people"+query, "").status, query)
	}
	require.Equal(t, 200, b.do("GET", "/app/people?page=7", "").status)
}

var contactTag = regexp.MustCompile(`([^<>]+)</span>`)

// TestPerson: the page of an author has the posts and what the team did, in one history,
// and sends messages and invitations.
func TestPerson(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Person", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	const path = "/app/people/profile/jane-doe"
	require.Equal(t, 404, b.do("GET", path, "").status)

	acme, other := sample(3, "telemetry three"), sample(4, "telemetry four")
	acme.AuthorName, acme.AuthorURL = "Acme", "https://network.example/company/acme"
	other.AuthorName, other.AuthorURL = "Bob", "https://network.example/in/bob"
	m.collect(p, "telemetry", sample(1, "telemetry one"), sample(2, "telemetry two"), acme, other)
	history := func() string {
		return html.UnescapeString(between(t, b.do("GET", path, "").raw, `<h2 id="history">`, "</nav>"))
	}
	inOrder := func(page string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			_, after, found := strings.Cut(page, part)
			require.True(t, found, "%s\n%s", part, page)
			page = after
		}
	}
	inOrder(history(), "telemetry one", "telemetry two", "Posts 1 to 2 of 2.")
	require.NotContains(t, history(), "telemetry three")
	posts := m.posts("people_slug=jane-doe")
	require.Contains(t, b.do("GET", "/app", "").raw, `href="`+path+`">Jane Doe</a>`)
	// What each post of the feed says of its author, and a page of one post too.
	inFeed := func(person, posts string, states ...string) {
		t.Helper()
		for _, page := range []string{"/app?search_term=telemetry", "/app/posts/" + m.posts(strings.NewReplacer("profile/", "people_slug=", "company/", "company_slug=").Replace(person))[0]["id"].(string)} {
			said := between(t, b.do("GET", page, "").raw, `<a href="/app/people/`+person+`">`+posts+`</a>`, "</p>")
			var got []string
			for _, found := range contactTag.FindAllStringSubmatch(said, -1) {
				got = append(got, found[1])
			}
			require.Equal(t, states, got)
		}
	}
	recent := "2 posts in 30 days"
	inFeed("profile/jane-doe", recent, "No message yet")
	inFeed("company/acme", "1 post in 30 days")

	read[fields](m.call("POST", "/api-like", `{"post_id":"`+posts[1]["id"].(string)+`","user_email":"`+m.email+`"}`), 200)
	m.work(p, "agent_like_post", `{}`)
	bobs := m.posts("people_slug=bob")[0]["id"].(string)
	read[fields](m.call("POST", "/api-like", `{"post_id":"`+bobs+`","user_email":"`+m.email+`"}`), 200)
	m.work(p, "agent_like_post", `{}`)
	inOrder(history(), `/app/posts/`+posts[1]["id"].(string)+`">Like as `, "Done in", "telemetry one")
	require.NotContains(t, history(), bobs)

	require.Contains(t, b.do("GET", "/app/journal", "").raw, ` of <a href="`+path+`"><bdi>Jane Doe</bdi></a><br><span class="soft small"><bdi>telemetry two`)

	account, token := m.member(m.email), b.token()
	write := func(path, do, text, key string) reply {
		return b.send(path, url.Values{"token": {token}, "as": {account}, "key": {key}, "do": {do}, "text": {text}})
	}
	sent := write(path, "message", "Hello <Jane>", "once")
	require.Equal(t, 303, sent.status, sent.raw)
	require.Equal(t, sent.header.Get("Location"), write(path, "message", "Hello <Jane>", "once").header.Get("Location"))
	require.Contains(t, b.do("GET", sent.header.Get("Location"), "").raw, "It goes out from the browser of the account.")
	require.Contains(t, string(m.work(p, "agent_send_message", `{}`).Input), `"recipient_urn":"https://network.example/in/jane-doe"`)
	inOrder(history(), "Message as ", "Done in", "Hello <Jane>", "Like as ", "telemetry one")
	require.Contains(t, b.do("GET", path, "").raw, "Contacted")
	inFeed("profile/jane-doe", recent, "Contacted", "Liked or commented")
	inFeed("profile/bob", "1 post in 30 days", "Liked or commented", "No message yet")
	require.Equal(t, 303, write(path, "invite", "", "twice").status)
	m.work(p, "agent_send_connection_request", `{}`)
	inOrder(history(), "Invitation as ", "Message as ", "Like as ")
	require.Len(t, read[fields](m.call("GET", "/api-journal", ""), 200)["entries"], 4)

	require.Equal(t, 400, write(path, "message", " ", "a").status)
	require.Equal(t, 400, write(path, "message", strings.Repeat("a", 10_001), "b").status)
	require.Equal(t, 400, write(path, "invite", strings.Repeat("a", 301), "c").status)
	require.Equal(t, 400, write(path, "call", "now", "d").status)
	require.Equal(t, 400, write("/app/people/company/acme", "message", "Hello", "e").status)
	require.NotContains(t, b.do("GET", "/app/people/company/acme", "").raw, "Send the message")
	for _, path := range []string{"/app/people/group/acme", "/app/people/profile/nobody", "/app/people/profile/acme"} {
		require.Equal(t, 404, b.do("GET", path, "").status, path)
	}
}

// TestPeopleSearch: a search finds names and headlines, in the list and the CSV, and keeps
// the other filters.
func TestPeopleSearch(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Searchers", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	jane, jose := sample(1, "telemetry one"), sample(2, "telemetry two")
	jose.AuthorName, jose.AuthorURL, jose.AuthorHeadline = "José García", "https://network.example/in/jose", "Engineer"
	m.collect(p, "telemetry", jane, jose)
	for query, want := range map[string]string{"?q=jose": "José", "?q=ENGIN+garcia": "José", "?q=things&level=VP": "Jane"} {
		page := html.UnescapeString(b.do("GET", "/app/people"+query, "").raw)
		require.Contains(t, page, "1 to 1 of 1", query)
		require.Contains(t, page, `<bdi>`+want, query)
		rows, err := csv.NewReader(strings.NewReader(b.do("GET", "/app/people.csv"+query, "").raw)).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 2, query)
		require.Contains(t, rows[1][1], want, query)
	}
	page := html.UnescapeString(b.do("GET", `/app/people?q="><b>&level=VP`, "").raw)
	require.Contains(t, page, "No one matches")
	require.Contains(t, page, `<input type="hidden" name="level" value="VP">`)
	require.Contains(t, b.do("GET", `/app/people?q="><b>`, "").raw, `value="&#34;&gt;&lt;b&gt;"`)
	require.Contains(t, b.do("GET", "/app/people?q=jose", "").raw, `/app/people.csv?q=jose`)
	require.Equal(t, 400, b.do("GET", "/app/people?q="+strings.Repeat("a", 101), "").status)
}

// TestProfileOfPerson: the page of a person or company fetches the profile, shows it with
// its age, and offers to fetch it again once it is old.
func TestProfileOfPerson(t *testing.T) {
	t.Parallel()
	h, clock := buildAt(t)
	m := h.team("Profiles", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	acme := sample(3, "telemetry three")
	acme.AuthorName, acme.AuthorURL = "Acme", "https://network.example/company/acme"
	m.collect(p, "telemetry", sample(1, "telemetry one"), acme)
	profile := func(address string) string {
		page := html.UnescapeString(b.do("GET", address, "").raw)
		return between(t, page, `<section class="panel pad stack" id="profile"`, "</section>")
	}
	for path, c := range map[string]struct{ kind, input, output, want string }{
		"/app/people/profile/jane-doe": {"agent_profile_fetch", `{"profile_slug":"jane-doe"}`,
			`{"name":"Jane","location":"Bergen","profile_slug":"jane-doe","experience":[{"title":"VP","company_name":"<Acme>","start_year":2023}]}`,
			`<dt>Location</dt><dd dir="auto">Bergen</dd><dt>Since 2023</dt><dd dir="auto">VP, <Acme></dd>`},
		"/app/people/company/acme": {"agent_company_fetch", `{"company_slug":"acme"}`, `{"name":"Acme","slug":"acme","employee_count":1200}`,
			`<dt>Employees</dt><dd dir="auto">1,200</dd>`},
	} {
		require.Contains(t, profile(path), "It was not fetched yet.")
		require.Contains(t, profile(path), "Fetch the profile")
		form := url.Values{"token": {b.token()}, "key": {"once"}, "do": {"fetch"}}
		sent := b.send(path, form)
		require.Equal(t, 303, sent.status, sent.raw)
		shown := sent.header.Get("Location")
		require.Equal(t, shown, b.send(path, form).header.Get("Location"))
		shown, _, _ = strings.Cut(shown, "#")
		require.Contains(t, profile(shown), "Being fetched: ")
		require.NotContains(t, profile(shown), "Fetch the profile")
		require.JSONEq(t, c.input, string(m.work(p, c.kind, c.output).Input))
		for _, address := range []string{shown, path} {
			require.Contains(t, profile(address), c.want)
			require.Contains(t, profile(address), "asked for by "+m.email)
			require.NotContains(t, profile(address), "Fetch again")
		}
		require.Contains(t, b.do("GET", shown+"&part=profile", "", "HX-Request", "true").raw, "Fetched <time")
	}
	require.NoError(t, clock.Advance(7*24*time.Hour))
	b.signIn(m.email)
	require.Contains(t, profile("/app/people/profile/jane-doe"), "Bergen")
	require.Contains(t, profile("/app/people/profile/jane-doe"), "Fetch again")
}
