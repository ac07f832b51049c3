package rules

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Consider lets the rules of a watchlist decide on a post that is new to it. The
// first rule that wants the post gets it.
func (rs *Rules) Consider(view persistence.View, batch *persistence.Batch, p *watchpost.Post, w watchpost.WatchlistID, tagging *watchpost.Tagging) error {
	if rs.book.Stopped {
		return nil
	}
	now := rs.Env.Clock.Now()
	for _, r := range slices.SortedFunc(maps.Values(rs.book.Rules), watchpost.CompareRules) {
		if r.Watchlist != w {
			continue
		}
		a, why := rs.book.Consider(&r, p, tagging, rs.accounts(&r, now), now)
		if why != watchpost.HeldNot {
			continue
		}
		mark := teamspace.RulePostKey(watchpost.PostKey(p.URN))
		if _, err := view.Get(rs.Space, mark); err == nil {
			return nil // once for a post
		} else if !errors.Is(err, persistence.ErrNotFound) {
			return err
		}
		rs.book.Open[a.ID] = &a
		batch.Put(mark, []byte{})
		rs.put(batch, &a)
		return nil
	}
	return nil
}

// taskTypes are the types of the tasks of rules, by action.
var taskTypes = map[watchpost.Action]watchpost.TaskType{
	watchpost.ActionLike: watchpost.TaskLikePost, watchpost.ActionComment: watchpost.TaskCommentPost,
}

// accounts are those on which a rule may act: of its members who are in the team.
func (rs *Rules) accounts(r *watchpost.EngagementRule, now time.Time) map[watchpost.MemberID]watchpost.RuleAccount {
	accounts := map[watchpost.MemberID]watchpost.RuleAccount{}
	for _, id := range r.Members {
		if _, known := rs.team.Member(id); known {
			accounts[id] = rs.team.Account(taskTypes[r.Action], id, now)
		}
	}
	return accounts
}

// put stores an open action.
func (rs *Rules) put(batch *persistence.Batch, a *watchpost.RuleAction) {
	batch.Put(teamspace.Key(teamspace.KeyRuleAction, a.ID), teamspace.Encode(*a))
}

// end notes how an action ended, and moves it to the journal unless it goes on.
func (rs *Rules) end(batch *persistence.Batch, a *watchpost.RuleAction, state watchpost.RuleActionState) {
	now, ran := rs.Env.Clock.Now(), a.State == watchpost.RuleRunning
	delete(rs.running, a.Task)
	rs.book.End(a, state, now)
	if ran {
		batch.Put(teamspace.Key(teamspace.KeyRulePace, a.Member), teamspace.Encode(rs.book.Paces[a.Member]))
	}
	if mark := watchpost.AuthorMark(a.Author, now); ran && rs.book.Engaged[mark] {
		batch.Put(teamspace.RuleAuthorKey(mark), []byte{})
	}
	if state == watchpost.RuleQueued {
		rs.put(batch, a)
		return
	}
	batch.Delete(teamspace.Key(teamspace.KeyRuleAction, a.ID))
	batch.Put(teamspace.Key(teamspace.KeyRuleJournal, a.ID), teamspace.Encode(*a))
	rs.forgetAfter(forgetEvery)
}

// endActOps bounds the operations of end.
const endActOps = 4

// withdrawn ends a task of a rule that is not acting. postponed gives its
// action back.
var (
	withdrawn = watchpost.TaskFailure{
		Code: watchpost.FailRuleWithdrawn, Message: "the rule that asked for it was stopped, changed or deleted", RetrySafe: true,
	}
	postponed = watchpost.RulePostponed("")
)

// inOrder returns the open actions, oldest first.
func (rs *Rules) inOrder() []*watchpost.RuleAction {
	return slices.SortedFunc(maps.Values(rs.book.Open), watchpost.CompareRuleActions)
}

// Run has all open actions decided on, after the tasks that wait were handed out.
func (rs *Rules) Run() {
	rs.due = true
	rs.team.HandOut()
}

// OnAccountChanged has actions decided on that wait for a connection of a member, if
// one is free now.
func (rs *Rules) OnAccountChanged(member watchpost.MemberID) {
	if !rs.awaited[member] {
		return
	}
	now := rs.Env.Clock.Now()
	for _, kind := range taskTypes {
		rs.due = rs.due || rs.team.Account(kind, member, now).Free
	}
}

