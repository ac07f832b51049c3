package httpapi_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestSocketsLeaveNoGoroutine: whichever way a socket ends. Not parallel: it
// counts the goroutines of the process.
func TestSocketsLeaveNoGoroutine(t *testing.T) {
	h := build(t)
	m := h.team("Reconnecting", "ultimate")
	token := m.token()
	cycle := func() {
		gone, closing, replaced := h.dialRaw(), h.dialRaw(), h.dialRaw()
		require.NoError(t, gone.conn.Close())
		closing.join(m)
		closing.send(ws.NewCloseFrame(nil))
		closing.ends(int(ws.StatusNormalClosure))
		closing.gone()
		replaced.send(ws.NewTextFrame(text(t, hello(token))))
		replaced.hear(ws.OpText)
		newest := h.dialRaw()
		newest.send(ws.NewTextFrame(text(t, hello(token))))
		newest.hear(ws.OpText)
		replaced.ends(protocol.CloseReplaced)
		require.NoError(t, replaced.conn.Close())
		require.NoError(t, newest.conn.Close())
	}
	empty := func() bool {
		return strings.Contains(h.admin("GET", "/metrics", "").raw, `watchpost_gateway_connections{carrier="socket"} 0`)
	}
	cycle()
	require.Eventually(t, empty, patience, time.Millisecond)
	before := runtime.NumGoroutine()
	for range 20 {
		cycle()
	}
	require.Eventually(t, empty, patience, time.Millisecond)
	// The actors' pool may have kept a few more of its goroutines.
	require.Eventually(t, func() bool { return runtime.NumGoroutine() < before+10 }, patience, time.Millisecond)
}
