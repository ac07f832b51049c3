package edge

import (
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/http/endpoint"
)

// timedConn notes the deadlines of its writes.
type timedConn struct {
	net.Conn
	*httptest.ResponseRecorder
	deadlines []time.Time
}

// SetWriteDeadline implements net.Conn, and is what http.ResponseController looks for.
func (c *timedConn) SetWriteDeadline(t time.Time) error {
	c.deadlines = append(c.deadlines, t)
	return nil
}

// Write implements io.Writer.
func (c *timedConn) Write(b []byte) (int, error) { return len(b), nil }

// TestStreamsAtTheEdgeAreTimed: each write of a stream that comes from another node has a
// separate deadline.
func TestStreamsAtTheEdgeAreTimed(t *testing.T) {
	t.Parallel()
	c := &timedConn{ResponseRecorder: httptest.NewRecorder()}
	x := &endpoint.RequestState{ResponseWriter: c}
	x.Send()
	events := streamWriter{x}
	for range 2 {
		_, err := events.Write([]byte("x"))
		require.NoError(t, err)
	}
	require.Len(t, c.deadlines, 2)
	for _, d := range c.deadlines {
		require.WithinDuration(t, time.Now(), d, time.Minute)
	}
}
