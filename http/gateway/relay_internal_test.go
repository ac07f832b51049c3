package gateway

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sessionConn notes the deadlines of its writes.
type sessionConn struct {
	net.Conn
	deadlines []time.Time
}

// SetWriteDeadline implements net.Conn.
func (c *sessionConn) SetWriteDeadline(t time.Time) error {
	c.deadlines = append(c.deadlines, t)
	return nil
}

// Write implements io.Writer.
func (c *sessionConn) Write(b []byte) (int, error) { return len(b), nil }

// TestRelayedWritesAreTimed: each write to a session's socket that comes from another
// node has a separate deadline.
func TestRelayedWritesAreTimed(t *testing.T) {
	t.Parallel()
	c := &sessionConn{}
	frames := timedWriter{c}
	for range 2 {
		_, err := frames.Write([]byte("x"))
		require.NoError(t, err)
	}
	require.Len(t, c.deadlines, 2)
	for _, d := range c.deadlines {
		require.WithinDuration(t, time.Now(), d, time.Minute)
	}
}
