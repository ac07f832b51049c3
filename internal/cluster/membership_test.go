package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// TestVanishedNode: a node that cannot be connected to, without a refusal, is removed when
// the database has no session of it, it has missed two renewals, and the database has not
// ended the sessions of all nodes.
func TestVanishedNode(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	n, a := here(t, url, "a:1", longTTL)
	b := process(t, url, longTTL)
	await(t, "two nodes share", func() bool { return covered(t, a, b) && !covered(t, a) })
	report := func() (members int) {
		n.ReportDead(t.Context(), b.id, false)
		listed, err := List(t.Context(), configOf(t, url))
		require.NoError(t, err)
		return len(listed)
	}
	ago := func(d time.Duration) time.Duration { return sinceBoot() - d }
	late := func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.pulses[b.id] = pulse{n.pulses[b.id].beat, ago(longTTL / 2)}
	}
	session := n.guard.held.Load().session
	n.guard.held.Store(&holding{session, ago(2 * longTTL)})
	late()
	require.Equal(t, 2, report(), "it has a session")
	require.NoError(t, b.process.Process.Kill())
	_ = b.process.Wait() // it was killed
	await(t, "its session has ended", func() (free bool) {
		require.NoError(t, once(t.Context(), configOf(t, url), func(conn *pgx.Conn) error {
			return conn.QueryRow(t.Context(), "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", nodeLock+b.id).Scan(&free)
		}))
		return free
	})
	late()
	n.guard.held.Store(&holding{session, sinceBoot()})
	require.Equal(t, 2, report(), "the database may have ended all sessions")
	n.guard.held.Store(&holding{locking(t, url, "c:1"), ago(2 * longTTL)})
	require.Equal(t, 2, report(), "the database has ended the session of the node, and the node does not know it yet")
	n.guard.held.Store(&holding{session, ago(2 * longTTL)})
	n.mu.Lock()
	delete(n.pulses, b.id)
	n.mu.Unlock()
	require.Equal(t, 2, report(), "it may have renewed")
	n.mu.Lock()
	n.pulses[b.id] = pulse{since: ago(longTTL / 2)}
	n.mu.Unlock()
	await(t, "it is removed", func() bool { return report() == 1 })
	await(t, "the other serves all", func() bool { return covered(t, a) })
}

// TestLateLeave: a statement that ends a membership may reach the database when its sender
// has given it up and is a member again. It ends no other membership.
func TestLateLeave(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	n, a := here(t, url, "a:1", longTTL)
	all := func() bool { return covered(t, a) }
	await(t, "it serves all", all)
	before, _ := n.Place("0")
	first := n.membership()
	n.StepOut()
	await(t, "it has joined again", func() bool {
		now, _ := n.Place("0")
		return now.View > before.View && all()
	})
	require.NoError(t, once(t.Context(), configOf(t, url), func(conn *pgx.Conn) error {
		_, err := conn.Exec(t.Context(), leaveSQL, n.ID(), first)
		return err
	}))
	again, _ := n.Place("0")
	awaitRenewals(t, n)
	now, _ := n.Place("0")
	require.Equal(t, again.View, now.View)
	require.True(t, all())
}

// awaitRenewals waits until a node has taken the answer to a renewal that was sent since.
func awaitRenewals(t *testing.T, n *Node) {
	t.Helper()
	for range 2 { // the second is sent when the first has been taken
		sent := sinceBoot()
		n.Refresh()
		await(t, "it renews", func() bool {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.renewed > sent
		})
	}
}

// TestLeaseNeedsTheSession: while a node has no session that holds its lock, others may take
// it for dead. Its renewals make its lease no longer.
func TestLeaseNeedsTheSession(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	n, a := here(t, url, "a:1", longTTL)
	await(t, "it serves all", func() bool { return covered(t, a) })
	end := func() time.Duration {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.leaseEnd
	}
	held := n.guard.held.Swap(nil)
	awaitRenewals(t, n) // one that was under way had seen the session
	before := end()
	awaitRenewals(t, n)
	require.Equal(t, before, end())
	n.guard.held.Store(held)
	awaitRenewals(t, n)
	require.Greater(t, end(), before)
}

// TestLostDatabase stops the database for longer than a lease: no node serves, and
// nothing has changed when it is back.
func TestLostDatabase(t *testing.T) {
	t.Parallel()
	own, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.Close()) })
	url := database(t, own)
	n, a := here(t, url, "a:1", testTTL)
	_, b := here(t, url, "b:1", testTTL)
	await(t, "two nodes share", func() bool { return covered(t, a, b) && !covered(t, a) })
	before, _ := n.Place("0")
	require.NoError(t, own.Stop())
	none := make([]bool, names)
	await(t, "the leases end", func() bool {
		return fmt.Sprint(a.served()) == fmt.Sprint(none) && fmt.Sprint(b.served()) == fmt.Sprint(none)
	})
	require.NoError(t, own.Run())
	await(t, "two nodes share again", func() bool { return covered(t, a, b) })
	// A late renewal is no change, unless one node is much later than the other.
	after, _ := n.Place("0")
	t.Logf("view %d before, %d after", before.View, after.View)
}

