package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// largestPage bounds the reply to any address of the dashboard.
const largestPage = 1 << 20

// manyValues returns comma-separated values, all different, of about the given number of
// bytes.
func manyValues(size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "v%d,", n)
	}
	return b.String()
}

// TestManyFilters: an address that is as long as the service reads does not become a page
// of many times its length, whatever filters are in it, and the API takes no more values.
func TestManyFilters(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Filters", "ultimate")
	m.collect(m.join(), "telemetry", sample(1, "telemetry one"))
	b := h.browser()
	b.signIn(m.email)
	const long = 24_000
	words := strings.TrimSuffix(strings.Repeat("word ", 390), " ")
	for _, address := range []string{
		"/app?labels=" + manyValues(long),
		"/app?people_slug=" + manyValues(long),
		"/app?labels=" + strings.Repeat("l&labels=", long/len("l&labels=")),
		"/app?labels=" + manyValues(900) + "&people_slug=" + manyValues(900) + "&company_slug=" + manyValues(900),
		"/app?search_term=" + url.QueryEscape(words) + "&keyword=" + url.QueryEscape(words) + "&network_post_slug=" + strings.Repeat("x", 1900),
		"/app?search_term=" + url.QueryEscape(strings.Repeat("語", 1990)),
		"/app/acting?back=" + url.QueryEscape("/app?labels="+manyValues(long/2)),
		"/app/fresh?known=0&labels=" + manyValues(long),
		"/app/journal?rule=" + strings.Repeat("x", long),
		"/app/journal?action=" + strings.Repeat("x", long),
		"/app/tasks?x=" + strings.Repeat("x", long),
		"/app/try?path=" + strings.Repeat("x", long),
		"/app/rules/new?watchlist_id=" + strings.Repeat("x", long),
		"/app/sign-in/link?link=" + strings.Repeat("x", long),
	} {
		page := b.do("GET", address, "")
		require.Less(t, len(page.raw), largestPage, address[:40])
		require.Equal(t, 400, page.status, address[:40])
		require.Regexp(t, "too long|filters|at most 200", page.raw, address[:40])
	}
	// As many as people choose are no fault.
	page := b.do("GET", "/app?labels="+manyValues(600), "")
	require.Equal(t, 200, page.status)
	require.Less(t, len(page.raw), largestPage)

	for _, name := range []string{"labels", "people_slug", "company_slug", "watchlist_id", "lang", "post_type"} {
		m.call("GET", "/api-posts?"+name+"="+strings.Repeat("en,", 201), "").fails(400, "Too many values for '"+name+"', at most 200")
	}
	m.call("GET", "/api-posts?labels="+strings.Repeat("&labels[]=x", 201), "").fails(400, "Too many values for 'labels', at most 200")
	list := read[fields](m.call("GET", watchlists, ""), 200)["watchlists"].([]any)[0].(fields)["id"].(string)
	m.call("POST", "/api-interactions", `{"watchlist_id":"`+list+`","actor_ids":"`+manyValues(long)+`"}`).fails(400, "Too many values for 'actor_ids', at most 200")
	m.call("GET", "/api-interactions?watchlist_id="+list+"&actor_ids="+manyValues(long), "").fails(400, "Too many values for 'actor_ids', at most 200")
	read[fields](m.call("GET", "/api-posts?labels="+strings.Repeat("l,", 200), ""), 200)
	// A page of tasks has room for fewer.
	for _, ids := range []string{"ids=" + strings.Repeat("x,", 101), strings.Repeat("ids=x&", 101), strings.Repeat("ids[]=x&", 101)} {
		m.call("GET", "/api-tasks?"+ids, "").fails(400, "Too many values for 'ids', at most 100")
	}
	require.Equal(t, 0.0, read[fields](m.call("GET", "/api-tasks?ids="+strings.Repeat("x,", 100), ""), 200)["count"])
}

// compressedSize returns how long a page is on the way to the browser.
func (b *browser) compressedSize(address string) (size int, page string) {
	b.t.Helper()
	got := b.do("GET", address, "", "Accept-Encoding", "gzip")
	require.Equal(b.t, 200, got.status)
	require.Equal(b.t, "gzip", got.header.Get("Content-Encoding"))
	plain, err := gzip.NewReader(bytes.NewReader([]byte(got.raw)))
	require.NoError(b.t, err)
	text, err := io.ReadAll(plain)
	require.NoError(b.t, err)
	return len(got.raw), string(text)
}

// TestFormTokenIsNotGuessedBySize: an address can put a guess of the form token into a
// compressed page. The page is no shorter when the guess is right: its token is another
// one each time, and each of them is good.
func TestFormTokenIsNotGuessedBySize(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Guessed", "growth")
	b := h.browser()
	b.signIn(m.email)
	_, page := b.compressedSize("/app")
	token := formToken.FindStringSubmatch(page)[1]
	for _, path := range []string{"/app", "/app/people", "/app/trends", "/app/watchlists", "/app/tasks", "/app/journal", "/app/rules", "/app/team", "/app/keys", "/app/notifications/new?kind=slack"} {
		size, page := b.compressedSize(path)
		require.Positive(t, size)
		tokens := formToken.FindAllStringSubmatch(page, -1)
		require.NotEmpty(t, tokens, path)
		for _, other := range tokens {
			require.NotEqual(t, token, other[1], path)
			require.Equal(t, tokens[0], other, "a page compresses as well as before")
		}
	}
	guess := func(text string) int {
		size, _ := b.compressedSize("/app?search_term=" + text)
		return size
	}
	const saved = 20 // bytes that a right guess saves at least, beyond what chance does
	wrong := strings.NewReplacer("A", "B", "b", "a", "c", "d", "E", "F", "g", "h", "I", "J", "k", "l", "M", "N", "o", "p", "Q", "R", "s", "t", "U", "V", "w", "x", "Y", "Z", "0", "1", "2", "3", "4", "5").Replace(token)
	require.InDelta(t, guess(wrong), guess(token), saved)

	require.Equal(t, 303, b.send("/app/sign-out", url.Values{"token": {token}}).status, "a page that was read before is still good")
	other := h.browser()
	other.follow(m)
	require.Equal(t, 403, other.send("/app/sign-out", url.Values{"token": {token}}).status, "of another session")
}
