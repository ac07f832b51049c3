package httpapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestContacts plays signs of life of two other nodes: a node is apart while most of
// the others that it has heard are silent, and a pause of its own is no silence.
func TestContacts(t *testing.T) {
	t.Parallel()
	k, others := newContacts(), []string{"b", "c"}
	now := realNow()
	after := func(d time.Duration) bool {
		now = now.Add(d)
		return k.look(others, now)
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
	require.True(t, after(time.Second), "both are silent")
	silent, _ = k.silent("b")
	require.True(t, silent)
	select {
	case <-fell:
	default:
		require.Fail(t, "those who wait for an answer of the node are told")
	}
	k.heard["b"] = now
	require.False(t, after(time.Second), "one of two is not most of them")

	k.heard["b"], k.heard["c"] = now, now
	require.False(t, after(time.Hour), "this process was paused")
	silent, _ = k.silent("b")
	require.False(t, silent)
	require.False(t, k.look(nil, now.Add(time.Second)), "there are no others")
	silent, _ = k.silent("b")
	require.False(t, silent, "it has left")
}
