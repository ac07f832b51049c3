package rules

import (
	"time"

	"watchpost/actors/root"
	"watchpost/watchpost"
)

// Create makes an auto-engagement rule for a watchlist (NotFound, PlanLimit);
// answered by View. Emails name the members on whose accounts it acts
// (NotFound `User not found`); none: the one who acts for the team. Without a name
// the rule gets one.
type Create struct {
	Rule   watchpost.EngagementRule // cleaned
	Emails []string
}

// Update changes a rule (NotFound, Invalid); answered by View.
type Update struct {
	ID     watchpost.RuleID
	Patch  watchpost.RulePatch
	Emails *[]string
}

// Delete is answered by Done (NotFound). What waits of the rule is withdrawn.
type Delete struct{ ID watchpost.RuleID }

// List is answered by Overview.
type List struct{}

// Stop stops all rules of the team at once, and withdraws what waits of
// them, or lets them act again; answered by Done.
type Stop struct {
	Stop bool
	By   watchpost.MemberID
}

// Decide approves or rejects a proposed action (NotFound, Conflict);
// answered by watchpost.RuleAction. Text replaces a comment.
type Decide struct {
	ID      watchpost.RuleActionID
	Approve bool
	Text    *string // cleaned
	By      watchpost.MemberID
	// Delay is how long the decision waits, so that it can be taken back.
	Delay time.Duration
}

// Undo takes back a decision that waits (NotFound, Conflict once it has
// taken effect); answered by watchpost.RuleAction.
type Undo struct{ ID watchpost.RuleActionID }

func (Create) AnsweredWith(View)                 {}
func (Update) AnsweredWith(View)                 {}
func (Delete) AnsweredWith(root.Done)            {}
func (List) AnsweredWith(Overview)               {}
func (Stop) AnsweredWith(root.Done)              {}
func (Decide) AnsweredWith(watchpost.RuleAction) {}
func (Undo) AnsweredWith(watchpost.RuleAction)   {}

// Overview are the team's rules, oldest first, and what waits of them.
type Overview struct {
	Stopped bool
	// StoppedAt and StoppedBy say since when and by whom.
	StoppedAt time.Time
	StoppedBy watchpost.MemberID
	Rules     []View
	Open      []watchpost.RuleAction // oldest first
}

// View is a rule with its members, and how many of its actions wait.
type View struct {
	Rule              watchpost.EngagementRule
	Members           []watchpost.Member
	Proposed, Waiting int
	// NextAt is when the first waiting action may be done; zero: none waits.
	NextAt time.Time
	// DeletedAt is when it will be deleted, unless that is taken back; zero: it will not.
	DeletedAt time.Time `json:",omitzero"`
}
