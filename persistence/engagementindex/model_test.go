package engagementindex_test

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

const space persistence.Space = "team"

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// team applies the machine's operations to a store and holds the expected state. It makes
// batches as the post store does: the first loses none, a crash loses the last.
type team struct {
	engine persistence.Store
	epoch  persistence.Epoch
	posts  *postindex.Index
	live   map[watchpost.WatchlistID]bool
	n      int // of the next record
	now    time.Time
}

func id(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012x", n) }

func newTeam(t require.TestingT, engine persistence.Store) *team {
	epoch, err := engine.Activate(ctx, space)
	require.NoError(t, err)
	return &team{engine: engine, epoch: epoch, posts: postindex.New(postindex.Options{}), live: map[watchpost.WatchlistID]bool{}, now: start}
}

func (m *team) next() string {
	m.n++
	return id(m.n)
}

// change commits a batch with the index, unless lost, or as an earlier build does.
func (m *team) change(t require.TestingT, lost, earlier bool, write func(view persistence.View, batch *persistence.Batch, posts *postindex.Writer, w *engagementindex.Writer)) {
	view, err := m.engine.View(ctx)
	require.NoError(t, err)
	defer view.Close()
	batch := &persistence.Batch{}
	posts, err := m.posts.Writer(view, space, batch)
	require.NoError(t, err)
	var w *engagementindex.Writer
	if earlier {
		w, err = engagementindex.New(view, space, &persistence.Batch{}, m.live)
	} else {
		w, err = engagementindex.New(view, space, batch, m.live)
	}
	require.NoError(t, err)
	write(view, batch, posts, w)
	_, err = posts.Finish()
	require.NoError(t, err)
	w.Finish(posts.Next())
	noted := slices.ContainsFunc(batch.Writes, func(w persistence.Write) bool { return w.Key[0] == 'd' || w.Key[0] == 'n' })
	if earlier && noted {
		batch.Put([]byte(teamspace.KeyEarlierEngagements), fmt.Append(nil, m.n))
	}
	if !lost {
		require.NoError(t, persistence.Commit(ctx, m.engine, space, m.epoch, batch))
	}
}

// mend lets the index be whole, but for steps that are lost.
func (m *team) mend(t *rapid.T) {
	for {
		view, err := m.engine.View(ctx)
		require.NoError(t, err)
		batch := &persistence.Batch{}
		require.NoError(t, engagementindex.Mend(view, space, batch, m.live))
		view.Close()
		if batch.Empty() {
			return
		}
		require.NoError(t, batch.Check())
		if rapid.IntRange(0, 9).Draw(t, "lost step") > 0 {
			require.NoError(t, persistence.Commit(ctx, m.engine, space, m.epoch, batch))
		}
	}
}

func (m *team) flags(t require.TestingT, view persistence.View, target string) teamspace.EngagementFlags {
	flags, err := teamspace.Load[teamspace.EngagementFlags](view, space, teamspace.EngagementFlagsKey(target))
	if err != nil {
		require.ErrorIs(t, err, persistence.ErrNotFound)
	}
	return flags
}

func stored(t require.TestingT, view persistence.View, urn string) *watchpost.Post {
	post, err := postindex.ByURN(view, space, urn)
	if err != nil {
		require.ErrorIs(t, err, persistence.ErrNotFound)
		return nil
	}
	return post
}

// engage records interactions with a target, on the post with the urn if it is stored.
func (m *team) engage(t *rapid.T, lost, earlier bool) {
	target, urn := rapid.SampledFrom(targets).Draw(t, "target"), rapid.SampledFrom(urns).Draw(t, "urn")
	i := watchpost.Interaction{
		ID: watchpost.TaskID(m.next()), Kind: rapid.SampledFrom([]watchpost.InteractionKind{watchpost.InteractionLike, watchpost.InteractionComment}).Draw(t, "kind"),
		At: m.now, Target: target, URN: urn, Author: watchpost.Author{ID: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "author")},
	}
	if again := rapid.IntRange(0, 5).Draw(t, "again"); again == 0 && m.n > 1 {
		old := m.everything(t)
		if len(old) > 0 { // recorded once more, later
			i.ID, i.Target = old[0].ID, old[0].Target
			target = i.Target
		}
	}
	m.change(t, lost, earlier, func(view persistence.View, batch *persistence.Batch, posts *postindex.Writer, w *engagementindex.Writer) {
		flags, post, more := m.flags(t, view, target), stored(t, view, urn), false
		if post != nil {
			if flags.URN != urn {
				w.Link(target, flags.URN, urn)
				flags.URN, more = urn, true
			}
			more = more || !post.Liked && !post.Commented
			post.Liked = true
			require.NoError(t, posts.Put(post))
		} else if flags.URN != "" {
			post = stored(t, view, flags.URN)
		}
		flags.Liked = true
		batch.Put(teamspace.EngagementFlagsKey(target), teamspace.Encode(flags))
		batch.Put(teamspace.Key(teamspace.KeyInteraction, i.ID), teamspace.Encode(i))
		require.NoError(t, w.Record(&i, post))
		if more {
			require.NoError(t, w.List(flags.URN, post))
		}
	})
}

