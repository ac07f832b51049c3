package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestWebhookHasThePostOfTheAPI: a webhook gets each post as GET /api-posts shows it, with
// all that it matched; one of a watchlist as a request for that watchlist shows it.
func TestWebhookHasThePostOfTheAPI(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Hooked", "growth")
	p := m.join()
	type message struct {
		Path string
		Data struct{ Posts []json.RawMessage }
	}
	came := make(chan message, 10)
	hook := listen(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got := message{Path: r.URL.Path}
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &got) // the test misses what cannot be read
		came <- got
	}))
	first := m.collect(p, "telemetry", sample(1, "telemetry <b>and</b> tracing & logs"))
	second := read[fields](m.call("POST", watchlists, `{"keywords":["tracing"],"labels":["Comparison"]}`), 200)["id"].(string)
	task := p.hear(protocol.TypeTask)
	for path, of := range map[string]string{"/all": "", "/one": `,"watchlist_id":"` + second + `"`} {
		read[fields](m.call("POST", "/api-notifications", `{"type":"webhook","url":"`+hook+path+`"`+of+`}`), 200)
	}
	exhausted := true
	output, err := json.Marshal(protocol.PostsOutput{Posts: []protocol.Post{sample(1, "telemetry <b>and</b> tracing & logs")}, Exhausted: &exhausted})
	require.NoError(t, err)
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: output})
	p.hear(protocol.TypeAck)

	queries := map[string]string{"/all": "", "/one": "?watchlist_id=" + second}
	for len(queries) > 0 {
		select {
		case got := <-came:
			require.Len(t, got.Data.Posts, 1, got.Path)
			shown := read[struct{ Data []json.RawMessage }](m.call("GET", "/api-posts"+queries[got.Path], ""), 200)
			require.JSONEq(t, string(shown.Data[0]), string(got.Data.Posts[0]), got.Path)
			var post fields
			require.NoError(t, json.Unmarshal(got.Data.Posts[0], &post))
			require.ElementsMatch(t, []any{fields{"watchlist_id": first, "keyword": "telemetry"}, fields{"watchlist_id": second, "keyword": "tracing"}}, post["matched"])
			delete(queries, got.Path)
		case <-time.After(patience):
			t.Fatal("a webhook did not come")
		}
	}
}
