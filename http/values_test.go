package httpapi_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/stretchr/testify/require"
)

// packed fills a megabyte with as many values as go into it.
func packed(head, value, tail string) string {
	return head + strings.Repeat(value+",", (1_000_000-len(head)-len(tail))/(len(value)+1)) + value + tail
}

// TestManyValuesTakeNoMemory: a body or a frame whose length is allowed cannot have so
// many values that decoding it takes a hundred times as much memory.
func TestManyValuesTakeNoMemory(t *testing.T) {
	h := build(t)
	m := h.team("Values", "growth")
	token := m.token()
	h.joinByPoll(token)
	bearer := []string{"Authorization", "Bearer " + token}
	took := func(what string, send func()) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		send()
		runtime.ReadMemStats(&after)
		const most = 20_000_000 // the client's buffers are among it
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most), what)
	}
	for _, value := range []string{`{}`, `""`, `null`, `{"keyword":""}`} {
		took(value, func() {
			m.call("POST", watchlists, packed(`{"keywords":[`, value, `]}`)).fails(413, "Request body too large")
			m.call("PUT", watchlists, packed(`{"id":"x","labels":[`, value, `]}`), "Idempotency-Key", "a").fails(413, "Request body too large")
			m.call("POST", "/api-people-watchlist", packed(`{"profiles":[`, value, `]}`)).fails(413, "Request body too large")
		})
		took("polled "+value, func() {
			h.do("POST", "/extension/poll", packed(`{"messages":[`, value, `]}`), bearer...).fails(413, "Request body too large")
			h.do("POST", "/extension/poll", packed(`{"messages":[{"type":"result","output":{"posts":[`, value, `]}}]}`), bearer...).fails(413, "Request body too large")
		})
		s := h.dialRaw()
		s.join(m)
		took("framed "+value, func() {
			s.send(ws.NewTextFrame([]byte(packed(`{"type":"result","task":"x","output":{"posts":[`, value, `]}}`))))
			s.ends(int(ws.StatusMessageTooBig))
		})
	}
	took("many names", func() {
		m.call("POST", watchlists, packed(`{"keywords":["a"]`+",", `"":0`, `}`)).fails(413, "Request body too large")
	})
	took("as many as are allowed", func() {
		m.call("POST", watchlists, `{"keywords":["a"],"labels":[`+strings.Repeat(`{},`, 8_000)+`{}]}`).fails(400, "Invalid 'labels': a label must have a name")
	})
}
