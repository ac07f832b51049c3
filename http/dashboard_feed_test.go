package httpapi_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

var (
	countedLink   = regexp.MustCompile(`<a class="ch(?:ip|oice)" href="([^"]+)"[^>]*>(?:<svg.*?</svg>)?[^<]*<span class="count">([0-9,]+)</span>`)
	countedChoice = regexp.MustCompile(`name="([a-z_]+)" value="([^"]*)"[^>]*>[^<]*<span class="count">([0-9,]+)</span>`)
	postsFound    = regexp.MustCompile(`<b>([0-9,]+)</b> posts?</span>`)
)

// TestDashboardFeed checks that each count next to a filter is that of the list
// behind it, which is the API's, and that texts of posts stay texts.
func TestDashboardFeed(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "growth")
	p := m.join()
	hostile := sample(1, `telemetry <script>alert(1)</script> TELEMETRY`)
	hostile.AuthorName, hostile.AuthorURL = `<img src=x onerror=alert(1)>`, "javascript:alert(1)"
	popular := sample(2, "We love telemetry, it is great and wonderful.")
	popular.Likes = 500
	m.collect(p, "telemetry", hostile, popular, sample(3, "Terrible telemetry. We hate it, it is awful."))
	second := m.collect(p, "observability", sample(4, "observability and what it costs"))
	b := h.browser()
	b.signIn(m.email)

	page := b.do("GET", "/app", "").raw
	require.Contains(t, page, "<mark>telemetry</mark> &lt;script&gt;alert(1)&lt;/script&gt; <mark>TELEMETRY</mark>")
	require.NotContains(t, page, "javascript:")
	require.NotContains(t, page, "<img")
	require.Contains(t, page, "“observability” in <a href=\"/app?watchlist_id="+second+"\"")
	require.Equal(t, "4", postsFound.FindStringSubmatch(page)[1])

	// Counts, on the whole feed and on a part of it.
	for _, from := range []string{"/app", "/app?watchlist_id=" + second, "/app?search_term=it&sort_by=engagement"} {
		checked := 0
		page = b.do("GET", from, "").raw
		follow := func(path, count string) {
			query := strings.TrimPrefix(strings.TrimPrefix(path, "/app"), "?")
			got := b.do("GET", path, "")
			require.Equal(t, 200, got.status, path)
			require.Equal(t, count, postsFound.FindStringSubmatch(got.raw)[1], "%s: %s", from, path)
			require.Contains(t, m.call("GET", "/api-posts?"+query, "").raw, `"count":`+count, path)
			checked++
		}
		for _, link := range countedLink.FindAllStringSubmatch(page, -1) {
			follow(html.UnescapeString(link[1]), link[2])
		}
		_, query, _ := strings.Cut(from, "?")
		for _, choice := range countedChoice.FindAllStringSubmatch(page, -1) {
			values, err := url.ParseQuery(query)
			require.NoError(t, err)
			values.Set(choice[1], html.UnescapeString(choice[2]))
			follow("/app?"+values.Encode(), choice[3])
		}
		require.Greater(t, checked, 20)
	}

	none := b.do("GET", "/app?search_term=zebra&trending=true", "").raw
	require.Contains(t, none, "No post matches")
	require.Contains(t, none, `Without “zebra”: <a href="/app?trending=true">1 post</a>`)
	require.Contains(t, none, `Without Trending: <a href="/app?search_term=zebra">0 posts</a>`)
}

// TestFilterTextsStayTexts: values of an address and names of labels stay texts in
// the menus of filters.
func TestFilterTextsStayTexts(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(3)</script>`
	h := build(t)
	m := h.team("Hostile", "growth")
	label, err := json.Marshal(fields{"name": hostile, "keywords": []string{hostile}, "labels": []fields{{"name": hostile, "description": "d"}}})
	require.NoError(t, err)
	read[fields](m.call("POST", watchlists, string(label)), 200)
	b := h.browser()
	b.signIn(m.email)
	for _, param := range []string{"labels", "keyword", "search_term"} {
		page := b.do("GET", "/app?"+url.Values{param: {hostile}}.Encode(), "")
		require.Equal(t, 200, page.status, param)
		require.NotContains(t, page.raw, "<script>alert", param)
		require.Contains(t, page.raw, "script&gt;alert(3)", param)
	}
}

func TestDashboardPaging(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Pagers", "growth")
	p := m.join()
	posts := make([]protocol.Post, 45)
	for i := range posts {
		posts[i] = sample(i, "telemetry every day")
	}
	m.collect(p, "telemetry", posts...)
	b := h.browser()
	b.signIn(m.email)
	seen := map[string]bool{}
	path, pages := "/app?search_term=telemetry", 0
	for ; path != ""; pages++ {
		page := b.do("GET", path, "").raw
		for _, id := range regexp.MustCompile(`<article class="post" id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			require.False(t, seen[id[1]], "pages do not overlap")
			seen[id[1]] = true
		}
		path = ""
		if older := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page); older != nil {
			path = html.UnescapeString(older[1])
		}
	}
	require.Equal(t, 3, pages)
	require.Len(t, seen, 45)
	last := b.do("GET", "/app?page=3", "").raw
	require.Contains(t, last, "41 to 45 of 45")
	require.Contains(t, last, `rel="prev" href="/app?page=2"`)
	require.Contains(t, b.do("GET", "/app?page=99", "").raw, `rel="prev" href="/app?page=3"`)
}

