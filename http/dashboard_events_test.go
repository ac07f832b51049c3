package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/watchpost"
)

// streamPatience bounds every wait of the tests of event streams.
const streamPatience = 3 * time.Minute

// listenTo opens an event stream; the channel has the data of its events and is
// closed at its end.
func (b *browser) listenTo(ctx context.Context) <-chan string {
	b.t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/app/events", nil)
	require.NoError(b.t, err)
	response, err := b.client.Do(request)
	require.NoError(b.t, err)
	require.Equal(b.t, "text/event-stream", response.Header.Get("Content-Type"))
	heard := make(chan string, 64)
	go func() {
		defer close(heard)
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				select {
				case heard <- data:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return heard
}

// next returns the next event; false at the end of the stream.
func next(t *testing.T, heard <-chan string) (string, bool) {
	t.Helper()
	select {
	case data, more := <-heard:
		return data, more
	case <-time.After(streamPatience):
		t.Fatal("nothing was heard")
		return "", false
	}
}

// streamsOfAMember is how many event streams a member has at a time.
const streamsOfAMember = 20

// another adds a member to the team and signs the member in.
func (m team) another(email string) *browser {
	m.t.Helper()
	read[fields](m.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"`+email+`","role":"member"}`), 201)
	b := m.browser()
	b.follow(team{testServer: m.testServer, id: m.id, email: email})
	return b
}

// TestStreamsOfAMember: one member cannot hold any number of connections and readers of
// changes. The oldest streams end; those of another member go on.
func TestStreamsOfAMember(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Many streams", "growth")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hostile, other := h.browser(), m.another("other@example.com")
	hostile.signIn(m.email)
	quiet := other.listenTo(ctx)
	_, more := next(t, quiet)
	require.True(t, more)
	var open []<-chan string
	for range 2 * streamsOfAMember {
		heard := hostile.listenTo(ctx)
		_, more := next(t, heard)
		require.True(t, more)
		open = append(open, heard)
	}
	for _, heard := range open[:streamsOfAMember] {
		for more := true; more; {
			_, more = next(t, heard) // until it ends
		}
	}
	m.join()
	for _, heard := range append(open[streamsOfAMember:], quiet) {
		_, more := next(t, heard)
		require.True(t, more, "it is open, and hears of the browser that came")
	}
}

// TestDashboardEvents opens many streams: each hears of every task, whichever other
// streams there are, and ends when its browser is signed out.
func TestDashboardEvents(t *testing.T) {
	t.Parallel()
	streams := 100
	if os.Getenv("WATCHPOST_LONG") != "" {
		streams = 1000
	}
	h := build(t)
	m, other := h.team("Streams", "ultimate"), h.team("Quiet", "growth")
	m.join()
	theirs := h.browser()
	theirs.signIn(other.email)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open := make([]<-chan string, streams)
	var members []*browser
	for i := range open {
		if i%streamsOfAMember == 0 {
			members = append(members, m.another(fmt.Sprintf("member%d@example.com", i)))
		}
		open[i] = members[len(members)-1].listenTo(ctx)
		first, _ := next(t, open[i])
		require.JSONEq(t, `{"topic":"all"}`, first, "a page cannot know what it missed")
	}
	foreign := theirs.listenTo(ctx)
	first, _ := next(t, foreign)
	require.JSONEq(t, `{"topic":"all"}`, first)

	const tasks = 10
	began := time.Now()
	want := map[string]bool{}
	for i := range tasks {
		made := read[fields](m.call("POST", "/network-agent/fetch-profile", fmt.Sprintf(`{"profile_slug":"person-%d"}`, i)), 200)
		want[made["api_agent_task_id"].(string)] = true
	}
	for _, heard := range open {
		missing := make(map[string]bool, tasks)
		for id := range want {
			missing[id] = true
		}
		for len(missing) > 0 {
			data, more := next(t, heard)
			require.True(t, more, "the stream ended early")
			var event struct{ Topic, ID string }
			require.NoError(t, json.Unmarshal([]byte(data), &event))
			delete(missing, event.ID)
		}
	}
	t.Logf("%d streams have heard of %d tasks each, %v after the first was asked for", streams, tasks, time.Since(began).Round(time.Millisecond))
	for _, b := range members {
		require.Equal(t, 303, b.send("/app/sign-out", url.Values{"token": {b.token()}, "everywhere": {"1"}}).status)
	}
	read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"last"}`), 200)
	for _, heard := range open {
		for more := true; more; {
			_, more = next(t, heard)
		}
	}
	select {
	case data := <-foreign:
		t.Fatalf("another team heard %s", data)
	default:
	}
	require.Equal(t, 303, members[0].do("GET", "/app/events", "").status)
	another, err := httpapi.New(httpapi.Options{Registry: h.registry, Clock: watchpost.SystemClock{}, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, another.CloseSessions(ctx))
	other.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"person"}`)
	_, more := next(t, foreign)
	require.True(t, more, "streams do not end with another server")
	require.NoError(t, h.server.CloseSessions(ctx))
	for more {
		_, more = next(t, foreign)
	}
}

// TestPresenceIsAnnounced: a stream hears of browsers that come and go, which no
// commit tells, and the team's page shows them.
func TestPresenceIsAnnounced(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Coming and going", "free")
	b := h.browser()
	b.signIn(m.email)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := b.listenTo(ctx)
	hear := func(event string) {
		t.Helper()
		for data := ""; data != event; {
			var more bool
			data, more = next(t, heard)
			require.True(t, more)
		}
	}
	shows := func(text string) {
		t.Helper()
		for !strings.Contains(b.do("GET", "/app/team", "").raw, text) {
			hear(`{"topic":"team"}`)
		}
	}
	p := m.join()
	shows("Working")
	shows("connected")
	read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`), 200)
	shows("1 of 40")
	target := url.Values{"token": {b.token()}, "kind": {"slack"}, "url": {"https://hooks.example/one"}}
	require.Equal(t, 303, b.send("/app/notifications/new", target).status)
	hear(`{"topic":"notifications"}`) // behind what the commits before told
	require.NoError(t, p.ws.CloseNow())
	hear(`{"topic":"team"}`)
	shows("No browser is open")
}
