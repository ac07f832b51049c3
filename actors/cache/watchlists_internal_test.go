package cache

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

func TestLiveCacheFollowsTheSnapshot(t *testing.T) {
	t.Parallel()
	store, err := badger.Open(badger.Options{InMemory: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	ctx := context.Background()
	epoch, err := store.Activate(ctx, "team")
	require.NoError(t, err)
	write := func(change func(*persistence.Batch)) persistence.View {
		batch := &persistence.Batch{}
		change(batch)
		require.NoError(t, persistence.Commit(ctx, store, "team", epoch, batch))
		view, err := store.View(ctx)
		require.NoError(t, err)
		t.Cleanup(view.Close)
		return view
	}
	c := NewWatchlists()
	live := func(view persistence.View) (ids []string) {
		found, err := c.Of(view, "team")
		require.NoError(t, err)
		for id := range found.Live {
			ids = append(ids, string(id))
		}
		return ids
	}
	old := write(func(b *persistence.Batch) { b.Put(teamspace.Key(teamspace.KeyWatchlist, "a"), nil) }) // by a version without a last change
	require.Equal(t, []string{"a"}, live(old))
	require.Empty(t, c.teams)

	one := write(func(b *persistence.Batch) { PutNewWatchlist(b, &watchpost.Watchlist{ID: "b"}) })
	require.ElementsMatch(t, []string{"a", "b"}, live(one))
	require.ElementsMatch(t, []string{"a", "b"}, live(one), "from memory")
	two := write(func(b *persistence.Batch) { DeleteWatchlist(b, "b") })
	for range 2 {
		require.Equal(t, []string{"a"}, live(two))
		require.ElementsMatch(t, []string{"a", "b"}, live(one), "an older snapshot shows what was")
		require.Equal(t, []string{"a"}, live(old))
	}
}

func TestLiveCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := NewWatchlists()
	many := map[watchpost.WatchlistID]bool{}
	for i := range 100 {
		many[watchpost.WatchlistID(strconv.Itoa(i))] = true
	}
	for i := range 3 * maxcachedWatchlists / len(many) {
		team := watchpost.TeamID(strconv.Itoa(i))
		c.remember(team, cachedWatchlists{"1", &watchpost.Tagging{Live: many}})
		c.remember(team, cachedWatchlists{"2", &watchpost.Tagging{Live: many}})
		sum := 0
		if i%100 == 0 {
			for _, w := range c.teams {
				sum += w.count()
			}
			require.Equal(t, c.size, sum)
		}
		require.LessOrEqual(t, c.size, maxcachedWatchlists)
		require.Contains(t, c.teams, team)
	}
}
