package httpapi_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	inputTag    = regexp.MustCompile(`<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"`)
	textareaTag = regexp.MustCompile(`<textarea[^>]* name="([^"]*)"[^>]*>([^<]*)</textarea>`)
	selectTag   = regexp.MustCompile(`<select[^>]* name="([^"]*)"[^>]*>.*?<option value="([^"]*)" selected>`)
	chipTag     = regexp.MustCompile(`<input type="hidden" name="((?:any|with)\.[0-9.]+|not)" value="([^"]*)">`)
)

// sentFrom is what a browser sends of a page's form of a watchlist.
func sentFrom(page string) url.Values {
	form := url.Values{}
	for _, tag := range []*regexp.Regexp{inputTag, textareaTag, selectTag} {
		for _, m := range tag.FindAllStringSubmatch(page, -1) {
			form.Add(m[1], html.UnescapeString(m[2]))
		}
	}
	return form
}

// chipsOf are the chips of a page.
func chipsOf(page string) url.Values {
	chips := url.Values{}
	for _, m := range chipTag.FindAllStringSubmatch(page, -1) {
		chips.Add(m[1], html.UnescapeString(m[2]))
	}
	return chips
}

// TestDashboardSentence reads a sentence, changes its chips without a script, and saves.
func TestDashboardSentence(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "growth")
	m.join()
	b := h.browser()
	b.signIn(m.email)
	const path, sentence = "/app/watchlists/new", "People complaining about Salesforce pricing these days, in the UK, no consultants"
	page := b.send(path, url.Values{"token": {b.token()}, "kind": {"prompt"}, "prompt": {sentence}, "do": {"read"}}).raw
	press := func(do string, typed ...string) url.Values {
		t.Helper()
		form := sentFrom(page)
		form.Set("do", do)
		for i := 0; i < len(typed); i += 2 {
			form.Set(typed[i], typed[i+1])
		}
		got := b.send(path, form)
		require.Equal(t, 200, got.status, got.raw)
		page = got.raw
		return chipsOf(page)
	}
	require.Contains(t, page, `<b>Salesforce</b>`)
	require.Contains(t, page, `<u class="unused">these days<span class="sr"> (not used)</span></u>`)
	chips := chipsOf(page)
	require.Equal(t, []string{"Salesforce"}, chips["any.0"])
	require.Contains(t, chips["not"], "consultants")
	require.Contains(t, page, `<span class="sr">, added by Watchpost</span>`)
	require.NotContains(t, page, `<span class="sr">Change </span>Salesforce<span class="sr">, added by`)

	before := chips["with.0.0"]
	require.Equal(t, before[1:], press("take:with.0.0:" + before[0])["with.0.0"])
	press("edit:any.0:Salesforce")
	require.Contains(t, page, `name="word" value="Salesforce"`)
	require.Equal(t, []string{"Sales Cloud", "CRM: new"}, press("keep", "word", "Sales Cloud, CRM: new", "use", "any.0")["any.0"])
	press("edit:any.0:Sales Cloud")
	require.Equal(t, []string{"Cloud", "CRM: new"}, press("keep", "word", "Cloud")["any.0"], "a changed word keeps its place")
	press("edit:any.0:Cloud")
	press("keep", "word", "Sales Cloud")
	press("edit:any.0:CRM: new")
	moved := press("take:not:consultants", "use", "not")
	require.Equal(t, []string{"Sales Cloud"}, moved["any.0"])
	require.Contains(t, moved["not"], "CRM: new", "the word of the open editor is kept")
	require.NotContains(t, moved["not"], "consultants")
	press("edit:not:")
	require.Contains(t, press("keep", "word", "webinar")["not"], "webinar")
	require.NotContains(t, page, ">webinar<span class=\"sr\">, added by", "a member added it")
	lists := len(press("keep"))
	used := press("use:these days")
	require.Len(t, used, lists+1)
	require.Contains(t, page, "<b>pricing these days</b>")
	for _, bad := range []string{"take:with.9.9:x", "take:any.-1:x", "edit:nothing:x", "take:with.0.x:x", "edit:with.5.5:"} {
		require.Equal(t, used, press(bad), bad)
	}

	many := sentFrom(page)
	many["not"] = strings.Fields(strings.Repeat("a1 ", 5) + "b c d e f g h i j k l m n o p q r s t u v")
	many.Set("do", "save")
	refused := b.send(path, many)
	require.Equal(t, 422, refused.status)
	require.Contains(t, refused.raw, "At most 20 excluded keywords")

	form := sentFrom(page)
	form.Set("do", "save")
	form.Set("prompt", "typed, and not read")
	require.Equal(t, 303, b.send(path, form).status)
	id := read[fields](m.call("GET", watchlists, ""), 200)["watchlists"].([]any)[0].(fields)["id"].(string)
	show := func() fields { return read[fields](m.call("GET", watchlists+"?id="+id, ""), 200) }
	list := show()
	require.Equal(t, sentence, list["prompt"], list)
	keywords := list["keyword_tracking"].([]any)
	require.Greater(t, len(keywords), 1, "the product of the lists")
	for _, k := range keywords {
		require.Equal(t, "Sales Cloud", k.(fields)["keyword"])
		require.Contains(t, k.(fields)["required_keywords"], "these days")
	}

	// The sentence stays with the watchlist when its keywords change.
	edit := "/app/watchlists/" + id
	require.Contains(t, b.do("GET", edit, "").raw, `name="sentence" value="`+sentence+`"`)
	require.Equal(t, 303, b.send(edit, url.Values{"token": {b.token()}, "name": {"Changed"}, "keyword": {"CRM"}, "required": {""}, "excluded": {""}, "do": {"save"}}).status)
	changed := show()
	require.Equal(t, []any{"Changed", sentence}, []any{changed["name"], changed["prompt"]})
}

