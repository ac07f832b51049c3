package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DefaultTTL is how long a lease lasts after its last renewal.
const DefaultTTL = 5 * time.Second

// renewals is how many renewals fit into a lease.
const renewals = 5

// Options are what a node needs.
type Options struct {
	// Config connects to the database of the store. The lease has connections of
	// its own, so that a queue of commits does not hold up its renewal.
	Config *pgx.ConnConfig
	// ID is the address at which other nodes reach this one.
	ID string
	// Build is the version of the program, for operators.
	Build string
	// TTL is how long a lease lasts; 0 is DefaultTTL.
	TTL time.Duration
	Log *slog.Logger
	// Release ends everything in memory that belongs to names that the node does
	// not serve, and returns when it has ended. The node calls it when its view
	// changes and when its lease ends.
	Release func(ctx context.Context, serves func(name string) bool) error
	// Transient reports whether an error of the database may pass with time.
	Transient func(err error) bool
	// Teams counts the teams in memory, for operators.
	Teams func() int
}

// Node is this process as a member of the cluster.
type Node struct {
	o           Options
	incarnation string
	pool        *pgxpool.Pool
	kick        chan struct{} // asks for a renewal
	releases    chan struct{} // asks for a call of Release
	failed      chan error
	metrics     *metrics

	apart bool // see SetApart, whose caller alone uses it

	mu       sync.Mutex
	tenure   tenure
	leaseEnd time.Duration // by sinceBoot; 0: no lease
	healthy  time.Duration // since when renewals succeed; 0: the last failed
	watchdog *time.Timer   // at the end of the lease
	changed  chan struct{} // closed and replaced when Place can answer otherwise

	stop       context.CancelFunc // ends the renewals and releases
	running    sync.WaitGroup
	unguard    context.CancelFunc
	guardEnded <-chan struct{}
}

// New returns a node that has not joined yet: it serves nothing.
func New(o Options) *Node {
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	n := &Node{o: o, incarnation: rand.Text(), kick: make(chan struct{}, 1), releases: make(chan struct{}, 1), failed: make(chan error, 1), changed: make(chan struct{})}
	n.metrics = newMetrics(n)
	n.o.Config = named(o.Config, "watchpost node "+o.ID)
	return n
}

// Join makes the node a member of the cluster. The caller already listens at the
// advertised address. While the database does not answer in time, Join tries again
// until ctx ends.
func (n *Node) Join(ctx context.Context) error {
	config, err := pgxpool.ParseConfig("")
	if err != nil {
		return err
	}
	config.ConnConfig, config.MaxConns = n.o.Config.Copy(), 2
	config.ConnConfig.ConnectTimeout = n.o.TTL / renewals
	if n.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	guarding, unguard := context.WithCancel(context.Background())
	n.unguard = unguard
	g := &guard{config: n.o.Config, log: n.o.Log, locks: []sessionLock{lockShared(), lockNode(n.o.ID)}, notified: n.Refresh, failed: n.fail, wait: memberWait}
	err = n.patiently(ctx, func() (err error) {
		starting, cancel := context.WithCancel(ctx)
		defer cancel()
		n.guardEnded, err = g.start(starting, guarding)
		return err
	})
	if err == nil {
		err = n.patiently(ctx, func() error { return n.join(ctx) })
	}
	if err != nil {
		n.end()
		return fmt.Errorf("join the cluster: %w", err)
	}
	running, stop := context.WithCancel(context.Background())
	n.stop = stop
	n.running.Go(func() { n.renewUntil(running) })
	n.running.Go(func() { n.releaseUntil(running) })
	return nil
}

// patiently repeats an attempt until it succeeds, fails for good, or ctx ends: a
// busy database answers later, and a node that gives up would only be started again.
func (n *Node) patiently(ctx context.Context, attempt func() error) error {
	for {
		err := attempt()
		if err == nil || n.final(err) {
			return err
		}
		n.o.Log.Warn("cannot join the cluster yet: trying again", "node", n.o.ID, "error", err)
		if !pause(ctx, n.o.TTL/renewals) {
			return errors.Join(err, ctx.Err())
		}
	}
}

// final reports whether an error does not pass with time: another process has the
// locks or the address, or the database refuses the statement.
func (n *Node) final(err error) bool {
	var held *heldError
	return errors.As(err, &held) || errors.Is(err, errTaken) || !n.o.Transient(err)
}

// join adds the row of this process and renews it once, for the first view.
func (n *Node) join(ctx context.Context) error {
	if _, err := n.pool.Exec(ctx, joinSQL, n.o.ID, n.incarnation, n.o.Build, n.o.TTL); err != nil {
		return err
	}
	n.o.Log.Info("joined the cluster", "node", n.o.ID)
	return n.renew(ctx)
}

