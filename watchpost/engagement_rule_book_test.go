package watchpost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// ruleCase is an action at a moment: bob and eve work for a rule, from nine to six on
// weekdays; bob comes first. It is Monday, nine o'clock.
type ruleCase struct {
	book     watchpost.RuleBook
	rule     *watchpost.EngagementRule
	action   *watchpost.RuleAction
	accounts map[watchpost.MemberID]watchpost.RuleAccount
	now      time.Time
}

func newRuleCase() *ruleCase {
	c := &ruleCase{
		book: watchpost.NewRuleBook(), rule: likeRule(func(r *watchpost.EngagementRule) {
			r.Members, r.MaxPause = []watchpost.MemberID{"bob", "eve"}, r.MinPause
		}),
		accounts: map[watchpost.MemberID]watchpost.RuleAccount{}, now: monday,
	}
	for _, id := range c.rule.Members {
		c.accounts[id] = watchpost.RuleAccount{Seen: monday, Connected: true, Free: true}
	}
	c.action = c.other("action", "ada", watchpost.RuleQueued)
	return c
}

// other is another open action.
func (c *ruleCase) other(id watchpost.RuleActionID, author string, state watchpost.RuleActionState) *watchpost.RuleAction {
	a := &watchpost.RuleAction{ID: id, Rule: "rule", Action: watchpost.ActionLike, Member: "bob", URN: "urn:" + string(id), Author: author, State: state, At: monday}
	c.book.Open[id] = a
	return a
}

func (c *ruleCase) account(id watchpost.MemberID, change func(*watchpost.RuleAccount)) {
	account := c.accounts[id]
	change(&account)
	c.accounts[id] = account
}

