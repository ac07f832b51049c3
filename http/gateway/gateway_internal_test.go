package gateway

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// TestAdmittedConnectionsTakeRoom: a connection counts for --max-sessions from when it is
// admitted, so that many at the same time do not exceed it.
func TestAdmittedConnectionsTakeRoom(t *testing.T) {
	t.Parallel()
	g, err := New(nil, 1, prometheus.NewRegistry())
	require.NoError(t, err)
	first, err := g.take("a")
	require.NoError(t, err)
	_, err = g.take("b")
	require.ErrorIs(t, err, errTooManySessions)

	c := newConn(func() {})
	require.True(t, first.open(c))
	first.leave()
	_, err = g.take("b")
	require.ErrorIs(t, err, errTooManySessions)

	g.remove(c)
	second, err := g.take("b")
	require.NoError(t, err)
	second.leave() // it was never open
	_, err = g.take("b")
	require.NoError(t, err)
}
