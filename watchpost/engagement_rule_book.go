package watchpost

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"
)

// RuleBook is all that decides about the actions of a team's rules. Its methods are
// pure functions of it, of the accounts and of now; they change nothing but the book.
type RuleBook struct {
	Stopped bool // all rules
	Rules   map[RuleID]EngagementRule
	Open    map[RuleActionID]*RuleAction
	Paces   map[MemberID]Pace
	// Engaged are the authors that rules have engaged with, by AuthorMark.
	Engaged map[string]bool
}

// NewRuleBook returns a book without rules.
func NewRuleBook() RuleBook {
	return RuleBook{
		Rules: map[RuleID]EngagementRule{}, Open: map[RuleActionID]*RuleAction{}, Paces: map[MemberID]Pace{}, Engaged: map[string]bool{},
	}
}

// AuthorMark names an author (AuthorOfRule) in the week of now, in few bytes.
func AuthorMark(author string, now time.Time) string {
	sum := sha256.Sum256([]byte(author))
	return Weekly.Key(now) + hex.EncodeToString(sum[:16])
}

// RuleAccount is what the account of a member may do for rules.
type RuleAccount struct {
	Seen      time.Time // the member's last sign of life
	Connected bool      // a browser is connected that will do such actions
	Ready     time.Time // from when its allowance and its pauses permit them
	Free      bool      // it could be handed one at once
}

// RuleVerdict is what becomes of an action at a moment.
type RuleVerdict struct {
	// State is RuleRunning if the action may be done now on the account of Member,
	// RuleQueued if it waits, RuleProposed if it waits for a member's decision, and
	// otherwise the state in which it ends: it is never done.
	State RuleActionState
	// Member is the one on whose account it will be done as things are; "" when no one
	// can in time.
	Member MemberID
	// At is when the account may do it, as far as the clock tells: it may be busy or away
	// then. When no one can in time, it is when the action lapses.
	At time.Time
}

// Decide says what becomes of an open action at now. accounts are those of the team's
// members; other members are not in the team any more. The post and the rule's
// conditions are Refresh's part.
func (b *RuleBook) Decide(a *RuleAction, accounts map[MemberID]RuleAccount, now time.Time) RuleVerdict {
	r, known := b.Rules[a.Rule]
	members := slices.DeleteFunc(slices.Clone(r.Members), func(id MemberID) bool {
		_, in := accounts[id]
		return !in || a.bound() && id != a.Member
	})
	switch {
	case b.Stopped, !known, r.Disabled, r.Action != a.Action, len(members) == 0:
		return RuleVerdict{State: RuleWithdrawn}
	case !a.Lapses().After(now):
		return RuleVerdict{State: RuleLapsed}
	case b.taken(a, now):
		return RuleVerdict{State: RuleSkipped}
	}
	best, some := b.soonest(&r, a, members, accounts, now)
	v := RuleVerdict{State: RuleQueued, Member: best.member, At: a.Lapses()}
	if some {
		v.At = best.at
	}
	switch {
	case a.State == RuleProposed, r.Approval && !a.approved():
		v.State = RuleProposed
	case some && best.free && !best.at.After(now):
		v.State = RuleRunning
	}
	return v
}

// bound reports whether an action stays with its member: one that a member was shown
// as to be done on that account, or that runs there.
func (a *RuleAction) bound() bool {
	return a.Member != "" && (a.State == RuleProposed || a.State == RuleRunning || a.approved())
}

// approved reports whether a member, or a caller of the API, has agreed to the action.
func (a *RuleAction) approved() bool { return a.Approved || a.DecidedBy != "" }

// taken reports whether another action is about the same post or author, or a rule has
// engaged with the author in the week of now. Of two that wait the older one goes on.
func (b *RuleBook) taken(a *RuleAction, now time.Time) bool {
	if b.Engaged[AuthorMark(a.Author, now)] {
		return true
	}
	waits := b.Open[a.ID] != nil && a.State != RuleRunning
	for _, o := range b.Open {
		first := o.State == RuleRunning || b.Open[a.ID] == nil || waits && CompareRuleActions(o, a) < 0
		if o.ID != a.ID && first && (o.URN == a.URN || o.Author == a.Author) {
			return true
		}
	}
	return false
}

// turn is when and how well an account can do an action.
type turn struct {
	member          MemberID
	at              time.Time
	connected, free bool
	load            int // the actions of rules that it did today, and those that it has
}

// compare puts the account first that can act soonest, and of two the one that has
// done less. One that is away may come back at any time, but no one knows.
func (t turn) compare(o turn) int {
	return cmp.Or(cmp.Compare(place(t.connected), place(o.connected)), t.at.Compare(o.at), cmp.Compare(place(t.free), place(o.free)), cmp.Compare(t.load, o.load))
}

