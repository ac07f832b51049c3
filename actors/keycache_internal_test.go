package actors

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
	c := newKeyCache()
	c.life = time.Hour
	key, team := digestOf("wp_key"), watchpost.TeamID("team")
	c.remember(key, team, c.now(), 0)
	found, known, _ := c.find(key)
	require.True(t, known)
	require.Equal(t, team, found)
	c.remember(key, team, c.now().Add(-c.life), 0)
	_, known, _ = c.find(key)
	require.False(t, known)
}
