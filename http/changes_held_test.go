package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/testclock"
	"watchpost/watchpost"
)

const changesPath = "/api-changes"

// soon bounds what a signal ends. A stream without one ends with its next comment, and a
// request that waits with its time: both are longer.
const soon = 8 * time.Second

// stream is a held reply with server-sent events.
type stream struct {
	t     *testing.T
	lines *bufio.Reader
}

// follow opens a stream of changes with a key, and reads its first event.
func (m team) follow(t *testing.T, key string) stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, "GET", m.url+changesPath, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("X-Api-Key", key)
	request.Header.Set("Accept", "text/event-stream")
	response, err := m.client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, 200, response.StatusCode)
	s := stream{t, bufio.NewReader(response.Body)}
	s.hears("id: ")
	return s
}

// hears reads until a line begins so.
func (s stream) hears(begin string) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		require.NoError(s.t, err)
		if strings.HasPrefix(line, begin) {
			return
		}
	}
}

// ends reads the rest, which has no change.
func (s stream) ends(since time.Time) {
	s.t.Helper()
	rest, err := io.ReadAll(s.lines)
	require.NoError(s.t, err)
	require.NotContains(s.t, string(rest), "event: change")
	require.Less(s.t, time.Since(since), soon)
}

// refusedSoon checks that a request that waits is refused before its time.
func refusedSoon(t *testing.T, since time.Time, replies <-chan reply, status int, text string) {
	t.Helper()
	select {
	case r := <-replies:
		r.fails(status, text)
		require.Less(t, time.Since(since), soon)
	case <-time.After(patience):
		t.Fatal("no reply")
	}
}

// following returns when the given number of requests follow changes.
func (h *testServer) following(n int) {
	h.t.Helper()
	line := fmt.Sprintf("\nwatchpost_http_requests_following %d\n", n)
	require.Eventually(h.t, func() bool { return strings.Contains(h.admin("GET", "/metrics", "").raw, line) }, patience, 5*time.Millisecond)
}

// now returns the cursor of now.
func (m team) now() string {
	m.t.Helper()
	return read[fields](m.call("GET", changesPath, ""), 200)["cursor"].(string)
}

// TestStreamShowsThatItIsAlive: a stream has a comment when nothing has come for 15 s.
func TestStreamShowsThatItIsAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := buildInBubble(t).team("Alive", "growth")
		s := m.follow(t, m.key)
		s.hears(": alive")
		last := time.Now()
		passed := func() time.Duration {
			before := last
			last = time.Now()
			return last.Sub(before)
		}
		s.hears(": alive")
		require.Equal(t, 15*time.Second, passed())
		time.Sleep(7 * time.Second) // of the bubble's time
		read[fields](m.call("POST", watchlists, `{"keywords":["go"]}`), 200)
		s.hears("event: change")
		require.Equal(t, 7*time.Second, passed())
		s.hears(": alive")
		require.Equal(t, 15*time.Second, passed(), "after the change")
	})
}

// TestDeletedKeyEndsWhatItHolds: a stream ends and a request that waits is refused when
// their key is deleted, not with their next sign of life. Those of other keys go on.
func TestDeletedKeyEndsWhatItHolds(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Following", "growth")
	key, id := m.scopedKey("read")
	other, renamed := m.scopedKey("read")
	wait := changesPath + "?wait=25&cursor=" + m.now()
	held, kept := m.follow(t, key), m.follow(t, other)
	waits, stays := team{h, m.id, key, ""}.later("GET", wait), team{h, m.id, other, ""}.later("GET", wait)
	h.following(4)
	began := time.Now()
	read[fields](m.call("DELETE", keysPath+"?id="+id, ""), 200)
	refusedSoon(t, began, waits, 401, badKey)
	held.ends(began)

	read[fields](m.call("PUT", keysPath, `{"id":"`+renamed+`","name":"Renamed"}`), 200)
	h.following(2)
	read[fields](m.call("POST", watchlists, `{"keywords":["go"]}`), 200)
	kept.hears("event: change")
	require.Len(t, awaited(t, stays)["changes"], 1)
}

