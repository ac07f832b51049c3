package httpapi_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWatchlistRuleInWords: the sentence about a watchlist has every condition of each
// entry, and gives no entry the conditions of another.
func TestWatchlistRuleInWords(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "ultimate")
	b := h.browser()
	b.signIn(m.email)
	for _, c := range []struct{ keywords, want string }{
		{`"grid"`, "Keywords: “grid”. Every 12 hours."},
		{`"grid","battery"`, "Keywords: “grid”, “battery”. Every 12 hours."},
		{`{"keyword":"grid","exclude_keywords":["job","hiring"]},"battery"`, "Keywords: “grid” without “job”, “hiring”; “battery”. Every 12 hours."},
		{`{"keyword":"grid","required_keywords":["cost","price"]},{"keyword":"wind","required_keywords":["cost","price"],"include_all_required":false,"exclude_keywords":["job"]}`,
			"Keywords: “grid” with “cost”, “price”; “wind” with one of “cost”, “price” without “job”. Every 12 hours."},
		{`{"keyword":"a","exclude_keywords":["job"]},{"keyword":"b","exclude_keywords":["job"]},{"keyword":"c","exclude_keywords":["job"]},{"keyword":"d","exclude_keywords":["job"]}`,
			"Keywords: “a”, “b”, “c” and 1 more, each without “job”. Every 12 hours."},
		{`{"keyword":"a","exclude_keywords":["1","2","3","4"]},"b","c","d","e"`, "Keywords: “a” without “1”, “2”, “3” and 1 more; “b”; “c” and 2 more. Every 12 hours."},
	} {
		id := read[fields](m.call("POST", watchlists, `{"keywords":[`+c.keywords+`]}`), 200)["id"].(string)
		require.Contains(t, b.do("GET", "/app/watchlists", "").raw, c.want)
		require.Equal(t, 200, m.call("DELETE", watchlists+"?id="+id, "").status)
	}
}

