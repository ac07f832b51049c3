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
	// RuleSkipped was given up: the post is gone or was engaged with meanwhile, or the
	// rule does not want it any more.
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
	// Approved is set when it was agreed to. DecidedBy is the member who approved or
	// rejected it; empty: no approval was needed, or the API decided.
	Approved  bool     `json:",omitempty"`
	DecidedBy MemberID `json:",omitempty"`
	// Decision waits, so that it can be taken back; only of a proposed action.
	Decision  *RuleDecision `json:",omitempty"`
	StartedAt time.Time     `json:",omitzero"`
	Task      TaskID        `json:",omitempty"`
	EndedAt   time.Time     `json:",omitzero"`
}

// RuleDecision is a decision about a proposed action that takes effect at a moment.
type RuleDecision struct {
	Approve bool
	Text    *string  `json:",omitempty"` // replaces that of a comment
	By      MemberID `json:",omitempty"`
	At      time.Time
}

// Take has a decision take effect. It returns the state of the action then.
func (a *RuleAction) Take(d RuleDecision) RuleActionState {
	a.Decision, a.DecidedBy = nil, d.By
	if !d.Approve {
		return RuleRejected
	}
	a.State, a.Approved = RuleQueued, true
	if d.Text != nil && a.Action == ActionComment {
		a.Text = *d.Text
	}
	return a.State
}

// Due reports whether a decision waits that takes effect by now.
func (a *RuleAction) Due(now time.Time) bool { return a.Decision != nil && !a.Decision.At.After(now) }

// Undo takes back a decision that waits. A text that was edited stays for the next one.
func (a *RuleAction) Undo() {
	if a.Decision.Text != nil {
		a.Text = *a.Decision.Text
	}
	a.Decision = nil
}

const maxExcerpt = 280

// AuthorOfRule names the author of a post, because a rule engages with one post of an
// author in a week: the author's page on the network or, without one, the name.
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

// CompareRuleActions orders actions as rules decided on them.
func CompareRuleActions(a, b *RuleAction) int { return cmp.Compare(a.ID, b.ID) }

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
	// Texts are up to maxTrialTexts comments on posts that meet the conditions, the
	// newest post of each template first. They are shown whether or not the rule would
	// have acted.
	Texts []FilledText
}

// maxTrialTexts bounds the comments that a trial shows as examples.
const maxTrialTexts = 3

// FilledText is a comment on a post, with the values of its variables.
type FilledText struct {
	Post *Post
	Text string
}

// TriedAction is an action of a trial.
type TriedAction struct {
	Post   *Post
	Member MemberID
	Text   string
	At     time.Time // when the account would have acted
}

// Try runs a rule over stored posts as if each had come when it was stored, and its
// members were there; without members, the one who acts for the team. It decides as a
// RuleBook does, and changes nothing.
func (r *EngagementRule) Try(posts []*Post, tagging *Tagging) RuleTrial {
	trial := RuleTrial{Posts: len(posts)}
	posts = slices.Clone(posts)
	slices.SortFunc(posts, func(a, b *Post) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	enabled := *r
	enabled.Disabled = false
	if len(r.Members) == 0 {
		enabled.Members = []MemberID{"acting"}
	}
	book, days := NewRuleBook(), map[string]int{}
	book.Rules[r.ID] = enabled
	accounts := map[MemberID]RuleAccount{}
	for _, id := range enabled.Members {
		accounts[id] = RuleAccount{Connected: true, Free: true}
	}
	var planned []plannedAction
	var matched []*Post
	for _, p := range posts {
		now := p.CreatedAt
		planned = book.endUntil(planned, now)
		fresh := *p
		fresh.Liked, fresh.Commented = false, false
		a, why := book.Consider(&enabled, &fresh, tagging, accounts, now)
		if why != HeldUnwanted {
			trial.Matches++
			matched = append(matched, p)
		}
		switch why {
		case HeldUnwanted:
		case HeldAuthor:
			trial.SecondOfAuthor++
		case HeldText:
			trial.NoText++
		case HeldLate, HeldRoom:
			trial.Lapsed++
		case HeldNot:
			a.State = RuleQueued // it is approved at once
			at := book.Decide(&a, accounts, now).At
			book.Open[a.ID] = &a
			book.Paces[a.Member] = enabled.After(book.Paces[a.Member], RuleActionID(p.ID), at)
			planned = append(planned, plannedAction{&a, at})
			days[Daily.Key(at)]++
			trial.Busiest = max(trial.Busiest, days[Daily.Key(at)])
			trial.Acts = append(trial.Acts, TriedAction{p, a.Member, a.Text, at})
		}
	}
	trial.Texts = enabled.examples(matched)
	return trial
}

// examples fills the templates for posts, which are in order of time.
func (r *EngagementRule) examples(posts []*Post) []FilledText {
	if r.Action != ActionComment {
		return nil
	}
	var fresh, more []FilledText
	shown := map[int]bool{}
	for _, p := range slices.Backward(posts) {
		comment, template, ok := r.filled(p)
		switch {
		case !ok:
		case !shown[template]:
			shown[template] = true
			fresh = append(fresh, FilledText{p, comment})
		default:
			more = append(more, FilledText{p, comment})
		}
	}
	all := slices.Concat(fresh, more)
	return all[:min(maxTrialTexts, len(all))]
}

// plannedAction is an action of a trial, and when it is done.
type plannedAction struct {
	action *RuleAction
	at     time.Time
}

// endUntil ends the planned actions that are done at now, and returns the others.
func (b *RuleBook) endUntil(planned []plannedAction, now time.Time) (left []plannedAction) {
	for _, p := range planned {
		if p.at.After(now) {
			left = append(left, p)
			continue
		}
		b.Engaged[AuthorMark(p.action.Author, p.at)] = true
		delete(b.Open, p.action.ID)
	}
	return left
}