// TestDashboardShortSentence: a short sentence is read as keywords.
func TestDashboardShortSentence(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Short", "growth")
	b := h.browser()
	b.signIn(m.email)
	const path = "/app/watchlists/new"
	got := b.send(path, url.Values{"token": {b.token()}, "kind": {"prompt"}, "prompt": {"oil, gas tenders"}, "do": {"read"}})
	require.Equal(t, 200, got.status)
	require.Contains(t, got.raw, "Read as keywords.")
	require.Equal(t, url.Values{"any.0": {"oil", "gas tenders"}}, chipsOf(got.raw))
	form := sentFrom(got.raw)
	form.Set("do", "phrase")
	phrase := b.send(path, form)
	require.Equal(t, url.Values{"any.0": {"oil, gas tenders"}}, chipsOf(phrase.raw))
	form = sentFrom(phrase.raw)
	form.Set("do", "split")
	require.Equal(t, url.Values{"any.0": {"oil", "gas tenders"}}, chipsOf(b.send(path, form).raw))
	form.Set("do", "fields")
	require.Contains(t, b.send(path, form).raw, `name="keyword" value="oil, gas tenders"`)
	form.Set("do", "take:any.0:oil, gas tenders")
	none := b.send(path, form)
	require.Empty(t, chipsOf(none.raw))
	form = sentFrom(none.raw)
	form.Set("do", "save")
	empty := b.send(path, form)
	require.Equal(t, 422, empty.status)
	require.Contains(t, empty.raw, "Enter at least one keyword.")
	require.Equal(t, 422, m.call("POST", watchlists, `{"prompt":"oil, gas tenders","name":"Oil"}`).status, "the API refuses it")
}

