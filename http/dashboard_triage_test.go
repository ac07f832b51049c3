package httpapi_test

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	httpapi "watchpost/http"
	"watchpost/internal/protocol"
	"watchpost/internal/testclock"
)

var (
	tabLink  = regexp.MustCompile(`<a href="([^"]+)"( aria-current="page")?>(Unread|All|Later|Mine|Done) <span class="count">([0-9,]+)</span>`)
	articles = regexp.MustCompile(`<article class="post" id="p-([^"]+)"`)
)

// inbox is a member who reads the feed of some posts.
type inbox struct {
	*browser
	token string
}

// tabs returns the counts of the tabs of a page, after it has followed each: a tab has as
// many posts as it says.
func (b inbox) tabs(path string) map[string]string {
	b.t.Helper()
	counts := map[string]string{}
	page := b.do("GET", path, "").raw
	for _, link := range tabLink.FindAllStringSubmatch(page, -1) {
		counts[link[3]] = link[4]
		there := b.do("GET", html.UnescapeString(link[1]), "").raw
		require.Equal(b.t, link[4], postsFound.FindStringSubmatch(there)[1], "%s of %s", link[3], path)
		require.Len(b.t, articles.FindAllString(there, -1), atoi(b.t, link[4]), "%s of %s", link[3], path)
	}
	require.Len(b.t, counts, 5)
	return counts
}

func atoi(t testing.TB, s string) (n int) {
	_, err := fmt.Sscan(s, &n)
	require.NoError(t, err)
	return n
}

