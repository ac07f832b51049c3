package actors_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/changefeed"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// everyInteraction is what interactions are as a pure function of the store: all
// of them, each with the stored post that it was done to, if the watchlist
// collected that.
func everyInteraction(t *testing.T, w *actorstest.World, team *actorstest.Team, list watchpost.WatchlistID) (all []watchpost.Interaction, posts map[string]*watchpost.Post) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	posts = map[string]*watchpost.Post{}
	for _, i := range interactions(t, w, team) {
		var deeds struct{ URN string }
		value, err := view.Get(persistence.Space(team.ID), []byte("d"+i.Target))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(value[1:], &deeds))
		post, err := postindex.ByURN(view, persistence.Space(team.ID), deeds.URN)
		if errors.Is(err, persistence.ErrNotFound) {
			continue
		}
		require.NoError(t, err)
		if post.Collected(func(id watchpost.WatchlistID) bool { return id == list }) {
			all, posts[i.Target] = append(all, i), post
		}
	}
	return all, posts
}

// engagementsUnderFaults engages with posts at random, and checks the recorded engagement.
type engagementsUnderFaults struct {
	*testing.T
	w      *actorstest.World
	team   *actorstest.Team
	s      *actorstest.Session
	random *rand.Rand
	lists  []watchpost.Watchlist
	found  int // interactions in all answers
}

const drillPosts = 8

// post is the n-th post; some have a urn by which its URL does not name them.
func (d *engagementsUnderFaults) post(n int) protocol.Post {
	p := post(d.w, "", "go rust zig")
	p.URN = fmt.Sprintf("urn:network:activity:70000000000000000%02d", n)
	p.URL = "/feed/update/" + p.URN
	if n%3 == 0 {
		p.URN = fmt.Sprintf("urn:network:share:90000000000000000%02d", n)
	}
	return p
}

func (d *engagementsUnderFaults) collect() {
	if len(d.lists) == 4 {
		return
	}
	d.lists = append(d.lists, keywordWatchlist(d.T, d.team, "go"))
	var some []protocol.Post
	for n := range drillPosts {
		if d.random.IntN(2) == 0 {
			some = append(some, d.post(n))
		}
	}
	endScan(d.s, d.s.Expect(protocol.TypeTask), true, some...)
}

