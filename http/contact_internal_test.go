package httpapi

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestContacts plays signs of life of two other nodes: a node is apart while most of
// the others that it has heard are silent, and its own pause is no silence.
func TestContacts(t *testing.T) {
	t.Parallel()
	k, others := newContacts(), []string{"b", "c"}
	now, news := realNow(), false
	after := func(d time.Duration) bool {
		now = now.Add(d)
		var apart bool
		apart, news = k.look(others, now)
		return apart
	}
	require.False(t, after(0))
	require.False(t, after(time.Second))
	require.False(t, after(contactLost), "no node was ever heard")

	k.heard["b"], k.heard["c"], k.met["b"], k.met["c"] = now, now, now, now
	for range 3 {
		require.False(t, after(time.Second))
	}
	silent, fell := k.silent("b")
	require.False(t, silent)
	require.False(t, news)
	require.True(t, after(time.Second), "both are silent")
	require.True(t, news)
	silent, _ = k.silent("b")
	require.True(t, silent)
	select {
	case <-fell:
	default:
		require.Fail(t, "those who wait for an answer of the node are told")
	}
	k.heard["b"] = now
	require.False(t, after(time.Second), "one of two is not most of them")
	require.False(t, news, "they were silent before")

	k.heard["b"], k.heard["c"] = now, now
	require.False(t, after(time.Hour), "this process was paused")
	silent, _ = k.silent("b")
	require.False(t, silent)
	apart, _ := k.look(nil, now.Add(time.Second))
	require.False(t, apart, "there are no others")
	silent, _ = k.silent("b")
	require.False(t, silent, "it has left")
}

// refusing is a node that knows who was reported dead.
type refusing struct {
	Node
	reported string
}

// ID implements Node.
func (*refusing) ID() string { return "a:1" }

// ReportDead implements Node.
func (n *refusing) ReportDead(_ context.Context, id string) { n.reported = id }

// TestRefusalIsNoSilence: a node that refuses connections is not called silent, so that
// requests are not ended when it has come back. Whether it is gone, the database says.
func TestRefusalIsNoSilence(t *testing.T) {
	t.Parallel()
	const b = "b:1"
	node := &refusing{}
	c := newClusterEdge(Cluster{Node: node}, nil)
	c.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	now := realNow()
	c.contacts.look([]string{b}, now.Add(-2*contactLost))
	c.contact(t.Context(), b)
	require.Equal(t, b, node.reported)
	c.contacts.last = now.Add(-contactEvery)
	c.contacts.look([]string{b}, now)
	silent, _ := c.contacts.silent(b)
	require.False(t, silent)
}
