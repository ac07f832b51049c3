package specs_test

import (
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// span is a span that the collector has received.
type span struct {
	service, name, trace, id, parent string
	raw                              string
}

// spanCollector is an OpenTelemetry collector over HTTP.
type spanCollector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []span
}

func newSpanCollector(t *testing.T) *spanCollector {
	t.Helper()
	c := &spanCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request otlp.TracesData
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, resource := range request.GetResourceSpans() {
			service := resource.GetResource().GetAttributes()[0].GetValue().GetStringValue()
			for _, scope := range resource.GetScopeSpans() {
				for _, s := range scope.GetSpans() {
					c.spans = append(c.spans, span{
						service, s.GetName(), hex.EncodeToString(s.GetTraceId()), hex.EncodeToString(s.GetSpanId()), hex.EncodeToString(s.GetParentSpanId()), s.String(),
					})
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// child returns a span of the trace below a parent.
func (c *spanCollector) child(t *testing.T, trace, parent, service, name string) span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.trace == trace && s.parent == parent && s.service == service && s.name == name {
			return s
		}
	}
	require.Failf(t, "no such span", "%s %s below %s in %v", service, name, parent, c.spans)
	return span{}
}

// TestTraces: a trace leads from a caller's request over the lease of its task to the
// session and its request to the network. A request's trace is the exemplar of its time.
// Spans have no key and no mail address (record 068).
func TestTraces(t *testing.T) {
	t.Parallel()
	c := newSpanCollector(t)
	w := isolatedWorld(t)
	w.ts.Setenv("COLLECTOR", c.URL)
	w.variables = []string{"WATCHPOST_OTLP_ENDPOINT=" + c.URL}
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	w.play(t, `
network
service
team ACME growth ada@acme.example
session ada@acme.example
`)
	header := "traceparent: 00-" + trace + "-" + parent + "-01"
	made := w.ask(t, 200, "ACME", "POST", "/network-agent/fetch-profile", `{"profile_slug":"ada"}`, header)
	id, err := made.member("api_agent_task_id")
	require.NoError(t, err)
	require.NoError(t, w.until(func() error {
		r, err := w.request("ACME", "GET", "/network-agent/get-task-status?api_agent_task_id="+id, nil)
		if err == nil {
			if !strings.Contains(string(r.body), `"status":"completed"`) {
				err = errors.New(r.String())
			}
		}
		return err
	}))
	// A write is traced too; a request whose caller does not record is not.
	made = w.ask(t, 200, "ACME", "POST", "/network-agent/like-post", `{"social_urn":"urn:network:activity:1"}`, "traceparent: 00-"+trace+"-"+parent+"-00")
	_, err = made.member("api_agent_task_id")
	require.NoError(t, err)

	metrics := w.ask(t, 200, "operator", "GET", "/metrics", "", "Accept: application/openmetrics-text; version=1.0.0")
	require.Regexp(t, `watchpost_http_request_duration_seconds_bucket\{[^}]*route="/network-agent/fetch-profile"[^}]*\} \d+ # \{trace_id="`+trace+`"\}`, string(metrics.body))

	// Both processes send their last spans before they end.
	w.play(t, "session stop ada@acme.example\nservice stop")
	request := c.child(t, trace, parent, "watchpost", "POST /network-agent/fetch-profile")
	lease := c.child(t, trace, request.id, "watchpost", "task agent_profile_fetch")
	work := c.child(t, trace, lease.id, "watchpost-session", "session agent_profile_fetch")
	c.child(t, trace, work.id, "watchpost-session", "GET on the network")
	require.Contains(t, lease.raw, id)
	for _, s := range c.spans {
		require.NotContains(t, s.name, "like-post", "the caller does not record it")
		require.NotContains(t, s.raw, w.keys["ACME"])
		require.NotContains(t, s.raw, "ada@acme.example")
		require.False(t, strings.Contains(s.raw, operatorToken))
	}
}
