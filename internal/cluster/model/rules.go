package model

// Rules are planted faults: each breaks one rule of the protocol. The zero value is the
// protocol.
type Rules struct {
	// NoLease: a node answers without a lease.
	NoLease bool
	// EarlyExpire: the lease of a node is over for the others before it is for the node, as
	// when one counts from another moment, or by another clock.
	EarlyExpire bool
	// ConfirmFirst: a view is confirmed before the actors have ended.
	ConfirmFirst bool
	// CurrentViewServes: a node looks at the current view only, not at all since the
	// settled one.
	CurrentViewServes bool
	// OwnConfirmation: a node does not wait until the others have confirmed.
	OwnConfirmation bool
	// RejoinKeeps: a node keeps its actor when it joins again.
	RejoinKeeps bool
	// OneSign: a refused connection is enough to remove a node.
	OneSign bool
	// YoungSession: a free lock counts although the database has just ended all sessions.
	YoungSession bool
	// EpochUnchecked: the store accepts every epoch.
	EpochUnchecked bool
	// ActivateUnchecked: an actor begins although the node lost the team while the actor
	// took its epoch.
	ActivateUnchecked bool
	// LeaveKeepsMembership: what a node sends after it has begun to leave counts for the
	// membership that it leaves.
	LeaveKeepsMembership bool
	// LeaseWithoutLock: a renewal counts although the node's session does not hold its lock.
	LeaseWithoutLock bool
	// LeaseOutlivesSession: a node that gives its session up keeps its lease.
	LeaseOutlivesSession bool
}