func TestDecide(t *testing.T) {
	t.Parallel()
	at := func(day, hour, minute int) time.Time { return time.Date(2030, 1, day, hour, minute, 0, 0, time.UTC) }
	busy := func(a *watchpost.RuleAccount) { a.Free = false }
	away := func(a *watchpost.RuleAccount) { *a = watchpost.RuleAccount{Seen: a.Seen} }
	const (
		run, queued, proposed      = watchpost.RuleRunning, watchpost.RuleQueued, watchpost.RuleProposed
		withdrawn, lapsed, skipped = watchpost.RuleWithdrawn, watchpost.RuleLapsed, watchpost.RuleSkipped
		none                       = watchpost.MemberID("")
		bob, eve                   = watchpost.MemberID("bob"), watchpost.MemberID("eve")
	)
	never := time.Time{}
	for name, c := range map[string]struct {
		change func(*ruleCase)
		state  watchpost.RuleActionState
		member watchpost.MemberID
		at     time.Time
	}{
		"now":                             {state: run, member: bob, at: monday},
		"rules stopped":                   {change: func(c *ruleCase) { c.book.Stopped = true }, state: withdrawn},
		"rule deleted":                    {change: func(c *ruleCase) { delete(c.book.Rules, "rule"); c.rule = nil }, state: withdrawn},
		"rule disabled":                   {change: func(c *ruleCase) { c.rule.Disabled = true }, state: withdrawn},
		"another action":                  {change: func(c *ruleCase) { c.rule.Action = watchpost.ActionComment }, state: withdrawn},
		"nobody left":                     {change: func(c *ruleCase) { clear(c.accounts) }, state: withdrawn},
		"not the rule's members any more": {change: func(c *ruleCase) { c.rule.Members = []watchpost.MemberID{"joe"} }, state: withdrawn},
		"one member left":                 {change: func(c *ruleCase) { delete(c.accounts, bob) }, state: run, member: eve, at: monday},
		"lapsed":                          {change: func(c *ruleCase) { c.now = monday.Add(watchpost.RuleActionKept) }, state: lapsed},
		"before the hours":                {change: func(c *ruleCase) { c.now = at(7, 8, 59) }, state: queued, member: bob, at: monday},
		"at the end of the hours":         {change: func(c *ruleCase) { c.now = at(7, 18, 0) }, state: queued, member: bob, at: at(8, 9, 0)},
		"pause":                           {change: func(c *ruleCase) { c.book.Paces[bob] = c.rule.Paused(watchpost.Pace{}, "x", monday) }, state: run, member: eve, at: monday},
		"pause of both": {change: func(c *ruleCase) {
			c.book.Paces[bob] = c.rule.Paused(watchpost.Pace{}, "x", monday)
			c.book.Paces[eve] = c.rule.Paused(watchpost.Pace{}, "x", monday.Add(-time.Minute))
		}, state: queued, member: eve, at: at(7, 9, 4)},
		"daily share": {change: func(c *ruleCase) {
			c.rule.PerDay = 1
			for id := range c.accounts {
				c.book.Paces[id] = c.rule.After(watchpost.Pace{}, "x", at(7, 0, 30))
			}
		}, state: queued, member: bob, at: at(8, 9, 0)},
		"done less":             {change: func(c *ruleCase) { c.book.Paces[bob] = c.rule.After(watchpost.Pace{}, "x", at(7, 0, 30)) }, state: run, member: eve, at: monday},
		"has less":              {change: func(c *ruleCase) { c.other("other", "joe", proposed) }, state: run, member: eve, at: monday},
		"an action runs":        {change: func(c *ruleCase) { c.other("other", "joe", run) }, state: run, member: eve, at: monday},
		"connection busy":       {change: func(c *ruleCase) { c.account(bob, busy) }, state: run, member: eve, at: monday},
		"both busy":             {change: func(c *ruleCase) { c.account(bob, busy); c.account(eve, busy) }, state: queued, member: bob, at: monday},
		"away":                  {change: func(c *ruleCase) { c.account(bob, away) }, state: run, member: eve, at: monday},
		"both away":             {change: func(c *ruleCase) { c.account(bob, away); c.account(eve, away) }, state: queued, member: bob, at: monday},
		"not seen for two days": {change: func(c *ruleCase) { c.account(bob, away); c.account(eve, away); c.now = at(9, 9, 1) }, state: queued, member: none, at: at(10, 9, 0)},
		"without allowance today": {change: func(c *ruleCase) {
			for id := range c.accounts {
				c.account(id, func(a *watchpost.RuleAccount) { a.Free, a.Ready = false, at(8, 0, 0) })
			}
		}, state: queued, member: bob, at: at(8, 9, 0)},
		"author engaged this week":                      {change: func(c *ruleCase) { c.book.Engaged[watchpost.AuthorMark("ada", monday)] = true }, state: skipped},
		"author engaged last week":                      {change: func(c *ruleCase) { c.book.Engaged[watchpost.AuthorMark("ada", monday.Add(-10*time.Hour))] = true }, state: run, member: bob, at: monday},
		"another for the author runs":                   {change: func(c *ruleCase) { c.other("z", "ada", run) }, state: skipped},
		"an older one for the author waits":             {change: func(c *ruleCase) { c.other("a", "ada", queued) }, state: skipped},
		"a younger one for the author waits":            {change: func(c *ruleCase) { c.other("z", "ada", queued).Member = eve }, state: run, member: bob, at: monday},
		"another for the post":                          {change: func(c *ruleCase) { c.other("a", "joe", queued).URN = c.action.URN }, state: skipped},
		"needs approval":                                {change: func(c *ruleCase) { c.rule.Approval = true }, state: proposed, member: bob, at: monday},
		"approved":                                      {change: func(c *ruleCase) { c.rule.Approval, c.action.Approved = true, true }, state: run, member: bob, at: monday},
		"approved by a member, as stored before":        {change: func(c *ruleCase) { c.rule.Approval, c.action.DecidedBy = true, eve }, state: run, member: bob, at: monday},
		"approved for a member who is away":             {change: func(c *ruleCase) { c.action.Approved = true; c.account(bob, away) }, state: queued, member: bob, at: monday},
		"approved for a member who left":                {change: func(c *ruleCase) { c.action.Approved = true; delete(c.accounts, bob) }, state: withdrawn},
		"proposed, and approval is not needed any more": {change: func(c *ruleCase) { c.action.State = proposed }, state: proposed, member: bob, at: monday},
		"runs, at hand-out":                             {change: func(c *ruleCase) { c.action.State = run }, state: run, member: bob, at: monday},
		"runs, after the hours":                         {change: func(c *ruleCase) { c.action.State, c.now = run, at(7, 18, 1) }, state: queued, member: bob, at: at(8, 9, 0)},
	} {
		one := newRuleCase()
		if c.change != nil {
			c.change(one)
		}
		if one.rule != nil {
			one.book.Rules["rule"] = *one.rule
		}
		v := one.book.Decide(one.action, one.accounts, one.now)
		require.Equal(t, c.state, v.State, name)
		require.Equal(t, c.member, v.Member, name)
		if c.at != never {
			require.Equal(t, c.at, v.At, name)
		}
	}
}

