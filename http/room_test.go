package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
)

// TestOverload: a team with too many requests under way gets the text of an
// overload at once and with Retry-After, others are served, and it is served again
// when its requests are done.
func TestOverload(t *testing.T) {
	t.Parallel()
	h := build(t)
	busy, other := h.team("Busy", "growth"), h.team("Other", "growth")
	const room = 256
	require.Equal(t, 200, busy.call("GET", "/api-posts", "").status) // each further one reads the store once
	held := &holdUp{reached: make(chan struct{}), release: make(chan struct{})}
	h.store.held.Store(held)
	replies := make(chan int, room)
	for range room {
		go func() { replies <- busy.call("GET", "/api-posts", "").status }()
	}
	for range room {
		<-held.reached
	}
	h.store.held.Store(nil)
	r := busy.call("GET", watchlists, "")
	r.fails(500, watchpost.TextUnavailable)
	require.Equal(t, "1", r.header.Get("Retry-After"))
	require.Equal(t, 200, other.call("GET", watchlists, "").status)
	close(held.release)
	for range room {
		require.Equal(t, 200, <-replies)
	}
	require.Equal(t, 200, busy.call("GET", watchlists, "").status)
	require.Contains(t, h.log.String(), "overload: requests refused")
}
