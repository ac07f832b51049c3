package actors_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/changefeed"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
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

// TestEngagementReportedTwice: the tree ends after a like was recorded and before its task
// has ended, so its session reports it once more. The change feed and the interactions have
// it once, at its first moment.
func TestEngagementReportedTwice(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := created(t, team, request(watchpost.TaskLikePost, likeOf))
	frame := s.ExpectTask(id)
	s.Act(frame)
	w.PanicIn("actors.(*task).complete")
	s.Result(frame, map[string]any{})
	s.ExpectClosed()
	recorded, changes := recordOf(t, w, team, id)
	require.Equal(t, 1, changes)
	w.Advance(time.Second)
	s.Connect(actorstest.Listed(frame, protocol.StateDone))
	s.Finish(frame)
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
	again, changes := recordOf(t, w, team, id)
	require.Equal(t, recorded, again)
	require.Equal(t, 1, changes)
}

// recordOf returns what is stored of an interaction, and how many changes tell of it.
func recordOf(t *testing.T, w *actorstest.World, team *actorstest.Team, id watchpost.TaskID) (done watchpost.Interaction, changes int) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	done, err = teamspace.Load[watchpost.Interaction](view, persistence.Space(team.ID), teamspace.Key(teamspace.KeyInteraction, id))
	require.NoError(t, err)
	reader := &changefeed.Reader{View: view, Space: persistence.Space(team.ID), Now: w.Now()}
	page, err := reader.Page(&changefeed.Query{Earliest: true, Limit: 100, Types: map[watchpost.ChangeType]bool{watchpost.ChangeInteraction: true}})
	require.NoError(t, err)
	return done, len(page.Changes)
}