// TestConsiderHolds: what a rule leaves alone, and why.
func TestConsiderHolds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*ruleCase, *watchpost.Post)
		why    watchpost.Held
	}{
		"nothing":       {why: watchpost.HeldNot},
		"the condition": {change: func(c *ruleCase, _ *watchpost.Post) { c.rule.If.Sentiments = []string{"negative"} }, why: watchpost.HeldUnwanted},
		"the text": {change: func(c *ruleCase, p *watchpost.Post) {
			c.rule.Action, c.rule.Templates, p.AuthorName = watchpost.ActionComment, []string{"{first_name}"}, " "
		}, why: watchpost.HeldText},
		"the author": {change: func(c *ruleCase, p *watchpost.Post) { c.other("x", watchpost.AuthorOfRule(p), watchpost.RuleRunning) }, why: watchpost.HeldAuthor},
		"the hours":  {change: func(c *ruleCase, _ *watchpost.Post) { c.rule.Hours.Days = []time.Weekday{time.Friday} }, why: watchpost.HeldLate},
		"nobody there": {change: func(c *ruleCase, _ *watchpost.Post) {
			for id := range c.accounts {
				c.accounts[id] = watchpost.RuleAccount{Seen: c.now.Add(-49 * time.Hour)}
			}
		}, why: watchpost.HeldLate},
		"the bound of the team": {change: func(c *ruleCase, _ *watchpost.Post) {
			for i := range watchpost.MaxOpenRuleActions {
				c.other(watchpost.RuleActionID(fmt.Sprint(i)), fmt.Sprint(i), watchpost.RuleProposed).Rule = "another"
			}
		}, why: watchpost.HeldRoom},
	} {
		one, p := newRuleCase(), rulePost(nil)
		clear(one.book.Open)
		if c.change != nil {
			c.change(one, p)
		}
		one.book.Rules["rule"] = *one.rule
		a, why := one.book.Consider(one.rule, p, nil, one.accounts, one.now)
		require.Equal(t, c.why, why, name)
		if why == watchpost.HeldNot {
			require.Equal(t, watchpost.MemberID("bob"), a.Member)
		}
	}
}

// TestForget: authors of earlier weeks are forgotten, those of this one are not.
func TestForget(t *testing.T) {
	t.Parallel()
	c := newRuleCase()
	before, now := watchpost.AuthorMark("ada", monday.Add(-10*time.Hour)), watchpost.AuthorMark("bob", monday)
	c.book.Engaged = map[string]bool{before: true, now: true}
	c.book.Forget(monday)
	require.Equal(t, map[string]bool{now: true}, c.book.Engaged)
	c.book.Forget(monday.AddDate(0, 0, 7))
	require.Empty(t, c.book.Engaged)
}
