package actors

import (
	"sync"

	"watchpost"
)

// keyCache remembers whose API keys are, by keyed hash, so that a request need
// not ask the store. A key that is replaced is dropped before the new one is
// told to anybody.
type keyCache struct {
	mu    sync.RWMutex
	teams map[string]watchpost.TeamID
	// drops counts the keys that were dropped: what was looked up before one
	// is not remembered after it.
	drops uint64
}

// maxKeys bounds the keys that are remembered; beyond it all are forgotten.
const maxKeys = 100_000

func newKeyCache() *keyCache { return &keyCache{teams: map[string]watchpost.TeamID{}} }

// find returns the team of a key, and what to hand to remember when it is not
// known.
func (c *keyCache) find(hash string) (team watchpost.TeamID, known bool, drops uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	team, known = c.teams[hash]
	return team, known, c.drops
}

// remember takes what was looked up since find, unless a key was dropped
// meanwhile.
func (c *keyCache) remember(hash string, team watchpost.TeamID, drops uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drops != drops {
		return
	}
	if len(c.teams) >= maxKeys {
		clear(c.teams)
	}
	c.teams[hash] = team
}

// drop forgets a key that was replaced.
func (c *keyCache) drop(hash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	delete(c.teams, hash)
}
