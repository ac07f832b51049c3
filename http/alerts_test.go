package httpapi_test

import (
	"encoding/json"
	"html"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// alertFields read the alert of a target.
func alertFields(t *testing.T, target any) (of string, minimum float64) {
	t.Helper()
	alert := target.(fields)["alert"].(fields)
	return alert["of"].(string), alert["minimum"].(float64)
}

// TestAlertsOfTheAPI: a target takes and shows an alert, and keeps it when other fields
// change; an error names its field.
func TestAlertsOfTheAPI(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Alerted", "growth")
	const path = "/api-notifications"
	body := func(more string) string { return `{"type":"webhook","url":"https://hooks.example/x"` + more + `}` }
	for name, c := range map[string]struct {
		more, of string
		minimum  float64
	}{
		"absent":  {"", "none", 0},
		"null":    {`,"alert":null`, "none", 0},
		"none":    {`,"alert":{"of":"none","minimum":0}`, "none", 0},
		"usual":   {`,"alert":{"of":"spike"}`, "spike", 5},
		"minimum": {`,"alert":{"of":"negative_surge","minimum":20},"sentiments":["negative","neutral"]`, "negative_surge", 20},
	} {
		made := m.call("POST", path, body(c.more))
		keepsToTheDocument(t, "POST", path, made)
		target := read[fields](made, 200)
		of, minimum := alertFields(t, target)
		require.Equal(t, []any{c.of, c.minimum}, []any{of, minimum}, name)
		shown, err := json.Marshal(target["alert"])
		require.NoError(t, err)
		changed := m.call("PUT", path, `{"id":"`+target["id"].(string)+`","name":"Other","alert":`+string(shown)+`}`)
		keepsToTheDocument(t, "PUT", path, changed)
		of, minimum = alertFields(t, read[fields](changed, 200)["target"])
		require.Equal(t, []any{c.of, c.minimum}, []any{of, minimum}, "what is shown is taken: %s", name)
		of, _ = alertFields(t, read[fields](m.call("PUT", path, `{"id":"`+target["id"].(string)+`","max_per_hour":9}`), 200)["target"])
		require.Equal(t, c.of, of, name)
	}
	list := m.call("GET", path, "")
	keepsToTheDocument(t, "GET", path, list)
	for more, field := range map[string]string{
		`,"alert":7`: "alert", `,"alert":{"of":7}`: "alert", `,"alert":{"of":"spike","minimum":"5"}`: "alert", `,"alert":{"of":"spike","minimum":1.5}`: "alert",
		`,"alert":{}`: "alert.of", `,"alert":{"of":""}`: "alert.of", `,"alert":{"of":"Spike"}`: "alert.of",
		`,"alert":{"of":"spike","minimum":0}`: "alert.minimum", `,"alert":{"of":"spike","minimum":-1}`: "alert.minimum", `,"alert":{"of":"spike","minimum":100001}`: "alert.minimum",
		`,"alert":{"of":"spike"},"min_relevance":1`: "min_relevance", `,"alert":{"of":"spike"},"max_age_hours":1`: "max_age_hours",
		`,"alert":{"of":"negative_surge"},"sentiments":["positive"]`: "sentiments",
	} {
		require.Equal(t, "Invalid '"+field+"'", read[fields](m.call("POST", path, body(more)), 400)["error"], more)
	}
	require.Len(t, read[fields](m.call("GET", path, ""), 200)["targets"], 5, "nothing was made of them")
}

// TestAlertForm makes an alert by the form of the dashboard, which names the days for which it
// would have sent something.
func TestAlertForm(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Alerted", "ultimate")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	token := b.token()
	const page = "/app/notifications/new"
	send := func(form url.Values) reply {
		form.Set("token", token)
		form.Set("kind", "webhook")
		return b.send(page, form)
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	var posts []protocol.Post
	for day := range 60 { // one a day, and many on two days: good news, then bad
		n, content := 1, "telemetry again"
		switch day {
		case 3:
			n, content = 12, "telemetry is a terrible, awful failure and a horrible problem"
		case 20:
			n = 9
		}
		for range n {
			post := sample(len(posts), content)
			post.PostedAt = today.AddDate(0, 0, -day).Add(time.Minute)
			posts = append(posts, post)
		}
	}
	list := m.collect(p, "telemetry", posts...)
	told := func(form url.Values) string {
		form.Set("do", "try")
		form.Set("name", "Kept <i>")
		reply := send(form)
		require.Equal(t, 200, reply.status)
		require.Contains(t, reply.raw, "Kept &lt;i&gt;")
		require.Contains(t, reply.raw, `<option value="`+form.Get("alert.of")+`" selected>`)
		return html.UnescapeString(between(t, reply.raw, `id="tried" role="status" tabindex="-1" autofocus>`, "</p>"))
	}
	bad, good := today.AddDate(0, 0, -3).Format("2 January"), today.AddDate(0, 0, -20).Format("2 January")
	require.Equal(t, "In the last 90 days this would have told you 2 times: "+bad+", "+good+".", told(url.Values{"alert.of": {"spike"}, "alert.minimum": {"5"}}))
	require.Equal(t, "In the last 90 days this would have told you 1 time: "+bad+".", told(url.Values{"alert.of": {"spike"}, "alert.minimum": {"10"}, "of": {list}}))
	require.Equal(t, "In the last 90 days this would have told you 0 times.", told(url.Values{"alert.of": {"spike"}, "alert.minimum": {"5"}, "languages": {"German"}}))
	link := html.UnescapeString(between(t, b.do("GET", "/app/trends?list="+list, "").raw, `<a class="button small" href="/app/notifications/new?`, `"`))
	require.Equal(t, "alert=spike&list="+list, link)
	filled := b.do("GET", page+"?kind=webhook&"+link, "").raw
	require.Contains(t, filled, `<option value="spike" selected>`)
	require.Contains(t, filled, `<option value="`+list+`" selected>`)
	require.Contains(t, filled, `href="/app/notifications/new?kind=slack&amp;alert=spike&amp;list=`+list+`"`, "another kind keeps them")
	require.NotContains(t, b.do("GET", page+"?alert=calm", "").raw, "alert=calm")
	require.Equal(t, 422, send(url.Values{"do": {"try"}}).status, "no alert to try")
	require.Empty(t, read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"], "a trial stores nothing")

	for field, form := range map[string]url.Values{
		"alert.of": {"alert.of": {"calm"}}, "alert.minimum": {"alert.of": {"spike"}, "alert.minimum": {"many"}},
		"min_relevance": {"alert.of": {"spike"}, "min_relevance": {"6"}}, "max_age_hours": {"alert.of": {"spike"}, "max_age_hours": {"6"}},
		"sentiments": {"alert.of": {"negative_surge"}, "sentiments": {"positive"}},
	} {
		for _, do := range []string{"save", "try"} {
			form.Set("url", "https://hooks.example/x")
			form.Set("do", do)
			refused := send(form)
			require.Equal(t, 422, refused.status, field)
			require.Contains(t, refused.raw, `<li><a href="#`+field+`">`)
			require.Contains(t, refused.raw, `id="`+field+`"`)
		}
	}

	made := send(url.Values{"url": {"https://hooks.example/x"}, "alert.of": {"negative_surge"}, "alert.minimum": {"20"}})
	require.Equal(t, 200, made.status)
	target := read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"].([]any)[0]
	of, minimum := alertFields(t, target)
	require.Equal(t, []any{"negative_surge", 20.0}, []any{of, minimum})
	at := "/app/notifications/" + target.(fields)["id"].(string)
	shown := b.do("GET", at, "").raw
	require.Contains(t, shown, "Days with clearly more negative posts than usual, from 20 posts on, at most 60 messages an hour.")
	require.Contains(t, shown, `<option value="negative_surge" selected>`)
	require.Contains(t, shown, `name="alert.minimum" inputmode="numeric" value="20"`)
	require.Equal(t, 303, b.send(at, url.Values{"token": {token}, "do": {"save"}, "name": {"x"}, "url": {"https://hooks.example/x"}, "alert.of": {""}}).status)
	of, _ = alertFields(t, read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"].([]any)[0])
	require.Equal(t, "none", of)
}
