package httpapi_test

import (
	"html"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	conditionTag = regexp.MustCompile(`<input type="hidden" name="(languages|seniority_levels|post_types)" value="([^"]*)">`)
	legendTag    = regexp.MustCompile(`<li>([^<]*)<span class="number">(\d+)</span></li>`)
)

func conditionsOf(page string) url.Values {
	chosen := url.Values{}
	for _, m := range conditionTag.FindAllStringSubmatch(page, -1) {
		chosen.Add(m[1], m[2])
	}
	return chosen
}

// formPage is a form of a watchlist in a browser without script.
type formPage struct {
	t    *testing.T
	b    *browser
	path string
	raw  string
}

// press presses a button of the form, with what was typed into its fields.
func (p *formPage) press(do string, typed ...string) reply {
	p.t.Helper()
	form := sentFrom(p.raw)
	form.Set("do", do)
	for i := 0; i < len(typed); i += 2 {
		form.Set(typed[i], typed[i+1])
	}
	got := p.b.send(p.path, form)
	if got.status == 200 {
		p.raw = got.raw
	}
	return got
}

func (p *formPage) conditions(do string, typed ...string) url.Values {
	p.t.Helper()
	require.Equal(p.t, 200, p.press(do, typed...).status)
	return conditionsOf(p.raw)
}

// TestDashboardConditions: the language and level that a sentence says are conditions, which
// are changed, added and removed without a script, before saving and after it.
func TestDashboardConditions(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Choosing", "growth")
	m.join()
	b := h.browser()
	b.signIn(m.email)
	p := &formPage{t, b, "/app/watchlists/new", ""}
	p.raw = b.send(p.path, url.Values{"token": {b.token()}, "kind": {"prompt"}, "do": {"read"},
		"prompt": {"Posts in German by senior data engineers about kube-hunter in Austria, not job ads"}}).raw
	require.Equal(t, url.Values{"languages": {"de"}, "seniority_levels": {"Senior"}}, conditionsOf(p.raw))
	require.Contains(t, p.raw, `</span>German</button>`)
	above := b.send(p.path, url.Values{"token": {b.token()}, "kind": {"prompt"}, "do": {"read"}, "prompt": {"People complaining about Salesforce pricing, directors and up"}}).raw
	require.Equal(t, url.Values{"seniority_levels": {"Director", "VP", "C-Level"}}, conditionsOf(above))
	require.Contains(t, above, `<span class="word">from “directors and up”</span>`)
	require.NotContains(t, p.raw, `<span class="word">from `)
	require.Contains(t, p.raw, `<span class="word">Any kind</span>`)
	kinds := &formPage{t, b, p.path, ""}
	kinds.raw = b.send(p.path, url.Values{"token": {b.token()}, "kind": {"prompt"}, "do": {"read"}, "prompt": {"Polls and videos about Salesforce pricing in Austria"}}).raw
	require.Equal(t, url.Values{"post_types": {"poll", "video"}}, conditionsOf(kinds.raw))
	require.Contains(t, kinds.raw, `<b>Polls</b> and <b>videos</b>`)
	kinds.conditions("take:post_types:poll")
	require.Contains(t, kinds.raw, `<u class="unused">Polls`, "no condition uses the word any more")
	short := b.send(p.path, url.Values{"token": {b.token()}, "kind": {"prompt"}, "do": {"read"}, "prompt": {"Polls about Salesforce"}}).raw
	require.Equal(t, url.Values{"post_types": {"poll"}}, conditionsOf(short))
	words := chipsOf(p.raw)

	require.Equal(t, url.Values{"seniority_levels": {"Senior"}}, p.conditions("take:languages:de"))
	require.Equal(t, url.Values{"seniority_levels": {"Senior"}}, p.conditions("edit:post_types:"), "a new one has no value yet")
	require.Contains(t, p.raw, `<option value="" selected>Choose</option><option value="text">Text</option>`)
	require.Equal(t, url.Values{"seniority_levels": {"Senior"}}, p.conditions("keep"))
	p.conditions("edit:post_types:")
	require.Equal(t, []string{"article"}, p.conditions("edit:post_types:", "value", "article")["post_types"], "kept by any button")
	require.NotContains(t, p.raw, `<option value="article"`, "it is chosen")
	require.Equal(t, []string{"article", "poll"}, p.conditions("keep", "value", "poll")["post_types"])
	p.conditions("edit:seniority_levels:Senior")
	require.Contains(t, p.raw, `<option value="Senior" selected>`)
	got := p.conditions("keep", "value", "Manager")
	require.Equal(t, url.Values{"seniority_levels": {"Manager"}, "post_types": {"article", "poll"}}, got)
	require.Equal(t, got, p.conditions("edit:unknown:x"))
	require.Equal(t, words, chipsOf(p.raw), "the words are as they were")
	require.Contains(t, html.UnescapeString(p.raw), "; only by authors of the level Manager, of the kind Article or Poll. ", "in words")

	refused := p.press("save", "post_types", "story")
	require.Equal(t, 422, refused.status)
	require.Contains(t, refused.raw, `href="#post_types"`)
	p.conditions("edit:languages:")
	require.Equal(t, 303, p.press("save", "value", "pt").status, "an open editor is kept too")
	id := read[fields](m.call("GET", watchlists, ""), 200)["watchlists"].([]any)[0].(fields)["id"].(string)
	stored := func() []any {
		shown := read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)
		return []any{shown["languages"], shown["seniority_levels"], shown["post_types"]}
	}
	require.Equal(t, []any{[]any{"pt"}, []any{"Manager"}, []any{"article", "poll"}}, stored())
	require.Contains(t, html.UnescapeString(b.do("GET", "/app/watchlists", "").raw), "; only in Portuguese, by authors of the level Manager, of the kind Article or Poll")

	// The form of the stored watchlist.
	p.path = "/app/watchlists/" + id
	p.raw = b.do("GET", p.path, "").raw
	require.Contains(t, p.raw, "After a change that lets more posts through, the next scan looks back 30 days again.")
	require.Equal(t, url.Values{"languages": {"pt"}, "seniority_levels": {"Manager"}, "post_types": {"article", "poll"}}, conditionsOf(p.raw))
	require.Equal(t, 303, p.press("save").status)
	require.Equal(t, []any{[]any{"pt"}, []any{"Manager"}, []any{"article", "poll"}}, stored())
	p.conditions("take:post_types:article")
	p.conditions("take:post_types:poll")
	require.Equal(t, 303, p.press("save").status)
	require.Equal(t, []any{[]any{"pt"}, []any{"Manager"}, []any{}}, stored())
	form := url.Values{"token": {b.token()}, "name": {"Of a form of the build before"}, "keyword": {"kube-hunter"}, "required": {""}, "excluded": {""}, "do": {"save"}}
	require.Equal(t, 303, b.send(p.path, form).status)
	require.Equal(t, []any{[]any{"pt"}, []any{"Manager"}, []any{}}, stored(), "it changes no condition")
}

