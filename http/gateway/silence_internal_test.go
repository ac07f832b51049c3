package gateway

import (
	"net"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"watchpost/http/endpoint"
	"watchpost/internal/protocol"
)

// timedConn is a connection that sends nothing, and reports how far ahead the deadlines
// of its reads are.
type timedConn struct {
	net.Conn
	ahead chan time.Duration
}

func (c timedConn) SetReadDeadline(t time.Time) error {
	c.ahead <- time.Until(t)
	return nil
}
func (timedConn) SetWriteDeadline(time.Time) error { return nil }
func (timedConn) Write(b []byte) (int, error)      { return len(b), nil }
func (c timedConn) next(t *testing.T) (d time.Duration) {
	t.Helper()
	select {
	case d = <-c.ahead:
	case <-time.After(10 * time.Second):
		require.FailNow(t, "no deadline was set")
	}
	return d
}

// TestSilenceFollowsTheInterval: a session that is asked for fewer heartbeats may say
// nothing for as many of them, at once and for the waits that follow.
func TestSilenceFollowsTheInterval(t *testing.T) {
	t.Parallel()
	g, err := New(&endpoint.Server{Timing: endpoint.Timing{Silence: time.Minute}}, 0, prometheus.NewRegistry())
	require.NoError(t, err)
	c := timedConn{ahead: make(chan time.Duration, 1)}
	k := newSocket(g, &webSocket{net: c})
	waits := func(want time.Duration) {
		t.Helper()
		k.boundSilence()
		require.InDelta(t, want.Seconds(), c.next(t).Seconds(), 5)
	}
	waits(time.Minute)
	k.conn.deliver(protocol.Frame{Type: protocol.TypeWelcome, HeartbeatS: 20})
	waits(time.Minute)
	k.conn.deliver(protocol.Frame{Type: protocol.TypeStatus, HeartbeatS: 120})
	require.InDelta(t, 360, c.next(t).Seconds(), 5, "the wait that has begun")
	waits(6 * time.Minute)
	k.conn.deliver(protocol.Frame{Type: protocol.TypeStatus})
	waits(6 * time.Minute)
	k.conn.deliver(protocol.Frame{Type: protocol.TypeStatus, HeartbeatS: 40})
	require.InDelta(t, 120, c.next(t).Seconds(), 5)
	waits(2 * time.Minute)
}
