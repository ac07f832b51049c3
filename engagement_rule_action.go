package watchpost

import (
	"cmp"
	"slices"
	"time"

	"watchpost/internal/text"
)

// RuleActionID names an action of a rule.
type RuleActionID string

// RuleActionState is the state of an action of a rule.
type RuleActionState string

// The states. The first three are open.
const (
	// RuleProposed waits for a member's decision.
	RuleProposed RuleActionState = "proposed"
	// RuleQueued waits for its turn on the account.
	RuleQueued RuleActionState = "queued"
	// RuleRunning is a task that is not final.
	RuleRunning RuleActionState = "running"
	// RuleDone and RuleFailed are tasks that completed or failed.
	RuleDone   RuleActionState = "done"
	RuleFailed RuleActionState = "failed"
	// RuleRejected was refused by a member.
	RuleRejected RuleActionState = "rejected"
	// RuleLapsed waited for longer than RuleActionKept.
	RuleLapsed RuleActionState = "lapsed"
	// RuleWithdrawn was given up: rules were stopped, or its rule, watchlist or
	// member went.
	RuleWithdrawn RuleActionState = "withdrawn"
	// RuleSkipped was given up at its turn: the post is gone or was engaged with
	// meanwhile.
	RuleSkipped RuleActionState = "skipped"
)

// RuleAction is a like or comment that a rule has decided on. There is at most
// one for a post, and one for an author and week.
type RuleAction struct {
	ID        RuleActionID
	Rule      RuleID
	RuleName  string
	Watchlist WatchlistID
	Action    Action
	Member    MemberID
	Post      PostID
	URN       string // of the post
	Author    string // AuthorOfRule
	Name      string // of the author
	Excerpt   string
	Text      string `json:",omitempty"` // of the comment
	State     RuleActionState
	At        time.Time // of the rule's decision
	// DecidedBy is the member who approved or rejected it; empty: no approval was
	// needed, or the API decided.
	DecidedBy MemberID  `json:",omitempty"`
	StartedAt time.Time `json:",omitzero"`
	Task      TaskID    `json:",omitempty"`
	EndedAt   time.Time `json:",omitzero"`
}

const maxExcerpt = 280

// AuthorOfRule names the author of a post, of whom a rule engages with one post
// a week: the author's page on the network or, without one, the name.
func AuthorOfRule(p *Post) string { return cmp.Or(p.AuthorKey(), text.NormalizeName(p.AuthorName)) }

// Act returns the action of a rule on a post.
func (r *EngagementRule) Act(p *Post, member MemberID, comment string, now time.Time) RuleAction {
	a := RuleAction{
		ID: RuleActionID(NewID(now)), Rule: r.ID, RuleName: r.Name, Watchlist: r.Watchlist, Action: r.Action, Member: member,
		Post: p.ID, URN: p.URN, Author: AuthorOfRule(p), Name: p.AuthorName, Excerpt: text.Clip(text.CollapseSpace(p.Content), maxExcerpt),
		Text: comment, State: RuleQueued, At: now,
	}
	if r.Approval {
		a.State = RuleProposed
	}
	return a
}

// Lapses returns when an action that waits lapses.
func (a *RuleAction) Lapses() time.Time { return a.At.Add(RuleActionKept) }

// Open reports whether the action may still be done.
func (a *RuleAction) Open() bool {
	return a.State == RuleProposed || a.State == RuleQueued || a.State == RuleRunning
}

// RuleTrial is what a rule would have done with stored posts.
type RuleTrial struct {
	Posts   int // that were looked at
	Matches int // that meet the conditions
	Acts    []TriedAction
	// Busiest is the most actions of one day.
	Busiest int
	// SecondOfAuthor, NoText and Lapsed count matches that were held back.
	SecondOfAuthor, NoText, Lapsed int
}

// TriedAction is an action of a trial.
type TriedAction struct {
	Post   *Post
	Member MemberID
	Text   string
	At     time.Time // when the account would have acted
}

// Try runs a rule over stored posts as if each had come when it was stored. It
// changes nothing.
func (r *EngagementRule) Try(posts []*Post, tagging *Tagging) RuleTrial {
	trial := RuleTrial{Posts: len(posts)}
	posts = slices.Clone(posts)
	slices.SortFunc(posts, func(a, b *Post) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	enabled := *r
	enabled.Disabled = false
	weeks, paces, days := map[string]string{}, map[MemberID]Pace{}, map[string]int{}
	for _, p := range posts {
		now := p.CreatedAt
		fresh := *p
		fresh.Liked, fresh.Commented = false, false
		if !enabled.Wants(&fresh, tagging, now) {
			continue
		}
		trial.Matches++
		author := AuthorOfRule(p)
		if weeks[author] == Weekly.Key(now) {
			trial.SecondOfAuthor++
			continue
		}
		comment, ok := enabled.Text(p)
		if !ok || len(r.Members) == 0 {
			trial.NoText++
			continue
		}
		member := r.soonest(paces, now)
		at := enabled.NextStart(paces[member], now)
		if at.Sub(now) >= RuleActionKept {
			trial.Lapsed++
			continue
		}
		weeks[author] = Weekly.Key(now)
		paces[member] = enabled.After(paces[member], RuleActionID(p.ID), at)
		days[Daily.Key(at)]++
		trial.Busiest = max(trial.Busiest, days[Daily.Key(at)])
		trial.Acts = append(trial.Acts, TriedAction{p, member, comment, at})
	}
	return trial
}

// soonest returns the member whose account may act first.
func (r *EngagementRule) soonest(paces map[MemberID]Pace, now time.Time) MemberID {
	return slices.MinFunc(r.Members, func(a, b MemberID) int {
		return r.NextStart(paces[a], now).Compare(r.NextStart(paces[b], now))
	})
}
