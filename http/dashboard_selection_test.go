package httpapi_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var unreadCount = regexp.MustCompile(`<span>Feed</span><span class="count">([0-9,]+)<span class="sr"> unread</span>`)

// unread is the number next to Feed in the navigation of a page; "" for none.
func (b inbox) unread(path string) string {
	b.t.Helper()
	found := unreadCount.FindStringSubmatch(b.do("GET", path, "").raw)
	if found == nil {
		return ""
	}
	return found[1]
}

// takeBack sends the form of a page that takes a decision back.
func (b inbox) takeBack(page string) reply {
	b.t.Helper()
	form := regexp.MustCompile(`(?s)<div class="toast"[^>]*>.*?<form method="post" action="([^"]+)".*?</form>`).FindStringSubmatch(page)
	require.NotNil(b.t, form, "nothing can be taken back")
	sent := sentFrom(form[0])
	sent.Set("do", "undo")
	return b.send(form[1], sent)
}

// TestDashboardSelection: several posts are decided about at once, and that is taken back
// at once, to what each of them was.
func TestDashboardSelection(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	_, one, other, ids := readers(t, h)
	page := one.do("GET", "/app?choose=all", "").raw
	require.Equal(t, 6, strings.Count(page, `name="chosen" form="bulk"`))
	require.Equal(t, 6, strings.Count(page, ` checked><span class="sr">Select the post of `))
	require.NotContains(t, one.do("GET", "/app", "").raw, ` checked><span class="sr">Select`)
	require.NotContains(t, one.do("GET", "/app/posts/"+ids[0], "").raw, `name="chosen"`, "one post is not selected")
	several := func(do string, ids ...string) reply {
		t.Helper()
		return one.send("/app/several", url.Values{"token": {one.token}, "back": {"/app?tab=unread"}, "do": {do}, "chosen": ids})
	}
	one.mark(ids[1], "later")

	done := several("done", ids[0], ids[1], ids[2], ids[2])
	require.Equal(t, 200, done.status)
	require.Contains(t, done.raw, "3 posts marked as done.")
	require.NotContains(t, done.raw, `id="p-`+ids[0]+`"`, "the answer is the tab as it is then")
	require.Equal(t, map[string]string{"Unread": "3", "All": "6", "Later": "0", "Mine": "0", "Done": "3"}, one.tabs("/app"))
	require.Equal(t, "6", other.tabs("/app")["Unread"], "the other member has decided nothing")
	back := one.takeBack(done.raw)
	require.Equal(t, 200, back.status)
	require.NotContains(t, back.raw, "toast")
	require.Equal(t, map[string]string{"Unread": "5", "All": "6", "Later": "1", "Mine": "0", "Done": "0"}, one.tabs("/app"), "one was kept for later")

	require.Contains(t, several("later", ids[0], ids[2]).raw, "2 posts kept for later.")
	require.Equal(t, "3", one.tabs("/app")["Later"])
	require.NotContains(t, several("later", ids[0], ids[2]).raw, "toast", "nothing has changed")

	// What is saved is the team's. A post that was saved before stays saved.
	require.Equal(t, 303, one.post("/app/posts/"+ids[3]+"/save", "bookmark", "true").status)
	saved := several("save", ids[3], ids[4])
	require.Contains(t, saved.raw, "2 posts saved.")
	require.Equal(t, "2", postsFound.FindStringSubmatch(one.do("GET", "/app?is_saved=true", "").raw)[1])
	require.Equal(t, 200, one.takeBack(saved.raw).status)
	require.Equal(t, "1", postsFound.FindStringSubmatch(one.do("GET", "/app?is_saved=true", "").raw)[1])

	// What cannot be done is named, and the rest is done.
	const gone = "00000000-0000-7000-8000-000000000000"
	partly := several("done", ids[5], gone)
	require.Equal(t, 409, partly.status)
	require.Contains(t, between(t, partly.raw, "<b>1 done, 1 not:</b>", "</ul>"), "A post is not marked as done: it was deleted.")
	require.Equal(t, "1", one.tabs("/app")["Done"])
	require.Equal(t, 400, several("done").status, "nothing is selected")
	require.Equal(t, 400, several("sold", ids[0]).status)
	require.Equal(t, 400, several("undo", ids[0]).status, "nothing says to what")
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf("00000000-0000-7000-8000-%012d", i)
	}
	require.Equal(t, 400, several("done", many...).status, "more than together")
	require.Equal(t, 400, one.send("/app/several", url.Values{"token": {one.token}, "do": {"undo"}, "to-unread": many}).status)

	// A script gets the results alone, in place of those that it shows.
	part := one.send("/app/several", url.Values{"token": {one.token}, "back": {"/app"}, "do": {"done"}, "chosen": {ids[4], gone}}, "HX-Request", "true")
	require.Equal(t, []any{200, "#results"}, []any{part.status, part.header.Get("HX-Retarget")})
	require.NotContains(t, part.raw, "<html")
	require.Contains(t, part.raw, "<b>1 done, 1 not:</b>")

	stranger := h.browser()
	stranger.signIn(h.team("Strangers", "growth").email)
	require.Contains(t, stranger.send("/app/several", url.Values{"token": {stranger.token()}, "do": {"done"}, "chosen": {ids[0]}}).raw, "<b>0 done, 1 not:</b>")
}