// Failed receives the error that ended the membership for good.
func (n *Node) Failed() <-chan error { return n.failed }

func (n *Node) fail(err error) {
	select {
	case n.failed <- err:
	default:
	}
}

// Place is where a name belongs.
type Place struct {
	// Here means that this node serves the name now.
	Here bool
	// Owner is the id of the owner in the view, this node's too; "" when there is
	// none.
	Owner string
	// View is the version of the view.
	View int64
}

// Place returns where a name belongs, and a channel that is closed when that may
// have changed.
func (n *Node) Place(name string) (Place, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	view := n.tenure.current()
	p := Place{Owner: view.Owner(name), View: view.Version}
	p.Here = p.Owner == n.o.ID && sinceBoot() < n.leaseEnd && n.tenure.serves(n.o.ID, name)
	return p, n.changed
}

// Serves reports whether this node serves a name now.
func (n *Node) Serves(name string) bool {
	p, _ := n.Place(name)
	return p.Here
}

// Member reports whether a node is a member of the view.
func (n *Node) Member(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.tenure.current().Members, func(m Member) bool { return m.ID == id })
}

// Others returns the ids of the other members of the view.
func (n *Node) Others() (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range n.tenure.current().Members {
		if m.ID != n.o.ID {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// ID returns the address that this node advertises.
func (n *Node) ID() string { return n.o.ID }

// Refresh asks for a renewal, which reads the view.
func (n *Node) Refresh() { wake(n.kick) }

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// renewUntil renews the lease until ctx ends.
func (n *Node) renewUntil(ctx context.Context) {
	ticker := time.NewTicker(n.o.TTL / renewals)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-n.kick:
		}
		if err := n.renew(ctx); err != nil && ctx.Err() == nil {
			n.mu.Lock()
			first := n.healthy != 0
			n.healthy = 0
			n.mu.Unlock()
			if first {
				n.o.Log.Warn("the lease was not renewed: this node stops serving when the lease ends", "node", n.o.ID, "error", err)
			}
		}
	}
}

// errTaken means that another process has become this node.
var errTaken = errors.New("another process serves with the same --advertise: give each node an address of its own")

// renew extends the lease, reads the view, and removes members that are overdue.
func (n *Node) renew(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	sent := sinceBoot()
	var held, overdue bool
	var view View
	var ids []string
	var draining []bool
	var seen []int64
	err := n.pool.QueryRow(bounded, renewSQL, n.o.ID, n.incarnation, n.o.TTL, n.o.Teams()).Scan(&held, &view.Version, &ids, &draining, &seen, &overdue)
	if err != nil {
		return err
	}
	for i, id := range ids {
		view.Members = append(view.Members, Member{id, draining[i], seen[i]})
		if id == n.o.ID && !held {
			n.fail(errTaken)
			return errTaken
		}
	}
	if !held {
		return n.rejoin(ctx)
	}
	healthy := n.update(view, sent)
	// A node that was cut off itself gives the others time to renew first.
	if overdue && sent-healthy >= 3*n.o.TTL/10 {
		return n.remove(bounded, "lease ended", expireSQL, n.o.ID)
	}
	return nil
}

// rejoin comes back after other nodes have removed this one. Names that it served
// belong to others since, so it serves none until the next view is settled.
func (n *Node) rejoin(ctx context.Context) error {
	n.o.Log.Warn("was removed from the cluster while its lease was not renewed: joining again", "node", n.o.ID)
	n.mu.Lock()
	n.tenure, n.leaseEnd = nil, 0
	n.announce()
	n.mu.Unlock()
	if err := n.o.Release(ctx, n.Serves); err != nil {
		return err
	}
	return n.join(ctx)
}

// update takes a renewal that was sent at a time, and returns since when renewals
// succeed.
func (n *Node) update(view View, sent time.Duration) (healthy time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.healthy == 0 {
		n.healthy = sent
	}
	before, lapsed := n.tenure.current(), n.leaseEnd <= sinceBoot()
	n.tenure, n.leaseEnd = n.tenure.move(view), sent+n.o.TTL
	if n.watchdog == nil {
		n.watchdog = time.AfterFunc(n.o.TTL, n.lapse)
	}
	n.watchdog.Reset(n.leaseEnd - sinceBoot())
	if lapsed || before.Version != view.Version || before.settled() != view.settled() {
		n.announce()
	}
	if before.Version != view.Version {
		n.o.Log.Info("the cluster has changed", "view", view.Version, "nodes", len(view.Members))
	}
	for _, m := range view.Members {
		if m.ID == n.o.ID && m.Seen < view.Version {
			wake(n.releases)
		}
	}
	return n.healthy
}

// announce wakes those who wait for a change of Place; the caller holds the lock.
func (n *Node) announce() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// lapse runs when the lease may have ended.
func (n *Node) lapse() {
	n.mu.Lock()
	ended := sinceBoot() >= n.leaseEnd
	if ended {
		n.announce()
	}
	n.mu.Unlock()
	if ended {
		n.o.Log.Error("the lease ended: this node serves nothing until it can renew it", "node", n.o.ID)
		n.metrics.lapses.Inc()
		wake(n.releases)
	}
}

// releaseUntil releases names that the node no longer serves, and confirms each view.
func (n *Node) releaseUntil(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.releases:
		}
		n.mu.Lock()
		version := n.tenure.current().Version
		n.mu.Unlock()
		err := n.o.Release(ctx, n.Serves)
		if err == nil {
			bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
			_, err = n.pool.Exec(bounded, confirmSQL, n.o.ID, n.incarnation, version)
			cancel()
		}
		if err != nil && ctx.Err() == nil {
			n.o.Log.Warn("the view is not confirmed yet: the next renewal tries again", "view", version, "error", err)
		}
	}
}

