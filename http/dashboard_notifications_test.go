package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestDashboardNotifications makes each kind of target by forms, and sends, repeats,
// pauses and resumes.
func TestDashboardNotifications(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script>`
	var status atomic.Int32
	status.Store(200)
	bodies := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		w.Header().Set("X-Why", hostile)
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, hostile)
	}))
	t.Cleanup(hook.Close)
	h := build(t)
	m, other := h.team("Notified", "growth"), h.team("Others", "growth")
	theirs := read[fields](other.call("POST", "/api-notifications", `{"type":"slack","url":"https://hooks.example/theirs"}`), 200)["id"].(string)
	b := h.browser()
	b.signIn(m.email)
	token := b.token()
	const page = "/app/notifications"
	send := func(path string, form url.Values) reply {
		form.Set("token", token)
		return b.send(path, form)
	}
	made := func(form url.Values) string {
		got := send(page+"/new", form)
		require.Equal(t, 303, got.status, got.raw)
		return got.header.Get("Location")
	}
	fieldsOf := func(path string) fields {
		for _, one := range read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"].([]any) {
			if one := one.(fields); path == page+"/"+one["id"].(string) {
				return one
			}
		}
		t.Fatal("no target at " + path)
		return nil
	}
	require.Contains(t, b.do("GET", page, "").raw, "No target yet")
	require.Equal(t, 403, b.send(page+"/new", url.Values{"kind": {"slack"}, "url": {hook.URL}}).status, "without the form token")

	// Each kind.
	for _, kind := range watchpost.NotificationKinds() {
		if name := string(kind.Kind); !kind.Signs {
			require.Equal(t, name, fieldsOf(made(url.Values{"kind": {name}, "url": {hook.URL}, "bot_token": {"t"}, "chat_id": {"1"}, "user_emails": {m.email}, "name": {name + hostile}}))["type"])
		}
	}
	telegram := made(url.Values{"kind": {"telegram"}, "bot_token": {"1:secret-token"}, "chat_id": {"42"}})
	require.NotContains(t, b.do("GET", telegram, "").raw, "secret-token")
	mail := fieldsOf(made(url.Values{"kind": {"email"}, "user_emails": {m.email}, "batch_minutes": {"1440"}, "min_relevance": {"6.5"}, "sentiments": {"negative"},
		"labels": {"Pricing, News"}, "languages": {"English"}, "quiet_from": {"20:00"}, "quiet_until": {"08:00"}, "quiet_days": {"6", "0"}, "time_zone": {"Europe/Berlin"}, "max_per_hour": {"10"}}))
	require.Equal(t, []any{6.5, 1440.0, 10.0}, []any{mail["min_relevance"], mail["batch_minutes"], mail["max_per_hour"]})
	require.Equal(t, []any{[]any{"negative"}, []any{"Pricing", "News"}, []any{"en"}}, []any{mail["sentiments"], mail["labels"], mail["languages"]})
	require.Equal(t, fields{"days": []any{"sunday", "saturday"}, "from": "20:00", "until": "08:00", "time_zone": "Europe/Berlin"}, mail["quiet_hours"])
	once := send(page+"/new", url.Values{"kind": {"webhook"}, "url": {hook.URL + "/" + strings.Repeat("a", 5)}, "name": {"Deploy " + hostile}})
	require.Equal(t, 200, once.status)
	require.Contains(t, once.raw, "whsec_")
	target := page + "/" + between(t, once.raw, `action="`+page+`/`, `"`)
	require.NotContains(t, b.do("GET", target, "").raw, "whsec_", "the secret is shown once")

	// Typed text stays, and the error names its field.
	for field, form := range map[string]url.Values{
		"url": {"kind": {"slack"}, "url": {"gopher://x"}}, "chat_id": {"kind": {"telegram"}, "bot_token": {"x"}}, "bot_token": {"kind": {"telegram"}, "chat_id": {"x"}},
		"user_emails": {"kind": {"email"}}, "min_relevance": {"url": {hook.URL}, "min_relevance": {"11"}}, "languages": {"url": {hook.URL}, "languages": {"Klingon"}},
		"quiet_hours": {"url": {hook.URL}, "quiet_from": {"20:00"}}, "max_per_hour": {"url": {hook.URL}, "max_per_hour": {"many"}}, "of": {"url": {hook.URL}, "of": {"nothing"}},
		"authors": {"url": {hook.URL}, "authors": {"not an address!"}}, "max_age_hours": {"url": {hook.URL}, "max_age_hours": {"-2"}},
	} {
		form.Set("name", "Kept <i>")
		bad := send(page+"/new", form)
		require.Equal(t, 422, bad.status, field)
		require.Contains(t, bad.raw, `<li><a href="#`+field+`">`)
		require.Contains(t, bad.raw, `id="`+field+`"`)
		require.Contains(t, bad.raw, "Kept &lt;i&gt;")
	}

	// A test message, and one that fails.
	test := send(target, url.Values{"do": {"test"}})
	require.Equal(t, 303, test.status)
	require.Contains(t, receive(t, bodies), `"type":"test"`)
	require.Contains(t, b.do("GET", test.header.Get("Location"), "").raw, "The message was delivered.")
	status.Store(500)
	failed := b.do("GET", send(target, url.Values{"do": {"test"}}).header.Get("Location"), "").raw
	receive(t, bodies)
	status.Store(200)
	require.Contains(t, failed, "answered 500 Internal Server Error")
	require.NotContains(t, failed, "<script>")
	require.NotContains(t, failed, "alert(1)</script>")
	require.Contains(t, failed, "&lt;script&gt;")

	all := b.do("GET", page, "").raw
	require.Contains(t, all, "Latest deliveries")
	require.Contains(t, all, "answered 500 Internal Server Error")
	require.Equal(t, 2, strings.Count(all, `href="`+target+`#log"`))

	// It counts as failing until a message succeeds; a member's pause ends the alarm.
	const alert = `<span class="count alert">1<span class="sr"> failing</span></span>`
	require.Contains(t, all, "is failing since")
	require.Regexp(t, `The test message of \d\d:\d\d: answered 500 Internal Server Error`, all)
	require.Contains(t, b.do("GET", "/app", "").raw, alert, "on each page")
	require.NotNil(t, fieldsOf(target)["failing_since"])
	require.Equal(t, 303, send(target, url.Values{"do": {"pause"}}).status)
	require.NotContains(t, b.do("GET", page, "").raw, alert)
	require.Equal(t, 303, send(target, url.Values{"do": {"resume"}}).status)
	require.Contains(t, b.do("GET", page, "").raw, alert)
	require.Equal(t, 303, send(target, url.Values{"do": {"test"}}).status)
	receive(t, bodies)
	all = b.do("GET", page, "").raw
	require.NotContains(t, all, alert)
	require.NotContains(t, all, "failing since")
	require.Nil(t, fieldsOf(target)["failing_since"])

	// The form keeps untouched fields.
	before := fieldsOf(target)
	require.Equal(t, 303, send(target, url.Values{"do": {"save"}, "name": {"Deploy"}, "url": {hook.URL}, "max_per_hour": {"60"}, "batch_minutes": {"0"}}).status)
	after := fieldsOf(target)
	require.Equal(t, "Deploy", after["name"])
	for _, same := range []string{"quiet_hours", "batch_minutes", "max_per_hour", "watchlist_id", "createdAt", "type"} {
		require.Equal(t, before[same], after[same], same)
	}
	require.Equal(t, 422, send(target, url.Values{"do": {"save"}, "name": {" "}, "url": {hook.URL}}).status)

	// Pause and resume. The others go first, so that one server hears of one target.
	for _, one := range read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"].([]any) {
		if id := one.(fields)["id"].(string); page+"/"+id != target {
			require.Equal(t, 200, m.call("DELETE", "/api-notifications?id="+id, "").status)
		}
	}
	require.Len(t, read[fields](m.call("GET", "/api-notifications", ""), 200)["targets"], 1)
	require.Equal(t, 303, send(target, url.Values{"do": {"pause"}}).status)
	require.Contains(t, b.do("GET", page, "").raw, "Paused by a member")
	require.Equal(t, 303, send(target, url.Values{"do": {"resume"}}).status)
	require.Contains(t, b.do("GET", page, "").raw, "Ready")

	// A post arrives, and is sent again from the log.
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry of ours"))
	require.Contains(t, receive(t, bodies), "telemetry of ours")
	var log string
	require.Eventually(t, func() bool {
		log = b.do("GET", target, "").raw
		return strings.Contains(log, "Send again")
	}, 30*time.Second, 10*time.Millisecond)
	again := send(target, url.Values{"do": {"replay"}, "delivery": {between(t, log, `name="delivery" value="`, `"`)}})
	require.Equal(t, 303, again.status)
	require.Contains(t, receive(t, bodies), "telemetry of ours")
	require.Contains(t, b.do("GET", target, "").raw, "1 post, sent again")
	require.Contains(t, b.do("GET", page, "").raw, "Delivering")
	require.Equal(t, 404, send(target, url.Values{"do": {"replay"}, "delivery": {"nothing"}}).status)

	// A target that is gone is paused, and says why; a save resumes it.
	status.Store(410)
	m.collect(p, "turbine", sample(2, "turbine"))
	receive(t, bodies)
	require.Eventually(t, func() bool { return strings.Contains(b.do("GET", page, "").raw, "Paused after failures") }, 30*time.Second, 10*time.Millisecond)
	gone := b.do("GET", page, "").raw
	require.Contains(t, gone, "answered 410 Gone")
	require.Contains(t, gone, "failing since")
	status.Store(200)
	require.Equal(t, 303, send(target, url.Values{"do": {"resume"}}).status)
	require.NotContains(t, b.do("GET", page, "").raw, "Paused after failures")

	// Of another team.
	require.NotContains(t, b.do("GET", page, "").raw, "theirs")
	require.Equal(t, 404, b.do("GET", page+"/"+theirs, "").status)
	for _, do := range []string{"save", "test", "pause", "delete", "undo"} {
		require.Equal(t, 404, send(page+"/"+theirs, url.Values{"do": {do}}).status)
	}
}

// between returns the text between two others.
func between(t *testing.T, s, before, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(s, before)
	require.True(t, found, before)
	text, _, found := strings.Cut(rest, after)
	require.True(t, found, after)
	return text
}

// receive returns the next value of a channel.
func receive(t *testing.T, c <-chan string) string {
	t.Helper()
	select {
	case s := <-c:
		return s
	case <-time.After(30 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}