func (d *engagementsUnderFaults) remove() {
	if len(d.lists) == 0 {
		return
	}
	i := d.random.IntN(len(d.lists))
	list := d.lists[i]
	d.lists = append(d.lists[:i], d.lists[i+1:]...)
	done(d.T, d.team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
	// Until its marks are off the posts, two snapshots may show them otherwise.
	require.Eventually(d, func() bool { return len(storedKeys(d.T, d.w, d.team, "x")) == 0 }, actorstest.Wait, time.Millisecond)
}

// act likes a post or comments on it, by one of its names.
func (d *engagementsUnderFaults) act() {
	urn := fmt.Sprintf("urn:network:activity:70000000000000000%02d", d.random.IntN(drillPosts))
	kind, input := watchpost.TaskCommentPost, fmt.Sprintf(`{"social_urn":%q,"comment_text":"well"}`, urn)
	if d.random.IntN(2) == 0 {
		kind, input = watchpost.TaskLikePost, fmt.Sprintf(`{"social_urn":%q,"actor_type":"company","company_title":"Page %d"}`, urn, d.random.IntN(1000))
	}
	id := created(d.T, d.team, request(kind, input))
	frame := d.s.Expect(protocol.TypeTask)
	for ; frame.Task != string(id); frame = d.s.Expect(protocol.TypeTask) {
		endScan(d.s, frame, true) // had become due
	}
	d.s.Finish(frame)
	if d.random.IntN(3) == 0 {
		d.w.Advance(time.Hour * time.Duration(d.random.IntN(30)))
		d.settle()
	}
}

// settle ends the scans that have become due.
func (d *engagementsUnderFaults) settle() {
	for _, f := range d.s.Settle() {
		if f.Type == protocol.TypeTask {
			endScan(d.s, f, true)
			d.settle()
		}
	}
}

// ask compares answers with the expected ones.
func (d *engagementsUnderFaults) ask() {
	for _, list := range d.lists {
		all, posts := everyInteraction(d.T, d.w, d.team, list.ID)
		q := watchpost.InteractionQuery{Page: 1 + d.random.IntN(3), PageSize: 1 + d.random.IntN(5)}
		switch d.random.IntN(4) {
		case 0:
			q.Kind = watchpost.InteractionLike
		case 1:
			q.Kind = watchpost.InteractionComment
		case 2:
			if len(all) > 0 {
				q.Actors = []string{all[d.random.IntN(len(all))].Author.ID, "nobody"}
			}
		}
		now := d.w.Now()
		page, err := d.w.Registry.Interactions(d.w.Context(), d.team.ID, string(list.ID), q)
		require.NoError(d, err)
		if watchpost.Daily.Key(now) != watchpost.Daily.Key(d.w.Now()) {
			continue // the days of the graph have passed on in between
		}
		want, sum := q.Select(all, now)
		require.Equal(d, sum, page.Summary)
		require.Equal(d, want, page.Interactions)
		for _, i := range page.Interactions {
			require.Equal(d, posts[i.Target], page.Posts[i.Target])
		}
		d.found += sum.Total
	}
}

// TestInteractionsAsTheStoreHasThem: whatever is done and collected, and however
// often the service ends, an answer is that of all records.
func TestInteractionsAsTheStoreHasThem(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	d := &engagementsUnderFaults{T: t, w: w, team: team, s: s, random: rand.New(rand.NewPCG(1, 2))}
	for range 90 {
		switch n := d.random.IntN(20); {
		case n < 4:
			d.collect()
		case n < 6:
			d.remove()
		case n == 6:
			if d.random.IntN(2) == 0 {
				w.Crash()
			} else {
				w.Restart()
			}
			s.Connect()
			d.settle()
		default:
			d.act()
			if d.random.IntN(3) == 0 {
				continue // more than one change between two questions
			}
		}
		d.ask()
	}
	require.Greater(t, d.found, 300)
}

// TestRecordedAgain checks that an engagement recorded before its task ended, and
// reported once more, is one interaction, at its first moment, and one change of the feed.
func TestRecordedAgain(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	endScan(s, s.Expect(protocol.TypeTask), true, post(w, "1", "go"))
	comment := request(watchpost.TaskCommentPost, `{"social_urn":"urn:network:post:1","comment_text":"well"}`)
	ask := func() []watchpost.Interaction {
		q := watchpost.InteractionQuery{Page: 1, PageSize: 10}
		page, err := w.Registry.Interactions(w.Context(), team.ID, string(list.ID), q)
		require.NoError(t, err)
		all, _ := everyInteraction(t, w, team, list.ID)
		want, sum := q.Select(all, w.Now())
		require.Equal(t, want, page.Interactions)
		require.Equal(t, sum, page.Summary)
		return page.Interactions
	}
	s.Finish(s.ExpectTask(created(t, team, comment)))
	require.Len(t, ask(), 1)
	frame := s.ExpectTask(created(t, team, comment))
	s.Act(frame)
	recorded := false
	w.Store.FailWhen(func(of persistence.Space, batch *persistence.Batch) actorstest.Fault {
		if recorded {
			return always(team, actorstest.Before)(of, batch)
		}
		for _, write := range batch.Writes {
			recorded = recorded || write.Key[0] == 'n'
		}
		return actorstest.None
	})
	s.Result(frame, map[string]any{})
	s.ExpectClosed()
	w.Store.FailWhen(nil)
	w.AwaitPassivated()
	before := ask()
	require.Len(t, before, 2)
	w.Advance(time.Minute)
	s.Connect(actorstest.Listed(frame, protocol.StateDone))
	s.Result(frame, map[string]any{})
	s.ExpectAck(frame)
	require.Equal(t, before, ask())
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	reader := &changefeed.Reader{View: view, Space: persistence.Space(team.ID), Now: w.Now()}
	page, err := reader.Page(&changefeed.Query{Earliest: true, Limit: 100, Types: map[watchpost.ChangeType]bool{watchpost.ChangeInteraction: true}})
	require.NoError(t, err)
	require.Len(t, page.Changes, 2)
}

// TestInteractionsReadAPage checks that the records read for an answer do not
// grow with the number of earlier interactions.
func TestInteractionsReadAPage(t *testing.T) {
	t.Parallel()
	store := &counting{Store: actorstest.Engine(t)}
	w, team, s := house(t, actorstest.On(store))
	list := keywordWatchlist(t, team, "go")
	endScan(s, s.Expect(protocol.TypeTask), true, post(w, "1", "go"))
	comment := func() {
		s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskCommentPost, `{"social_urn":"urn:network:post:1","comment_text":"well"}`))))
	}
	ask := func() int64 {
		before := store.reads.Load()
		page, err := w.Registry.Interactions(w.Context(), team.ID, string(list.ID), watchpost.InteractionQuery{Page: 1, PageSize: 2})
		require.NoError(t, err)
		require.NotEmpty(t, page.Interactions)
		return store.reads.Load() - before
	}
	comment()
	comment()
	ask()
	first := ask()
	for range 20 {
		comment()
	}
	ask()
	require.Equal(t, first, ask())
	comment()
	require.Equal(t, first, ask())
}

