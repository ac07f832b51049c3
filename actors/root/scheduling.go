package root

import "github.com/asynkron/protoactor-go/actor"

// Scheduling decides what runs when. The service leaves that to the Go scheduler;
// a simulation decides it itself (package sim).
type Scheduling interface {
	// Dispatcher and Mailbox are those of every actor.
	Dispatcher() actor.Dispatcher
	Mailbox() actor.Mailbox
	// Go calls f in a new goroutine, when it is its turn.
	Go(what string, f func())
	// Turn returns when it is the turn of the goroutine that calls it: one that has
	// just begun, or goes on after it has waited. One that has waited for several things
	// asks after its turn which of them has happened. It is not called under a lock. A
	// goroutine of a process that has ended does not return.
	Turn(what string)
}

// Freely is the Scheduling of the service.
type Freely struct{ pool *poolDispatcher }

// Dispatcher implements Scheduling.
func (f Freely) Dispatcher() actor.Dispatcher { return f.pool }

// Mailbox implements Scheduling. The library's standard mailbox is a ring that keeps
// 200 bytes and, after a burst, the room for it. This one keeps one node.
func (Freely) Mailbox() actor.Mailbox { return newMailbox() }

// Go implements Scheduling.
func (Freely) Go(_ string, f func()) { go f() }

// Turn implements Scheduling.
func (Freely) Turn(string) {}

var newMailbox = actor.UnboundedLockfree()
