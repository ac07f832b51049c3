package watchpost_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watchpost/watchpost"
)

// TestDecideKeepsPromises: whatever comes, an action begins only when everything that
// its rule promises holds, by books that are kept apart.
func TestDecideKeepsPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := newRuleHistory(t)
		steps := map[string]func(*rapid.T){
			"time": func(t *rapid.T) {
				l.now = l.now.Add(time.Duration(rapid.IntRange(1, 300).Draw(t, "minutes")) * time.Minute)
			},
			"post":    l.post,
			"end":     l.end,
			"account": l.account,
			"member":  l.member,
			"rule":    l.rule,
			"stop":    func(*rapid.T) { l.book.Stopped = !l.book.Stopped },
			"decide":  l.decide,
		}
		often := []string{"time", "time", "post", "post", "post", "end", "end", "end", "decide", "decide"}
		names := append(often, slices.Sorted(maps.Keys(steps))...)
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			steps[rapid.SampledFrom(names).Draw(t, "step")](t)
			l.begin(t)
			l.check(t)
		}
	})
}

// ruleHistory has a team's rules and their past actions.
type ruleHistory struct {
	book     watchpost.RuleBook
	now      time.Time
	accounts map[watchpost.MemberID]watchpost.RuleAccount
	posts    int
	agreed   map[watchpost.RuleActionID]watchpost.MemberID // for whom it was approved
	begun    []*begunAction
}

// begunAction is an action that has begun, and how it went on.
type begunAction struct {
	watchpost.RuleAction
	from, until time.Time // until is zero while it runs
	acted       bool      // it may have
}

var historyMembers = []watchpost.MemberID{"bob", "eve", "joe"}

func newRuleHistory(t *rapid.T) *ruleHistory {
	l := &ruleHistory{
		book: watchpost.NewRuleBook(), now: monday, accounts: map[watchpost.MemberID]watchpost.RuleAccount{}, agreed: map[watchpost.RuleActionID]watchpost.MemberID{},
	}
	for i := range 2 {
		r := likeRule(func(r *watchpost.EngagementRule) {
			r.ID, r.Members = watchpost.RuleID(fmt.Sprint("rule-", i)), historyMembers[i:]
			r.PerDay, r.Approval = rapid.IntRange(1, 3).Draw(t, "per day"), rapid.Bool().Draw(t, "approval")
			r.MinPause = time.Duration(rapid.IntRange(1, 120).Draw(t, "pause")) * time.Minute
			r.MaxPause = r.MinPause + time.Duration(rapid.IntRange(0, 60).Draw(t, "spread"))*time.Minute
			if rapid.Bool().Draw(t, "mondays") {
				r.Hours.Days = []time.Weekday{time.Monday}
			}
		})
		l.book.Rules[r.ID] = *r
	}
	for _, id := range historyMembers {
		l.accounts[id] = watchpost.RuleAccount{Seen: l.now, Connected: true, Free: true}
	}
	return l
}

func (l *ruleHistory) post(t *rapid.T) {
	l.posts++
	author := rapid.SampledFrom([]string{"ada", "grace", "alan", "edsger"}).Draw(t, "author")
	p := rulePost(func(p *watchpost.Post) {
		p.URN, p.AuthorURL = fmt.Sprint("urn:", l.posts), "https://network.example/in/"+author
	})
	for _, id := range slices.Sorted(maps.Keys(l.book.Rules)) {
		r := l.book.Rules[id]
		a, why := l.book.Consider(&r, p, nil, l.accounts, l.now)
		if why == watchpost.HeldNot {
			at := l.book.Decide(&a, l.accounts, l.now).At
			if _, in := l.accounts[a.Member]; !at.Before(a.Lapses()) || !in || !slices.Contains(r.Members, a.Member) || r.Disabled || l.book.Stopped {
				t.Fatalf("%s gets an action at %v of %+v", a.Member, at, r)
			}
			l.book.Open[a.ID] = &a
			return
		}
	}
}

// pick draws an open action in one of the states; nil when there is none.
func (l *ruleHistory) pick(t *rapid.T, states ...watchpost.RuleActionState) *watchpost.RuleAction {
	open := slices.SortedFunc(maps.Values(l.book.Open), watchpost.CompareRuleActions)
	open = slices.DeleteFunc(open, func(a *watchpost.RuleAction) bool { return !slices.Contains(states, a.State) })
	if len(open) == 0 {
		return nil
	}
	return open[rapid.IntRange(0, len(open)-1).Draw(t, "action")]
}

// decide lets a member agree to a proposed action, or not.
func (l *ruleHistory) decide(t *rapid.T) {
	a := l.pick(t, watchpost.RuleProposed)
	switch {
	case a == nil:
	case rapid.Bool().Draw(t, "approve"):
		a.State, a.Approved = watchpost.RuleQueued, true
		l.agreed[a.ID] = a.Member
	default:
		l.book.End(a, watchpost.RuleRejected, l.now)
	}
}

// begin does what the book says of the open actions.
func (l *ruleHistory) begin(t *rapid.T) {
	for _, a := range slices.SortedFunc(maps.Values(l.book.Open), watchpost.CompareRuleActions) {
		if a.State == watchpost.RuleRunning {
			continue
		}
		switch v := l.book.Decide(a, l.accounts, l.now); v.State {
		case watchpost.RuleRunning:
			l.begins(t, a, v.Member)
			l.book.Begin(a, v.Member, "task", l.now)
			l.begun = append(l.begun, &begunAction{RuleAction: *a, from: l.now, acted: true})
		case watchpost.RuleQueued:
			l.comesTrue(t, a, v)
		case watchpost.RuleProposed:
			a.State, a.Member = watchpost.RuleProposed, v.Member
		default:
			l.book.End(a, v.State, l.now)
		}
	}
}

