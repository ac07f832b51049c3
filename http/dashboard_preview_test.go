package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestDashboardPreview tries keywords on stored posts, before anything is saved.
func TestDashboardPreview(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Previews", "growth")
	p := m.join()
	list := m.collect(p, "telemetry", sample(1, "telemetry for <b>beginners</b>"), sample(2, "a job in telemetry"), sample(3, "telemetry and observability"))
	b := h.browser()
	b.signIn(m.email)
	send := func(path string, form url.Values) string {
		form.Set("token", b.token())
		page := b.send(path, form)
		require.Equal(t, 200, page.status, page.raw)
		return page.raw
	}
	kept := regexp.MustCompile(`<dt>Kept</dt><dd>(\d+)</dd></div><div><dt>Dropped</dt><dd>(\d+)</dd>`)
	form := url.Values{"kind": {"keyword"}, "keyword": {"telemetry"}, "required": {""}, "excluded": {"job"}}
	shown := send("/app/watchlists/preview", form)
	require.Equal(t, []string{"2", "1"}, kept.FindStringSubmatch(shown)[1:])
	require.Contains(t, shown, "<mark>telemetry</mark> for &lt;b&gt;")
	require.Contains(t, shown, "Would be dropped")
	require.Contains(t, shown, "without “job”")
	require.Equal(t, []string{"· has “job”"}, sampleReasons(shown))
	form.Set("do", "preview")
	require.Contains(t, send("/app/watchlists/new", form), "<dt>Kept</dt><dd>2</dd>", "without script")
	require.Contains(t, send("/app/watchlists/"+list, url.Values{"keyword": {"observability"}, "do": {"preview"}}), "of all watchlists")
	require.Contains(t, send("/app/watchlists/preview", url.Values{"kind": {"keyword"}}), "Type a keyword.")
	require.Contains(t, b.do("GET", "/app/watchlists/"+list, "").raw, "with it the 3 posts that it collected")
	require.Len(t, read[fields](m.call("GET", watchlists, ""), 200)["watchlists"].([]any), 1)
}

// sampleReasons are why the samples of a preview are dropped.
func sampleReasons(page string) (reasons []string) {
	for _, found := range regexp.MustCompile(`</time> <span class="soft">([^<]*)</span></span><p dir`).FindAllStringSubmatch(page, -1) {
		reasons = append(reasons, html.UnescapeString(found[1]))
	}
	return reasons
}

// TestDashboardTry makes calls of the API with the team's key, and none of others.
func TestDashboardTry(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Tryers", "growth")
	b := h.browser()
	b.signIn(m.email)
	send := func(method, path, body string) reply {
		return b.send("/app/try", url.Values{"token": {b.token()}, "method": {method}, "path": {path}, "body": {body}})
	}
	got := send("GET", "/api-team", "")
	require.Equal(t, 200, got.status)
	require.Contains(t, got.raw, "Tryers")
	require.NotContains(t, got.raw, m.key)
	require.Contains(t, send("POST", watchlists, `{"keywords":[]}`).raw, "400")
	for _, path := range []string{"/admin/teams", "//evil.example/api-team", "http://evil.example/api-team", "/app/team", "api-team", "/%zz"} {
		require.Equal(t, 422, send("GET", path, "").status, path)
	}
	require.NotContains(t, send("GET", "/api-../admin/teams", "").raw, `"teams"`)
	document(t)
	require.Contains(t, published.pages["/docs/posts"].raw, `<a href="/app/try?method=GET&amp;path=%2Fapi-posts">Try it`)
}

