package httpapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/http/edge"
)

// TestEndOfTheLease: a request that waits for the database at a node whose lease ends is
// answered then, whatever holds the database up: the client can try another node. So is
// one that comes after the end, until the node has a lease again.
func TestEndOfTheLease(t *testing.T) {
	t.Parallel()
	node := &placedNode{id: "self", owner: "self", view: 1, changed: make(chan struct{})}
	lease, end := context.WithCancel(t.Context())
	node.hold(lease)
	h := build(t, func(o *httpapi.Options) {
		o.Cluster = &edge.Cluster{Node: node}
		o.Timing.Request = time.Hour
	})
	m := h.team("Cut", "growth")
	create := func() reply {
		return h.do("POST", "/api-keyword-watchlist", `{"name":"tea","keywords":["tea"]}`, "X-Api-Key", m.key)
	}
	const text = "Temporarily unavailable, retry later"

	looked := &holdUp{make(chan struct{}, 64), make(chan struct{})}
	h.store.held.Store(looked)
	replies := make(chan reply)
	go func() { replies <- create() }() // the key is looked up
	<-looked.reached
	end()
	(<-replies).fails(http.StatusInternalServerError, text)
	h.store.held.Store(nil)
	close(looked.release)
	lease, end = context.WithCancel(t.Context())
	node.hold(lease)

	held := &holdUp{make(chan struct{}, 64), make(chan struct{})}
	h.store.heldWrites.Store(held)
	go func() { replies <- create() }()
	<-held.reached
	end()
	(<-replies).fails(http.StatusInternalServerError, text)

	create().fails(http.StatusInternalServerError, text)
	require.Contains(t, h.log.String(), "has no lease")

	h.store.heldWrites.Store(nil)
	close(held.release)
	node.hold(t.Context())
	require.Equal(t, http.StatusOK, create().status)
}
