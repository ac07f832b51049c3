package httpapi_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
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

// TestPlacesOfStrangers: strangers with many addresses hold requests up for each other, and
// for no team.
func TestPlacesOfStrangers(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	open := h.overHTTP2(t)
	m := h.team("Served", "growth")
	b := h.browser()
	b.signIn(m.email)
	for n := range 64 {
		require.Equal(t, map[string]int{"200": 128}, open().get(128, "/app/sign-in", "x-forwarded-for", fmt.Sprintf("192.0.2.%d", n)))
	}
	last := h.do("GET", "/app/sign-in", "", "X-Forwarded-For", "198.51.100.1")
	require.Equal(t, 500, last.status)
	require.Equal(t, "1", last.header.Get("Retry-After"))
	require.Equal(t, 200, m.call("GET", "/api-team", "").status)
	require.Equal(t, 400, m.call("POST", watchlists, "{}").status)
	require.Equal(t, 200, b.do("GET", "/app/team", "").status, "who has signed in is no stranger")
	require.Equal(t, 200, h.admin("GET", "/admin/teams", "").status)
	require.Equal(t, 200, h.do("GET", "/metrics", "", "Authorization", "Bearer "+adminToken, "X-Forwarded-For", "192.0.2.1").status)
	require.Equal(t, protocol.TypeWelcome, h.joinByPoll(m.token()).Type)
	m.join()
}
