package httpapi_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
)

// BenchmarkFeedPage prints the time that the feed takes on the server, with 10,000
// stored posts of 20 watchlists: the first page and filtered ones, each asked for
// 300 times, over HTTP on this machine.
func BenchmarkFeedPage(b *testing.B) {
	const lists, each = 20, 500
	h := build(b, func(o *httpapi.Options) { o.AccessLog, o.Log = false, slog.New(slog.DiscardHandler) })
	m := h.team("Benchmark", "ultimate")
	p := m.join()
	ids, n := []string{}, 0
	for i := range lists {
		keyword := fmt.Sprintf("subject%d", i)
		ids = append(ids, read[fields](m.call("POST", watchlists, `{"keywords":["`+keyword+`"]}`), 200)["id"].(string))
		task := p.hear(protocol.TypeTask)
		p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
		posts := make([]protocol.Post, each)
		for i := range posts {
			n++
			posts[i] = sample(n, fmt.Sprintf("%s in week %d: what we measured, what it cost and what we would do again.", keyword, n%52))
		}
		exhausted := true
		output, err := json.Marshal(protocol.PostsOutput{Posts: posts, Exhausted: &exhausted})
		require.NoError(b, err)
		p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: output})
		p.hear(protocol.TypeAck)
	}
	browser := h.browser()
	browser.signIn(m.email)
	b.Logf("%v posts", read[fields](m.call("GET", "/api-posts?page_size=1", ""), 200)["count"])
	for _, path := range []string{"/app", "/app?watchlist_id=" + ids[3], "/app?search_term=measured", "/app?sentiment=positive&sort_by=relevance_first"} {
		times := make([]time.Duration, 0, 300)
		for range cap(times) {
			request, err := http.NewRequest(http.MethodGet, h.url+path, nil)
			require.NoError(b, err)
			began := time.Now()
			response, err := browser.client.Do(request)
			require.NoError(b, err)
			response.Body.Close()
			times = append(times, time.Since(began))
			require.Equal(b, 200, response.StatusCode)
		}
		slices.Sort(times)
		fmt.Printf("feed %-50s median %v, p99 %v\n", path[:min(50, len(path))], times[len(times)/2], times[len(times)*99/100])
	}
}
