package actors_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// counting counts the reads of a store.
type counting struct {
	persistence.Store
	reads atomic.Int64
}

type countingView struct {
	persistence.View
	reads *atomic.Int64
}

// View implements persistence.Store.
func (c *counting) View(ctx context.Context) (persistence.View, error) {
	view, err := c.Store.View(ctx)
	return &countingView{view, &c.reads}, err
}

// Get implements persistence.View.
func (v *countingView) Get(space persistence.Space, key []byte) ([]byte, error) {
	v.reads.Add(1)
	return v.View.Get(space, key)
}

// Scan implements persistence.View.
func (v *countingView) Scan(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	return v.View.Scan(space, from, to, func(key, value []byte) bool {
		v.reads.Add(1)
		return yield(key, value)
	})
}

// endsAfter is a context that ends after a given number of reads.
type endsAfter struct {
	context.Context
	store *counting
	reads int64
}

// Err implements context.Context.
func (c endsAfter) Err() error {
	if c.store.reads.Load() < c.reads {
		return nil
	}
	return context.DeadlineExceeded
}

// TestSearchEndsWithItsRequest checks that a search over many texts stops when
// its caller no longer waits.
func TestSearchEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	const posts = 300
	store := &counting{Store: actorstest.Engine(t)}
	w, team, s := house(t, actorstest.On(store), actorstest.With(func(o *actors.Options) { o.PostCache = 1 }))
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	var some []protocol.Post
	for n := range posts {
		some = append(some, post(w, fmt.Sprint(n), "go 東京都"))
	}
	endScan(s, scan, true, some...)
	search, err := text.ParseSearch("東京都") // of no single term
	require.NoError(t, err)
	query := watchpost.PostQuery{Search: search, Page: 1, PageSize: 1}
	ask := func(ctx context.Context) (int, int64, error) {
		before := store.reads.Load()
		page, err := w.Registry.Posts(ctx, team.ID, []string{string(list.ID)}, query)
		return page.Count, store.reads.Load() - before, err
	}
	count, reads, err := ask(w.Context())
	require.NoError(t, err)
	require.Equal(t, posts, count)
	require.Greater(t, reads, int64(posts))
	_, ended, err := ask(endsAfter{w.Context(), store, store.reads.Load() + reads - posts/2})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, ended, reads-posts/2+100)
}