// TestListWatchlistForm adds and removes profiles, changes labels, and keeps lines that
// are not understood until the member has decided about them.
func TestListWatchlistForm(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Followers", "ultimate")
	b := h.browser()
	b.signIn(m.email)
	token := b.token()
	send := func(path string, form url.Values) reply {
		form.Set("token", token)
		form.Set("do", "save")
		return b.send(path, form)
	}
	const people = "/api-people-watchlist"

	// A line that is not understood is neither dropped nor saved.
	pasted := "jane-doe\r\na b c\r\njohn"
	form := url.Values{"kind": {"people"}, "name": {"CTOs"}, "references": {pasted}, "key": {"once"}, "labels": {"Hiring: jobs, roles"}, "every": {"6"}}
	refused := send("/app/watchlists/new", form)
	require.Equal(t, 422, refused.status)
	require.Contains(t, refused.raw, "1 line is not understood: “a b c”.")
	require.Contains(t, refused.raw, "a b c\r\njohn</textarea>", "what was typed is kept")
	require.Contains(t, refused.raw, "save the other 2")
	require.Empty(t, read[fields](m.call("GET", people, ""), 200)["watchlists"])
	form.Set("skip", "1")
	require.Equal(t, 303, send("/app/watchlists/new", form).status)
	id := read[fields](m.call("GET", people, ""), 200)["watchlists"].([]any)[0].(fields)["id"].(string)
	show := func() fields { return read[fields](m.call("GET", people+"?id="+id, ""), 200) }
	slugs := func() (all []any) {
		for _, p := range show()["profiles"].([]any) {
			all = append(all, p.(fields)["slug"])
		}
		return all
	}
	require.Equal(t, []any{"jane-doe", "john"}, slugs())
	require.Equal(t, "Hiring", show()["labels"].([]any)[0].(fields)["name"])
	kept := show()["profiles"].([]any)[0]

	// The form shows them, adds and removes.
	page := b.do("GET", "/app/watchlists/"+id, "").raw
	require.Contains(t, page, "jane-doe\njohn</textarea>")
	had := html.UnescapeString(regexp.MustCompile(`name="had" value="([^"]*)"`).FindStringSubmatch(page)[1])
	change := url.Values{"name": {"CTOs"}, "every": {"6"}, "labels": {"Hiring: jobs, roles\r\nPricing: price"}, "had": {had}, "references": {"jane-doe\r\nhttps://network.example/in/mary/"}}
	require.Equal(t, 303, send("/app/watchlists/"+id, change).status)
	require.Equal(t, []any{"jane-doe", "mary"}, slugs())
	require.Equal(t, kept, show()["profiles"].([]any)[0], "an entry that stays is the same")
	require.Len(t, show()["labels"].([]any), 2)

	// A form that is older than another member's change takes nothing back.
	stale := url.Values{"name": {"CTOs"}, "every": {"6"}, "labels": change["labels"], "had": {"jane-doe"}, "references": {"jane-doe\r\npaul"}}
	require.Equal(t, 303, send("/app/watchlists/"+id, stale).status)
	require.Equal(t, []any{"jane-doe", "mary", "paul"}, slugs())
	stale.Set("references", "jane-doe")
	require.Equal(t, 303, send("/app/watchlists/"+id, stale).status)
	require.Len(t, slugs(), 3)

	// One that follows the same list is named.
	list := show()["lists"].([]any)[0].(fields)["id"].(string)
	read[fields](m.call("POST", people, `{"name":"Second","profiles":["zoe"],"list_id":"`+list+`"}`), 200)
	page = b.do("GET", "/app/watchlists/"+id, "").raw
	require.Contains(t, page, "“Second” follows the same list and changes with it.")
	had = strings.Join([]string{"jane-doe", "mary", "paul", "zoe"}, "\n")

	for references, want := range map[string]string{
		" \r\n": "Enter at least one, each on its own line.", "a b": "1 line is not understood", "jane-doe\r\na b\r\nc d": "2 lines are not understood: “a b”, “c d”.",
	} {
		bad := send("/app/watchlists/"+id, url.Values{"name": {"CTOs"}, "had": {had}, "references": {references}})
		require.Equal(t, 422, bad.status, references)
		require.Contains(t, bad.raw, want)
	}
	require.Len(t, slugs(), 4)
	other := h.team("Others", "growth")
	foreign := read[fields](other.call("POST", people, `{"profiles":["x"]}`), 200)["id"].(string)
	require.Equal(t, 403, send("/app/watchlists/"+foreign, change).status)
}

// TestPhraseHint: a keyword with a comma is one phrase, which the preview says, and
// which one button splits.
func TestPhraseHint(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Phrasers", "growth")
	b := h.browser()
	b.signIn(m.email)
	form := url.Values{"token": {b.token()}, "kind": {"keyword"}, "keyword": {"oil, gas", "wind"}, "required": {"price", ""}, "excluded": {"job", ""}}
	shown := b.send("/app/watchlists/preview", form).raw
	require.Contains(t, shown, "“oil, gas” is one phrase")
	form.Set("do", "split")
	split := b.send("/app/watchlists/new", form).raw
	require.NotContains(t, split, "is one phrase")
	require.Contains(t, split, "“oil” with “price” without “job”; “gas” with “price” without “job”; “wind”")
	require.Contains(t, split, `name="keyword" value="oil"`)
	require.Contains(t, split, `name="keyword" value="gas"`)
	form["keyword"] = []string{"oil and gas"}
	require.NotContains(t, b.send("/app/watchlists/preview", form).raw, "phrase:")
}

// TestPreviewOfChange tries changed keywords on all stored posts: those of the watchlist
// itself match its old keywords.
func TestPreviewOfChange(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Previewers", "growth")
	p := m.join()
	list := m.collect(p, "telemetry", sample(1, "telemetry one"))
	m.collect(p, "observability", sample(2, "observability two"), sample(3, "observability three"))
	b := h.browser()
	b.signIn(m.email)
	shown := b.send("/app/watchlists/preview", url.Values{"token": {b.token()}, "kind": {"keyword"}, "watchlist": {list}, "keyword": {"observability"}}).raw
	require.Contains(t, shown, "<dt>Kept</dt><dd>2</dd>")
	require.Contains(t, shown, "Of the newest 3 posts of all watchlists")
}

