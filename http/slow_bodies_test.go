package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
)

// open sends the head of a request, and the beginning of its body, over a connection of
// its own.
func (h *testServer) open(head, body string) net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, head+"\r\nHost: x\r\n\r\n"+body)
	require.NoError(h.t, err)
	return conn
}

// statusOf reads the reply to a request sent by open.
func statusOf(t *testing.T, conn net.Conn) int {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// TestSlowBodiesTakeNoPlace: requests whose bodies do not arrive keep no other request
// out, neither of other teams nor of their own.
func TestSlowBodiesTakeNoPlace(t *testing.T) {
	t.Parallel()
	h := build(t)
	other := h.team("Other", "growth")
	var last team
	for i := range 4 {
		last = h.team(fmt.Sprintf("Slow %c", 'a'+i), "free")
		for range 256 {
			h.open("POST "+watchlists+" HTTP/1.1\r\nX-Api-Key: "+last.key+"\r\nContent-Length: 20", "{")
		}
	}
	for range 5 {
		require.Equal(t, 200, other.call("GET", watchlists, "").status)
		require.Equal(t, 400, other.call("POST", watchlists, "{}").status)
		require.Equal(t, 200, last.call("GET", watchlists, "").status)
	}
}

// TestBodiesHaveADeadline: a body that does not arrive in time is refused, and its
// connection ends.
func TestBodiesHaveADeadline(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.Timing.Body = 50 * time.Millisecond })
	team := h.team("Slow", "free")
	for _, head := range []string{
		"POST " + watchlists + " HTTP/1.1\r\nX-Api-Key: " + team.key,
		"POST /network-agent/auth-send-otp HTTP/1.1",
		"POST /extension/poll HTTP/1.1\r\nAuthorization: Bearer x",
	} {
		conn := h.open(head+"\r\nContent-Length: 20", "{")
		require.Equal(t, 400, statusOf(t, conn), head)
		_, err := conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, head)
	}
}

// TestClaimedBodiesTakeNoMemory: a body takes the memory that has arrived, not what its
// length claims.
func TestClaimedBodiesTakeNoMemory(t *testing.T) {
	h := build(t)
	team := h.team("Claims", "free")
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	const many = 400
	for range many {
		h.open("POST "+watchlists+" HTTP/1.1\r\nX-Api-Key: "+team.key+"\r\nContent-Length: 1000000", "{")
	}
	require.Equal(t, 200, team.call("GET", watchlists, "").status)
	require.Less(t, heap()-min(before, heap()), uint64(many*100_000))
}

// TestBodiesOfStrangersAreSmall: a caller without credentials may send as much as a
// sign-in needs, and no more.
func TestBodiesOfStrangersAreSmall(t *testing.T) {
	t.Parallel()
	h := build(t)
	team := h.team("Known", "growth")
	large := `{"email":"` + strings.Repeat("a", 20_000) + `"}`
	for path, headers := range map[string][]string{
		"/network-agent/auth-send-otp":   nil,
		"/network-agent/auth-verify-otp": nil,
		"/extension/sign-in":             nil,
		"/extension/poll":                {"Authorization", "Bearer x"},
	} {
		h.do("POST", path, large, headers...).fails(413, "Request body too large")
	}
	require.Equal(t, 413, h.do("POST", "/app/sign-in", large, "Content-Type", "application/x-www-form-urlencoded").status)
	require.Equal(t, 400, team.call("POST", watchlists, large).status)
	require.Equal(t, 409, h.do("POST", "/extension/poll", large, "Authorization", "Bearer "+team.token()).status)
}

// TestBodiesInFlightAreBounded: a team that sends more than its share of memory at a
// time gets the text of an overload, and others are served.
func TestBodiesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	h := build(t)
	team, other := h.team("Large", "growth"), h.team("Other", "growth")
	const head = "POST " + watchlists + " HTTP/1.1\r\nX-Api-Key: "
	body := strings.Repeat(" ", 900_000)
	var conns []net.Conn
	for range 8 {
		conns = append(conns, h.open(head+team.key+"\r\nContent-Length: 1000000", body))
	}
	refused := make(chan int, len(conns))
	for _, conn := range conns {
		go func() {
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return // the end of the test
			}
			_ = response.Body.Close()
			refused <- response.StatusCode
		}()
	}
	for range 4 { // each holds a mebibyte of the team's four
		require.Equal(t, 500, <-refused)
	}
	require.Equal(t, 400, other.call("POST", watchlists, body).status)
	require.Equal(t, 200, team.call("GET", watchlists, "").status)
}

// deadlines records the write deadlines that a handler sets on its connection.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

// SetWriteDeadline is what http.ResponseController looks for.
func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// TestOperatorsHaveTime: the bound of the server for slow readers does not cut an
// operator's export or backup short; strangers and teams stay within it.
func TestOperatorsHaveTime(t *testing.T) {
	t.Parallel()
	h := build(t)
	team := h.team("Long", "free")
	ask := func(path string, headers ...string) []time.Time {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest("GET", path, http.NoBody)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		h.server.Handler().ServeHTTP(w, r)
		require.Equal(t, 200, w.Code, path)
		return w.set
	}
	set := ask("/admin/teams/"+team.id+"/export", "Authorization", "Bearer "+adminToken)
	require.Len(t, set, 1)
	require.Greater(t, time.Until(set[0]), 10*time.Minute)
	require.Empty(t, ask("/docs/posts"))
	require.Empty(t, ask(watchlists, "X-Api-Key", team.key))
}

// TestSlowReadersOfTheFeed: each part of the feed as a table moves the bound of the server,
// as exports of the API do, so that a slow reader gets all of it.
func TestSlowReadersOfTheFeed(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Slow", "ultimate")
	posts := make([]protocol.Post, 40)
	for i := range posts {
		posts[i] = sample(i, "telemetry "+strings.Repeat("and more ", 500))
	}
	m.collect(m.join(), "telemetry", posts...)
	b := h.browser()
	b.signIn(m.email)
	address, err := url.Parse(h.url)
	require.NoError(t, err)
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest("GET", "/app/posts.csv", http.NoBody)
	for _, c := range b.client.Jar.Cookies(address) {
		r.AddCookie(c)
	}
	h.server.Handler().ServeHTTP(w, r)
	require.Equal(t, 200, w.Code)
	require.Equal(t, len(posts)+1, strings.Count(w.Body.String(), "\n"))
	require.Greater(t, len(w.set), 1, "of %d bytes", w.Body.Len())
}

// TestUnreadBodiesHaveADeadline: the end of a body that no handler reads is not waited for
// longer than that of another.
func TestUnreadBodiesHaveADeadline(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.Timing.Body = 50 * time.Millisecond })
	for _, path := range []string{"/healthz", "/app/sign-in", "/nowhere"} {
		conn := h.open("GET "+path+" HTTP/1.1\r\nContent-Length: 20", "{")
		in := bufio.NewReader(conn)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
		response, err := http.ReadResponse(in, nil)
		require.NoError(t, err, path)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		_, err = in.ReadByte()
		require.ErrorIs(t, err, io.EOF, path)
	}
}