// TestDashboardAllDoneIsTakenBack: "all done" can be taken back, for ten seconds from each
// page of the feed, until the member decides something else.
func TestDashboardAllDoneIsTakenBack(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	_, one, other, ids := readers(t, h)
	one.mark(ids[0], "later")
	one.mark(ids[1], "done")
	before := one.tabs("/app")
	allDone := func() {
		t.Helper()
		require.Equal(t, 303, one.post("/app/done", "since", h.now().Format(time.RFC3339Nano)).status)
	}
	allDone()
	page := one.do("GET", "/app", "").raw
	require.Contains(t, page, "All posts are marked as done.")
	require.Equal(t, "5", one.tabs("/app")["Done"])
	require.NotContains(t, other.do("GET", "/app", "").raw, "toast")
	require.Equal(t, 303, one.takeBack(page).status)
	require.Equal(t, before, one.tabs("/app"))
	require.Equal(t, 409, one.takeBack(page).status, "it was taken back")
	require.NotContains(t, one.do("GET", "/app", "").raw, "toast")

	allDone()
	page = one.do("GET", "/app", "").raw
	h.advance(10 * time.Second)
	require.NotContains(t, one.do("GET", "/app", "").raw, "toast", "it is shown for ten seconds")
	one.mark(ids[2], "unread")
	late := one.takeBack(page)
	require.Equal(t, 409, late.status)
	require.Contains(t, late.raw, "you have decided about other posts since")
	require.Equal(t, "1", one.tabs("/app")["Unread"])
	require.Equal(t, 400, one.post("/app/done", "do", "undo", "at", "then").status)
}

// TestDashboardUnread: the navigation of each page and the saved views say exactly how many
// posts the member has not decided about.
func TestDashboardUnread(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	collect, one, other, ids := readers(t, h)
	require.Equal(t, 303, one.post("/app/views", "do", "save", "name", "Odd", "query", "search_term=odd").status)
	pages := []string{"/app", "/app?tab=done", "/app?search_term=even", "/app/people", "/app/trends", "/app/tasks", "/app/nav?page=rules", "/app/posts/" + ids[0]}
	check := func(who inbox, want string) {
		t.Helper()
		for _, path := range pages {
			require.Equal(t, want, who.unread(path), path)
		}
	}
	view := func(path string) string {
		t.Helper()
		return regexp.MustCompile(`>Odd <span class="count">([^<]*)</span>`).FindStringSubmatch(one.do("GET", path, "").raw)[1]
	}
	check(one, "6")
	require.Equal(t, []string{"3 unread", "3", "3 unread"}, []string{view("/app"), view("/app?tab=unread"), view("/app?tab=done&search_term=odd")})
	one.mark(ids[0], "done")
	one.mark(ids[1], "later")
	check(one, "4")
	check(other, "6")
	require.Equal(t, []string{"2 unread", "2"}, []string{view("/app"), view("/app?tab=unread")})
	collect("observability", sample(20, "observability one"))
	check(one, "5")
	require.Equal(t, 303, one.post("/app/done", "since", h.now().Format(time.RFC3339Nano)).status)
	check(one, "")
}
