package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// requestTarget is the maximum CPU time of a request, as a multiple of a bare
// net/http handler that writes the same bytes.
const requestTarget = 1.6

// The load: a number of callers with a connection each, alternating between
// the service and the bare peer.
const (
	requestCallers = 8
	requestRound   = 2000
	requestRounds  = 9
	storedPosts    = 1000
)

// BenchmarkRequest reports the CPU time of a page of 20 posts and of a poll of
// a finished task, over sockets: that of the server's process next to that of a
// bare handler that writes the same bytes.
func BenchmarkRequest(b *testing.B) {
	service := startWatchpost(b, b.TempDir())
	key, task := service.collect(b)
	for name, path := range map[string]string{
		"page": "/api-posts",
		"poll": "/network-agent/get-task-status?api_agent_task_id=" + task,
	} {
		b.Run(name, func(b *testing.B) {
			body := get(b, service.url+path, key)
			file := filepath.Join(b.TempDir(), "body")
			require.NoError(b, os.WriteFile(file, body, 0o600))
			bare := start(b, "/usr/bin/env", bareVariable+"="+file, os.Args[0])
			require.Equal(b, body, get(b, bare.url+path, key))
			var costs, bareCosts, ratios []float64
			for b.Loop() {
				service.ask(b, path, key) // warm up
				bare.ask(b, path, key)
				for range requestRounds {
					cost, bareCost := service.ask(b, path, key), bare.ask(b, path, key)
					costs, bareCosts = append(costs, cost), append(bareCosts, bareCost)
					ratios = append(ratios, cost/bareCost)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(body)), "body-B")
			b.ReportMetric(median(costs), "service-µs")
			b.ReportMetric(median(bareCosts), "bare-µs")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(requestTarget, "target")
		})
	}
}

// ask runs a round of requests and returns the server's CPU time per request
// in microseconds.
func (p *server) ask(b *testing.B, path, key string) float64 {
	b.Helper()
	before := p.processorTime()
	var wg sync.WaitGroup
	for range requestCallers {
		wg.Go(func() {
			for range requestRound / requestCallers {
				if _, err := fetch(context.Background(), p.url+path, key); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64((p.processorTime() - before).Nanoseconds()) / 1000 / requestRound
}

func get(b *testing.B, url, key string) []byte {
	b.Helper()
	body, err := fetch(context.Background(), url, key)
	require.NoError(b, err)
	return body
}

func fetch(ctx context.Context, url, key string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header["X-Api-Key"] = []string{key}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %d %s", url, response.StatusCode, body)
	}
	return body, err
}

// processorTime returns the CPU time of the process, all threads together, as
// the scheduler counts it.
func (p *server) processorTime() time.Duration {
	p.t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.process.PID()))
	require.NoError(p.t, err)
	require.NotEmpty(p.t, threads)
	var sum int64
	for _, thread := range threads {
		content, err := os.ReadFile(thread)
		require.NoError(p.t, err)
		ns, err := strconv.ParseInt(strings.Fields(string(content))[0], 10, 64)
		require.NoError(p.t, err)
		sum += ns
	}
	return time.Duration(sum)
}

// collect creates a team whose session has scanned posts and done a task, and
// returns the team's key and the task.
func (p *server) collect(b *testing.B) (key, task string) {
	b.Helper()
	var team struct {
		ID     string
		APIKey string `json:"api_key"`
	}
	p.admin("POST", "/admin/teams", map[string]string{"email": "reader@example.com", "plan": "ultimate"}, &team)
	var opened struct {
		Token string `json:"session_token"`
	}
	p.admin("POST", "/admin/teams/"+team.ID+"/sessions", map[string]string{"email": "reader@example.com"}, &opened)
	var list struct{ Data json.RawMessage }
	p.call("POST", "/api-keyword-watchlist", "X-Api-Key", team.APIKey, map[string]any{
		"name": "Databases", "keywords": []string{"database"},
		"labels": []map[string]string{{"name": "Hiring", "description": "looks for staff"}, {"name": "Releases", "description": "new versions"}},
	}, &list)
	ws := p.greet(b, opened.Token, lifeTeams*lifeSessions)
	b.Cleanup(func() { _ = ws.CloseNow() })
	scan := expect(b, ws, protocol.TypeTask)
	send(b, ws, protocol.Frame{Type: protocol.TypeAccepted, Task: scan.Task, Lease: scan.Lease})
	for seq, part := range slices.Collect(slices.Chunk(scannedPosts(), protocol.MaxPartPosts)) {
		output, err := json.Marshal(protocol.PostsOutput{Posts: part})
		require.NoError(b, err)
		send(b, ws, protocol.Frame{Type: protocol.TypePart, Task: scan.Task, Lease: scan.Lease, Attempt: scan.Attempt, Seq: &seq, Output: output})
		expect(b, ws, protocol.TypeAck)
	}
	send(b, ws, protocol.Frame{Type: protocol.TypeResult, Task: scan.Task, Lease: scan.Lease, Attempt: scan.Attempt, Output: json.RawMessage(`{"posts":[],"exhausted":true}`)})
	expect(b, ws, protocol.TypeAck)
	var page struct{ Count int }
	require.NoError(b, json.Unmarshal(get(b, p.url+"/api-posts", team.APIKey), &page))
	require.Equal(b, storedPosts, page.Count)

	var created struct {
		ID string `json:"api_agent_task_id"`
	}
	p.call("POST", "/network-agent/fetch-profile", "X-Api-Key", team.APIKey, map[string]string{"profile_slug": "jane-doe"}, &created)
	fetching := expect(b, ws, protocol.TypeTask)
	send(b, ws, protocol.Frame{Type: protocol.TypeAccepted, Task: fetching.Task, Lease: fetching.Lease})
	send(b, ws, protocol.Frame{Type: protocol.TypeResult, Task: fetching.Task, Lease: fetching.Lease, Attempt: fetching.Attempt, Output: profileOutput})
	expect(b, ws, protocol.TypeAck)
	return team.APIKey, created.ID
}

// expect reads the next frame that is no status and requires its type.
func expect(b *testing.B, ws *websocket.Conn, kind string) protocol.Frame {
	b.Helper()
	for {
		_, raw, err := ws.Read(context.Background())
		require.NoError(b, err)
		var f protocol.Frame
		require.NoError(b, json.Unmarshal(raw, &f))
		if f.Type != protocol.TypeStatus {
			require.Equal(b, kind, f.Type)
			return f
		}
	}
}

// scannedPosts are posts as long as real ones.
func scannedPosts() (posts []protocol.Post) {
	text := strings.Repeat("We have moved our database to another machine, and learned a few things on the way. ", 6)
	for n := range storedPosts {
		posts = append(posts, protocol.Post{
			URN: fmt.Sprintf("urn:network:post:%d", n), URL: fmt.Sprintf("http://127.0.0.1/posts/%d", n),
			Content: fmt.Sprintf("%s “Größe” matters, said visitor %d of <b>Example & Co</b>.", text, n), AuthorName: "Jane Doe",
			AuthorURL: fmt.Sprintf("http://127.0.0.1/in/jane-doe-%d", n%100), AuthorHeadline: "VP Engineering at Example",
			AuthorImageURL: "http://127.0.0.1/images/1.jpg", PostedAt: time.Now().UTC().Add(-time.Duration(n) * time.Minute).Truncate(time.Millisecond),
			Likes: int64(n % 90), Comments: int64(n % 13), Type: "text", ImageURLs: []string{"http://127.0.0.1/images/2.jpg"},
		})
	}
	return posts
}