// TestSeveralWatchlists pauses and resumes chosen watchlists together, and names those
// that it cannot change.
func TestSeveralWatchlists(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Several lists", "ultimate"), h.team("Others", "ultimate")
	b := h.browser()
	b.signIn(m.email)
	first := m.watch()
	require.NotContains(t, b.do("GET", "/app/watchlists", "").raw, `name="chosen"`, "one needs no choice")
	second, third, foreign := m.watch(), m.watch(), other.watch()
	paused := func() int { return strings.Count(b.do("GET", "/app/watchlists", "").raw, `aria-label="Resume `) }
	send := func(do string, chosen ...string) reply {
		return b.send("/app/watchlists", url.Values{"token": {b.token()}, "do": {do}, "chosen": chosen, "back": {"/app/watchlists?q=b"}})
	}
	require.Equal(t, 3, strings.Count(b.do("GET", "/app/watchlists?choose=all", "").raw, " checked>"))
	require.Equal(t, "/app/watchlists?q=b", send("pause", first, third).header.Get("Location"))
	require.Equal(t, 2, paused())
	partly := send("pause", second, foreign)
	require.Equal(t, 409, partly.status)
	require.Contains(t, partly.raw, "<b>1 changed, 1 not:</b><ul><li>A watchlist is gone.</li>")
	require.Equal(t, 3, paused())
	require.Equal(t, 303, send("resume", first, second, third).status)
	require.Zero(t, paused())
	require.Equal(t, 400, send("pause").status)
	require.Equal(t, 400, send("delete", first).status)
}

// TestDashboardDeletionIsTakenBack: a watchlist that is deleted in the dashboard stays whole
// for ten seconds. Until then the list of watchlists, its row and its form take that back.
func TestDashboardDeletionIsTakenBack(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	m := h.team("Undecided", "growth")
	p := m.join()
	list, other := m.collect(p, "telemetry", sample(1, "telemetry one")), m.watch()
	b := h.browser()
	b.signIn(m.email)
	one := inbox{b, b.token()}
	path := "/app/watchlists/" + list
	show := func() string { return b.do("GET", "/app/watchlists", "").raw }
	remove := func() string {
		t.Helper()
		form := b.do("GET", path, "").raw
		require.Contains(t, form, "The watchlist goes, and with it the 1 post that it collected")
		require.Contains(t, form, "You can undo it for ten seconds")
		deleted := one.post(path, "do", "delete")
		require.Equal(t, 303, deleted.status)
		require.Equal(t, "/app/watchlists", deleted.header.Get("Location"))
		return show()
	}
	require.NotContains(t, show(), `class="toast"`)
	page := remove()
	require.Regexp(t, `<div class="toast" data-ends><span>“[^”]+” is being deleted\.</span>`, page)
	require.Equal(t, 1, strings.Count(page, "</svg>Being deleted</span>"), "of two rows")
	require.Contains(t, b.do("GET", "/app", "").raw, `class="post-text"`, "it is whole until then")
	require.Equal(t, 200, m.call("GET", watchlists+"?id="+list, "").status)
	require.Equal(t, 303, one.takeBack(page).status)
	require.NotContains(t, show(), "eing deleted")
	require.Contains(t, one.takeBack(page).raw, "The deletion was taken back, or has begun")

	// From its row, which keeps the search, and from its form.
	page = remove()
	row := regexp.MustCompile(`(?s)<form method="post" action="` + path + `">.*?</form>`).FindString(page[strings.Index(page, `id="w-`+list):])
	require.Contains(t, row, `name="do" value="undo">Undo<span`)
	back := one.post(path, "do", "undo", "back", "/app/watchlists?q=t")
	require.Equal(t, 303, back.status)
	require.Equal(t, "/app/watchlists?q=t", back.header.Get("Location"))
	remove()
	form := b.do("GET", path, "").raw
	require.Contains(t, form, `name="do" value="undo"`)
	require.NotContains(t, form, `name="do" value="delete"`)
	require.Equal(t, 303, one.post(path, "do", "undo").status)

	// Afterwards it is gone.
	page = remove()
	h.advance(10 * time.Second)
	require.NotContains(t, show(), list)
	require.NotContains(t, show(), `class="toast"`)
	require.Contains(t, show(), other)
	require.NotContains(t, b.do("GET", "/app", "").raw, `class="post-text"`)
	require.Equal(t, 404, one.takeBack(page).status)
	require.Equal(t, 404, one.post(path, "do", "delete").status)

	// The API deletes at once.
	require.Equal(t, 200, m.call("DELETE", watchlists+"?id="+other, "").status)
	require.NotContains(t, show(), other)
}