// TestInteractionsOfAnEarlierBuild: what an earlier build recorded, before and next to this
// one, is listed at the next request, also when a service ends in between; and a post
// with more interactions than a batch holds is listed where it is collected.
func TestInteractionsOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	lists := []watchpost.Watchlist{keywordWatchlist(t, team, "go")}
	endScan(s, s.Expect(protocol.TypeTask), true, post(w, "1", "go rust"))
	target, space := watchpost.PostKey("urn:network:post:1"), persistence.Space(team.ID)
	s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskLikePost, `{"social_urn":"urn:network:post:1"}`))))
	many := 1
	earlierBuild := func(n int) {
		for n > 0 {
			batch := &persistence.Batch{}
			batch.Put([]byte(teamspace.KeyEarlierEngagements), teamspace.Encode(map[string]int{"changes": n}))
			for range min(n, 500) {
				id := watchpost.TaskID(watchpost.NewID(w.Now()))
				batch.Put(teamspace.Key(teamspace.KeyInteraction, id), teamspace.Encode(watchpost.Interaction{
					ID: id, Kind: watchpost.InteractionComment, At: w.Now().Add(-time.Duration(n) * time.Hour), URN: "urn:network:post:1", Target: target, Author: watchpost.Author{ID: fmt.Sprint(n % 7)},
				}))
				n--
				many++
			}
			w.Plant(space, batch)
		}
		w.Crash()
	}
	ask := func() {
		for _, list := range lists {
			all, _ := everyInteraction(t, w, team, list.ID)
			require.Len(t, all, many)
			for _, q := range []watchpost.InteractionQuery{{Page: 2, PageSize: 7}, {Page: 30, PageSize: 100}, {Page: 1, PageSize: 100, Actors: []string{"3"}, Kind: watchpost.InteractionComment}} {
				page, err := w.Registry.Interactions(w.Context(), team.ID, string(list.ID), q)
				require.NoError(t, err)
				want, sum := q.Select(all, w.Now())
				require.Equal(t, sum, page.Summary)
				require.Equal(t, want, page.Interactions)
			}
		}
	}
	ask()
	earlierBuild(3 * persistence.MaxBatchOps)
	for nth := 1; nth <= 3; nth++ { // of the commits that build the index
		w.Store.Fail(space, nth, actorstest.Before)
		_, err := w.Registry.Interactions(w.Context(), team.ID, string(lists[0].ID), watchpost.InteractionQuery{Page: 1, PageSize: 1})
		require.Equal(t, watchpost.Unavailable, watchpost.KindOf(err))
		w.Crash()
	}
	ask()
	earlierBuild(10)
	ask()
	s.Connect()
	lists = append(lists, keywordWatchlist(t, team, "rust"))
	for frame := s.Expect(protocol.TypeTask); ; frame = s.Expect(protocol.TypeTask) {
		endScan(s, frame, true, post(w, "1", "go rust"))
		if strings.Contains(string(frame.Input), "rust") {
			break
		}
	}
	ask()
	done(t, team, actors.DeleteWatchlist{Type: lists[0].Type, ID: lists[0].ID})
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "x")) == 0 }, actorstest.Wait, time.Millisecond)
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyEngagementMoment+string(lists[0].ID)))
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyEngagementCount+string(lists[0].ID)))
	lists = lists[1:]
	ask()
}
