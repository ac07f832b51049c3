package actors_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestBulkBookmarks lets eight clients bookmark without a pause, while a scan
// brings posts: the index is maintained all the same, posts are stored, every
// bookmark that was answered is there.
func TestBulkBookmarks(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	s.Accept(scan)
	const clients, each, some = 8, 250, 40
	s.Part(scan, 0, manyPosts(w, "marked", some)...)
	s.ExpectAck(scan)
	posts := team.Posts(t)
	require.Len(t, posts, some)

	longest := 0
	var mu sync.Mutex
	buffered := func() {
		view, err := w.Store.View(w.Context())
		if !assert.NoError(t, err) {
			return
		}
		defer view.Close()
		n, err := postindex.New(postindex.Options{}).Buffered(view, persistence.Space(team.ID))
		assert.NoError(t, err)
		mu.Lock()
		defer mu.Unlock()
		longest = max(longest, n)
	}
	var clientsDone sync.WaitGroup
	for client := range clients {
		clientsDone.Go(func() {
			for i := range each {
				p := posts[(client*each+i)%some]
				_, err := actorstest.Try[root.Done](team, actors.BookmarkPost{Post: p.ID, Bookmark: i%2 == 0 || i >= each-some})
				assert.NoError(t, err)
				if i%10 == 0 {
					buffered()
				}
			}
		})
	}
	for part := range 3 {
		s.Part(scan, part+1, manyPosts(w, fmt.Sprint("meanwhile-", part), some)...)
		s.ExpectAck(scan)
	}
	clientsDone.Wait()
	buffered()
	require.Less(t, longest, 700, "versions that wait to be sealed")
	query := watchpost.PostQuery{Saved: true, Order: watchpost.RecentFirst, Page: 1, PageSize: 1}
	page, err := w.Registry.Posts(w.Context(), team.ID, nil, query)
	require.NoError(t, err)
	require.Equal(t, some, page.Count)
	query.Saved = false
	page, err = w.Registry.Posts(w.Context(), team.ID, nil, query)
	require.NoError(t, err)
	require.Equal(t, 4*some, page.Count)
}
