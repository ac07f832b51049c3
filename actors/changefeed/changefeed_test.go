package changefeed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/actors/changefeed"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

// history commits batches as a team does.
type history struct {
	store persistence.Store
	space persistence.Space
	clock *clock
	log   *changefeed.Log
	epoch persistence.Epoch
	told  []watchpost.Change // all, in the order of commits
}

// clock stands still until it is set.
type clock struct {
	watchpost.Clock
	now time.Time
}

func (c *clock) Now() time.Time { return c.now }

type fataler interface {
	require.TestingT
	Helper()
}

func newStore(t *testing.T) persistence.Store {
	store, err := badger.Open(badger.Options{InMemory: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func newHistory(t fataler, store persistence.Store) *history {
	t.Helper()
	h := &history{store: store, space: persistence.Space(watchpost.NewSecret(8)), clock: &clock{now: time.Date(2030, 1, 7, 8, 0, 0, 0, time.UTC)}}
	h.activate(t)
	return h
}

func (h *history) activate(t fataler) {
	t.Helper()
	var err error
	h.epoch, err = h.store.Activate(context.Background(), h.space)
	require.NoError(t, err)
	h.log = changefeed.NewLog(h.clock)
	h.view(t, func(view persistence.View) { require.NoError(t, h.log.Load(view, h.space)) })
}

func (h *history) view(t fataler, do func(persistence.View)) {
	t.Helper()
	view, err := h.store.View(context.Background())
	require.NoError(t, err)
	defer view.Close()
	do(view)
}

func (h *history) commit(t fataler, changes ...watchpost.Change) {
	t.Helper()
	h.submit(t, changes...)
	for _, c := range changes {
		c.Number, c.At = uint64(len(h.told)+1), h.clock.now
		h.told = append(h.told, c)
	}
}

// submit commits changes that told does not have.
func (h *history) submit(t fataler, changes ...watchpost.Change) {
	t.Helper()
	batch := &persistence.Batch{}
	batch.Put([]byte("something"), []byte{1})
	changefeed.Note(batch, changes...)
	h.log.Add(batch)
	require.NoError(t, persistence.Commit(context.Background(), h.store, h.space, h.epoch, batch))
}

// prune commits one batch that deletes expired changes, and returns their number.
func (h *history) prune(t fataler) (deleted int) {
	t.Helper()
	batch := &persistence.Batch{}
	h.view(t, func(view persistence.View) {
		var err error
		deleted, _, err = changefeed.Prune(view, h.space, h.clock.now, batch)
		require.NoError(t, err)
	})
	require.NoError(t, persistence.Commit(context.Background(), h.store, h.space, h.epoch, batch))
	return deleted
}

func (h *history) page(t fataler, q changefeed.Query) (page changefeed.Page, err error) {
	t.Helper()
	h.view(t, func(view persistence.View) {
		page, err = (&changefeed.Reader{View: view, Space: h.space, Now: h.clock.now}).Page(&q)
	})
	return page, err
}

func matched(post, watchlist string) watchpost.Change {
	return watchpost.Change{Type: watchpost.ChangePost, Action: watchpost.PostMatched, ID: post, Watchlist: watchpost.WatchlistID(watchlist)}
}

// TestFollow reads the committed changes one by one.
func TestFollow(t *testing.T) {
	t.Parallel()
	h := newHistory(t, newStore(t))
	one, two, post := watchpost.NewID(h.clock.now), watchpost.NewID(h.clock.now), watchpost.NewID(h.clock.now)
	begin, err := h.page(t, changefeed.Query{Now: true})
	require.NoError(t, err)
	h.commit(t, matched(post, one), matched(post, two))
	h.commit(t, watchpost.Change{Type: watchpost.ChangePost, Action: watchpost.PostUpdated, ID: post, Of: []watchpost.WatchlistID{watchpost.WatchlistID(two)}})
	page, err := h.page(t, changefeed.Query{From: begin.Cursor, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, h.told, page.Changes)
	page, err = h.page(t, changefeed.Query{From: page.Places[0], Limit: 10, Watchlists: map[watchpost.WatchlistID]bool{watchpost.WatchlistID(two): true}})
	require.NoError(t, err)
	require.Equal(t, h.told[1:], page.Changes)
	page, err = h.page(t, changefeed.Query{From: begin.Cursor, Limit: 10, Watchlists: map[watchpost.WatchlistID]bool{watchpost.WatchlistID(one): true}})
	require.NoError(t, err)
	require.Equal(t, h.told[:1], page.Changes)
	require.False(t, page.More)
}

// TestUndoneHistory takes a cursor of a history that a restored backup has undone.
func TestUndoneHistory(t *testing.T) {
	t.Parallel()
	post := watchpost.NewID(time.Now())
	h := newHistory(t, newStore(t))
	h.commit(t, matched(post, "one"))
	before, err := h.page(t, changefeed.Query{Now: true})
	require.NoError(t, err)
	backup := copyOf(t, h)
	h.commit(t, matched(post, "two"))
	after, err := h.page(t, changefeed.Query{Now: true})
	require.NoError(t, err)

	backup.activate(t)
	_, err = backup.page(t, changefeed.Query{From: after.Cursor, Limit: 1})
	requireStale(t, err, changefeed.TextUnknown)
	backup.commit(t, matched(post, "three"))
	backup.commit(t, matched(post, "four"))
	_, err = backup.page(t, changefeed.Query{From: after.Cursor, Limit: 1})
	requireStale(t, err, changefeed.TextUnknown)
	page, err := backup.page(t, changefeed.Query{From: before.Cursor, Limit: 5})
	require.NoError(t, err)
	require.Equal(t, backup.told[1:], page.Changes)
}

func requireStale(t fataler, err error, text string) *changefeed.StaleError {
	t.Helper()
	var stale *changefeed.StaleError
	require.ErrorAs(t, err, &stale)
	require.Equal(t, text, stale.Text)
	return stale
}

// copyOf is a store with what another one has.
func copyOf(t *testing.T, h *history) *history {
	other := newHistory(t, h.store)
	batch := &persistence.Batch{}
	h.view(t, func(view persistence.View) {
		require.NoError(t, view.Scan(h.space, nil, nil, func(key, value []byte) bool {
			batch.Put(append([]byte(nil), key...), append([]byte(nil), value...))
			return true
		}))
	})
	require.NoError(t, persistence.Commit(context.Background(), other.store, other.space, other.epoch, batch))
	other.told = append(other.told, h.told...)
	return other
}

// TestMostChanges makes more changes than a team keeps, within the time in which it keeps
// them: the oldest is over with each new one, also in the middle of a record.
func TestMostChanges(t *testing.T) {
	t.Parallel()
	h := newHistory(t, newStore(t))
	h.commit(t, matched("post 1", "one"))
	h.commit(t, matched("post 2", "one"))
	h.commit(t, matched("post 3", "one"))
	h.commit(t, matched("post 4", "one"), matched("post 5", "one"), matched("post 6", "one"), matched("post 7", "one"))
	rest := watchpost.MaxChanges - len(h.told)
	many := make([]watchpost.Change, 1000)
	for i := range many {
		many[i] = matched("many", "one")
	}
	for ; rest > 0; rest -= len(many) {
		many = many[:min(len(many), rest)]
		h.submit(t, many...)
	}
	// keeps checks the changes that are kept after that many changes too many.
	keeps := func(over int) {
		t.Helper()
		page, err := h.page(t, changefeed.Query{Earliest: true, Limit: len(h.told) - over})
		require.NoError(t, err)
		require.Equal(t, h.told[over:], page.Changes)
		require.EqualValues(t, over, page.Kept.Earliest.Number)
		require.EqualValues(t, watchpost.MaxChanges+over, page.Kept.Newest.Number)
	}
	keeps(0)
	cursors := h.cursors(t)
	require.Zero(t, h.prune(t))
	pruned := map[int]int{2: 1, 3: 1} // the last record that is over stays, as does one that is over in part
	for over := 1; over < len(h.told); over++ {
		h.submit(t, matched("one more", "one"))
		keeps(over)
		_, err := h.page(t, changefeed.Query{From: cursors[over-1], Limit: 1})
		require.EqualValues(t, over, requireStale(t, err, changefeed.TextTooOld).Earliest.Number)
		page, err := h.page(t, changefeed.Query{From: cursors[over], Limit: 1})
		require.NoError(t, err)
		require.Equal(t, h.told[over:over+1], page.Changes)
		require.Equal(t, pruned[over], h.prune(t), "over by %d", over)
		keeps(over)
	}
}

// cursors returns the one before the changes that were told, and those behind each of them.
func (h *history) cursors(t fataler) []changefeed.Cursor {
	t.Helper()
	page, err := h.page(t, changefeed.Query{Earliest: true, Limit: len(h.told)})
	require.NoError(t, err)
	return append([]changefeed.Cursor{page.Kept.Earliest}, page.Places...)
}

// TestModel commits, ends activations, prunes and lets time pass in any order, while a
// reader goes on behind its cursor: it sees each change once and in order, or is refused
// when some behind its cursor are no longer kept.
func TestModel(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	rapid.Check(t, func(rt *rapid.T) {
		h := newHistory(rt, store)
		q := changefeed.Query{Limit: rapid.IntRange(1, 4).Draw(rt, "limit")}
		seen := 0
		read := func() (more bool) {
			page, err := h.page(rt, q)
			var stale *changefeed.StaleError
			if errors.As(err, &stale) {
				require.Equal(rt, changefeed.TextTooOld, stale.Text)
				kept := h.clock.now.Add(-watchpost.ChangesKept)
				require.True(rt, h.told[seen].At.Before(kept), "what is next is kept")
				for seen < len(h.told) && h.told[seen].At.Before(kept) {
					seen++
				}
				q.From = stale.Earliest
				require.EqualValues(rt, seen, q.From.Number)
				return true
			}
			require.NoError(rt, err)
			require.LessOrEqual(rt, len(page.Changes), q.Limit)
			for _, c := range page.Changes {
				require.Equal(rt, h.told[seen], c)
				seen++
			}
			q.From = page.Cursor
			require.Equal(rt, seen < len(h.told), page.More)
			return page.More
		}
		rt.Repeat(map[string]func(*rapid.T){
			"commit": func(rt *rapid.T) {
				var all []watchpost.Change
				for range rapid.IntRange(1, 4).Draw(rt, "changes") {
					all = append(all, matched(fmt.Sprint("post ", len(h.told)+len(all)), fmt.Sprint("watchlist ", rapid.IntRange(1, 3).Draw(rt, "watchlist"))))
				}
				h.commit(rt, all...)
			},
			"activate": func(rt *rapid.T) { h.activate(rt) },
			"pass": func(rt *rapid.T) {
				h.clock.now = h.clock.now.Add(time.Duration(rapid.IntRange(1, 60).Draw(rt, "hours")) * time.Hour)
			},
			"prune": func(rt *rapid.T) { h.prune(rt) },
			"read":  func(*rapid.T) { read() },
		})
		for read() {
		}
		require.Equal(rt, len(h.told), seen)
	})
}
