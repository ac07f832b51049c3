package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
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
	// Database and Machine are those of a simulation; nil: the one that Config connects to,
	// and the real one.
	Database Database
	Machine  Machine
	// ID is the address at which other nodes reach this one.
	ID string
	// Build is the version of the program, for operators.
	Build string
	// TTL is how long a lease lasts; 0 is DefaultTTL.
	TTL time.Duration
	Log *slog.Logger
	// Release ends everything in memory that belongs to names that the node does
	// not keep, and returns when it has ended. The node calls it when its view
	// changes and when it is no member any more.
	Release func(ctx context.Context, keeps func(name string) bool) error
	// ReleaseName is Release for one name.
	ReleaseName func(ctx context.Context, name string) error
	// Reached returns why most of the members of a list, or this process itself, cannot
	// connect to this node at its ID; nil if they can. It is called before the node joins.
	Reached func(ctx context.Context, others []string) error
	// Transient reports whether an error of the database may pass with time.
	Transient func(err error) bool
	// Teams counts the teams in memory, for operators.
	Teams func() int
}

// Node is this process as a member of the cluster.
type Node struct {
	o        Options
	db       Database
	kick     chan struct{} // asks for a renewal
	releases chan struct{} // asks for a call of Release
	failed   chan error
	metrics  *metrics

	steppingOut atomic.Bool // see StepOut
	joined      bool        // since the process began or left; the goroutine that renews uses it
	reader      reader

	mu          sync.Mutex
	incarnation string // see endMembership
	own         ownership
	// previousView is the settled view before the newest one, and takeovers the names that
	// have come from another node since, as far as they are counted; see Activated.
	previousView View
	takeovers    map[string]struct{}
	leaseEnd     time.Duration   // by sinceBoot; 0: no lease
	renewed      time.Duration   // when the last renewal was sent, or asking others ended; 0: it failed
	pulses       pulses          // of the other members
	drained      bool            // this node gives up its names for an operator
	watchdog     *time.Timer     // at the end of the lease
	lease        context.Context // see Lease
	endLease     context.CancelFunc
	silence      *time.Timer   // ends lease
	changed      chan struct{} // closed and replaced when Place can answer otherwise

	stop       context.CancelFunc // ends the renewals and releases
	running    sync.WaitGroup
	guard      *guard
	unguard    context.CancelFunc
	guardEnded <-chan struct{}
}

// New returns a node that has not joined yet: it serves nothing.
func New(o Options) *Node {
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	if o.Reached == nil {
		o.Reached = func(context.Context, []string) error { return nil }
	}
	if o.Machine == nil {
		o.Machine = realMachine{}
	}
	n := &Node{o: o, own: ownership{id: o.ID}, pulses: pulses{}, incarnation: rand.Text(), kick: make(chan struct{}, 1), releases: make(chan struct{}, 1), failed: make(chan error, 1), changed: make(chan struct{})}
	n.lease, n.endLease = context.WithCancel(context.Background())
	n.endLease()
	n.metrics = newMetrics(n)
	if o.Config != nil {
		n.o.Config = named(o.Config, "watchpost node "+o.ID)
	}
	return n
}

// Join makes the node a member of the cluster. The caller already listens at the
// advertised address. While the database does not answer in time, Join tries again
// until ctx ends.
func (n *Node) Join(ctx context.Context) (err error) {
	if n.db = n.o.Database; n.db == nil {
		if n.db, err = openPostgres(ctx, n.o.Config, n.o.TTL/renewals); err != nil {
			return err
		}
	}
	n.reader = reader{o: &n.o, db: n.db}
	guarding, unguard := context.WithCancel(context.Background())
	n.unguard = unguard
	n.guard = &guard{open: n.db.Session, machine: n.o.Machine, log: n.o.Log, locks: []Lock{lockShared(), lockNode(n.o.ID)}, notified: n.Refresh, givingUp: n.yieldLease, failed: n.fail, wait: memberWait}
	err = n.patiently(ctx, func() (err error) {
		starting, cancel := context.WithCancel(ctx)
		defer cancel()
		n.guardEnded, err = n.guard.start(starting, guarding)
		return err
	})
	if err == nil {
		err = n.patiently(ctx, func() error { return n.renew(ctx) })
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
		again := time.NewTimer(n.o.TTL / renewals)
		select {
		case <-again.C:
		case <-n.kick:
		case <-ctx.Done():
		}
		again.Stop()
		n.o.Machine.Turn("join again")
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
}

// waitFor waits for a signal until ctx ends. What has happened counts after the turn: which
// of the two was first is chance.
func waitFor(ctx context.Context, machine Machine, signal <-chan struct{}, what string) error {
	select {
	case <-signal:
	case <-ctx.Done():
	}
	machine.Turn(what)
	return ctx.Err()
}

// final reports whether an error does not pass with time: another process has the
// locks or the address, or the database refuses the statement.
func (n *Node) final(err error) bool {
	var inUse *inUseError
	passes := errors.Is(err, errUnreached) || errors.Is(err, errNoSession) || n.o.Transient(err)
	return errors.As(err, &inUse) || errors.Is(err, errReplaced) || !passes
}

// Failed receives the error that ended the membership for good.
func (n *Node) Failed() <-chan error { return n.failed }

func (n *Node) fail(err error) {
	select {
	case n.failed <- err:
	default:
	}
}

// Close ends the membership, if the node has joined. It serves nothing after that.
func (n *Node) Close(ctx context.Context) error {
	if n.stop == nil {
		return nil
	}
	n.stop()
	n.running.Wait()
	n.mu.Lock()
	n.own.reset()
	n.leaseEnd = 0
	n.announce()
	n.mu.Unlock()
	err := n.db.Leave(ctx, n.o.ID, n.membership())
	n.end()
	return err
}

// end frees the connections.
func (n *Node) end() {
	n.mu.Lock()
	if n.watchdog != nil {
		n.watchdog.Stop()
	}
	if n.silence != nil {
		n.silence.Stop()
	}
	n.endLease()
	n.mu.Unlock()
	n.unguard()
	if n.guardEnded != nil {
		<-n.guardEnded
	}
	n.db.Close()
}
