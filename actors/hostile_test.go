package actors_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestHostilePosts: nothing that a session reports ends the team.
func TestHostilePosts(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	huge := strings.Repeat("<", 100<<10)
	var urls []string
	for range 30 {
		urls = append(urls, "https://network.example/?"+strings.Repeat("&", 1900))
	}
	for i, p := range []protocol.Post{
		{URN: "1", Content: "go " + huge, ImageText: huge, PostedAt: w.Now()},
		{URN: "2", Content: "go", ImageURLs: urls, Videos: urls, PostedAt: w.Now()},
		{URN: "3", Content: "go " + huge, ImageText: huge, ImageURLs: urls, Videos: urls, PostedAt: w.Now()},
		{URN: "4", Content: "go\x00\xff", PostedAt: w.Now()},
		{URN: "", Content: "go", PostedAt: w.Now()},
		{URN: "5", Content: "go"},
		{URN: "6", Content: "go", PostedAt: w.Now().AddDate(1, 0, 0)},
		{URN: strings.Repeat("u", 500), Content: "go", PostedAt: w.Now()},
		{URN: "7", Content: "go", URL: "javascript:alert(1)", AuthorURL: "data:text/html,x", Likes: -5, Type: "<b>", PostedAt: w.Now()},
		post(w, "fine", "go"),
	} {
		s.Part(scan, i, p)
		require.Equal(t, i, *s.ExpectAck(scan).Seq)
	}
	s.Send(protocol.Frame{Type: protocol.TypePart, Task: scan.Task, Lease: scan.Lease, Output: []byte(`{"posts":7}`), Seq: ptr(99)})
	s.ExpectAck(scan)
	s.Send(protocol.Frame{Type: protocol.TypePart, Task: scan.Task, Lease: scan.Lease, Seq: ptr(100)})
	s.ExpectAck(scan)
	endScan(s, scan, true)
	require.True(t, s.Open())
	for _, p := range team.Posts(t, list.ID) {
		require.GreaterOrEqual(t, p.Likes, int64(0))
		for _, u := range append([]string{p.URL, p.AuthorURL}, p.ImageURLs...) {
			require.True(t, u == "" || strings.HasPrefix(u, "https://"), u)
		}
	}
	// The watchlist learns of the end of its scan just after the session does.
	require.Eventually(t, func() bool { return !getWatchlist(t, team, list).LastScanAt.IsZero() }, actorstest.Wait, time.Millisecond)
}

// TestHostileOutputs: an output that cannot be stored fails its task and
// nothing else.
func TestHostileOutputs(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	s.Result(frame, map[string]any{"about": strings.Repeat("<", 400<<10)})
	s.ExpectAck(frame)
	wantFailure(t, team.Status(t, id), "invalid_output", true)
	id = team.Create(t, watchpost.TaskProfileFetch)
	frame = s.ExpectTask(id)
	frame2 := frame
	s.Send(protocol.Frame{Type: protocol.TypeResult, Task: frame2.Task, Lease: frame2.Lease,
		Error: &protocol.TaskError{Code: strings.Repeat("<", 900<<10), Message: strings.Repeat("<", 900<<10)}})
	s.ExpectAck(frame)
	require.Equal(t, watchpost.TaskFailed, team.Status(t, id).State)
	require.True(t, s.Open())
}
