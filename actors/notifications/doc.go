// Package notifications delivers the posts that are new to a team's watchlists to the
// targets that its members have set up: chat tools, webhooks and mail.
//
// Targets is the component of a team. It answers Create, Update, Delete, List and SendNow.
// The team asks it which watchlists it observes (Watch), shows it the posts that are new to
// them (Consider), and tells it of watchlists that come, change and go. The component asks
// the team the questions of Host. Sends makes the attempts of all teams of a node. Log reads
// a snapshot past the actors.
package notifications

import (
	"iter"
	"time"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// Host is the team, as far as its notifications ask it. It is asked in the team's mailbox.
type Host interface {
	// Watchlist returns a watchlist of the team, as it stood at its last decision; nil
	// when there is none. The component does not change it.
	Watchlist(watchpost.WatchlistID) *watchpost.Watchlist
	// Watchlists yields all of them, always in the same order.
	Watchlists() iter.Seq[*watchpost.Watchlist]
	// Member returns the member with an address (NotFound).
	Member(email string) (watchpost.Member, error)
	// Waits reports whether the team has other work that no request begins: there may be
	// posts that Consider has not seen, or deletions that wait.
	Waits() bool
	// DeletedAt is when a target will be deleted, unless that is taken back; zero: it will not.
	DeletedAt(id watchpost.TargetID) time.Time
	// Deleted notes in the batch that deletes a target that its deletion waits no more.
	Deleted(batch *persistence.Batch, id watchpost.TargetID)
	// Audit adds an entry about a target to the batch of its subject.
	Audit(batch *persistence.Batch, kind watchpost.AuditKind, subject string)
	// CommitOnce submits a decision and answers the sender when it is durable. A
	// repetition of the request gets the same reply.
	CommitOnce(batch *persistence.Batch, reply any)
}
