package postindex_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestLatePostsOfEarlierBuilds: a watchlist is said to have got a post of an earlier build
// when the service stored it, until the post is written again. Such an index is sound.
func TestLatePostsOfEarlierBuilds(t *testing.T) {
	options := tiny
	options.MaxBuffer = 1000
	m := newTeam(t, memory(t), options)
	const all = 20
	for i := range all {
		m.put(latePost(i))
	}
	m.view(func(view persistence.View) {
		batch, err := postindex.WithoutLate(view, space)
		require.NoError(t, err)
		m.commit(batch)
	})
	m.restart(m.store, options)
	late := &watchpost.PostQuery{Live: map[watchpost.WatchlistID]bool{"w2": true}, Named: true, StoredFrom: day0.Add(time.Hour), PageSize: watchpost.MaxPageSize}
	for _, state := range []string{"in the buffer", "in segments"} {
		require.Empty(t, m.verify(), state)
		_, count := m.query(late)
		require.Zero(t, count, state)
		m.mergeAll()
	}
	for i := range all / 2 {
		m.put(latePost(i))
	}
	for _, state := range []string{"in the buffer", "in segments"} {
		require.Empty(t, m.verify(), state)
		_, count := m.query(late)
		require.Equal(t, all/2, count, state)
		m.mergeAll()
	}
}

// TestLateAmongWatchlists: a post counts as got when the first of the watchlists asked for
// got it. One that is named and does not count changes nothing, also for the next query.
func TestLateAmongWatchlists(t *testing.T) {
	m := newTeam(t, memory(t), tiny)
	m.put(latePost(0))
	for want, live := range []map[watchpost.WatchlistID]bool{{"w1": true, "w2": true}, {"w1": false, "w2": true}} {
		_, count := m.query(&watchpost.PostQuery{Live: live, Named: true, StoredFrom: day0.Add(time.Hour)})
		require.Equal(t, want, count, "%v", live)
	}
}

// latePost is a post that a second watchlist got an hour after the first.
func latePost(i int) *watchpost.Post {
	return &watchpost.Post{
		ID: watchpost.PostID(fmt.Sprintf("00000000-0000-7000-8000-%012x", i)), URN: fmt.Sprint("urn:net:activity:", i), Content: "go", CreatedAt: day0, PostedAt: day0,
		Matches: []watchpost.Match{{Watchlist: "w1", At: day0}, {Watchlist: "w2", At: day0.Add(time.Hour)}},
	}
}