// TestDashboardActions saves, likes and comments by forms, as the API does.
func TestDashboardActions(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Actors", "growth")
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry one"))
	b := h.browser()
	b.signIn(m.email)
	token := b.token()
	id := regexp.MustCompile(`id="p-([^"]+)"`).FindStringSubmatch(b.do("GET", "/app", "").raw)[1]
	me := m.member(m.email)
	send := func(action string, form url.Values, headers ...string) reply {
		form.Set("token", token)
		form.Set("back", "/app?search_term=telemetry")
		return b.send("/app/posts/"+id+"/"+action, form, headers...)
	}
	saved := send("save", url.Values{"bookmark": {"true"}})
	require.Equal(t, 303, saved.status)
	require.Equal(t, "/app?search_term=telemetry#p-"+id, saved.header.Get("Location"))
	require.Contains(t, m.call("GET", "/api-posts?is_saved=true", "").raw, `"count":1`)
	require.Contains(t, send("save", url.Values{"bookmark": {"false"}}, "HX-Request", "true").raw, `aria-pressed="false"`)

	like := url.Values{"as": {me}, "key": {"one"}}
	liked := send("like", like)
	require.Equal(t, 303, liked.status, liked.raw)
	task := p.hear("task")
	require.Equal(t, "agent_like_post", task.TaskType)
	require.Equal(t, liked.header.Get("Location"), send("like", like).header.Get("Location"), "a second click is the same task")
	shown := b.do("GET", strings.Split(liked.header.Get("Location"), "#")[0], "").raw
	require.Contains(t, shown, "Like as "+m.email+": ")
	require.Contains(t, m.call("GET", "/network-agent/get-task-status?api_agent_task_id="+task.Task, "").raw, `"post_id":"`+id+`"`)

	for _, text := range []string{"", "  ", strings.Repeat("x", 1251)} {
		require.Equal(t, 400, send("comment", url.Values{"as": {me}, "text": {text}}).status)
	}
	require.Equal(t, 303, send("comment", url.Values{"as": {me}, "text": {" Well done! "}, "key": {"two"}}).status)
	require.Equal(t, 404, send("like", url.Values{"as": {"nobody"}, "key": {"three"}}).status)
	require.Equal(t, 403, b.send("/app/posts/"+id+"/like", url.Values{"as": {me}}).status, "without the form token")
	require.Equal(t, 404, b.do("GET", "/app/posts/nothing", "").status)

	other := h.team("Strangers", "growth")
	theirs := h.browser()
	theirs.signIn(other.email)
	require.Equal(t, 404, theirs.do("GET", "/app/posts/"+id, "").status)
	stolen := theirs.send("/app/posts/"+id+"/save", url.Values{"token": {theirs.token()}, "bookmark": {"true"}})
	require.Equal(t, 404, stolen.status)
	for _, back := range []string{"https://evil.example/", "//evil.example/app", "/appendix", "javascript:alert(1)"} {
		away := b.send("/app/as", url.Values{"token": {token}, "as": {me}, "back": {back}})
		require.Equal(t, "/app", away.header.Get("Location"), back)
	}
}