// TestHeldRequestsNeedTheScope: a key that loses its scope, or the address that it comes
// from, loses its open requests.
func TestHeldRequestsNeedTheScope(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Narrowed", "growth")
	for change, text := range map[string]string{
		`"scopes":["engage"]`:         needs(watchpost.ScopeRead),
		`"networks":["198.51.100.1"]`: watchpost.TextKeyAddress,
	} {
		key, id := m.scopedKey("read")
		held, waits := m.follow(t, key), team{h, m.id, key, ""}.later("GET", changesPath+"?wait=25&cursor="+m.now())
		h.following(2)
		began := time.Now()
		read[fields](m.call("PUT", keysPath, `{"id":"`+id+`",`+change+`}`), 200)
		refusedSoon(t, began, waits, 403, text)
		held.ends(began)
	}
}

// TestRotatedKeyEndsWhatItHolds is about the team's own key.
func TestRotatedKeyEndsWhatItHolds(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Rotating", "growth")
	held, waits := m.follow(t, m.key), m.later("GET", changesPath+"?wait=25&cursor="+m.now())
	h.following(2)
	began := time.Now()
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/rotate-key", ""), 200)
	refusedSoon(t, began, waits, 401, badKey)
	held.ends(began)
}

// TestExpiredKeyEndsWhatItHolds: the clock ends what a key holds at the end of the key.
func TestExpiredKeyEndsWhatItHolds(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	t.Cleanup(clock.Close)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	m := h.team("Expiring", "growth")
	ends := clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	key, _ := m.scopedKey("read", `"expires_at":"`+ends+`"`)
	held, waits := m.follow(t, key), team{h, m.id, key, ""}.later("GET", changesPath+"?wait=25&cursor="+m.now())
	h.following(2)
	began := time.Now()
	require.NoError(t, clock.Advance(time.Hour))
	refusedSoon(t, began, waits, 401, badKey)
	held.ends(began)
}

// TestDeletedKeyEndsWhatItHoldsThroughTheEdge: the request is held at the owner of the team,
// and ends at the node that the client knows.
func TestDeletedKeyEndsWhatItHoldsThroughTheEdge(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	made := read[fields](d.edge.admin("POST", "/admin/teams", oneTeam), http.StatusCreated)
	m := team{d.edge, made["id"].(string), made["api_key"].(string), "ada@example.com"}
	key, id := m.scopedKey("read")
	held, waits := m.follow(t, key), team{d.edge, m.id, key, ""}.later("GET", changesPath+"?wait=25&cursor="+m.now())
	d.owner.following(2)
	began := time.Now()
	read[fields](m.call("DELETE", keysPath+"?id="+id, ""), 200)
	refusedSoon(t, began, waits, 401, badKey)
	held.ends(began)
}

// TestDeletedKeyWaitsForNoTask: a request that waits for a task is refused, too.
func TestDeletedKeyWaitsForNoTask(t *testing.T) {
	t.Parallel()
	h := build(t, never)
	m := h.team("Waiting", "growth")
	p := m.join()
	task := m.created("fetch-profile", `{"profile_slug":"jane"}`)["api_agent_task_id"].(string)
	key, id := m.scopedKey("read")
	_, renamed := m.scopedKey("read")
	waits, stays := team{h, m.id, key, ""}.later("GET", taskStatus+task+"&wait=25"), m.later("GET", taskStatus+task+"&wait=25")
	h.waiting(2)
	began := time.Now()
	read[fields](m.call("DELETE", keysPath+"?id="+id, ""), 200)
	refusedSoon(t, began, waits, 401, badKey)
	read[fields](m.call("PUT", keysPath, `{"id":"`+renamed+`","name":"Renamed"}`), 200)
	h.waiting(1)
	m.work(p, "agent_profile_fetch", `{"name":"Jane"}`)
	require.Equal(t, "completed", awaited(t, stays)["status"])
}
