package cache

import (
	"errors"
	"sync"

	"watchpost/actors/poststore"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Watchlists remembers which watchlists teams have, so that a query of posts
// need not look through their records. An entry of a team holds for
// the snapshots that show the same last change: a watchlist is created once
// and deleted once, so no two states of a team show the same. (It is bounded by
// the watchlists in its entries, which golang-lru does not count.)
type Watchlists struct {
	mu    sync.RWMutex
	teams map[watchpost.TeamID]cachedWatchlists
	size  int // watchlists of all teams
}

type cachedWatchlists struct {
	change  string // as it stands at keyLastWatchlistChange
	tagging *watchpost.Tagging
}

func (w cachedWatchlists) count() int {
	if w.tagging == nil {
		return 0
	}
	return len(w.tagging.Live)
}

// maxcachedWatchlists bounds the watchlists that are remembered, some 10 MB; beyond it all
// are forgotten.
const maxcachedWatchlists = 100_000

// NewWatchlists returns a memory without watchlists.
func NewWatchlists() *Watchlists {
	return &Watchlists{teams: map[watchpost.TeamID]cachedWatchlists{}}
}

// PutNewWatchlist stores a new watchlist. It and DeleteWatchlist are the only two that
// change which watchlists a team has.
func PutNewWatchlist(batch *persistence.Batch, w *watchpost.Watchlist) {
	batch.Put(teamspace.Key(teamspace.KeyWatchlist, w.ID), teamspace.Encode(*w))
	batch.Put([]byte(teamspace.KeyLastWatchlistChange), []byte("created "+w.ID))
}

// DeleteWatchlist deletes a watchlist.
func DeleteWatchlist(batch *persistence.Batch, id watchpost.WatchlistID) {
	batch.Delete(teamspace.Key(teamspace.KeyWatchlist, id))
	batch.Put([]byte(teamspace.KeyLastWatchlistChange), []byte("deleted "+id))
}

// Of returns the watchlists that a team has and which of their tags count, as the
// view shows it; it must not be changed.
func (c *Watchlists) Of(view persistence.View, team watchpost.TeamID) (*watchpost.Tagging, error) {
	change, err := view.Get(persistence.Space(team), []byte(teamspace.KeyLastWatchlistChange))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return nil, err
	}
	if len(change) > 0 {
		c.mu.RLock()
		known := c.teams[team]
		c.mu.RUnlock()
		if known.change == string(change) {
			return known.tagging, nil
		}
	}
	tagging, err := poststore.LoadTagging(view, persistence.Space(team))
	if err == nil && len(change) > 0 {
		c.remember(team, cachedWatchlists{string(change), tagging})
	}
	return tagging, err
}

func (c *Watchlists) remember(team watchpost.TeamID, w cachedWatchlists) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += w.count() - c.teams[team].count(); c.size > maxcachedWatchlists {
		clear(c.teams)
		c.size = w.count()
	}
	c.teams[team] = w
}