// TestDashboardConditionsOfKeywords: the form of typed keywords has the same conditions,
// and the preview says what each drops.
func TestDashboardConditionsOfKeywords(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Typing", "growth")
	intern, poll, both := sample(2, "telemetry is what I have learned this summer"), sample(3, "telemetry or logs, which of them do you use?"), sample(4, "telemetry or metrics, which of them would you use?")
	intern.AuthorHeadline, both.AuthorHeadline = "Intern", "Intern"
	poll.Type, both.Type = "poll", "poll"
	m.collect(m.join(), "telemetry", sample(1, "telemetry is what we use for all of our services"), intern, poll, both)
	b := h.browser()
	b.signIn(m.email)
	for _, kind := range []string{"keyword", "forum"} {
		p := &formPage{t, b, "/app/watchlists/new", b.do("GET", "/app/watchlists/new?kind="+kind, "").raw}
		require.Contains(t, p.raw, "Only these posts")
		require.NotContains(t, p.raw, "looks back 30 days", "a new one does so anyway")
		require.Equal(t, 200, p.press("edit:seniority_levels:", "keyword", "telemetry").status)
		require.Equal(t, url.Values{"seniority_levels": {"VP"}}, p.conditions("keep", "value", "VP"))
		p.conditions("edit:post_types:")
		require.Equal(t, url.Values{"seniority_levels": {"VP"}, "post_types": {"text"}}, p.conditions("preview", "value", "text"))
		require.Contains(t, p.raw, "<dt>Kept</dt><dd>1</dd></div><div><dt>Dropped</dt><dd>3</dd>")
		drops := map[string]string{}
		for _, row := range legendTag.FindAllStringSubmatch(html.UnescapeString(p.raw), -1) {
			drops[row[1]] = row[2]
		}
		require.Equal(t, map[string]string{
			"Only for “by authors of the level VP”": "1", "Only for “of the kind Text”": "1", "Two conditions or more": "1",
		}, drops)
		require.ElementsMatch(t, []string{"· Only for “by authors of the level VP”", "· Only for “of the kind Text”", "· Two conditions or more"}, sampleReasons(p.raw))
		live := sentFrom(p.raw)
		require.Contains(t, b.send("/app/watchlists/preview", live).raw, "<dt>Kept</dt><dd>1</dd>", "as with script")
		require.Equal(t, 303, p.press("save").status)
	}
	forum := read[fields](m.call("GET", "/api-forum-watchlist", ""), 200)["watchlists"].([]any)[0].(fields)["id"].(string)
	require.Equal(t, []any{"text"}, read[fields](m.call("GET", "/api-forum-watchlist?id="+forum, ""), 200)["post_types"])
	require.NotContains(t, b.do("GET", "/app/watchlists/new?kind=people", "").raw, "seniority_levels")
}