// TestFeedCSV: the table of a feed is the API's export with the same filters.
func TestFeedCSV(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Tables", "growth")
	p := m.join()
	formula := sample(3, "telemetry three")
	formula.AuthorName = "=1+1"
	var posts []protocol.Post
	for n := range 90 { // several chunks
		posts = append(posts, sample(10+n, "telemetry "+strings.Repeat("long ", 300)))
	}
	m.collect(p, "telemetry", append(posts, sample(1, "telemetry one"), sample(2, "telemetry two"), formula)...)
	b := h.browser()
	b.signIn(m.email)
	for _, query := range []string{"", "search_term=one", "people_slug=jane-doe", "search_term=nothing"} {
		wanted := m.call("GET", "/api-posts/export?"+query, "")
		require.Equal(t, 200, wanted.status)
		got := b.do("GET", "/app/posts.csv?"+query, "")
		require.Equal(t, 200, got.status)
		require.Equal(t, wanted.raw, got.raw, query)
		require.Equal(t, "text/csv; charset=utf-8", got.header.Get("Content-Type"))
	}
	require.Contains(t, b.do("GET", "/app?search_term=one", "").raw, `href="/app/posts.csv?search_term=one"`)
	require.NotContains(t, b.do("GET", "/app?search_term=nothing", "").raw, "/app/posts.csv")
	require.Equal(t, 400, b.do("GET", "/app/posts.csv?post_type=smoke", "").status)
	require.Equal(t, 303, h.browser().do("GET", "/app/posts.csv", "").status)
}

// TestSavedViews: a filter with a name, for the whole team, until it is deleted; its number
// is that of the posts that it leads to.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Views", "growth")
	p := m.join()
	list := m.collect(p, "telemetry", sample(1, "telemetry <one>"), sample(2, "telemetry two"), sample(3, "telemetry two again"))
	b := h.browser()
	b.signIn(m.email)
	require.NotContains(t, b.do("GET", "/app", "").raw, "Save as a view")
	page := b.do("GET", "/app?search_term=two&page=1", "").raw
	require.Contains(t, page, "Save as a view")
	token := formToken.FindStringSubmatch(page)[1]
	send := func(fields ...string) reply {
		form := url.Values{"token": {token}}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return b.send("/app/views", form)
	}
	save := func(name, query string) {
		require.Equal(t, 303, send("do", "save", "name", name, "query", query).status)
	}
	save(" Second  posts ", "page=2&search_term=two&unknown=1")
	save("<Of the list>", "watchlist_id="+list)

	page = b.do("GET", "/app?search_term=two", "").raw
	require.Contains(t, page, `href="/app?search_term=two" aria-current="true">Second posts <span class="count">2 unread</span>`)
	require.Contains(t, page, `href="/app?watchlist_id=`+list+`">&lt;Of the list&gt; <span class="count">3 unread</span>`)
	require.NotContains(t, page, "Save as a view") // it is saved
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(page)[1]

	save("SECOND POSTS", "search_term=again") // the same name
	page = b.do("GET", "/app", "").raw
	require.Contains(t, page, `href="/app?search_term=again">SECOND POSTS <span class="count">1 unread</span>`)
	require.NotContains(t, page, "Second posts")

	for _, refused := range [][]string{
		{"do", "save", "name", " ", "query", "search_term=two"}, {"do", "save", "name", strings.Repeat("é", 61), "query", "search_term=two"},
		{"do", "save", "name", "Empty", "query", ""}, {"do", "save", "name", "Smoke", "query", "post_type=smoke"}, {"do", "rename"},
	} {
		require.Equal(t, 400, send(refused...).status, refused)
	}

	require.Equal(t, 200, m.call("DELETE", watchlists+"?id="+list, "").status)
	page = b.do("GET", "/app", "").raw
	require.Contains(t, page, `&lt;Of the list&gt; <span class="soft">list deleted</span>`)

	other := h.team("Others", "growth")
	o := h.browser()
	o.signIn(other.email)
	theirs := o.do("GET", "/app?search_term=two", "").raw
	require.NotContains(t, theirs, "SECOND POSTS")
	require.Equal(t, 404, o.send("/app/views", url.Values{"token": {formToken.FindStringSubmatch(theirs)[1]}, "do": {"delete"}, "id": {id}}).status)

	require.Equal(t, 303, send("do", "delete", "id", id, "back", "/app").status)
	require.Equal(t, 404, send("do", "delete", "id", id).status)
	require.NotContains(t, b.do("GET", "/app", "").raw, "SECOND POSTS")
	for n := range watchpost.MaxSavedViews - 1 {
		save(fmt.Sprint("View ", n), "search_term=word"+fmt.Sprint(n))
	}
	require.Equal(t, 409, send("do", "save", "name", "One more", "query", "search_term=more").status)
	require.Contains(t, b.do("GET", "/app", "").raw, "44 more")
}