// TestLostDatabaseReleasesNothing: a node whose lease ended while the database was away
// serves nothing, and has everything in memory when it is back: no other node took it. What
// it has begun ends with the lease.
func TestLostDatabaseReleasesNothing(t *testing.T) {
	t.Parallel()
	own, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.Close()) })
	url := database(t, own)
	var joined atomic.Bool
	var released atomic.Int64
	a := New(Options{
		Config: configOf(t, url), ID: "a:1", Build: "test", TTL: testTTL, Log: slog.New(slog.DiscardHandler), Transient: postgres.Transient, Teams: func() int { return 0 },
		Release: func(_ context.Context, keeps func(string) bool) error {
			for i := range names {
				if joined.Load() && !keeps(fmt.Sprint(i)) {
					released.Add(1)
				}
			}
			return nil
		},
	})
	require.NoError(t, a.Join(t.Context()))
	defer func() { require.NoError(t, a.Close(t.Context())) }()
	all := func() bool { return covered(t, testNode{served: a.served}) }
	await(t, "it serves all", all)
	lease := a.Lease()
	before, _ := a.Place("0")
	a.StepOut()
	await(t, "it has joined again", func() bool {
		now, _ := a.Place("0")
		return now.View > before.View && all()
	})
	require.NoError(t, lease.Err(), "a node that steps out goes on with what it has begun")
	joined.Store(true)
	require.NoError(t, own.Stop())
	<-lease.Done()
	await(t, "the lapse is counted", func() bool { return testutil.ToFloat64(a.metrics.lapses) == 1 })
	require.Equal(t, make([]bool, names), a.served())
	require.NoError(t, own.Run())
	await(t, "it serves all again", all)
	require.NoError(t, a.Lease().Err())
	require.Zero(t, released.Load())
}

// TestDatabaseClockSteps: a step of the database's clock, which makes every lease old,
// removes no one. A lease that another step has put far into the future ends with its
// node all the same.
func TestDatabaseClockSteps(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	n, a := here(t, url, "a:1", testTTL)
	_, b := here(t, url, "b:1", testTTL)
	c := process(t, url, testTTL)
	await(t, "three share", func() bool { return covered(t, a, b, c) && !covered(t, a, b) && !covered(t, b, c) && !covered(t, a, c) })
	conn, err := pgx.ConnectConfig(t.Context(), configOf(t, url))
	require.NoError(t, err)
	defer closeConn(conn)
	leases := func() (all map[string]time.Time) {
		rows, err := conn.Query(t.Context(), "SELECT id, expires_at FROM node")
		require.NoError(t, err)
		all = map[string]time.Time{}
		var id string
		var end time.Time
		_, err = pgx.ForEachRow(rows, []any{&id, &end}, func() error { all[id] = end; return nil })
		require.NoError(t, err)
		return all
	}
	renewals := func(times int) {
		for range times {
			before := leases()
			await(t, "every node renews its lease", func() bool {
				renewed := 0
				for id, end := range leases() {
					if was, known := before[id]; known && !was.Equal(end) {
						renewed++
					}
				}
				return renewed == len(before)
			})
		}
	}
	step := func(by time.Duration) {
		_, err := conn.Exec(t.Context(), "UPDATE node SET expires_at = expires_at + $1::interval", by)
		require.NoError(t, err)
	}
	renewals(3)
	before, _ := n.Place("0")
	step(-time.Hour)
	renewals(3)
	after, _ := n.Place("0")
	require.Equal(t, before.View, after.View, "nobody was removed")

	require.NoError(t, c.process.Process.Kill())
	_ = c.process.Wait() // it was killed
	step(time.Hour)
	await(t, "the others serve all", func() bool { return covered(t, a, b) })
}

