// Package actors keeps each team in one supervised tree of actors, which is the
// single writer of the team's space in the store.
//
//	registry ─ team ─┬─ session …     a session actor for each account: allowances, liveness, connections, leases
//	                 ├─ watchlist …   definition and schedule of one watchlist of keywords or the forum
//	                 ├─ list …        schedule of one list and the watchlists that follow it
//	                 ├─ task …        one open task; none while it waits since before the activation
//	                 └─ post store    the team's posts (package poststore)
//	         └ sign-in …              one-time codes, sharded by address (package signin)
//
// Their common code is in package root.
//
// The team is divided into components, which share its mailbox and its batches. The
// fields of a component are its own, and the others ask it through its methods. They run
// in one mailbox, so a decision may ask several.
//
//	members       members, pairing codes, claimed and bound accounts
//	invitations   invitations that are pending (package access)
//	domains       domains whose people join by themselves (package access)
//	web           browsers signed in to the dashboard, links to sign in (package access)
//	passkeys      passkeys of members (package access)
//	sessions      sessions and their tokens, which actor has which connection
//	statuses      what each session may do
//	paces         how members want writes to be done
//	accounts      the session actors of the accounts, and their announcements
//	tasks         open tasks: creation, order, decisions
//	engagements   likes and comments on stored posts, bookmarks
//	pending       what the metrics show of why tasks wait
//	handouts      what is handed to which session, and when the next task may be
//	dispatch      which session does which task, and what accounts have used (package dispatch)
//	scans         entries that share a scan
//	effects       likes and invitations that must not be done twice
//	late          the truth about writes whose outcome was unknown
//	watchlists    watchlists, lists, counters of the week
//	pendingDeletions  deletions of watchlists, rules and targets that wait for their moment
//	idempotency   replies that are kept for repeated requests
//	arrivals      posts that are new to a watchlist, which rules and notifications are to look at (package arrivals)
//	rules         auto-engagement rules and their actions (package rules)
//	notifications notification targets and what waits for them (package notifications)
//	keys          keys with scopes, their last use and what they used of daily limits
//	audit         sign-ins, changes of members and the key, its last use
//	views         views of the posts that the team has saved
//	inbox         what members decided about posts, assignments and notes (package triage)
//	refusals      posts that the rules for posts could not bear
//	deletion      the end of a team, in steps
//
// Requests enter by Ask. Reads of posts and of ended tasks (Registry.Posts,
// Registry.TaskStatus) need no actor; package reads has those of the store. A request is
// answered when its decision, and every earlier decision of the team, is durable:
//
//	decide → commit → answer
//
// Only the team submits batches. A child sends its decision to the team, with
// its batch and a function to call when that is durable. The team adds its own
// part (effects, scans) and submits. The order of a team's mailbox is therefore
// the order of its history. An answer that only reads is sent the same way with
// an empty batch, behind everything that it may have seen.
//
// A hand-out collects the decision of each owner in one batch. The team chooses
// by what the session actors have announced:
//
//	team ─ assign ▶ session ─ offer ▶ task ─ decided ▶ team ▶ store
//	 order           reserves          lease            debits, effects
//	                 session ◀ taskDecided ─────────────┘
//	                    └────── announced ──▶ team
//
// The decisions of a task have one way, from the task to the team. They are numbered,
// and the team submits none that does not follow the last one: the tree ends instead.
// The team tells each decision to the session actors that it concerns, in the same
// order. What a decision answers or sends waits until it is durable and the session
// actor has announced what its account may do now.
//
// A record that holds a sum or the newest of several values (ledgers, members' signs of
// life) is written by the team only, from what its children report. A batch is made
// when it is submitted: a decision that is made from the store's state and submitted
// later could delete a write made in between.
//
// # Failure
//
// A panic anywhere in a tree, or a commit that fails, ends the whole tree. The
// next request activates the team again from the store under a new epoch, which
// fences the writes of the old tree. Callers whose answer was lost get an
// Unavailable error. A crash loses only decisions that were never answered, and
// state that is not stored by design: queued mails, the last ten minutes of a
// member's signs of life and the last hour of a session's, pauses of a type, and
// renewals of leases, which begin again.
// Expected failures are errors, not panics.
//
// specs/what-survives.md follows a like through a crash at each moment.
//
// # Time
//
// Every timer is armed from stored state through the Clock. A team that is not
// in memory needs no timer: its next activation decides everything that became
// due, as of the moment when it was due.
package actors
