package actors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// manyPosts are posts about something, enough of them to fill batches.
func manyPosts(w *actorstest.World, name string, n int) []protocol.Post {
	posts := make([]protocol.Post, n)
	for i := range posts {
		posts[i] = post(w, fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("go is fine, says %s %s", name, strings.Repeat(fmt.Sprintf("word%d ", i), 200)))
	}
	return posts
}

// TestPartsAtOnce sends parts faster than they are stored: each is acknowledged
// in its turn, and a post that several of them have is stored once, as the last
// of them saw it.
func TestPartsAtOnce(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	s.Accept(scan)
	const parts, each = 6, 40
	for part := range parts {
		posts := manyPosts(w, fmt.Sprint(part), each)
		again := post(w, "again", "go is fine")
		again.Likes = int64(part)
		twice := again
		twice.Likes += 100
		s.Part(scan, part, append(posts, again, twice)...)
	}
	for part := range parts {
		require.Equal(t, part, *s.ExpectAck(scan).Seq)
	}
	query := watchpost.PostQuery{Order: watchpost.MostLiked, Page: 1, PageSize: 1}
	page, err := w.Registry.Posts(w.Context(), team.ID, []string{string(list.ID)}, query)
	require.NoError(t, err)
	require.Equal(t, parts*each+1, page.Count)
	first := actorstest.Decoded(t, page.Posts)[0]
	require.Equal(t, "urn:network:post:again", first.URN)
	require.EqualValues(t, parts-1+100, first.Likes)
	require.Len(t, first.Matches, 1)
}

// TestDeletedBetweenParts deletes a watchlist while parts of two are on their
// way: none of its posts is left, and all of the other's are there.
func TestDeletedBetweenParts(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	doomed := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	s.Accept(scan)
	other := team.SessionOf(t, team.Member(t, "bob"), "bob").Connect()
	kept := keywordWatchlist(t, team, "fine")
	keptScan := other.Expect(protocol.TypeTask)
	other.Accept(keptScan)
	const parts, each = 3, 40
	for part := range parts {
		s.Part(scan, part, manyPosts(w, fmt.Sprint("doomed-", part), each)...)
		other.Part(keptScan, part, manyPosts(w, fmt.Sprint("kept-", part), each)...)
	}
	done(t, team, actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: doomed.ID})
	for part := range parts {
		require.Equal(t, part, *other.ExpectAck(keptScan).Seq)
	}
	count := func(query watchpost.PostQuery) int {
		query.Order, query.Page, query.PageSize = watchpost.RecentFirst, 1, 1
		page, err := w.Registry.Posts(w.Context(), team.ID, nil, query)
		require.NoError(t, err)
		return page.Count
	}
	require.Equal(t, parts*each, count(watchpost.PostQuery{}))
	require.Len(t, team.Posts(t, kept.ID), min(parts*each, watchpost.MaxPageSize))
	w.Restart() // the rest of the removal is done, and is verified at the end
	other.Connect(actorstest.Listed(keptScan, protocol.StateReceived))
	require.Equal(t, parts*each, count(watchpost.PostQuery{}))
}

// TestEndWhilePostsArePrepared ends the process with parts on their way, by
// shutdown and by crash. Unacknowledged parts are sent again, and every post is
// there once.
func TestEndWhilePostsArePrepared(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*actorstest.World){"restart": (*actorstest.World).Restart, "crash": (*actorstest.World).Crash} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			list := keywordWatchlist(t, team, "go")
			scan := s.Expect(protocol.TypeTask)
			s.Accept(scan)
			const parts, each = 4, 30
			var all [parts][]protocol.Post
			for part := range parts {
				all[part] = manyPosts(w, fmt.Sprint(part), each)
				s.Part(scan, part, all[part]...)
			}
			s.ExpectAck(scan)
			end(w)
			s.Connect(actorstest.Listed(scan, protocol.StateReceived))
			for part := range parts {
				s.Part(scan, part, all[part]...)
			}
			for part := range parts {
				require.Equal(t, part, *s.ExpectAck(scan).Seq)
			}
			page, err := w.Registry.Posts(w.Context(), team.ID, []string{string(list.ID)}, watchpost.PostQuery{Order: watchpost.RecentFirst, Page: 1, PageSize: 1})
			require.NoError(t, err)
			require.Equal(t, parts*each, page.Count)
		})
	}
}

// TestPartsAreHeldBack: while nothing is stored, a session that goes on sending
// is held back, and goes on when the store does.
func TestPartsAreHeldBack(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	s.Accept(scan)
	const parts = 30
	long := strings.Repeat("word ", 100<<10) // more than a post may have: it is cut
	w.Store.Block()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for part := range parts {
			s.Part(scan, part, post(w, fmt.Sprint(part), "go "+long))
		}
	}()
	require.NoError(t, w.Store.AwaitHeld(w.Context(), 1))
	select {
	case <-sent:
		require.FailNow(t, "nothing holds the session back")
	case <-time.After(300 * time.Millisecond):
	}
	w.Store.Release()
	for part := range parts {
		require.Equal(t, part, *s.ExpectAck(scan).Seq)
	}
	<-sent
}