// TestReachedBeforeJoining: a node that the others do not reach is no member: it does not
// join, and steps out when it was one. A drain that an operator asked for stays.
func TestReachedBeforeJoining(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	_, a := here(t, url, "a:1", longTTL)
	await(t, "one node serves all", func() bool { return covered(t, a) })
	var reached atomic.Bool
	asked := make(chan []string, 1)
	b := New(Options{
		Config: configOf(t, url), ID: "b:1", Build: "test", TTL: longTTL, Log: slog.New(slog.DiscardHandler), Transient: postgres.Transient, Teams: func() int { return 0 },
		Release: func(context.Context, func(string) bool) error { return nil },
		Reached: func(_ context.Context, others []string) error {
			select {
			case asked <- others:
			default:
			}
			if !reached.Load() {
				return errors.New("no one can")
			}
			return nil
		},
	})
	joined := make(chan error, 1)
	go func() { joined <- b.Join(t.Context()) }()
	require.Equal(t, []string{"a:1"}, <-asked)
	require.Error(t, b.Ready())
	require.True(t, covered(t, a), "it has no share")
	reached.Store(true)
	b.Refresh()
	require.NoError(t, <-joined)
	defer func() { require.NoError(t, b.Close(t.Context())) }()
	both := testNode{served: b.served}
	await(t, "two share", func() bool { return covered(t, a, both) && !covered(t, a) })
	require.NoError(t, b.Ready())

	require.NoError(t, DrainMember(t.Context(), configOf(t, url), "b:1"))
	await(t, "the other has all names", func() bool { return covered(t, a) })
	require.ErrorContains(t, b.Ready(), "given its teams")
	reached.Store(false)
	for len(asked) > 0 {
		<-asked
	}
	b.StepOut()
	<-asked
	require.False(t, b.Member("b:1"))
	place, _ := b.Place("1")
	require.Equal(t, "a:1", place.Owner, "it still forwards")
	reached.Store(true)
	await(t, "it is a member again", func() bool {
		b.Refresh()
		return b.Member("b:1")
	})
	require.ErrorContains(t, b.Ready(), "given its teams")
	require.True(t, covered(t, a), "it is still drained")
}

// TestJoinWaitsForTheDatabase joins while the database is away: the node is a member
// once it is back. Without it, Join ends with its context.
func TestJoinWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	own, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.Close()) })
	url := database(t, own)
	require.NoError(t, own.Stop())

	ending, end := context.WithCancel(t.Context())
	tried := make(chan struct{}, 1)
	log := slog.New(slog.NewTextHandler(writerFunc(func(line []byte) (int, error) {
		select {
		case tried <- struct{}{}:
		default:
		}
		return len(line), nil
	}), nil))
	waiting := func() *Node {
		return New(Options{Config: configOf(t, url), ID: "a:1", Build: "test", TTL: testTTL, Log: log,
			Release: func(context.Context, func(string) bool) error { return nil }, Transient: postgres.Transient, Teams: func() int { return 0 }})
	}
	joined := make(chan error, 1)
	go func() { joined <- waiting().Join(ending) }()
	<-tried
	end()
	require.ErrorIs(t, <-joined, context.Canceled)

	n := waiting()
	go func() { joined <- n.Join(t.Context()) }()
	<-tried
	require.NoError(t, own.Run())
	require.NoError(t, <-joined)
	await(t, "it serves all", func() bool { return covered(t, testNode{served: n.served}) })
	require.NoError(t, n.Close(t.Context()))
}

type writerFunc func([]byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(line []byte) (int, error) { return f(line) }

// TestNoMigrationUnderNodes: tables of an earlier version are changed when no node is
// connected, and no node connects meanwhile.
func TestNoMigrationUnderNodes(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	open := func(before func(context.Context, *pgx.Conn) error) error {
		store, err := postgres.Open(t.Context(), postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler), BeforeMigration: before})
		if err == nil {
			require.NoError(t, store.Close())
		}
		return err
	}
	n := New(Options{
		Config: configOf(t, url), ID: "a:1", Build: "test", TTL: longTTL, Log: slog.New(slog.DiscardHandler), Transient: postgres.Transient, Teams: func() int { return 0 },
		Release: func(context.Context, func(string) bool) error { return nil },
	})
	require.NoError(t, n.Join(t.Context()))
	require.NoError(t, open(BeforeMigration), "nothing has to be changed")
	change := func(sql string) {
		require.NoError(t, once(t.Context(), configOf(t, url), func(conn *pgx.Conn) error {
			_, err := conn.Exec(t.Context(), sql)
			return err
		}))
	}
	change("UPDATE watchpost_schema_version SET version = 1") // the tables of nodes are the second
	err := open(BeforeMigration)
	require.ErrorIs(t, err, ErrConnected)
	require.ErrorContains(t, err, "watchpost node a:1")

	require.NoError(t, n.Close(t.Context()))
	change("DROP TABLE node, cluster_view")
	asked := false
	await(t, "no node is connected", func() bool {
		return open(func(ctx context.Context, conn *pgx.Conn) error {
			err := BeforeMigration(ctx, conn)
			if asked = err == nil; asked {
				_, err := n.guard.connect(ctx)
				require.ErrorAs(t, err, new(*inUseError), "a node waits")
			}
			return err
		}) == nil
	})
	require.True(t, asked)
}