// TestDashboardStoredSentence: the form of a stored watchlist shows its sentence and what it
// is understood as, as the form did that made it.
func TestDashboardStoredSentence(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Stored", "growth")
	b := h.browser()
	b.signIn(m.email)
	const path, sentence = "/app/watchlists/new", "People complaining about Salesforce pricing these days, in the UK or Ireland, no consultants"
	page := b.send(path, url.Values{"token": {b.token()}, "kind": {"prompt"}, "prompt": {sentence}, "do": {"read"}}).raw
	made := chipsOf(page)
	form := sentFrom(page)
	form.Set("do", "save")
	require.Equal(t, 303, b.send(path, form).status)
	id := read[fields](m.call("GET", watchlists, ""), 200)["watchlists"].([]any)[0].(fields)["id"].(string)
	show := func() fields { return read[fields](m.call("GET", watchlists+"?id="+id, ""), 200) }
	edit, before := "/app/watchlists/"+id, show()

	page = b.do("GET", edit, "").raw
	require.Equal(t, made, chipsOf(page))
	require.Contains(t, page, "<b>Salesforce</b>")
	require.Contains(t, page, `<u class="unused">these days<span class="sr"> (not used)</span></u>`)
	require.NotContains(t, page, ", added by Watchpost", "members have seen them")
	require.NotContains(t, page, `name="keyword"`)

	// Saved as it is, nothing but the name changes.
	form = sentFrom(page)
	form.Set("do", "save")
	form.Set("name", "Renamed")
	require.Equal(t, 303, b.send(edit, form).status)
	after := show()
	require.Equal(t, "Renamed", after["name"])
	require.Equal(t, []any{before["keyword_tracking"], before["objective"], sentence}, []any{after["keyword_tracking"], after["objective"], after["prompt"]})

	// A word is taken out and another one added, without a script.
	press := func(do string, typed ...string) url.Values {
		t.Helper()
		form := sentFrom(page)
		form.Set("do", do)
		for i := 0; i < len(typed); i += 2 {
			form.Set(typed[i], typed[i+1])
		}
		got := b.send(edit, form)
		require.Equal(t, 200, got.status, got.raw)
		page = got.raw
		return chipsOf(page)
	}
	page = b.do("GET", edit, "").raw
	require.NotContains(t, press("take:not:consultants")["not"], "consultants")
	press("edit:not:")
	require.Contains(t, press("keep", "word", "webinar")["not"], "webinar")
	require.Equal(t, before["keyword_tracking"], show()["keyword_tracking"], "nothing is saved yet")
	form = sentFrom(page)
	form.Set("do", "save")
	form.Set("objective", "Win them over")
	require.Equal(t, 303, b.send(edit, form).status)
	after = show()
	require.Equal(t, []any{"Win them over", sentence}, []any{after["objective"], after["prompt"]})
	for _, k := range after["keyword_tracking"].([]any) {
		require.Contains(t, k.(fields)["exclude_keywords"], "webinar")
		require.NotContains(t, k.(fields)["exclude_keywords"], "consultants")
	}

	// One that the API made keeps its entries, too.
	cut := read[fields](m.call("POST", watchlists, `{"prompt":"Complaints about prices of cloud software in the UK or Ireland or Wales","name":"Cut"}`), 200)["id"].(string)
	entries := func() any {
		return read[fields](m.call("GET", watchlists+"?id="+cut, ""), 200)["keyword_tracking"]
	}
	stored := entries()
	form = sentFrom(b.do("GET", "/app/watchlists/"+cut, "").raw)
	form.Set("do", "save")
	form.Set("name", "Renamed as well")
	require.Equal(t, 303, b.send("/app/watchlists/"+cut, form).status)
	require.Equal(t, stored, entries())

	// The keywords are fields where that is asked for.
	page = b.do("GET", edit, "").raw
	press("fields")
	require.Contains(t, page, `name="keyword" value="Salesforce"`)
	form = sentFrom(page)
	form.Set("do", "save")
	require.Equal(t, 303, b.send(edit, form).status)
	require.Equal(t, sentence, show()["prompt"])
}
