package cluster

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// TestPulses: a member that a statement does not return has renewed since the last one.
func TestPulses(t *testing.T) {
	t.Parallel()
	const second = time.Second
	p := pulses{}
	at := func(id string, since time.Duration) {
		t.Helper()
		require.Equal(t, since, p[id].since, id)
	}
	ab := []string{"a", "b"}
	p.see(ab, []row{{"a", "1", false}, {"b", "1", false}}, second)
	p.see(ab, nil, 2*second)
	at("a", 2*second)
	p.see(ab, []row{{"a", "2", true}}, 3*second)
	at("a", 2*second) // as it was when the statement before did not return it
	at("b", 3*second)
	p.see(ab, []row{{"a", "2", true}, {"b", "3", false}}, 4*second)
	at("a", 2*second)
	at("b", 4*second)
	require.Equal(t, []row{{id: "a", beat: "2"}}, p.overdue(5*second, 3*second))
	require.Equal(t, []row{{id: "a", beat: "2"}, {id: "b", beat: "3"}}, p.overdue(9*second, 3*second), "in one order, so that lives of the simulation repeat")
	require.True(t, p.late("a", 5*second, 3*second))
	require.False(t, p.late("b", 5*second, 3*second))
	p.see(ab, []row{{"a", "3", true}, {"b", "3", true}}, 5*second)
	at("a", 5*second) // another beat: the database is another one than before
	at("b", 4*second)
	p.see([]string{"b", "c"}, []row{{"b", "3", true}, {"c", "1", true}, {"x", "1", true}}, 6*second)
	at("b", 4*second)
	at("c", 6*second)
	require.Len(t, p, 2)
}

// TestRenewalReturnsWhatHasNotChanged: while the view stays the same, a renewal returns the
// rows that no transaction has changed since the renewal before, also when transactions
// end in another order than they began.
func TestRenewalReturnsWhatHasNotChanged(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	node := func(id string) *reader {
		return &reader{o: &Options{ID: id, TTL: longTTL, Teams: func() int { return 0 }}, db: &postgreSQL{pool: pool}}
	}
	a, b, looks := node("a:1"), node("b:1"), node("c:1")
	renew := func(r *reader) {
		t.Helper()
		_, _, renewed, err := r.read(t.Context(), "one", noView)
		require.NoError(t, err)
		require.True(t, renewed)
	}
	for _, r := range []*reader{a, b} {
		require.True(t, joins(t, r.db, locking(t, url, r.o.ID), r.o.ID, "one"))
		renew(r)
	}
	known := noView
	reads := func(want ...string) {
		t.Helper()
		view, rows, renewed, err := looks.read(t.Context(), "one", known)
		require.NoError(t, err)
		require.False(t, renewed)
		var ids []string
		for _, r := range rows {
			ids = append(ids, r.id)
			require.NotEmpty(t, r.beat)
			require.Equal(t, known.Version == view.Version, r.unchanged, r.id)
		}
		require.Equal(t, want, ids)
		require.Equal(t, View{2, []Member{{ID: "a:1"}, {ID: "b:1"}}}, view)
		known = view
	}
	reads("a:1", "b:1") // no view is known
	reads("a:1", "b:1")
	renew(a)
	reads("b:1")
	reads("a:1", "b:1")
	renew(a)
	renew(b)
	reads()

	slow, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = slow.Exec(t.Context(), "UPDATE node SET teams = 7 WHERE id = 'b:1'")
	require.NoError(t, err)
	renew(a) // a later transaction, which ends before
	reads("b:1")
	require.NoError(t, slow.Commit(t.Context()))
	reads("a:1")
	reads("a:1", "b:1")

	_, err = pool.Exec(t.Context(), drainSQL, "b:1")
	require.NoError(t, err)
	view, rows, _, err := looks.read(t.Context(), "one", known)
	require.NoError(t, err)
	require.Equal(t, View{3, []Member{{ID: "a:1"}, {ID: "b:1", Draining: true}}}, view)
	require.True(t, rows[0].unchanged)
	require.False(t, rows[1].unchanged)
	renew(a)
	view, rows, _, err = looks.read(t.Context(), "one", known)
	require.NoError(t, err)
	require.Len(t, view.Members, 2, "a view that is not known is read again")
	require.False(t, rows[0].unchanged)
	require.True(t, rows[1].unchanged)
}

