package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestKeyEndsItsExport: the reply is cut off before its end when its key is deleted or has
// expired, and goes on when another one is renamed. What else the team holds still hears of
// changes.
func TestKeyEndsItsExport(t *testing.T) {
	t.Parallel()
	clock := watchpost.NewSettableClock(0, nil, nil)
	t.Cleanup(clock.Close)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	m := h.team("Exporting", "ultimate")
	p := m.join()
	const lists, each = 16, 8 // of 60 KiB: more than the buffers of a connection hold
	for i := range lists {
		var posts []protocol.Post
		for j := range each {
			posts = append(posts, sample(i*each+j, fmt.Sprintf("word%d ", i)+strings.Repeat("export ", 60<<10/7)))
		}
		m.collect(p, fmt.Sprintf("word%d", i), posts...)
	}
	expiring, _ := m.scopedKey("read", `"expires_at":"`+clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"`)
	expired, held := m.exports(t, expiring), m.follow(t, m.key)
	h.following(1)
	require.NoError(t, clock.Advance(time.Hour))
	_, err := io.ReadAll(expired)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	began := time.Now()
	rotated := read[fields](h.admin("POST", "/admin/teams/"+m.id+"/rotate-key", ""), 200)["api_key"].(string)
	held.ends(began)

	m.key = rotated
	key, id := m.scopedKey("read")
	_, renamed := m.scopedKey("read")
	cut, whole := m.exports(t, key), m.exports(t, m.key)
	read[fields](m.call("DELETE", keysPath+"?id="+id, ""), 200)
	read[fields](m.call("PUT", keysPath, `{"id":"`+renamed+`","name":"Renamed"}`), 200)
	_, err = io.ReadAll(cut)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	rest, err := io.ReadAll(whole)
	require.NoError(t, err)
	require.Equal(t, lists*each, strings.Count(string(rest), "\n"))
}

// exports begins to read the posts of a team through a small buffer.
func (m team) exports(t *testing.T, key string) io.Reader {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 64<<10) })
		if err == nil {
			err = failed
		}
		return err
	}}
	transport := m.client.Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, address)
	}
	t.Cleanup(transport.CloseIdleConnections)
	request, err := http.NewRequestWithContext(t.Context(), "GET", m.url+"/api-posts/export?format=jsonl", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("X-Api-Key", key)
	response, err := (&http.Client{Transport: transport}).Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, 200, response.StatusCode)
	return response.Body
}
