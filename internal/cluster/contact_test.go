package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestContacts plays signs of life of two other nodes: a member is apart while most of
// the others do not ask it, also when they never have, and its own pause is no silence.
func TestContacts(t *testing.T) {
	t.Parallel()
	c, others := NewContacts(), []string{"b", "c"}
	now, news, member := time.Now(), false, true
	after := func(d time.Duration) bool {
		now = now.Add(d)
		var apart bool
		apart, news = c.Review(others, member, now)
		return apart
	}
	const turns = int(ContactLost / ContactEvery)
	require.False(t, after(0))
	for range turns {
		require.False(t, after(ContactEvery))
	}
	require.True(t, after(ContactEvery), "no node was ever heard")

	member = false
	require.False(t, after(ContactEvery), "it is no member, so the others do not ask")
	member = true
	for range turns {
		require.False(t, after(ContactEvery), "it has joined just now")
	}
	for _, node := range others {
		c.AskedBy(node, now)
		c.Answered(node, now)
	}
	for range turns {
		require.False(t, after(ContactEvery))
	}
	silent, fell := c.Silent("b")
	require.False(t, silent)
	require.False(t, news)
	require.True(t, after(ContactEvery), "both are silent")
	require.True(t, news)
	silent, _ = c.Silent("b")
	require.True(t, silent)
	select {
	case <-fell:
	default:
		require.Fail(t, "those who wait for an answer of the node are told")
	}
	c.AskedBy("b", now)
	require.False(t, after(ContactEvery), "one of two is not most of them")
	require.False(t, news, "they were silent before")

	c.AskedBy("b", now)
	c.AskedBy("c", now)
	require.False(t, after(time.Hour), "this process was paused")
	silent, _ = c.Silent("b")
	require.False(t, silent)
	apart, _ := c.Review(nil, true, now.Add(ContactEvery))
	require.False(t, apart, "there are no others")
	silent, _ = c.Silent("b")
	require.False(t, silent, "it has left")
}

// TestMostFailed: a node joins when at least half of the others reach it.
func TestMostFailed(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	require.NoError(t, MostFailed(nil))
	require.NoError(t, MostFailed([]error{nil, away}))
	require.ErrorIs(t, MostFailed([]error{nil, away, away}), away)
}