// knownOf returns the view of two members that a node need not read again, or noView.
func knownOf(n *Node) View {
	n.mu.Lock()
	defer n.mu.Unlock()
	if view := n.own.views.known(); len(view.Members) == 2 {
		return view
	}
	return noView
}

// statements counts what a node sends to the database.
type statements struct {
	mu   sync.Mutex
	sent map[string]int
}

// TraceQueryStart implements pgx.QueryTracer.
func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[data.SQL]++
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (s *statements) take() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = map[string]int{}
	return sent
}

// TestRenewalIsOneStatement, also the one that learns of a new view.
func TestRenewalIsOneStatement(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	counted := &statements{sent: map[string]int{}}
	config := configOf(t, url)
	config.Tracer = counted
	a, first := joined(t, config, "a:1", longTTL)
	_, second := here(t, url, "b:1", longTTL)
	await(t, "two nodes share", func() bool { return covered(t, first, second) && !covered(t, first) })
	await(t, "it knows", func() bool { return knownOf(a).Version > 0 })
	awaitRenewals(t, a)
	counted.take()
	for range 5 {
		awaitRenewals(t, a)
	}
	sent := counted.take()
	require.InDelta(t, 10, sent[renewSQL], 2)
	delete(sent, confirmSQL) // one that was late
	require.Len(t, sent, 1, "%v", sent)

	before := knownOf(a).Version
	require.NoError(t, DrainMember(t.Context(), configOf(t, url), "b:1"))
	await(t, "it serves all", func() bool { return covered(t, first) })
	await(t, "it knows", func() bool { return knownOf(a).Version > before })
	sent = counted.take()
	require.Len(t, sent, 2, "%v", sent)
	require.Positive(t, sent[confirmSQL])
	require.LessOrEqual(t, sent[renewSQL], 6, "for the drain, two confirmations and the awaited")
}

// locking opens a session that holds the lock of a node, and returns its ID.
func locking(t *testing.T, url, id string) uint32 {
	t.Helper()
	s, err := opening(t, url, id)(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { closeConn(s) })
	locked, err := s.TryLock(t.Context(), lockNode(id))
	require.NoError(t, err)
	require.True(t, locked)
	return s.ID()
}

// joins joins for a session, and reports whether that made a member.
func joins(t *testing.T, db Database, session uint32, id, incarnation string) bool {
	t.Helper()
	joined, err := db.Join(t.Context(), Joining{ID: id, Incarnation: incarnation, Build: "test", TTL: longTTL, Session: session})
	require.NoError(t, err)
	return joined
}

// TestLateJoin: a statement that joins and arrives when its session has ended, or has not the
// lock of its node, makes no member: not in place of the process that is one now.
func TestLateJoin(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	n, a := here(t, url, "a:1", longTTL)
	all := func() bool { return covered(t, a) }
	await(t, "it serves all", all)
	before, _ := n.Place("0")
	other := locking(t, url, "b:1")
	require.False(t, joins(t, n.db, other, "a:1", "an earlier process"))
	require.False(t, joins(t, n.db, 0, "a:1", "an earlier process"))
	awaitRenewals(t, n)
	now, _ := n.Place("0")
	require.Equal(t, before.View, now.View)
	require.True(t, all())
	require.True(t, joins(t, n.db, other, "b:1", "one"))
}

// TestReplacedNode: a node whose row another process has taken fails.
func TestReplacedNode(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	n, a := here(t, url, "a:1", longTTL)
	await(t, "it serves all", func() bool { return covered(t, a) })
	require.True(t, joins(t, n.db, n.guard.held.Load().session, "a:1", "of another"))
	select {
	case err := <-n.Failed():
		require.ErrorIs(t, err, errReplaced)
	case <-time.After(patience):
		require.FailNow(t, "it has not failed")
	}
}
