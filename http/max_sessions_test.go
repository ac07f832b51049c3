package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
)

// TestMaxSessions: at the bound a new session is asked to come later, by socket and by
// poll. Those that are connected go on, and one that leaves makes room.
func TestMaxSessions(t *testing.T) {
	t.Parallel()
	h := build(t, shortPolls, func(o *httpapi.Options) { o.MaxSessions = 2 })
	m := h.team("Full", "growth")
	first := h.dial()
	first.send(hello(m.token()))
	first.hear(protocol.TypeWelcome)
	polled := m.token()
	h.joinByPoll(polled)

	_, refused, err := h.tryDial()
	require.Error(t, err)
	require.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	third := m.token()
	require.Equal(t, http.StatusServiceUnavailable, h.poll(third, hello(third)).status)
	require.Equal(t, http.StatusOK, h.poll(polled).status)
	shown := h.do("GET", "/metrics", "", "Authorization", "Bearer "+adminToken).raw
	require.Contains(t, shown, `watchpost_gateway_refused_total{reason="full"} 2`)
	require.Contains(t, shown, "watchpost_gateway_max_connections 2\n")

	require.NoError(t, first.ws.Close(websocket.StatusNormalClosure, ""))
	require.Eventually(t, func() bool { return h.poll(third, hello(third)).status == http.StatusOK }, patience, time.Millisecond)
}
