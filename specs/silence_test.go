package specs_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoGivenAddressIsCalled: the service never calls an address from a caller
// or a session: no webhook, profile, company, post or picture. A listener
// behind all of them receives nothing (api.md#what-the-service-does,
// api.md#events).
func TestNoGivenAddressIsCalled(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	listener := httptest.NewUnstartedServer(http.NotFoundHandler())
	listener.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	listener.StartTLS()
	defer listener.Close()

	w := isolatedWorld(t)
	w.ts.Setenv("THERE", listener.URL)
	w.play(t, `
service
team ACME growth ada@acme.example
as ACME POST /api-keyword-watchlist '{"keywords":["launch"],"slack_webhook_url":"$THERE/hook","description":"$THERE"}'
status 200
save LIST id
as ACME POST /api-people-watchlist '{"profiles":["$THERE/in/jane"],"slack_webhook_url":"$THERE/hook"}'
status 200
as ACME POST /api-company-watchlist '{"companies":["$THERE/company/acme"],"slack_webhook_url":"$THERE/hook"}'
status 200
as ACME POST /api-forum-watchlist '{"keywords":["launch"],"slack_webhook_url":"$THERE/hook"}'
status 200
as ACME PUT /api-keyword-watchlist '{"id":"$LIST","slack_webhook_url":"$THERE/other-hook"}'
status 200
as ACME GET /api-keyword-watchlist?id=$LIST
json slack_webhook_url == $THERE/other-hook
as ACME POST /api-keyword-watchlist '{"prompt":"Posts that link to $THERE/news about battery storage in Germany"}'
hello ADA ada@acme.example ada
`)
	// Every scan returns posts with that address.
	var scans float64
	for _, kind := range []string{"keyword", "people", "company", "forum"} {
		made, err := w.metric(`watchpost_tasks_total{type="` + kind + `_scan",event="created"}`)
		require.NoError(t, err)
		require.Positive(t, made, kind)
		scans += made
	}
	for range int(scans) {
		w.play(t, `
expect ADA '{"type":"task"}'
save TASK task
save LEASE lease
frame ADA '`+strings.ReplaceAll(found, "\n", "")+`'
expect ADA '{"type":"ack","task":"$TASK"}'
`)
	}
	w.play(t, `
as ACME GET /api-posts?watchlist_id=$LIST
eventually json count == 1
json data[0].network_post_url == $THERE/feed/update/urn:network:activity:7000000000000000001
save POST data[0].id
beat ADA ada
as ACME POST /api-like '{"post_id":"$POST","user_email":"ada@acme.example"}'
status 200
expect ADA '{"type":"task","task_type":"agent_like_post"}'
save TASK task
save LEASE lease
frame ADA '{"type":"acting","task":"$TASK","lease":"$LEASE"}'
expect ADA '{"type":"go","task":"$TASK"}'
frame ADA '{"type":"result","task":"$TASK","lease":"$LEASE","attempt":1,"output":{"liked":true}}'
expect ADA '{"type":"ack","task":"$TASK"}'
as ACME POST /network-agent/fetch-profile '{"profile_slug":"$THERE/in/jane"}'
status 200
as ACME POST /network-agent/fetch-company '{"company_slug":"$THERE/company/acme"}'
status 200
as ACME GET /api-posts?network_post_slug=$THERE/posts/x-activity-7000000000000000001-y
status 200
as ACME GET /api-posts?people_slug=$THERE/in/jane
status 200
clock advance 25h
beat ADA ada
service restart
`)
	require.Zero(t, connections.Load(), "somebody called")

	// The listener does receive other connections.
	conn, err := net.Dial("tcp", listener.Listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return connections.Load() == 1 }, patience, askAgain)
}

const found = `{"type":"result","task":"$TASK","lease":"$LEASE","attempt":1,"output":{"exhausted":true,"posts":[
{"urn":"urn:network:activity:7000000000000000001","url":"$THERE/feed/update/urn:network:activity:7000000000000000001",
"content":"a launch: $THERE/read","author_name":"Jane","author_url":"$THERE/in/jane","author_image_url":"$THERE/jane.png",
"image_url":"$THERE/post.png","image_urls":["$THERE/post.png"],"posted_at":"2026-01-01T00:00:00Z","post_type":"image"}]}}`