// TestDashboardDeletionsWait: a rule and a notification target that are deleted in the dashboard
// stay for ten seconds. Until then their list, their row and their form take that back.
func TestDashboardDeletionsWait(t *testing.T) {
	t.Parallel()
	h := buildWithClock(t)
	m := h.team("Undecided", "growth")
	b := h.browser()
	b.signIn(m.email)
	one := inbox{b, b.token()}
	for _, c := range []struct{ page, api, body, asks, detail string }{
		{"/app/rules", "/api-engagement-rules", `{"watchlist_id":"` + m.watch() + `","action":"like","name":"Undecided thing"}`, "What waits of the rule is withdrawn.", "does nothing until then"},
		{"/app/notifications", "/api-notifications", `{"type":"slack","name":"Undecided thing","url":"https://hooks.example/x"}`, "that it has not sent", "sends nothing until then"},
	} {
		id := read[fields](m.call("POST", c.api, c.body), 200)["id"].(string)
		path := c.page + "/" + id
		show := func() string { return b.do("GET", c.page, "").raw }
		remove := func() string {
			t.Helper()
			form := b.do("GET", path, "").raw
			require.Contains(t, form, c.asks)
			require.Contains(t, form, "You can undo it for ten seconds.")
			deleted := one.post(path, "do", "delete")
			require.Equal(t, 303, deleted.status)
			require.Equal(t, c.page, deleted.header.Get("Location"))
			return show()
		}
		require.NotContains(t, show(), `class="toast"`)
		page := remove()
		require.Contains(t, page, `<div class="toast" data-ends><span>“Undecided thing” is being deleted.</span>`)
		require.Contains(t, page, "</svg>Being deleted</span>")
		require.Contains(t, page, c.detail)
		require.Contains(t, m.call("GET", c.api, "").raw, id, "the API shows it until then")
		require.Equal(t, 303, one.takeBack(page).status)
		require.NotContains(t, show(), "eing deleted")
		require.Contains(t, one.takeBack(page).raw, "The deletion was taken back, or has begun")

		// From its row, and from its form.
		page = remove()
		row := page[strings.Index(page, `-`+id+`"`):]
		require.Contains(t, row[:strings.Index(row, "</form>")], `name="do" value="undo">Undo<span`)
		form := b.do("GET", path, "").raw
		require.Contains(t, form, `name="do" value="undo"`)
		require.Contains(t, form, "Being deleted")
		require.NotContains(t, form, `name="do" value="delete"`)
		back := one.post(path, "do", "undo", "back", c.page+"?x=1")
		require.Equal(t, c.page+"?x=1", back.header.Get("Location"))

		// Afterwards it is gone.
		page = remove()
		h.advance(10 * time.Second)
		require.NotContains(t, show(), id)
		require.NotContains(t, show(), `class="toast"`)
		require.Equal(t, 404, one.takeBack(page).status)
		require.Equal(t, 404, b.do("GET", path, "").status)

		// The API deletes at once.
		id = read[fields](m.call("POST", c.api, c.body), 200)["id"].(string)
		require.Equal(t, 200, m.call("DELETE", c.api+"?id="+id, "").status)
		require.NotContains(t, show(), id)
	}
}
