package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
)

// BenchmarkCalls measures the layers of this package and the actors' answers,
// without a network.
func BenchmarkCalls(b *testing.B) {
	h := build(b, func(o *httpapi.Options) { o.AccessLog = false })
	m := h.team("Benchmark", "ultimate")
	session := m.join()
	id := read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`), 200)["api_agent_task_id"].(string)
	task := session.hear(protocol.TypeTask)
	session.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	session.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt,
		Output: []byte(`{"name":"Jane Doe","headline":"VP Engineering","about":"I build things.","skills":["Go","Databases"]}`)})
	session.hear(protocol.TypeAck)
	var posts []protocol.Post
	for n := range 900 {
		posts = append(posts, sample(n, strings.Repeat("What telemetry says of the weather, once more. ", 10)))
	}
	m.collect(session, "telemetry", posts...)
	handler := h.server.Handler()
	for name, c := range map[string]struct{ method, path, query, body string }{
		"healthz":         {"GET", "/healthz", "", ""},
		"fetch-profile":   {"POST", "/network-agent/fetch-profile", "", `{"profile_slug":"jane"}`},
		"get-task-status": {"GET", "/network-agent/get-task-status", "api_agent_task_id=" + id, ""},
		"list":            {"GET", watchlists, "", ""},
		"page":            {"GET", "/api-posts", "", ""},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := &http.Request{
					Method: c.method, URL: &url.URL{Path: c.path, RawQuery: c.query}, Host: "x", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
					RemoteAddr: "127.0.0.1:1", Header: http.Header{"X-Api-Key": {m.key}}, Body: http.NoBody, ContentLength: int64(len(c.body)),
				}
				if c.body != "" {
					r.Body = readCloser{strings.NewReader(c.body)}
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
