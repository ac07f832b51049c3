package cache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestCachedKeyExpires looks up a key with a bounded life: a node of a cluster asks
// the store again, because another node may have replaced the key.
func TestCachedKeyExpires(t *testing.T) {
	t.Parallel()
	c := NewKeys()
	c.Life = time.Hour
	key, team := DigestOf("wp_key"), Holder{Team: watchpost.TeamID("team")}
	c.Remember(key, team, c.Now(), 0)
	found, known, _ := c.Find(key)
	require.True(t, known)
	require.Equal(t, team, found)
	c.Remember(key, team, c.Now().Add(-c.Life), 0)
	_, known, _ = c.Find(key)
	require.False(t, known)
}

// TestWatchKeys: a change of a key reaches all that watch the keys of its team, and nothing
// is left of them.
func TestWatchKeys(t *testing.T) {
	t.Parallel()
	c := NewKeys()
	first, firstDone := c.Watch("team")
	second, secondDone := c.Watch("team")
	other, otherDone := c.Watch("other")
	firstDone()
	c.Drop("team")
	<-first
	<-second
	third, thirdDone := c.Watch("team")
	secondDone() // of before the change
	for _, quiet := range []<-chan struct{}{third, other} {
		select {
		case <-quiet:
			t.Fatal("no key of these has changed since")
		default:
		}
	}
	thirdDone()
	otherDone()
	require.Empty(t, c.watched)
}
