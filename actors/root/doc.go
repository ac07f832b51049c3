// Package root has what an actor needs that owns a space of the store, and knows nothing
// of teams: it is below every other package of the actors.
//
//	Registry     finds or activates the actor of a name, and waits for its answer
//	Actor        takes its space's epoch, loads its state, answers behind commits
//	commit queue submits an actor's batches in the order of its decisions
//	Steps        writes of one decision that one batch may not hold
//	Request      a message with the type of its answer, and the origin that comes with it
//	Subscription changes of a space, for readers outside the mailboxes
//
// An actor that fails ends. The next request activates it again from the store, after a
// pause that grows while it fails. In a cluster the registry serves the names that the
// node owns, and answers ElsewhereError for the others.
package root
