package actors

import (
	"errors"
	"sync"

	"watchpost"
	"watchpost/persistence"
)

// liveCache remembers which watchlists teams have, so that a query of posts
// need not look through their records. What is remembered of a team holds for
// the snapshots that show the same last change: a watchlist is created once
// and deleted once, so no two states of a team show the same.
type liveCache struct {
	mu    sync.RWMutex
	teams map[watchpost.TeamID]liveWatchlists
	size  int // watchlists of all teams
}

type liveWatchlists struct {
	change string // as it stands at keyLastList
	ids    map[watchpost.WatchlistID]bool
}

// maxLive bounds the watchlists that are remembered, some 10 MB; beyond it all
// are forgotten.
const maxLive = 100_000

func newLiveCache() *liveCache {
	return &liveCache{teams: map[watchpost.TeamID]liveWatchlists{}}
}

// putNewWatchlist and deleteWatchlist are the only two that change which
// watchlists a team has.
func putNewWatchlist(batch *persistence.Batch, w *watchpost.Watchlist) {
	batch.Put(key(keyWatchlist, w.ID), encode(*w))
	batch.Put([]byte(keyLastList), []byte("created "+w.ID))
}

func deleteWatchlist(batch *persistence.Batch, id watchpost.WatchlistID) {
	batch.Delete(key(keyWatchlist, id))
	batch.Put([]byte(keyLastList), []byte("deleted "+id))
}

// of returns the watchlists that a team has, as the view shows them; they must
// not be changed.
func (c *liveCache) of(view persistence.View, team watchpost.TeamID) (map[watchpost.WatchlistID]bool, error) {
	change, err := view.Get(persistence.Space(team), []byte(keyLastList))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return nil, err
	}
	if len(change) > 0 {
		c.mu.RLock()
		known := c.teams[team]
		c.mu.RUnlock()
		if known.change == string(change) {
			return known.ids, nil
		}
	}
	live := map[watchpost.WatchlistID]bool{}
	err = view.Scan(persistence.Space(team), []byte(keyWatchlist), persistence.PrefixEnd([]byte(keyWatchlist)), func(k, _ []byte) bool {
		live[watchpost.WatchlistID(k[len(keyWatchlist):])] = true
		return true
	})
	if err == nil && len(change) > 0 {
		c.remember(team, liveWatchlists{string(change), live})
	}
	return live, err
}

func (c *liveCache) remember(team watchpost.TeamID, w liveWatchlists) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(w.ids) - len(c.teams[team].ids); c.size > maxLive {
		clear(c.teams)
		c.size = len(w.ids)
	}
	c.teams[team] = w
}