// Work decides on all open actions if that is due: it begins and ends what the book
// says, and asks the clock for the next moment. It returns the tasks that it has made,
// which the team hands out at once: their connections are free.
func (rs *Rules) Work(now time.Time) []watchpost.TaskID {
	if !rs.due || rs.Broken != nil {
		return nil
	}
	rs.due = false
	clear(rs.awaited)
	w := newRound(rs, now)
	for _, a := range rs.inOrder() {
		if w.decide(a); rs.Broken != nil {
			return nil
		}
	}
	rs.SubmitSteps(&w.steps, nil)
	rs.arm(w.next)
	return w.begun
}

// round is one run over the open actions.
type round struct {
	rs    *Rules
	now   time.Time
	steps root.Steps
	begun []watchpost.TaskID
	next  time.Time // the next moment at which one may begin or end; zero: none
	// accounts are those of each rule as they were at the beginning.
	accounts map[watchpost.RuleID]map[watchpost.MemberID]watchpost.RuleAccount
}

func newRound(rs *Rules, now time.Time) *round {
	return &round{rs: rs, now: now, accounts: map[watchpost.RuleID]map[watchpost.MemberID]watchpost.RuleAccount{}}
}

// decide takes one open action on.
func (w *round) decide(a *watchpost.RuleAction) {
	rs := w.rs
	if a.Due(w.now) {
		if a.Take(*a.Decision) == watchpost.RuleRejected {
			rs.end(w.steps.Room(endActOps), a, watchpost.RuleRejected)
			return
		}
		rs.put(w.steps.Room(1), a)
	}
	r := rs.book.Rules[a.Rule]
	accounts := w.accounts[r.ID]
	if accounts == nil {
		accounts = rs.accounts(&r, w.now)
		w.accounts[r.ID] = accounts
	}
	v := rs.book.Decide(a, accounts, w.now)
	switch {
	case a.State == watchpost.RuleRunning:
		rs.recall(a, v)
		return
	case v.State == watchpost.RuleRunning && !rs.team.DeletedAt(r.ID).IsZero():
		// It could not be taken back with the deletion. The deletion, or its undo, calls Run.
	case v.State == watchpost.RuleRunning && !rs.team.HasRoom():
		w.wake(w.now.Add(roomAgain))
	case v.State == watchpost.RuleRunning:
		w.begin(a, &r, v.Member)
		return
	case v.State == watchpost.RuleQueued:
		w.wake(v.At)
		for id, account := range accounts {
			if !account.Free {
				rs.awaited[id] = true
			}
		}
	case v.State == watchpost.RuleProposed && a.State == watchpost.RuleQueued:
		a.State, a.Member = watchpost.RuleProposed, v.Member
		rs.put(w.steps.Room(1), a)
	case v.State != watchpost.RuleProposed:
		rs.end(w.steps.Room(endActOps), a, v.State)
		return
	}
	w.wake(a.Lapses())
	if a.Decision != nil {
		w.wake(a.Decision.At)
	}
}

// wake notes a moment at which something may begin or end.
func (w *round) wake(at time.Time) {
	if at.After(w.now) && (w.next.IsZero() || at.Before(w.next)) {
		w.next = at
	}
}

// recall ends the task of a running action that its rule may not have done any more,
// unless it acts. The deletion of a watchlist leaves its tasks; a stop does not.
func (rs *Rules) recall(a *watchpost.RuleAction, v watchpost.RuleVerdict) {
	task := rs.team.Task(a.Task)
	if !task.Open || task.Acting || task.Ended {
		return
	}
	_, known := rs.book.Rules[a.Rule]
	_, watched := rs.team.Watchlist(a.Watchlist)
	switch {
	case v.State == watchpost.RuleWithdrawn && (rs.book.Stopped || known || watched):
		rs.team.EndTask(a.Task, withdrawn)
	case v.State == watchpost.RuleProposed:
		rs.team.EndTask(a.Task, postponed)
	}
}

// Allow reports whether a waiting task may be handed out, as far as rules are
// concerned.
func (rs *Rules) Allow(id watchpost.TaskID) bool {
	a := rs.running[id]
	if a == nil {
		return true
	}
	now := rs.Env.Clock.Now()
	r := rs.book.Rules[a.Rule]
	accounts := rs.accounts(&r, now)
	if own, known := accounts[a.Member]; known {
		own.Free = true // the dispatcher has chosen its connection
		accounts[a.Member] = own
	}
	return rs.book.Decide(a, accounts, now).State == watchpost.RuleRunning
}

// Closing is when the hours of the rule end that asked for a task; zero: of none.
func (rs *Rules) Closing(id watchpost.TaskID) (at time.Time) {
	if a := rs.running[id]; a != nil {
		r := rs.book.Rules[a.Rule]
		at, _ = r.Hours.Contains(rs.Env.Clock.Now())
	}
	return at
}

// beginActionOps bounds the operations of a begin. An action that may begin while too many
// tasks are open is tried again after roomAgain.
const (
	beginActionOps = 10
	roomAgain      = time.Minute
)