func (b inbox) post(path string, pairs ...string) reply {
	b.t.Helper()
	form := url.Values{"token": {b.token}, "back": {"/app?tab=unread"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.send(path, form)
}

// mark decides about a post.
func (b inbox) mark(id, state string) reply {
	b.t.Helper()
	got := b.post("/app/posts/"+id+"/triage", "do", state)
	require.Equal(b.t, 303, got.status)
	return got
}

// buildWithClock is build with a clock that tests set forward.
func buildWithClock(t *testing.T) *testServer {
	t.Helper()
	clock := testclock.New(0, nil, nil)
	return buildWith(t, func(o *actors.Options) { o.Clock = clock }, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
}

// now is the moment of the service's clock.
func (h *testServer) now() time.Time {
	h.t.Helper()
	at, err := time.Parse(time.RFC3339Nano, read[fields](h.admin("GET", "/admin/clock", ""), 200)["now"].(string))
	require.NoError(h.t, err)
	return at
}

// advance sets the clock forward.
func (h *testServer) advance(by time.Duration) {
	h.t.Helper()
	read[fields](h.admin("POST", "/admin/clock", fmt.Sprintf(`{"advance":%q}`, by)), 200)
}

// readers are two members of a team with six posts, and the ids of those, the newest first.
func readers(t *testing.T, h *testServer) (collect func(keyword string, posts ...protocol.Post), one, other inbox, ids []string) {
	m := h.team("Readers", "growth")
	p := m.join()
	var posts []protocol.Post
	for i := range 6 {
		posts = append(posts, sample(i, fmt.Sprint("telemetry ", []string{"even", "odd"}[i%2])))
	}
	m.collect(p, "telemetry", posts...)
	b := h.browser()
	b.signIn(m.email)
	page := b.do("GET", "/app", "").raw
	one = inbox{b, formToken.FindStringSubmatch(page)[1]}
	for _, found := range articles.FindAllStringSubmatch(page, -1) {
		ids = append(ids, found[1])
	}
	require.Len(t, ids, 6)
	second := m.another("second@example.com")
	other = inbox{second, formToken.FindStringSubmatch(second.do("GET", "/app", "").raw)[1]}
	return func(keyword string, posts ...protocol.Post) { m.collect(p, keyword, posts...) }, one, other, ids
}

// TestDashboardTriage: each member decides for themselves, without a script too, and the
// tabs count exactly, with filters as well. Each decision has its way back.
func TestDashboardTriage(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	_, one, other, ids := readers(t, h)
	require.Equal(t, map[string]string{"Unread": "6", "All": "6", "Later": "0", "Mine": "0", "Done": "0"}, one.tabs("/app"))
	back := one.mark(ids[0], "done")
	one.mark(ids[1], "later")
	want := map[string]string{"Unread": "4", "All": "6", "Later": "1", "Mine": "0", "Done": "1"}
	require.Equal(t, want, one.tabs("/app"))
	require.Equal(t, want, one.tabs("/app?tab=unread&sentiment=positive,neutral,negative"))
	require.Equal(t, map[string]string{"Unread": "2", "All": "3", "Later": "1", "Mine": "0", "Done": "0"}, one.tabs("/app?search_term=odd"))
	require.Equal(t, "6", other.tabs("/app")["Unread"], "the other member has decided nothing")

	page := one.do("GET", strings.Split(back.header.Get("Location"), "#")[0], "").raw
	require.Contains(t, page, "Marked as done.")
	undo := regexp.MustCompile(`name="undo" value="1"><button class="button small" type="submit" name="do" value="unread">`)
	require.Regexp(t, undo, page)
	require.Equal(t, 303, one.post("/app/posts/"+ids[0]+"/triage", "do", "unread", "undo", "1").status)
	require.Equal(t, "5", one.tabs("/app")["Unread"])
	require.NotContains(t, one.do("GET", "/app?did=done&was=x&post="+ids[0], "").raw, "toast")

	require.Equal(t, 400, one.post("/app/posts/"+ids[0]+"/triage", "do", "sold").status)
	require.Equal(t, 404, one.post("/app/posts/00000000-0000-7000-8000-000000000000/triage", "do", "done").status)
	require.Equal(t, "6", one.tabs("/app?tab=unheard")["All"], "an unknown tab is none")

	// Filters, views and exports stay in the tab.
	page = one.do("GET", "/app?tab=later&search_term=odd", "").raw
	require.Contains(t, page, `name="tab" value="later"`)
	require.Contains(t, page, `href="/app?tab=later">Clear filters`)
	require.NotContains(t, page, "Nothing here")
	require.Equal(t, 303, one.post("/app/views", "do", "save", "name", "Odd", "query", "search_term=odd&tab=done").status)
	page = one.do("GET", "/app?tab=unread", "").raw
	require.Contains(t, page, `href="/app?search_term=odd&amp;tab=unread">Odd <span class="count">2</span>`)
	require.Contains(t, one.do("GET", "/app?tab=unread&search_term=odd", "").raw, `aria-current="true">Odd <span class="count">2</span>`)
	require.Equal(t, 2, strings.Count(one.do("GET", "/app/posts.csv?tab=later", "").raw, "\n"), "one post and the header")
	require.Contains(t, one.do("GET", "/app?tab=mine", "").raw, "Posts that are assigned to you are here.")

	// All at once, but not what came later, and what is kept for later stays.
	require.Equal(t, 400, one.post("/app/done", "since", "yesterday").status)
	require.Equal(t, 303, one.post("/app/done", "since", h.now().Format(time.RFC3339Nano)).status)
	require.Equal(t, map[string]string{"Unread": "0", "All": "6", "Later": "1", "Mine": "0", "Done": "5"}, one.tabs("/app"))
	require.Contains(t, one.do("GET", "/app?tab=unread", "").raw, "Nothing unread")
	one.mark(ids[2], "unread")
	require.Equal(t, "1", one.tabs("/app")["Unread"])

	theirs := h.team("Strangers", "growth")
	stranger := h.browser()
	stranger.signIn(theirs.email)
	s := inbox{stranger, formToken.FindStringSubmatch(stranger.do("GET", "/app", "").raw)[1]}
	require.Equal(t, 404, s.post("/app/posts/"+ids[0]+"/triage", "do", "done").status)
}

// TestDashboardSinceLastVisit: the feed says how many posts came since the member's last
// visit, and marks them.
func TestDashboardSinceLastVisit(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	collect, one, _, _ := readers(t, h)
	require.NotContains(t, one.do("GET", "/app", "").raw, "since your last visit")
	h.advance(2 * time.Hour)
	page := one.do("GET", "/app", "").raw
	require.Regexp(t, `<b>0</b> since your last visit`, page)
	require.NotContains(t, page, `>New</span>`)
	h.advance(2 * time.Hour)
	collect("observability", sample(20, "observability one"), sample(21, "observability two"))
	page = one.do("GET", "/app", "").raw
	since := regexp.MustCompile(`<a href="([^"]+)"><b>2</b> since your last visit</a>`).FindStringSubmatch(page)
	require.NotNil(t, since, page)
	require.Equal(t, 2, strings.Count(page, `>New</span>`))
	page = one.do("GET", html.UnescapeString(since[1]), "").raw
	require.Equal(t, "2", postsFound.FindStringSubmatch(page)[1])
	require.NotContains(t, page, "since your last visit")
}

// TestDashboardAssignments: who takes care of a post, a note and who is replying are the
// team's; texts stay texts.
func TestDashboardAssignments(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	_, one, other, ids := readers(t, h)
	members := regexp.MustCompile(`<option value="([^"]+)">([^<]+)</option>`)
	var second string
	for _, o := range members.FindAllStringSubmatch(one.do("GET", "/app", "").raw, -1) {
		if o[2] == "second@example.com" {
			second = o[1]
		}
	}
	require.NotEmpty(t, second)
	const hostile = `<script>alert(4)</script>`
	require.Equal(t, 303, one.post("/app/posts/"+ids[0]+"/team", "member", second, "note", hostile).status)
	require.Equal(t, "1", other.tabs("/app")["Mine"])
	require.Equal(t, "0", one.tabs("/app")["Mine"])
	page := other.do("GET", "/app?tab=mine", "").raw
	require.Contains(t, page, "Assigned to <b>you</b>. Note:")
	require.Contains(t, page, "“&lt;script&gt;alert(4)&lt;/script&gt;”")
	require.NotContains(t, page, hostile)
	require.Contains(t, one.do("GET", "/app", "").raw, "Assigned to <b>second@example.com</b>")
	require.Equal(t, 400, one.post("/app/posts/"+ids[0]+"/team", "note", strings.Repeat("x", 1001)).status)
	require.Equal(t, 404, one.post("/app/posts/"+ids[0]+"/team", "member", "nobody").status)
	require.Equal(t, 404, one.post("/app/posts/nothing/team", "member", second).status)
	require.Equal(t, 303, one.post("/app/posts/"+ids[0]+"/team").status)
	require.Equal(t, "0", other.tabs("/app")["Mine"])

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := other.listenTo(ctx)
	_, more := next(t, heard)
	require.True(t, more)
	require.Equal(t, 204, one.post("/app/posts/"+ids[1]+"/replying").status)
	for {
		data, more := next(t, heard)
		require.True(t, more)
		if data == `{"topic":"triage","id":"`+ids[1]+`"}` {
			break
		}
	}
	require.Contains(t, other.do("GET", "/app", "").raw, "is replying since")
	require.NotContains(t, one.do("GET", "/app", "").raw, "is replying since", "one knows that of oneself")
	require.Equal(t, 404, one.post("/app/posts/nothing/replying").status)
	h.advance(11 * time.Minute)
	require.NotContains(t, other.do("GET", "/app", "").raw, "is replying since")
	require.Equal(t, 204, one.post("/app/posts/"+ids[1]+"/replying").status)
	require.Equal(t, 204, one.post("/app/posts/"+ids[1]+"/replying", "ended", "1").status)
	require.NotContains(t, other.do("GET", "/app", "").raw, "is replying since")
}

// TestDashboardFreshInTabs: in a tab, new posts are those that came since the page was
// made, however many were decided about meanwhile.
func TestDashboardFreshInTabs(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	collect, one, _, ids := readers(t, h)
	page := one.do("GET", "/app?tab=unread", "").raw
	fresh := html.UnescapeString(regexp.MustCompile(`hx-get="(/app/fresh[^"]+)"`).FindStringSubmatch(page)[1])
	require.NotContains(t, one.do("GET", fresh, "").raw, "new post")
	h.advance(time.Minute)
	collect("observability", sample(20, "observability one"), sample(21, "observability two"))
	one.mark(ids[0], "done")
	require.Contains(t, one.do("GET", fresh, "").raw, "2 new posts")
	require.Equal(t, 400, one.do("GET", "/app/fresh?known=1&tab=unread", "").status)
}
