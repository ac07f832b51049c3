package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// Bounds in time of the guard's connection.
const (
	guardTimeout = 2 * time.Second // of a statement
	guardIdle    = 5 * time.Second // without a notification; then the connection is checked
	guardRetry   = 250 * time.Millisecond
)

// Waits for the session of an earlier process to end. The database notices late
// that a process has gone when the machine is busy, and later when a machine has.
const (
	aloneWait  = 5 * time.Second
	memberWait = time.Minute
	// regainWait is for the process's own session: behind a broken network the
	// database keeps it, with its locks, until the keepalives fail.
	regainWait = time.Minute
)

// writerLock is the key of the session lock on the database as a whole: a process
// without --cluster holds it alone, the nodes of a cluster share it.
const writerLock int64 = 0x7761746368706f73

// nodeLock begins the name of the session lock of one node.
const nodeLock = "watchpost node "

// inUseError means that another process holds a session lock.
type inUseError struct{ what, holder string }

func (e *inUseError) Error() string {
	return fmt.Sprintf("%s is in use by another process (%s): stop that process first, or start both with --cluster and an --advertise of their own", e.what, e.holder)
}

// guard is a session in the database that holds locks for as long as the process
// lives: the database frees them when the process has gone. It connects again
// after a fault, and receives notifications.
type guard struct {
	open    func(context.Context) (Session, error)
	machine Machine
	log     *slog.Logger
	// locks are taken one after the other.
	locks []Lock
	// notified is called for a notification, and after each connecting, since
	// one that was sent meanwhile is lost; nil means that there are none.
	notified func()
	// failed is called when another process has taken a lock.
	failed func(error)
	// givingUp is called before the guard ends a session that the database may still have;
	// nil: nothing has to end before.
	givingUp func()
	// wait is how long start waits for locks that another process holds.
	wait time.Duration
	// held is the session that holds the locks now; nil: there is none.
	held atomic.Pointer[holding]
}

// holding is a session, and since when it has held the locks.
type holding struct {
	session uint32
	since   time.Duration
}

// hold notes that a session has taken the locks.
func (g *guard) hold(conn Session) {
	g.held.Store(&holding{conn.ID(), g.machine.SinceBoot()})
	if g.notified != nil {
		g.notified()
	}
}

// Locks of the database and of a node.
func lockAlone() Lock         { return Lock{What: "the database"} }
func lockShared() Lock        { return Lock{What: "the database", Shared: true} }
func lockNode(id string) Lock { return Lock{What: "the address " + id, Node: id} }

// start takes the locks, waiting a while for the session of an earlier process to
// end, or until ctx ends. It keeps them until running ends; the returned channel is
// closed after that.
func (g *guard) start(ctx, running context.Context) (ended <-chan struct{}, err error) {
	deadline := g.machine.SinceBoot() + g.wait
	var conn Session
	for first := true; ; first = false {
		if conn, err = g.connect(ctx); err == nil {
			break
		}
		var inUse *inUseError
		if !errors.As(err, &inUse) || g.machine.SinceBoot() > deadline {
			return nil, err
		}
		if first {
			g.log.Warn("waiting for another process to end", "error", err)
		}
		if !g.pause(ctx) {
			return nil, err
		}
	}
	done := make(chan struct{})
	g.hold(conn)
	go func() {
		defer close(done)
		g.machine.Turn("guard")
		g.run(running, conn)
	}()
	return done, nil
}

// run keeps the locks until ctx ends.
func (g *guard) run(ctx context.Context, conn Session) {
	for {
		err := g.listen(ctx, conn)
		g.held.Store(nil)
		closeConn(conn)
		if ctx.Err() != nil {
			return
		}
		g.log.Warn("lost the session with the database that holds this process's locks: connecting again", "error", err)
		if conn = g.regain(ctx); conn == nil {
			return
		}
		g.hold(conn)
		g.log.Info("holds its locks in the database again")
	}
}

// regain connects again and takes the locks. It calls failed when they are held
// for longer than the process's own session can last. nil: it failed or ctx ended.
func (g *guard) regain(ctx context.Context) Session {
	var deadline time.Duration // zero: not held at the last try
	for {
		conn, err := g.connect(ctx)
		if err == nil {
			return conn
		}
		var inUse *inUseError
		switch now := g.machine.SinceBoot(); {
		case !errors.As(err, &inUse):
			deadline = 0
		case deadline == 0:
			g.log.Warn("waiting for the locks of a session that has not ended in the database", "error", err)
			deadline = now + regainWait
		case now > deadline:
			g.failed(err)
			return nil
		}
		if !g.pause(ctx) {
			return nil
		}
	}
}

// listen hands over notifications until the connection fails or ctx ends.
func (g *guard) listen(ctx context.Context, conn Session) error {
	for {
		waiting, cancel := context.WithTimeout(ctx, guardIdle)
		err := conn.Notification(waiting)
		g.machine.Turn("notified")
		quiet := waiting.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && g.notified != nil:
			g.notified()
		case err != nil && !quiet:
			return err
		case err != nil:
			if err := g.check(ctx, conn); err != nil {
				return err
			}
		}
	}
}

// errSilent means that the database did not answer on the session that holds the locks.
var errSilent = errors.New("the database does not answer")

// check asks the database for a sign that it has the session. Without one in time it gives
// the session up, which may free the locks: nothing may count on them then.
func (g *guard) check(ctx context.Context, conn Session) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silent := time.AfterFunc(guardTimeout, func() {
		g.machine.Turn("guard gives up")
		g.held.Store(nil)
		if g.givingUp != nil {
			g.givingUp()
		}
		cancel()
	})
	err := conn.Ping(ctx)
	if !silent.Stop() {
		err = errSilent
	}
	return err
}

// connect opens the session and takes the locks.
func (g *guard) connect(ctx context.Context) (Session, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*guardTimeout)
	defer cancel()
	conn, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.prepare(ctx, conn); err != nil {
		closeConn(conn)
		return nil, err
	}
	return conn, nil
}

func (g *guard) prepare(ctx context.Context, conn Session) error {
	for _, l := range g.locks {
		locked, err := conn.TryLock(ctx, l)
		if err != nil {
			return err
		}
		if !locked {
			return &inUseError{l.What, conn.Holder(ctx)}
		}
	}
	if g.notified == nil {
		return nil
	}
	return conn.Listen(ctx)
}

func closeConn(conn interface{ Close(context.Context) error }) {
	ctx, cancel := context.WithTimeout(context.Background(), guardTimeout)
	defer cancel()
	_ = conn.Close(ctx) // the server ends the session by itself
}

// pause waits before another try; false means that ctx ended.
func (g *guard) pause(ctx context.Context) bool {
	timer := time.NewTimer(guardRetry)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	g.machine.Turn("guard paused")
	return ctx.Err() == nil
}
