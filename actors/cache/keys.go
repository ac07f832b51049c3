// Package cache remembers what requests would ask the store for again: whose keys are,
// and which watchlists teams have. Its readers are outside the mailboxes.
package cache

import (
	"crypto/sha256"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"watchpost/watchpost"
)

// Keys remembers whose API keys are, so that a request need not ask the
// store. A key is dropped before the answer to the request that replaces, changes or
// deletes it. Keys are remembered by their plain hash, which is cheap and gives
// nothing away: they are random and long. (Every request looks up a key under the
// read lock; an LRU cache needs the exclusive lock to move the entry.)
type Keys struct {
	mu    sync.RWMutex
	known map[keyDigest]cachedKey
	// Life is how long a key is remembered, in real time; 0 is without end.
	Life time.Duration
	// drops counts the keys that were dropped: a key looked up before one
	// is not remembered after it.
	drops uint64
	// watched are the teams whose keys callers watch.
	watched map[watchpost.TeamID]*watch
}

// watch is what all that watch the keys of a team have.
type watch struct {
	changed chan struct{}
	callers int
}

// Holder is the owner of a key.
type Holder struct {
	Team watchpost.TeamID
	// Key is nil for the team's key, which has every right. It must not be changed.
	Key *watchpost.ScopedKey
}

type cachedKey struct {
	Holder
	read time.Time     // zero without life
	used *atomic.Int64 // when its use was noted last, in seconds since 1970
}

type keyDigest [sha256.Size]byte

// DigestOf returns the hash under which a key is remembered.
func DigestOf(key string) keyDigest { return sha256.Sum256([]byte(key)) }

// maxKeys bounds the keys that are remembered; beyond it all are forgotten.
const maxKeys = 100_000

// NewKeys returns a memory without keys.
func NewKeys() *Keys {
	return &Keys{known: map[keyDigest]cachedKey{}, watched: map[watchpost.TeamID]*watch{}}
}

// Find returns the holder of a key, and what to hand to remember when it is not
// known.
func (c *Keys) Find(key keyDigest) (of Holder, known bool, drops uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	cached, known := c.known[key]
	if known && c.Life > 0 && time.Since(cached.read) >= c.Life { //nolint:forbidigo // other nodes replace keys in real time
		known = false
	}
	return cached.Holder, known, c.drops
}

// Remember keeps a key looked up since find, unless a key was dropped
// meanwhile.
// Its life begins when read was taken, before the look-up.
func (c *Keys) Remember(key keyDigest, of Holder, read time.Time, drops uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drops != drops {
		return
	}
	if len(c.known) >= maxKeys {
		clear(c.known)
	}
	used := c.known[key].used
	if used == nil {
		used = &atomic.Int64{}
	}
	c.known[key] = cachedKey{of, read, used}
}

// LastUse returns when the use of a key was noted last; a new one for a key that is
// not remembered.
func (c *Keys) LastUse(key keyDigest) *atomic.Int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if used := c.known[key].used; used != nil {
		return used
	}
	return &atomic.Int64{}
}

// Now returns the time at which a look-up begins.
func (c *Keys) Now() (t time.Time) {
	if c.Life > 0 {
		t = time.Now() //nolint:forbidigo // other nodes replace keys in real time
	}
	return t
}

// Drop forgets the keys of a team after one was replaced, changed or deleted. That is rare
// enough to look through all.
func (c *Keys) Drop(team watchpost.TeamID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	maps.DeleteFunc(c.known, func(_ keyDigest, cached cachedKey) bool { return cached.Team == team })
	if w := c.watched[team]; w != nil {
		close(w.changed)
		delete(c.watched, team)
	}
}

// Watch returns a channel that is closed when Drop is called for a team. The caller calls
// done when it stops watching.
func (c *Keys) Watch(team watchpost.TeamID) (changed <-chan struct{}, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watched[team]
	if w == nil {
		w = &watch{changed: make(chan struct{})}
		c.watched[team] = w
	}
	w.callers++
	return w.changed, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if w.callers--; w.callers == 0 && c.watched[team] == w {
			delete(c.watched, team)
		}
	}
}
