package httpapi_test

import (
	"bytes"
	"crypto/tls"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	httpapi "watchpost/http"
)

// stalled is an HTTP/2 connection whose client takes no byte of any reply: it grants the
// server no window.
type stalled struct {
	t      *testing.T
	conn   *tls.Conn
	framer *http2.Framer
	next   uint32
}

// overHTTP2 serves the house with TLS and returns a way to open such connections.
func (h *testServer) overHTTP2(t *testing.T) (open func() *stalled) {
	server := httptest.NewUnstartedServer(h.server.Handler())
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return func() *stalled {
		conn, err := tls.Dial("tcp", server.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = conn.Write([]byte(http2.ClientPreface))
		require.NoError(t, err)
		s := &stalled{t: t, conn: conn, framer: http2.NewFramer(conn, conn), next: 1}
		s.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		require.NoError(t, s.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
		return s
	}
}

// get sends requests of a path, and returns the statuses of their replies.
func (s *stalled) get(n int, path string, headers ...string) (statuses map[string]int) {
	s.t.Helper()
	return s.send(n, "GET", path, "", headers...)
}

func (s *stalled) send(n int, method, path, body string, headers ...string) (statuses map[string]int) {
	s.t.Helper()
	for range n {
		var block bytes.Buffer
		encoder := hpack.NewEncoder(&block)
		all := append([]string{":method", method, ":scheme", "https", ":authority", "x", ":path", path}, headers...)
		for i := 0; i < len(all); i += 2 {
			require.NoError(s.t, encoder.WriteField(hpack.HeaderField{Name: all[i], Value: all[i+1]}))
		}
		require.NoError(s.t, s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: s.next, BlockFragment: block.Bytes(), EndStream: body == "", EndHeaders: true}))
		if body != "" {
			require.NoError(s.t, s.framer.WriteData(s.next, true, []byte(body)))
		}
		s.next += 2
	}
	statuses = map[string]int{}
	require.NoError(s.t, s.conn.SetReadDeadline(time.Now().Add(patience)))
	for range n {
		for {
			frame, err := s.framer.ReadFrame()
			require.NoError(s.t, err)
			if headers, is := frame.(*http2.MetaHeadersFrame); is {
				statuses[headers.PseudoValue("status")]++
				break
			}
		}
	}
	return statuses
}

// TestStalledReadersAreBounded: strangers who do not read the replies to their requests
// hold little memory, and no place of others.
func TestStalledReadersAreBounded(t *testing.T) {
	h := build(t, func(o *httpapi.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	open := h.overHTTP2(t)
	m := h.team("Reading", "growth")
	from := func(client string) []string { return []string{"x-forwarded-for", client, "accept-encoding", "gzip"} }
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for _, client := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"} {
		require.Equal(t, map[string]int{"200": 128, "500": 22}, open().get(150, "/openapi.json", from(client)...))
	}
	require.Less(t, heap()-before, uint64(150<<20))
	require.Equal(t, map[string]int{"500": 1}, open().get(1, "/openapi.json", from("192.0.2.1")...))
	require.Equal(t, map[string]int{"200": 1}, open().get(1, "/openapi.json", from("192.0.2.9")...))
	require.Equal(t, map[string]int{"200": 1}, open().get(1, "/readyz"), "the proxy itself")
	require.Equal(t, map[string]int{"200": 1}, open().get(1, "/api-team", append(from("192.0.2.1"), "x-api-key", m.key)...))
	plain := h.do("GET", "/openapi.json", "", "X-Forwarded-For", "192.0.2.9", "Accept-Encoding", "gzip")
	require.Equal(t, 200, plain.status)
	require.Empty(t, plain.header.Get("Content-Encoding"), "all compressors are in use")
}

// TestStalledPagesTakeTheTeamsPlaces: unread pages of the dashboard are bounded like a
// team's other requests.
func TestStalledPagesTakeTheTeamsPlaces(t *testing.T) {
	t.Parallel()
	h := build(t)
	open := h.overHTTP2(t)
	m, other := h.team("Stalling", "growth"), h.team("Other", "growth")
	cookie := func(m team) string {
		b := h.browser()
		b.signIn(m.email)
		at, err := url.Parse(h.url)
		require.NoError(t, err)
		for _, c := range b.client.Jar.Cookies(at) {
			if c.Name == "watchpost" {
				return "__Host-watchpost=" + c.Value
			}
		}
		t.Fatal("no session")
		return ""
	}
	own, theirs := cookie(m), cookie(other)
	statuses := map[string]int{}
	for range 2 {
		for status, n := range open().get(150, "/app/team", "cookie", own) {
			statuses[status] += n
		}
	}
	require.Equal(t, map[string]int{"200": 256, "500": 44}, statuses)
	require.Equal(t, map[string]int{"200": 1}, open().get(1, "/app/team", "cookie", theirs))
}

// TestStalledPollsAreBounded: polls with unread replies are bounded for each team,
// and for strangers like their other requests.
func TestStalledPollsAreBounded(t *testing.T) {
	t.Parallel()
	h := build(t)
	open := h.overHTTP2(t)
	m := h.team("Polling", "growth")
	poll := func(token string) map[string]int {
		statuses := map[string]int{}
		for range 2 {
			for status, n := range open().send(150, "POST", "/extension/poll", `{"messages":[]}`, "authorization", "Bearer "+token) {
				statuses[status] += n
			}
		}
		return statuses
	}
	require.Equal(t, map[string]int{"409": 200, "503": 100}, poll(m.token()))
	require.Equal(t, map[string]int{"409": 128, "503": 172}, poll("nobody's"))
	require.Equal(t, map[string]int{"409": 200, "503": 100}, poll(h.team("Other", "growth").token()))
}