// begin creates the task of an action in the batch that makes it running, or ends the
// action when its post has changed.
func (w *round) begin(a *watchpost.RuleAction, r *watchpost.EngagementRule, member watchpost.MemberID) {
	rs := w.rs
	fresh, ok, err := rs.refreshed(a, r, w.now)
	if err != nil {
		rs.Fail(err)
		return
	}
	if !ok {
		rs.end(w.steps.Room(endActOps), a, watchpost.RuleSkipped)
		return
	}
	batch := w.steps.Room(beginActionOps)
	task, made, err := rs.team.CreateWrite(batch, taskTypes[a.Action], rs.input(&fresh, member), member, a.Rule)
	switch {
	case watchpost.KindOf(err) == watchpost.TooLarge && err != nil, err == nil && !made:
		rs.end(batch, a, watchpost.RuleSkipped) // a member asked for the same
		return
	case err != nil:
		rs.Fail(err) // decide has seen room for a task
		return
	}
	*a = fresh
	rs.book.Begin(a, member, task, w.now)
	rs.running[task] = a
	rs.put(batch, a)
	w.begun = append(w.begun, task)
}

// refreshed returns an action as its rule would have it for the post as it is now; ok
// is false when the rule does not want it, or the post is gone.
func (rs *Rules) refreshed(a *watchpost.RuleAction, r *watchpost.EngagementRule, now time.Time) (fresh watchpost.RuleAction, ok bool, err error) {
	view, err := rs.Env.View()
	if err != nil {
		return fresh, false, err
	}
	defer view.Close()
	tagging, err := rs.team.Tagging(view)
	if err != nil {
		return fresh, false, err
	}
	post, err := postindex.Get(view, rs.Space, a.Post)
	if errors.Is(err, persistence.ErrNotFound) {
		return fresh, false, nil
	}
	if err != nil {
		return fresh, false, err
	}
	fresh, ok = r.Refresh(*a, post, tagging, now)
	return fresh, ok, nil
}

// refresh applies a rule that has changed to its open actions. One that is handed out
// is given back if it would be another now.
func (rs *Rules) refresh(r *watchpost.EngagementRule) {
	st := &root.Steps{}
	for _, a := range rs.inOrder() {
		if a.Rule != r.ID || r.Disabled || r.Action != a.Action { // else Decide ends it
			continue
		}
		fresh, ok, err := rs.refreshed(a, r, rs.Env.Clock.Now())
		if err != nil {
			rs.Fail(err)
			return
		}
		same := ok && fresh.Text == a.Text
		switch task := rs.team.Task(a.Task); {
		case a.State == watchpost.RuleRunning:
			if !same && task.Open && !task.Acting {
				rs.team.EndTask(a.Task, postponed)
			}
		case !ok:
			rs.end(st.Room(endActOps), a, watchpost.RuleSkipped)
		default:
			*a = fresh
			rs.put(st.Room(1), a)
		}
	}
	rs.SubmitSteps(st, nil)
}

// input is the input of an action's task: what a request for it would have, and
// the rule.
func (rs *Rules) input(a *watchpost.RuleAction, by watchpost.MemberID) json.RawMessage {
	member, _ := rs.team.Member(by)
	input, err := json.Marshal(struct {
		Post    watchpost.PostID `json:"post_id"`
		Email   string           `json:"user_email"`
		Comment string           `json:"comment_text,omitempty"`
		Rule    watchpost.RuleID `json:"rule_id"`
		URN     string           `json:"social_urn"`
	}{a.Post, member.Email, a.Text, a.Rule, a.URN})
	if err != nil {
		panic(err) // texts only
	}
	return input
}

// OnTaskEnded ends the action of a task in the batch that ends the task, or gives the
// action back.
func (rs *Rules) OnTaskEnded(batch *persistence.Batch, task *watchpost.Task) {
	a := rs.running[task.ID]
	if a == nil {
		return
	}
	rs.end(batch, a, stateAfter(task))
	rs.due = true
}

// stateAfter is the state of an action whose task is final.
func stateAfter(task *watchpost.Task) watchpost.RuleActionState {
	if task.State == watchpost.TaskCompleted {
		return watchpost.RuleDone
	}
	switch task.Failure.Code {
	case watchpost.FailRulePostponed, watchpost.FailMemberRemoved:
		return watchpost.RuleQueued
	case watchpost.FailRuleWithdrawn, watchpost.FailCancelled:
		return watchpost.RuleWithdrawn
	case watchpost.FailDuplicate:
		return watchpost.RuleSkipped
	}
	return watchpost.RuleFailed
}