// place orders true before false.
func place(is bool) int {
	if is {
		return 0
	}
	return 1
}

// soonest returns the account that can do an action first; some is false when none can
// before it lapses. Members who are not connected and were not seen lately get nothing.
func (b *RuleBook) soonest(r *EngagementRule, a *RuleAction, members []MemberID, accounts map[MemberID]RuleAccount, now time.Time) (best turn, some bool) {
	load, running := map[MemberID]int{}, map[MemberID]bool{}
	for _, o := range b.Open {
		if o.ID != a.ID {
			load[o.Member]++
			running[o.Member] = running[o.Member] || o.State == RuleRunning
		}
	}
	for _, id := range members {
		account, from := accounts[id], now
		if !account.Connected && !ExtensionActive(account.Seen, now) {
			continue
		}
		if account.Ready.After(from) {
			from = account.Ready
		}
		if running[id] { // its pause begins when that has ended
			from = from.Add(r.MinPause)
		}
		pace := b.Paces[id]
		t := turn{member: id, at: r.NextStart(pace, from), connected: account.Connected, free: account.Free, load: load[id]}
		if pace.Day == Daily.Key(now) {
			for _, n := range pace.Done {
				t.load += n
			}
		}
		if t.at.Before(a.Lapses()) && (!some || t.compare(best) < 0) {
			best, some = t, true
		}
	}
	return best, some
}

// Held says why a rule leaves a new post alone.
type Held uint8

// The reasons.
const (
	HeldNot      Held = iota // it does not
	HeldUnwanted             // the post does not meet its conditions
	HeldText                 // no template fits
	HeldAuthor               // the post, or its author this week, is engaged with
	HeldLate                 // no account could act before the action lapses
	HeldRoom                 // MaxOpenRuleActions wait
)

// Consider returns the action of a rule on a post that is new at now, as it would
// wait, unless the rule leaves the post alone.
func (b *RuleBook) Consider(r *EngagementRule, p *Post, tagging *Tagging, accounts map[MemberID]RuleAccount, now time.Time) (a RuleAction, why Held) {
	if !r.Wants(p, tagging, now) {
		return a, HeldUnwanted
	}
	comment, ok := r.Text(p)
	if !ok {
		return a, HeldText
	}
	a = r.Act(p, "", comment, now)
	switch v := b.Decide(&a, accounts, now); {
	case v.State == RuleSkipped:
		return a, HeldAuthor
	case v.Member == "":
		return a, HeldLate
	case len(b.Open) >= MaxOpenRuleActions:
		return a, HeldRoom
	default:
		a.Member = v.Member
	}
	return a, HeldNot
}

// Refresh brings a waiting action up to its rule and its post; ok is false when the
// rule does not want it any more. A text that a member has agreed to stays.
func (r *EngagementRule) Refresh(a RuleAction, p *Post, tagging *Tagging, now time.Time) (fresh RuleAction, ok bool) {
	if !r.Wants(p, tagging, now) {
		return a, false
	}
	a.RuleName = r.Name
	if !a.approved() {
		if a.Text, ok = r.Text(p); !ok {
			return a, false
		}
	}
	return a, true
}

// Begin lets an action run on a member's account.
func (b *RuleBook) Begin(a *RuleAction, member MemberID, task TaskID, now time.Time) {
	a.State, a.Member, a.Task, a.StartedAt = RuleRunning, member, task, now
}

// End notes how an action has ended at now. One that was running, and may have
// acted, counts for its account and its author from then on. RuleQueued gives an
// action back that has not acted: it is decided again, on this account after a pause.
func (b *RuleBook) End(a *RuleAction, state RuleActionState, now time.Time) {
	r, known := b.Rules[a.Rule]
	if !known { // deleted meanwhile
		r = EngagementRule{ID: a.Rule, MinPause: DefaultMinPause, MaxPause: DefaultMaxPause}
	}
	ran := a.State == RuleRunning
	a.State = state
	switch {
	case ran && state == RuleQueued:
		b.Paces[a.Member] = r.Paused(b.Paces[a.Member], a.ID, now)
		a.Task, a.StartedAt = "", time.Time{}
		return
	case ran && (state == RuleDone || state == RuleFailed):
		b.Paces[a.Member] = r.After(b.Paces[a.Member], a.ID, now)
		b.Engaged[AuthorMark(a.Author, now)] = true
	}
	a.EndedAt = now
	delete(b.Open, a.ID)
}

// Forget drops the authors of earlier weeks than that of now.
func (b *RuleBook) Forget(now time.Time) {
	week := Weekly.Key(now)
	maps.DeleteFunc(b.Engaged, func(mark string, _ bool) bool { return mark < week })
}
