package rules

import (
	"encoding/json"
	"time"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// Host is the team to which the component belongs. It answers in the mailbox that they
// share.
type Host interface {
	// Member returns a member; false when the team has none of that id.
	Member(id watchpost.MemberID) (watchpost.Member, bool)
	// ActingFor returns the member with that email (NotFound `User not found`); nil: the
	// one who acts for the team (NotFound when it has no admin).
	ActingFor(email *string) (watchpost.Member, error)
	// Account says what a member's account may do of a type.
	Account(kind watchpost.TaskType, member watchpost.MemberID, now time.Time) watchpost.RuleAccount
	// Watchlist returns the name of a watchlist; false when the team has none of that id.
	Watchlist(id watchpost.WatchlistID) (name string, known bool)
	// Tagging returns the watchlists that the team has and which of their tags count.
	Tagging(view persistence.View) (*watchpost.Tagging, error)
	// HasRoom reports whether one more task may be open.
	HasRoom() bool
	// CreateWrite adds a task of a rule to the batch, which the component submits, and
	// opens it. made is false when the same is done already. It adds at most nine
	// operations. Errors: TooLarge for the input, Unavailable.
	CreateWrite(batch *persistence.Batch, kind watchpost.TaskType, input json.RawMessage, member watchpost.MemberID, rule watchpost.RuleID) (id watchpost.TaskID, made bool, err error)
	// Task says how far a task is that was made for a rule.
	Task(id watchpost.TaskID) TaskProgress
	// EndTask sends a failure to an open task. The task takes it unless it acts.
	EndTask(id watchpost.TaskID, failure watchpost.TaskFailure)
	// HandOut gives waiting tasks to free sessions, and then calls Work.
	HandOut()
	// DeletedAt is when a rule will be deleted, unless that is taken back; zero: it will not.
	DeletedAt(id watchpost.RuleID) time.Time
	// Deleted notes in the batch that deletes a rule that its deletion waits no more.
	Deleted(batch *persistence.Batch, id watchpost.RuleID)
	// Audit notes a change of rules in the batch, and whose request it was.
	Audit(batch *persistence.Batch, kind watchpost.AuditKind, subject string)
}

// TaskProgress is how far a task is.
type TaskProgress struct {
	Open   bool // its end is not durable
	Held   bool // a session has it
	Acting bool // it may have acted
	Ended  bool // it is final
}
