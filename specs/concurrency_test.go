package specs_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// together runs n calls concurrently and returns their results.
func together[T any](n int, call func(i int) T) []T {
	results := make([]T, n)
	start := make(chan struct{})
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			<-start
			results[i] = call(i)
		})
	}
	close(start)
	calls.Wait()
	return results
}

// TestCallersAreNotThrottled: calls are not paced. A client that sends hundreds
// of requests without a pause, both reads and tasks, gets a reply to each
// (api.md#what-the-service-does, api.md#limits, api.md#errors).
func TestCallersAreNotThrottled(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	w.play(t, `
service
team ACME ultimate ada@acme.example
hello ADA ada@acme.example ada
as ACME POST /api-keyword-watchlist '{"name":"Busy","keywords":["busy"]}'
save LIST id
`)
	list := w.ts.Getenv("LIST")
	const clients, each = 20, 30
	var refused atomic.Int64
	answers := together(clients, func(client int) error {
		for i := range each {
			r, err := w.request("ACME", http.MethodGet, "/api-posts", nil)
			switch (client + i) % 4 {
			case 1:
				r, err = w.request("ACME", http.MethodPost, "/network-agent/fetch-profile", []byte(`{"profile_slug":"jane"}`))
			case 2:
				r, err = w.request("ACME", http.MethodPut, "/api-keyword-watchlist", fmt.Appendf(nil, `{"id":%q,"name":"Busy %d"}`, list, i))
			case 3:
				r, err = w.request("ACME", http.MethodGet, "/api-team", nil)
			}
			if err != nil {
				return err
			}
			if r.status != http.StatusOK {
				refused.Add(1)
				return fmt.Errorf("%s", r)
			}
			if r.header.Get("Retry-After") != "" {
				return fmt.Errorf("a wait is asked for\n%s", r)
			}
		}
		return nil
	})
	for _, err := range answers {
		require.NoError(t, err)
	}
	require.Zero(t, refused.Load())
}

// TestSameKeyAtOnce: of concurrent requests with one key, one does the work and
// the others wait for its reply. Requests with the same key and another body
// get an error (api.md#idempotency-key).
func TestSameKeyAtOnce(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	w.play(t, `
service
team ACME ultimate ada@acme.example
hello ADA ada@acme.example ada
`)
	const callers = 16
	for _, c := range []struct{ path, body, other, id string }{
		{"/api-keyword-watchlist", `{"keywords":["a"]}`, `{"keywords":["b"]}`, "id"},
		{"/network-agent/fetch-profile", `{"profile_slug":"jane"}`, `{"profile_slug":"john"}`, "api_agent_task_id"},
		{"/api-people-watchlist", `{"profiles":["jane"]}`, `{"profiles":["john"]}`, "id"},
	} {
		ids, others := map[string]int{}, 0
		var first int
		for _, r := range together(callers, func(i int) *reply {
			body := c.body
			if i%4 == 3 {
				body = c.other
			}
			r, err := w.request("ACME", http.MethodPost, c.path, []byte(body), "Idempotency-Key: at-once")
			if err != nil {
				return &reply{body: []byte(err.Error())}
			}
			return r
		}) {
			switch r.status {
			case http.StatusOK:
				id, err := r.member(c.id)
				require.NoError(t, err)
				ids[id]++
				if r.header.Get("Idempotent-Replayed") == "" {
					first++
				}
			case http.StatusConflict:
				require.JSONEq(t, `{"error":"Idempotency-Key was used with a different request"}`, string(r.body))
				others++
			default:
				require.Fail(t, "neither done nor refused", "%s", r)
			}
		}
		require.Len(t, ids, 1, "%s was done more than once", c.path)
		require.Equal(t, 1, first, "%s: only one is the first", c.path)
		require.Contains(t, []int{callers / 4, callers * 3 / 4}, others, "%s", c.path)
	}
	w.play(t, `
as ACME GET /api-keyword-watchlist
json count == 1
as ACME GET /api-people-watchlist
json count == 1
metric watchpost_tasks_total{type="agent_profile_fetch",event="created"} == 1
`)
}
