package httpapi_test

import (
	"html"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// savedViewOf saves filters of the feed with a name, and returns the id of the view.
func (b *browser) savedViewOf(name, query string) string {
	b.t.Helper()
	require.Equal(b.t, 303, b.send("/app/views", url.Values{"token": {b.token()}, "do": {"save"}, "name": {name}, "query": {query}}).status)
	page := b.do("GET", "/app/notifications/new", "").raw
	id := regexp.MustCompile(`<option value="([^"]+)"[^>]*>` + regexp.QuoteMeta(html.EscapeString(name)) + `</option>`).FindStringSubmatch(page)
	require.NotNil(b.t, id, name)
	return id[1]
}

// TestViewsFillTargets: a saved view fills the conditions of a notification target, by a
// button that keeps what else was typed; a link of the feed does so with its filters.
func TestViewsFillTargets(t *testing.T) {
	t.Parallel()
	const page = "/app/notifications"
	h := build(t)
	m, other := h.team("Filled", "growth"), h.team("Others", "growth")
	p := m.join()
	list := m.collect(p, "telemetry", sample(1, "telemetry one"))
	b := h.browser()
	b.signIn(m.email)
	require.NotContains(t, b.do("GET", page+"/new", "").raw, "Take over a saved view", "there is none")
	const filters = "labels=News,Odd&lang=de&people_slug=jane&company_slug=acme&sentiment=negative&seniority_level=ceo&keyword=solar"
	bad := b.savedViewOf("Bad <news>", filters+"&sort_by=oldest_first&start_date=2030-01-01&watchlist_id="+list)
	plain := b.savedViewOf("Plain", "labels=Plain")

	form := url.Values{
		"token": {b.token()}, "kind": {"slack"}, "name": {"Typed"}, "url": {"https://hooks.example/kept"}, "labels": {"old"}, "authors": {"/in/old"},
		"min_relevance": {"6.5"}, "max_age_hours": {"48"}, "max_per_hour": {"7"}, "quiet_from": {"20:00"}, "view": {bad}, "do": {"fill"},
	}
	got := b.send(page+"/new", form)
	require.Equal(t, 200, got.status)
	filled := got.raw
	require.Contains(t, filled, "Filled in from “Bad &lt;news&gt;”.")
	require.Contains(t, filled, "The condition has no field for: date, order.")
	for _, shown := range []string{
		`name="labels" rows="2" aria-describedby="labels-h">News` + "\nOdd</textarea>", `name="languages" value="de"`, ">/in/jane\n/company/acme</textarea>",
		`name="sentiments" value="negative" checked`, `name="seniority_levels" value="C-Level" checked`, `name="keyword" value="solar"`,
		`<option value="` + list + `" selected>`, `<option value="` + bad + `" selected>`,
		`name="name" value="Typed"`, `value="https://hooks.example/kept"`, `name="min_relevance" inputmode="decimal" value="6.5"`,
		`name="max_age_hours" inputmode="decimal" value="48"`, `value="7"`, `value="20:00"`,
	} {
		require.Contains(t, filled, shown)
	}
	require.Empty(t, read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"], "nothing is saved")

	// Another view leaves nothing of the first, and a target that is made keeps its watchlist.
	saved := url.Values{"token": form["token"], "kind": {"slack"}, "url": {"https://hooks.example/kept"}, "labels": {"old"}, "sentiments": {"negative"}, "of": {""}}
	made := b.send(page+"/new", saved)
	require.Equal(t, 303, made.status)
	target := made.header.Get("Location")
	form.Set("view", plain)
	form.Set("sentiments", "negative")
	got = b.send(target, form)
	require.Equal(t, 200, got.status)
	require.Contains(t, got.raw, ">Plain</textarea>")
	require.NotContains(t, got.raw, `value="negative" checked`)
	require.NotContains(t, got.raw, "The condition has no field for")
	form.Set("view", bad)
	require.Contains(t, b.send(target, form).raw, "The condition has no field for: date, order, watchlist.")
	stored := read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"].([]any)
	require.Equal(t, []any{"old"}, stored[0].(fields)["labels"], "nothing is saved")

	// A view of another team is none.
	o := h.browser()
	o.signIn(other.email)
	require.NotContains(t, o.do("GET", page+"/new", "").raw, "Plain")
	form.Set("token", o.token())
	foreign := o.send(page+"/new", form)
	require.Equal(t, 422, foreign.status)
	require.Contains(t, foreign.raw, "This view was deleted.")
	require.Contains(t, foreign.raw, `name="name" value="Typed"`)

	// The links of the feed.
	require.NotContains(t, b.do("GET", "/app?tab=done", "").raw, "Notify about these posts", "no filter is set")
	link := between(t, b.do("GET", "/app?tab=done&labels=Plain&trending=true", "").raw, `<a class="chip" href="`+page+`/new?filters=`, `"`)
	require.NotContains(t, link, "tab")
	linked := b.do("GET", page+"/new?filters="+html.UnescapeString(link), "").raw
	require.Contains(t, linked, "Filled in from the filters of the feed.")
	require.Contains(t, linked, "The condition has no field for: trending.")
	require.Contains(t, linked, ">Plain</textarea>")
	require.Contains(t, b.do("GET", html.UnescapeString(page+"/new"+between(t, linked, `href="`+page+`/new`, `"`)), "").raw, ">Plain</textarea>", "the tabs of the form keep the filters")
	require.Contains(t, b.do("GET", "/app?labels=Plain", "").raw, "Notify about these posts", "the filters are a saved view")
	require.Equal(t, 400, b.do("GET", page+"/new?filters=post_type%3Dsmoke", "").status)
}

// TestViewsFillRules: a saved view and a link of the feed fill the form of a rule.
func TestViewsFillRules(t *testing.T) {
	t.Parallel()
	const page = "/app/rules"
	h := build(t)
	m := h.team("Filled", "growth")
	first, second := m.watch(), m.watch()
	b := h.browser()
	b.signIn(m.email)
	view := b.savedViewOf("Of the second", "labels=News&is_saved=true&watchlist_id="+second)
	form := ruleForm(first, "comment")
	form.Set("token", b.token())
	form.Set("template", "Typed text")
	form.Set("min_relevance", "4")
	form.Set("view", view)
	form.Set("do", "fill")
	got := b.send(page+"/new", form)
	require.Equal(t, 200, got.status)
	for _, shown := range []string{
		"Filled in from “Of the second”.", "The condition has no field for: saved posts.", `<option value="` + second + `" selected>`, ">News</textarea>", ">Typed text</textarea>",
		`name="min_relevance" inputmode="decimal" value="4"`,
	} {
		require.Contains(t, got.raw, shown)
	}
	require.NotContains(t, got.raw, `<option value="`+first+`" selected>`)

	// A rule that is made keeps its watchlist.
	rule := ruleForm(first, "like")
	b.saveRule(page+"/new", rule)
	made := page + "/" + shownRules.FindStringSubmatch(b.do("GET", page, "").raw)[1]
	form.Set("action", string(watchpost.ActionLike))
	got = b.send(made, form)
	require.Equal(t, 200, got.status)
	require.Contains(t, got.raw, "The condition has no field for: saved posts, watchlist.")
	require.Contains(t, got.raw, ">News</textarea>")
	require.NotContains(t, b.do("GET", made, "").raw, ">News</textarea>", "nothing is saved")
	form.Set("view", "unknown")
	for _, path := range []string{page + "/new", made} {
		got = b.send(path, form)
		require.Equal(t, 422, got.status, path)
		require.Contains(t, got.raw, "This view was deleted.")
	}

	link := between(t, b.do("GET", "/app?labels=Plain&watchlist_id="+second, "").raw, `<a class="chip" href="`+page+`/new?filters=`, `"`)
	linked := b.do("GET", page+"/new?filters="+html.UnescapeString(link), "").raw
	require.Contains(t, linked, "Filled in from the filters of the feed.")
	require.NotContains(t, linked, "The condition has no field for")
	require.Contains(t, linked, `<option value="`+second+`" selected>`)
	require.Contains(t, linked, ">Plain</textarea>")
	comment := between(t, linked, `href="`+page+`/new?action=comment`, `"`)
	require.Contains(t, b.do("GET", html.UnescapeString(page+"/new?action=comment"+comment), "").raw, ">Plain</textarea>", "the tabs of the form keep the filters")
	require.Equal(t, 400, b.do("GET", page+"/new?filters=post_type%3Dsmoke", "").status)
}