// collect stores a post, or lets one more watchlist have it.
func (m *team) collect(t *rapid.T, lost, earlier bool) {
	if len(m.live) == 0 {
		return
	}
	urn, list := rapid.SampledFrom(urns).Draw(t, "urn"), rapid.SampledFrom(slices.Sorted(maps.Keys(m.live))).Draw(t, "list")
	m.change(t, lost, earlier, func(view persistence.View, batch *persistence.Batch, posts *postindex.Writer, w *engagementindex.Writer) {
		post := stored(t, view, urn)
		if post == nil {
			post = &watchpost.Post{ID: watchpost.PostID(m.next()), URN: urn, CreatedAt: m.now, PostedAt: m.now}
			if target := rapid.SampledFrom(append(targets, "")).Draw(t, "named"); target != "" {
				if flags := m.flags(t, view, target); flags.Liked {
					if post.Liked = true; flags.URN != urn {
						w.Link(target, flags.URN, urn)
						flags.URN = urn
						batch.Put(teamspace.EngagementFlagsKey(target), teamspace.Encode(flags))
					}
				}
			}
		}
		post.Matches = append(post.Matches, watchpost.Match{Watchlist: list, At: m.now})
		require.NoError(t, posts.Put(post))
		require.NoError(t, w.List(urn, post))
	})
}

// remove deletes a watchlist, its posts and its listed engagements.
func (m *team) remove(t *rapid.T, earlier bool) {
	if len(m.live) == 0 {
		return
	}
	list := rapid.SampledFrom(slices.Sorted(maps.Keys(m.live))).Draw(t, "list")
	delete(m.live, list)
	for !earlier {
		view, err := m.engine.View(ctx)
		require.NoError(t, err)
		batch := &persistence.Batch{}
		require.NoError(t, engagementindex.Forget(view, space, batch, list))
		view.Close()
		if batch.Empty() {
			break
		}
		require.NoError(t, persistence.Commit(ctx, m.engine, space, m.epoch, batch))
	}
	m.change(t, false, earlier, func(view persistence.View, _ *persistence.Batch, posts *postindex.Writer, _ *engagementindex.Writer) {
		for _, urn := range urns {
			if post := stored(t, view, urn); post != nil && post.Collected(func(w watchpost.WatchlistID) bool { return w == list }) {
				if post = post.Withdraw(list); len(post.Matches) > 0 {
					require.NoError(t, posts.Put(post))
				} else {
					require.NoError(t, posts.Delete(post))
				}
			}
		}
	})
}

func (m *team) everything(t require.TestingT) (all []watchpost.Interaction) {
	view, err := m.engine.View(ctx)
	require.NoError(t, err)
	defer view.Close()
	require.NoError(t, teamspace.LoadAll(view, space, teamspace.KeyInteraction, func(_ string, i watchpost.Interaction) { all = append(all, i) }))
	return all
}

// check compares a page of each watchlist with what the records say.
func (m *team) check(t *rapid.T) {
	m.mend(t)
	all := m.everything(t)
	view, err := m.engine.View(ctx)
	require.NoError(t, err)
	defer view.Close()
	whole, err := engagementindex.Whole(view, space)
	require.NoError(t, err)
	require.True(t, whole)
	_, err = engagementindex.Verify(view, space, m.live, func(problem string) { t.Error(problem) })
	require.NoError(t, err)
	for list := range m.live {
		var of []watchpost.Interaction
		for _, i := range all {
			post := stored(t, view, m.flags(t, view, i.Target).URN)
			if post != nil && (post.Liked || post.Commented) && post.Collected(func(w watchpost.WatchlistID) bool { return w == list }) {
				of = append(of, i)
			}
		}
		q := watchpost.InteractionQuery{
			Kind:   rapid.SampledFrom([]watchpost.InteractionKind{"", watchpost.InteractionLike, watchpost.InteractionComment}).Draw(t, "asked kind"),
			Actors: rapid.SampledFrom([][]string{nil, {"a"}, {""}, {"a", "b", "a"}, {"nobody"}}).Draw(t, "actors"),
			Page:   rapid.IntRange(1, 4).Draw(t, "page"), PageSize: rapid.IntRange(1, 6).Draw(t, "size"),
		}
		want, sum := q.Select(of, m.now)
		tasks, got, err := engagementindex.Page(view, space, list, &q, m.now)
		require.NoError(t, err)
		require.Equal(t, sum, got)
		var ids []watchpost.TaskID
		for _, i := range want {
			ids = append(ids, i.ID)
		}
		require.Equal(t, ids, tasks)
	}
}

var (
	targets = []string{"1", "2", "3"}
	urns    = []string{"urn:1", "urn:2", "urn:3", "urn:4"}
)

// TestModel: whatever is done in whatever order, by this build and an earlier one, whichever
// batches are lost, pages and counts are those of the records.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		engine, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close()) }()
		m := newTeam(t, engine)
		earlier := false
		t.Repeat(map[string]func(*rapid.T){
			"create":  func(*rapid.T) { m.live[watchpost.WatchlistID(m.next())] = true },
			"collect": func(t *rapid.T) { m.collect(t, rapid.Bool().Draw(t, "lost"), earlier) },
			"engage":  func(t *rapid.T) { m.engage(t, rapid.IntRange(0, 4).Draw(t, "lost") == 0, earlier) },
			"many": func(t *rapid.T) {
				for range rapid.IntRange(10, 80).Draw(t, "many") {
					m.engage(t, false, earlier)
				}
			},
			"remove": func(t *rapid.T) { m.remove(t, earlier) },
			"time":   func(t *rapid.T) { m.now = m.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "hours")) * time.Hour) },
			"build":  func(*rapid.T) { earlier = !earlier },
			"": func(t *rapid.T) {
				if !earlier {
					m.check(t)
				}
			},
		})
	})
}
