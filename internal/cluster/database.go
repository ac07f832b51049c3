package cluster

import (
	"context"
	"time"
)

// Database is what a node asks of the database of the store: PostgreSQL, or that of a
// simulation. A statement is carried out whole or not at all. One whose context has ended
// may be carried out later.
type Database interface {
	// Session opens a session, and gives up when ctx ends.
	Session(ctx context.Context) (Session, error)
	// Renew extends the lease of a member and reads the view. It returns all rows when the
	// view is another one than that of r.Known, and otherwise those that have not changed
	// since r.Snapshot. They are as they were before.
	Renew(ctx context.Context, r Renewal) (Renewed, error)
	// Join makes a process a member, in place of an earlier process with the same id, if its
	// session holds the lock of the node.
	Join(ctx context.Context, j Joining) (joined bool, err error)
	// Confirm notes that a node has ended the actors of names that it does not own in a view.
	Confirm(ctx context.Context, id, incarnation string, view int64) error
	// Expire removes members that have not renewed since, and returns their ids.
	Expire(ctx context.Context, ids, beats []string) (removed []string, err error)
	// ReportDead removes a member if its session lock is free, and returns its id then. The
	// session of the node that reports it has to hold the lock of that one.
	ReportDead(ctx context.Context, id, by string, session uint32) (removed []string, err error)
	// Leave ends a membership.
	Leave(ctx context.Context, id, incarnation string) error
	// Drain makes a member give up its names.
	Drain(ctx context.Context, id string) error
	// NextView begins a view with the same members.
	NextView(ctx context.Context, id, incarnation string) error
	// Close frees the connections.
	Close()
}

// Joining is a process that becomes a member.
type Joining struct {
	ID, Incarnation, Build string
	TTL                    time.Duration
	Session                uint32 // the ID of the session
	Draining               bool
}

// Renewal is what a renewal says and asks.
type Renewal struct {
	ID, Incarnation string
	TTL             time.Duration
	Teams           int
	Known           int64  // the version of the view that the node knows; -1: none
	Snapshot        string // of the last renewal; "": none
}

// Renewed is the answer to a renewal.
type Renewed struct {
	// Renewed means that the process is a member.
	Renewed  bool
	Version  int64
	Snapshot string
	Rows     []Row // by id
}

// Row is a member in the database. Beat is another one after each renewal. Unchanged means
// that the row is as the renewal before has seen it.
type Row struct {
	Member
	Beat      string
	Unchanged bool
}

// Lock is a lock that a session holds until it ends.
type Lock struct {
	// What names it in errors.
	What string
	// Node is the node whose lock it is; "": that of the database.
	Node string
	// Shared means that other sessions may hold it too, if they share it.
	Shared bool
}

// Session is a session in the database that holds locks.
type Session interface {
	// ID is what the database calls the session.
	ID() uint32
	// TryLock takes a lock, or returns false.
	TryLock(ctx context.Context, l Lock) (bool, error)
	// Holder names a process that holds the lock of the database.
	Holder(ctx context.Context) string
	// Listen asks for notifications: of each new view, and of each confirmation.
	Listen(ctx context.Context) error
	// Notification waits for one.
	Notification(ctx context.Context) error
	Ping(ctx context.Context) error
	Close(ctx context.Context) error
}

// Machine is what a node runs on: the real one, or that of a simulation.
type Machine interface {
	// SinceBoot returns the time since the machine was started, with the time for which
	// it was suspended.
	SinceBoot() time.Duration
	// Turn returns when the goroutine that calls it may go on after a wait. One that has
	// waited for several things asks after its turn which of them has happened. It is not
	// called under a lock.
	Turn(what string)
}

// realMachine is the Machine of the service.
type realMachine struct{}

// SinceBoot implements Machine.
func (realMachine) SinceBoot() time.Duration { return sinceBoot() }

// Turn implements Machine.
func (realMachine) Turn(string) {}