// remove deletes members by a statement that returns their ids.
func (n *Node) remove(ctx context.Context, why, sql string, args ...any) error {
	rows, err := n.pool.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	var id string
	var sent any
	_, err = pgx.ForEachRow(rows, []any{&id, &sent}, func() error {
		n.o.Log.Warn("removed a node from the cluster", "node", id, "reason", why)
		n.metrics.removed.Inc()
		return nil
	})
	return err
}

// ReportDead removes a member that refuses connections, unless the database still
// has a session of it. Both signs are needed: a restart of the database ends
// sessions, and a node that starts or stops may refuse connections.
func (n *Node) ReportDead(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	if err := n.remove(ctx, "refuses connections", reportDeadSQL, id, nodeLock); err != nil {
		n.o.Log.Warn("cannot remove a node that refuses connections", "node", id, "error", err)
	}
}

// Drain gives up the node's names, and returns when every member knows and the
// new owners may begin, or ctx ends. The node forwards requests after that.
func (n *Node) Drain(ctx context.Context) error {
	if n.stop == nil {
		return nil
	}
	if _, err := n.pool.Exec(ctx, drainSQL, n.o.ID); err != nil {
		return err
	}
	n.Refresh()
	for {
		n.mu.Lock()
		view, changed := n.tenure.current(), n.changed
		n.mu.Unlock()
		for _, m := range view.Members {
			if m.ID == n.o.ID && m.Draining && view.settled() {
				return nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// SetApart gives the node's names up while most other members cannot reach it, and
// takes them back after that. A drain that was asked for stays. It is called by one
// goroutine.
func (n *Node) SetApart(ctx context.Context, apart bool) {
	if apart == n.apart || apart && n.draining() {
		return
	}
	sql, args := undrainSQL, []any{n.o.ID, n.incarnation}
	if apart {
		sql, args = drainSQL, args[:1]
	}
	bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	if _, err := n.pool.Exec(bounded, sql, args...); err != nil {
		return // the next call tries again
	}
	n.apart = apart
	if apart {
		n.o.Log.Warn("most other nodes cannot reach this one: its teams move to them", "node", n.o.ID)
	} else {
		n.o.Log.Info("the other nodes reach this one again", "node", n.o.ID)
	}
	n.Refresh()
}

// draining reports whether this node gives up its names.
func (n *Node) draining() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range n.tenure.current().Members {
		if m.ID == n.o.ID {
			return m.Draining
		}
	}
	return false
}

// Close ends the membership, if the node has joined. It serves nothing after that.
func (n *Node) Close(ctx context.Context) error {
	if n.stop == nil {
		return nil
	}
	n.stop()
	n.running.Wait()
	n.mu.Lock()
	n.tenure, n.leaseEnd = nil, 0
	n.announce()
	n.mu.Unlock()
	_, err := n.pool.Exec(ctx, leaveSQL, n.o.ID, n.incarnation)
	n.end()
	return err
}

// end frees the connections.
func (n *Node) end() {
	n.mu.Lock()
	if n.watchdog != nil {
		n.watchdog.Stop()
	}
	n.mu.Unlock()
	n.unguard()
	if n.guardEnded != nil {
		<-n.guardEnded
	}
	n.pool.Close()
}