// comesTrue: if nothing else happens, the action begins when the book says.
func (l *ruleHistory) comesTrue(t *rapid.T, a *watchpost.RuleAction, v watchpost.RuleVerdict) {
	account := l.accounts[v.Member]
	if v.Member == "" || !v.At.After(l.now) || !account.Connected || l.runsOn(v.Member) {
		return
	}
	later := maps.Clone(l.accounts)
	account.Free = true
	later[v.Member] = account
	// Its author may have been engaged with before: then it does not wait.
	if then := l.book.Decide(a, later, v.At); then.State != watchpost.RuleRunning {
		t.Fatalf("to begin at %v, where it is %+v", v.At, then)
	}
}

func (l *ruleHistory) runsOn(id watchpost.MemberID) bool {
	return slices.ContainsFunc(l.begun, func(b *begunAction) bool { return b.Member == id && b.until.IsZero() })
}

// begins checks an action that may begin on a member's account.
func (l *ruleHistory) begins(t *rapid.T, a *watchpost.RuleAction, member watchpost.MemberID) {
	r, known := l.book.Rules[a.Rule]
	account, in := l.accounts[member]
	_, within := r.Hours.Contains(l.now)
	agreed, approved := l.agreed[a.ID]
	for promise, kept := range map[string]bool{
		"the rules act":                 !l.book.Stopped && known && !r.Disabled,
		"a member of the rule and team": in && slices.Contains(r.Members, member),
		"a free connection":             account.Free && !l.runsOn(member),
		"its hours":                     within,
		"its time":                      a.Lapses().After(l.now),
		"approval":                      !r.Approval && !approved || approved && agreed == member,
	} {
		if !kept {
			t.Fatalf("%s begins on %s at %v without: %s", a.ID, member, l.now, promise)
		}
	}
	today := 1
	for _, b := range l.begun {
		over := !b.until.IsZero()
		switch {
		case b.URN == a.URN && b.acted:
			t.Fatalf("%s twice", a.URN)
		case b.Author == a.Author && b.acted && (!over || watchpost.Weekly.Key(b.until) == watchpost.Weekly.Key(l.now)):
			t.Fatalf("%s twice a week", a.Author)
		case b.Member == member && over && l.now.Sub(b.until) < min(r.MinPause, l.book.Rules[b.Rule].MinPause):
			t.Fatalf("%v after the last one", l.now.Sub(b.until))
		}
		if b.Member == member && b.Rule == a.Rule && b.acted && over && watchpost.Daily.Key(b.until) == watchpost.Daily.Key(l.now) {
			today++
		}
	}
	if today > r.PerDay {
		t.Fatalf("%d a day", today)
	}
}

// end ends a running action: done, failed, or given back without having acted.
func (l *ruleHistory) end(t *rapid.T) {
	a := l.pick(t, watchpost.RuleRunning)
	if a == nil {
		return
	}
	state := rapid.SampledFrom([]watchpost.RuleActionState{watchpost.RuleDone, watchpost.RuleFailed, watchpost.RuleQueued}).Draw(t, "end")
	for _, b := range l.begun {
		if b.ID == a.ID && b.until.IsZero() {
			b.until, b.acted = l.now, state != watchpost.RuleQueued
		}
	}
	l.book.End(a, state, l.now)
}

// account changes what an account may do.
func (l *ruleHistory) account(t *rapid.T) {
	id := rapid.SampledFrom(historyMembers).Draw(t, "member")
	account, in := l.accounts[id]
	if !in {
		return
	}
	account.Connected = rapid.Bool().Draw(t, "connected")
	account.Free = account.Connected && rapid.Bool().Draw(t, "free")
	if account.Connected {
		account.Seen = l.now
	}
	account.Ready = time.Time{}
	if account.Connected && !account.Free && rapid.Bool().Draw(t, "capped") {
		account.Ready = watchpost.Daily.Reset(l.now)
	}
	l.accounts[id] = account
}

// member lets a member join or leave the team.
func (l *ruleHistory) member(t *rapid.T) {
	id := rapid.SampledFrom(historyMembers).Draw(t, "member")
	if _, in := l.accounts[id]; in {
		delete(l.accounts, id)
		return
	}
	l.accounts[id] = watchpost.RuleAccount{Seen: l.now, Connected: true, Free: true}
}

// rule changes a rule, or deletes it.
func (l *ruleHistory) rule(t *rapid.T) {
	ids := slices.Sorted(maps.Keys(l.book.Rules))
	if len(ids) == 0 {
		return
	}
	r := l.book.Rules[rapid.SampledFrom(ids).Draw(t, "rule")]
	switch rapid.SampledFrom([]string{"disable", "approval", "approval", "hours", "delete"}).Draw(t, "change") {
	case "disable":
		r.Disabled = !r.Disabled
	case "approval":
		r.Approval = !r.Approval
	case "hours":
		r.Hours.From = rapid.IntRange(0, 12*60).Draw(t, "from")
	case "delete":
		delete(l.book.Rules, r.ID)
		return
	}
	l.book.Rules[r.ID] = r
}

// check: the book never holds more than it may.
func (l *ruleHistory) check(t *rapid.T) {
	if len(l.book.Open) > watchpost.MaxOpenRuleActions {
		t.Fatalf("%d open actions", len(l.book.Open))
	}
	authors := map[string]int{}
	for _, a := range l.book.Open {
		if authors[a.Author]++; authors[a.Author] > 1 {
			t.Fatalf("two open actions for %s", a.Author)
		}
	}
}
