package edge

import (
	"context"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/http/endpoint"
	"watchpost/internal/cluster"
)

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
		c.transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: failure}
		}
		now := endpoint.RealNow()
		c.contact(t.Context(), b)
		require.Equal(t, b, node.reported)
		require.Equal(t, refused, node.refused)
		for at := now.Add(-2 * cluster.ContactLost); !at.After(now); at = at.Add(cluster.ContactEvery) {
			c.contacts.Review([]string{b}, true, at)
		}
		silent, _ := c.contacts.Silent(b)
		require.True(t, silent)
	}
}
