package edge

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/http/endpoint"
)

// TestContacts plays signs of life of two other nodes: a member is apart while most of
// the others do not ask it, also when they never have, and its own pause is no silence.
func TestContacts(t *testing.T) {
	t.Parallel()
	k, others := newContacts(), []string{"b", "c"}
	now, news, member := endpoint.RealNow(), false, true
	after := func(d time.Duration) bool {
		now = now.Add(d)
		var apart bool
		apart, news = k.look(others, member, now)
		return apart
	}
	const turns = int(contactLost / contactEvery)
	require.False(t, after(0))
	for range turns {
		require.False(t, after(contactEvery))
	}
	require.True(t, after(contactEvery), "no node was ever heard")

	member = false
	require.False(t, after(contactEvery), "it is no member, so the others do not ask")
	member = true
	for range turns {
		require.False(t, after(contactEvery), "it has joined just now")
	}
	k.heard["b"], k.heard["c"], k.met["b"], k.met["c"] = now, now, now, now
	for range turns {
		require.False(t, after(contactEvery))
	}
	silent, fell := k.silent("b")
	require.False(t, silent)
	require.False(t, news)
	require.True(t, after(contactEvery), "both are silent")
	require.True(t, news)
	silent, _ = k.silent("b")
	require.True(t, silent)
	select {
	case <-fell:
	default:
		require.Fail(t, "those who wait for an answer of the node are told")
	}
	k.heard["b"] = now
	require.False(t, after(contactEvery), "one of two is not most of them")
	require.False(t, news, "they were silent before")

	k.heard["b"], k.heard["c"] = now, now
	require.False(t, after(time.Hour), "this process was paused")
	silent, _ = k.silent("b")
	require.False(t, silent)
	apart, _ := k.look(nil, true, now.Add(contactEvery))
	require.False(t, apart, "there are no others")
	silent, _ = k.silent("b")
	require.False(t, silent, "it has left")
}

// reporting is a node that knows who was reported dead.
type reporting struct {
	Node
	reported string
	refused  bool
}

// ID implements Node.
func (*reporting) ID() string { return "a:1" }

// ReportDead implements Node.
func (n *reporting) ReportDead(_ context.Context, id string, refused bool) {
	n.reported, n.refused = id, refused
}

// TestFailedContact: a node that cannot be connected to is reported, and gives no sign of
// life: that it refuses connections may go on forever.
func TestFailedContact(t *testing.T) {
	t.Parallel()
	const b = "b:1"
	for failure, refused := range map[error]bool{os.NewSyscallError("connect", syscall.ECONNREFUSED): true, os.NewSyscallError("connect", syscall.EHOSTUNREACH): false, context.DeadlineExceeded: false} {
		node := &reporting{}
		c := New(nil, Cluster{Node: node}, nil, nil, nil)
		c.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: failure}
		}
		now := endpoint.RealNow()
		c.contacts.look([]string{b}, true, now.Add(-2*contactLost))
		c.contact(t.Context(), b)
		require.Equal(t, b, node.reported)
		require.Equal(t, refused, node.refused)
		c.contacts.last = now.Add(-contactEvery)
		c.contacts.look([]string{b}, true, now)
		silent, _ := c.contacts.silent(b)
		require.True(t, silent)
	}
}
