package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestLargeRepliesAreCompressed: a client that asks for it gets gzip; another
// gets the same bytes plain; one that has the reply gets 304.
func TestLargeRepliesAreCompressed(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Large", "growth")
	p := m.join()
	var posts []protocol.Post
	for i := range 20 {
		posts = append(posts, sample(i, "Telemetry: all about telemetry"))
	}
	m.collect(p, "telemetry", posts...)
	for _, path := range []string{"/api-posts", "/openapi.json", "/docs", "/docs/posts"} {
		plain := m.call("GET", path, "", "Accept-Encoding", "identity")
		require.Equal(t, 200, plain.status, path)
		require.Empty(t, plain.header.Get("Content-Encoding"), path)
		require.Equal(t, "Accept-Encoding", plain.header.Get("Vary"), path)
		small := m.call("GET", path, "", "Accept-Encoding", "gzip")
		require.Equal(t, "gzip", small.header.Get("Content-Encoding"), path)
		require.Less(t, 2*len(small.raw), len(plain.raw), path)
		reader, err := gzip.NewReader(bytes.NewReader([]byte(small.raw)))
		require.NoError(t, err)
		unpacked, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.Equal(t, plain.raw, string(unpacked), path)
		require.Equal(t, plain.header.Get("Content-Type"), small.header.Get("Content-Type"), path)

		tag := plain.header.Get("ETag")
		require.Regexp(t, `^W/"[0-9a-f]+"$`, tag, path)
		require.Equal(t, tag, small.header.Get("ETag"), path)
		for _, known := range []string{tag, `"x", ` + tag, strings.TrimPrefix(tag, "W/")} {
			for _, encoding := range []string{"gzip", "identity"} {
				same := m.call("GET", path, "", "If-None-Match", known, "Accept-Encoding", encoding)
				require.Equal(t, 304, same.status, path)
				require.Empty(t, same.raw, path)
				require.Equal(t, tag, same.header.Get("ETag"), path)
			}
		}
		require.Equal(t, 200, m.call("GET", path, "", "If-None-Match", `"x"`).status, path)
	}
	before := m.call("GET", "/api-posts", "").header.Get("ETag")
	m.collect(p, "telemetry and more", sample(99, "Telemetry and more"))
	require.NotEqual(t, before, m.call("GET", "/api-posts", "").header.Get("ETag"))
	require.Equal(t, "no-store", m.call("GET", "/api-posts", "").header.Get("Cache-Control"))
	require.Equal(t, "no-cache", h.do("GET", "/openapi.json", "").header.Get("Cache-Control"))
	require.Empty(t, m.call("GET", "/api-team", "", "Accept-Encoding", "gzip").header.Get("Content-Encoding"))
}

// TestTextsAreBounded: a text over its bound is refused with the name of its
// field, never as a body that is too large: 1 MiB, 16 KiB for a sign-in.
func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Bounded", "growth")
	m.join()
	long := strings.Repeat("x", 900_000)
	for _, c := range []struct{ method, path, body, text string }{
		{"POST", watchlists, `{"keywords":["a"],"description":"` + long + `"}`, "Invalid 'description'"},
		{"POST", watchlists, `{"keywords":["a"],"slack_webhook_url":"https://x.example/` + long + `"}`, "Invalid 'slack_webhook_url'"},
		{"POST", watchlists, `{"keywords":["a"],"labels":[{"name":"a","description":"` + long + `"}]}`, "Invalid 'labels'"},
		{"PUT", watchlists, `{"id":"x","objective":"` + long + `"}`, "Invalid 'objective'"},
		{"PUT", watchlists, `{"id":"x","slack_webhook_url":"https://x.example/` + long + `"}`, "Invalid 'slack_webhook_url'"},
		{"POST", "/api-people-watchlist", `{"profiles":["a"],"list_id":"` + long + `"}`, "Invalid 'list_id'"},
		{"POST", "/api-like", `{"post_id":"` + long + `","user_email":"a@example.com"}`, "Invalid 'post_id'"},
		{"POST", "/api-like", `{"post_id":"x","user_email":"a@example.com","company_title":"` + long + `"}`, "Invalid 'company_title'"},
		{"POST", "/network-agent/fetch-profile", `{"profile_slug":"` + long + `"}`, "Missing or invalid 'profile_slug'"},
		{"POST", "/network-agent/search-profiles", `{"title":"` + long + `"}`, "Invalid 'title'"},
		{"POST", "/network-agent/search-profiles", `{"geo_urn":["a","` + long + `"]}`, "Invalid 'geo_urn'"},
		{"POST", "/network-agent/fetch-connections", `{"keyword":"` + long + `"}`, "Invalid 'keyword'"},
		{"POST", "/network-agent/auth-send-otp", `{"email":"a@example.com","full_name":"` + long[:15_000] + `"}`, "Invalid 'full_name'"},
		{"GET", "/api-posts?search_term=" + long[:2001], "", "Invalid 'search_term'"},
		{"GET", "/api-posts?people_slug=a," + long[:2001], "", "Invalid 'people_slug'"},
	} {
		m.call(c.method, c.path, c.body).fails(400, c.text)
	}
	require.Equal(t, 200, m.call("POST", watchlists, `{"keywords":["a"],"description":"`+strings.Repeat("é", 2000)+`"}`).status)
}
