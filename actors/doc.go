// Package actors is the living part of Watchpost: one supervised tree of
// actors per team, which alone writes what is the team's.
//
//	registry ─ team ─┬─ watchlist …   definition and schedule of one watchlist of keywords
//	                 ├─ list …        schedule of one list and the watchlists that follow it
//	                 ├─ session …     one connected browser extension
//	                 ├─ task …        one open task
//	                 └─ post store    the team's posts
//
// Requests come through one door, Registry.Ask. A request is answered when all
// that it decided, and all that was decided before it, is durable:
//
//	decide → commit → answer
//
// Only the team actor submits batches. A child that decides something sends
// its batch to the team (decided) together with what is to be done once it is
// durable; the team adds what is its own (debits, effects) and submits. The
// order of a team's mailbox is therefore the order of its history, and an
// answer that reads is sent the same way with an empty batch, behind
// everything that it may have seen.
//
// # Failure
//
// A panic anywhere in a tree, or a commit that fails, ends the whole tree. The
// next request activates the team anew from the store under a new epoch, which
// fences what the old tree may still have under way. Callers whose answer was
// lost get an Unavailable error. What a crash loses is therefore only what was
// never answered. Expected failures are errors, not panics.
//
// # Time
//
// Every timer is armed from stored state through the Clock. A team that is not
// in memory needs no timer: what became due meanwhile is decided at its next
// activation, as of the moment when it was due.
package actors
