package postindex_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// space is the team of the tests.
var noContext = context.Background()

const space = persistence.Space("team")

// team is the posts of one team in a store, written as an actor would: one
// batch after the other.
type team struct {
	t     require.TestingT
	store persistence.Store
	epoch persistence.Epoch
	index *postindex.Index
	merge *postindex.Merge

	options  postindex.Options
	verified bool // after each commit
	// ahead lets steps of a merge that are Apart be taken before those before
	// them are committed; these are in flying.
	ahead  bool
	flying []*persistence.Batch
}

func newTeam(t require.TestingT, store persistence.Store, o postindex.Options) *team {
	m := &team{t: t, store: store}
	m.restart(store, o)
	return m
}

// restart forgets all that is not in the store.
func (m *team) restart(store persistence.Store, o postindex.Options) {
	var err error
	m.store, m.index, m.merge, m.flying, m.options = store, postindex.New(o), nil, nil, o
	m.epoch, err = store.Activate(noContext, space)
	require.NoError(m.t, err)
}

// view calls f with a snapshot.
func (m *team) view(f func(persistence.View)) {
	view, err := m.store.View(noContext)
	require.NoError(m.t, err)
	defer view.Close()
	f(view)
}

// commit commits a batch, after all that were made before it, and then the index
// must be sound.
func (m *team) commit(batch *persistence.Batch) {
	m.land()
	require.NoError(m.t, persistence.Commit(noContext, m.store, space, m.epoch, batch))
	if m.verified {
		require.Empty(m.t, m.verify())
	}
}

// land commits the batches that are on their way.
func (m *team) land() {
	for _, batch := range m.flying {
		require.NoError(m.t, persistence.Commit(noContext, m.store, space, m.epoch, batch))
	}
	m.flying = nil
}

// verify returns what an index that was just opened finds wrong.
func (m *team) verify() (problems []string) {
	m.view(func(view persistence.View) {
		_, n, err := postindex.New(m.options).Verify(view, space, func(problem string) { problems = append(problems, problem) })
		require.NoError(m.t, err)
		require.LessOrEqual(m.t, n, len(problems))
	})
	return problems
}

// change commits what write does.
func (m *team) change(write func(*postindex.Writer)) {
	batch := &persistence.Batch{}
	m.view(func(view persistence.View) {
		w, err := m.index.Writer(view, space, batch)
		require.NoError(m.t, err)
		write(w)
		_, err = w.Finish()
		require.NoError(m.t, err)
	})
	m.commit(batch)
}

func (m *team) put(posts ...*watchpost.Post) {
	m.change(func(w *postindex.Writer) {
		for _, p := range posts {
			require.NoError(m.t, w.Put(p))
		}
	})
}

// step does one step of the next merge; done is false when there is more.
func (m *team) step() (done bool) {
	apart := m.merge != nil && m.merge.Apart()
	if !apart {
		m.land()
	}
	batch := &persistence.Batch{}
	m.view(func(view persistence.View) {
		var err error
		if m.merge == nil {
			m.merge, err = m.index.NextMerge(view, space)
			require.NoError(m.t, err)
		}
		if m.merge == nil {
			done = true
			return
		}
		ended, _, err := m.merge.Step(view, batch)
		require.NoError(m.t, err)
		if ended {
			m.merge = nil
		}
	})
	switch {
	case batch.Empty():
	case apart && m.ahead:
		m.flying = append(m.flying, batch)
	default:
		m.commit(batch)
	}
	return done
}

func (m *team) mergeAll() {
	for !m.step() {
	}
}

// query returns the ids of a page and the count.
func (m *team) query(q *watchpost.PostQuery) (ids []watchpost.PostID, count int) {
	m.view(func(view persistence.View) {
		result, err := m.index.Query(view, space, q)
		require.NoError(m.t, err)
		count = result.Count
		for _, p := range result.Posts {
			ids = append(ids, p.ID)
		}
	})
	return ids, count
}

// memory opens a store that is gone with the test.
func memory(t testing.TB) persistence.Store {
	store, err := badger.Open(badger.Options{InMemory: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// day0 is when the posts of the tests begin.
var day0 = time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)

// empty removes all of a team's keys.
func empty(t require.TestingT, store persistence.Store, epoch persistence.Epoch) {
	view, err := store.View(noContext)
	require.NoError(t, err)
	defer view.Close()
	batch := &persistence.Batch{}
	commit := func() {
		require.NoError(t, persistence.Commit(noContext, store, space, epoch, batch))
		batch = &persistence.Batch{}
	}
	require.NoError(t, view.Scan(space, nil, nil, func(key, _ []byte) bool {
		batch.Delete(slices.Clone(key))
		if len(batch.Writes) == 1000 {
			commit()
		}
		return true
	}))
	commit()
}