// TestDashboardTryIsTheMembers: the journal names who made a call on the page.
func TestDashboardTryIsTheMembers(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Actors", "growth")
	m.join()
	b := h.browser()
	b.signIn(m.email)
	for _, call := range []struct{ path, body string }{
		{"/network-agent/fetch-profile", `{"profile_slug":"of-the-page"}`},
		{"/network-agent/send-connection-request", `{"profile_urn":"urn:network:member:9","user_email":"` + m.email + `"}`},
	} {
		page := b.send("/app/try", url.Values{"token": {b.token()}, "method": {"POST"}, "path": {call.path}, "body": {call.body}})
		require.Contains(t, page.raw, "api_agent_task_id", call.path)
	}
	read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"of-the-key"}`), 200)
	entries := read[fields](m.call("GET", "/api-journal", ""), 200)["entries"].([]any)
	require.Len(t, entries, 3)
	for _, one := range entries {
		entry, want := one.(fields), []any{"member", m.member(m.email)}
		if entry["subject"] == "of-the-key" {
			want = []any{"key", ""}
		}
		require.Equal(t, want, []any{entry["asked_by"], entry["asked_by_id"]}, entry["subject"])
	}
}

// TestDashboardTryLinks: a link fills a call in from our own reference only, unless the
// call changes nothing; a member never sends a write that another person has typed.
func TestDashboardTryLinks(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Linked", "growth")
	b := h.browser()
	b.signIn(m.email)
	write := "/app/try?method=POST&path=/api-like&body=%7B%22post_id%22:%22x%22%7D"
	for _, page := range []string{"/docs", "/docs/engagement"} {
		own := b.do("GET", write, "", "Sec-Fetch-Site", "same-origin", "Referer", h.url+page).raw
		require.Contains(t, own, `value="/api-like"`)
		require.Contains(t, own, "post_id")
	}
	// After a foreign link the page loads itself again, to get its cookie: it comes from
	// its own origin then.
	for _, from := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "none"}, nil, {"Sec-Fetch-Site", "same-origin"},
		{"Referer", "https://evil.example/docs"}, {"Referer", "https://evil.example/?" + h.url + "/docs"}, {"Referer", h.url + ".evil.example/docs"}, {"Referer", h.url + "/docsx"},
		{"Sec-Fetch-Site", "same-origin", "Referer", h.url + write},
	} {
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			page := b.do("GET", strings.Replace(write, "POST", method, 1), "", from...).raw
			require.NotContains(t, page, `value="/api-like"`, from)
			require.NotContains(t, page, "post_id", from)
			require.Contains(t, page, `<option value="GET" selected>`, from)
		}
	}
	require.Contains(t, b.do("GET", "/app/try?method=GET&path=/api-team", "", "Sec-Fetch-Site", "cross-site").raw, `value="/api-team"`)
}

// TestDashboardSize keeps a first visit of the feed below 100 kB as it is sent: the
// page with 20 posts, and every file that it loads.
func TestDashboardSize(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Weights", "growth")
	p := m.join()
	posts := make([]protocol.Post, 20)
	for i := range posts {
		posts[i] = sample(i, fmt.Sprintf("Post %d about telemetry: what we measured in week %d, what it cost and what we would do differently the next time.", i, i*7%52))
	}
	m.collect(p, "telemetry", posts...)
	b := h.browser()
	b.signIn(m.email)
	packed := func(path string) (raw []byte, sent int) {
		request, err := http.NewRequest(http.MethodGet, h.url+path, nil)
		require.NoError(t, err)
		request.Header.Set("Accept-Encoding", "gzip")
		response, err := b.client.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		raw = body
		if response.Header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(bytes.NewReader(body))
			require.NoError(t, err)
			raw, err = io.ReadAll(unpacked)
			require.NoError(t, err)
		}
		return raw, len(body)
	}
	page, total := packed("/app")
	t.Logf("page: %d bytes", total)
	require.Equal(t, 20, bytes.Count(page, []byte("<article")))
	seen := map[string]bool{}
	for _, asset := range regexp.MustCompile(`/app/assets/[^"#]+`).FindAllString(string(page), -1) {
		if !seen[asset] {
			seen[asset] = true
			_, n := packed(asset)
			t.Logf("%s: %d bytes", asset, n)
			total += n
		}
	}
	t.Logf("first visit: %d bytes", total)
	require.Less(t, total, 100_000)
}
