package planted

import "slices"

// Faults are the planted faults.
var Faults = slices.Concat(decisions, allowances, effects, access)

// Reasons of Fault.Missed. The faults that have one were not found in 2,000 lives on
// 2026-11-30; the reasons come from reading the code. Remove one when a check or an operation
// of the lives finds its fault.
const (
	rare = "not found in 2,000 lives; the reason is not known yet"
	// A longer run found the fault in the service; its life shows the planted one, too.
	coincidence = "several rare events must meet in one life, as in that of seed "
	allSeen     = "the browsers of the lives know what the network did, and report this outcome only of writes that were not done"
)

// The promises that faults break, with where the specification makes them.
const (
	nothingLost    = "what is acknowledged is stored and shown (api.md#task-status)"
	oneHistory     = "a task has one history, and its first result stands (protocol, rule 4)"
	onceOnly       = "a write is done at most once (api.md#reads-and-writes)"
	trueOutcome    = "what a task says of its end is true (api.md#reads-and-writes)"
	paidBefore     = "a debit is durable before the task leaves (api.md#debits)"
	paidFor        = "what touches the network on a day was debited to it (protocol, rule 1)"
	givenBack      = "a debit is given back only when nothing was done, to the day that was debited (api.md#debits)"
	withinLimits   = "no account does more than its allowance (api.md#daily-allowances)"
	sameEffect     = "a like or invitation is asked for once while it is pending or done (api.md#effect-ledger)"
	oneOwner       = "an account is claimed by compare-and-set and works for one member (api.md#claims)"
	nextReset      = "an account that is claimed again has no allowance until the next reset (api.md#claims)"
	rulesObey      = "rules act when and as often as members let them (api.md: auto-engagement rules)"
	deletionsWait  = "what a member deletes is gone after ten seconds, unless that is taken back (api.md#deleting-watchlists)"
	sameReply      = "a request that is repeated with its Idempotency-Key is one request (api.md#idempotency-key)"
	oneAtATime     = "a session does one task at a time (protocol, rule 1)"
	membersLeave   = "a removed member's sessions are closed and waiting writes fail (api.md#members)"
	keysChange     = "a key that was replaced is refused (api.md#keys)"
	teamsGo        = "of a deleted team nothing is left (api.md#admin-api)"
	afterRestore   = "a restore does nothing twice and exceeds no allowance (api.md: restore)"
	wholeJournal   = "the chain of the journal is whole"
	targetsHear    = "each post that is new to a watchlist reaches its targets (api.md: notifications)"
	nothingWaits   = "a task that can be done does not wait for ever (api.md#pending-reasons)"
	failureIsKnown = "a commit that failed is not acknowledged (api.md#allowances-effects-guarantees)"
)
