package actors

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// consider lets the rules of a watchlist decide on a post that is new to it. The
// first rule that wants the post gets it.
func (rs *engagementRules) consider(view persistence.View, batch *persistence.Batch, p *watchpost.Post, w watchpost.WatchlistID, tagging *watchpost.Tagging) error {
	if rs.stopped != nil || len(rs.byID) == 0 {
		return nil
	}
	now := rs.env.clock.Now()
	for _, r := range slices.SortedFunc(maps.Values(rs.byID), watchpost.CompareRules) {
		if r.Watchlist != w || !r.Wants(p, tagging, now) {
			continue
		}
		comment, ok := r.Text(p)
		member := rs.leastBusy(&r)
		if !ok || member == "" || rs.taken(p, now) || rs.openOf(r.ID) >= watchpost.MaxOpenRuleActions {
			continue
		}
		mark := teamspace.RulePostKey(watchpost.PostKey(p.URN))
		if _, err := view.Get(rs.space, mark); err == nil {
			return nil // once for a post
		} else if !errors.Is(err, persistence.ErrNotFound) {
			return err
		}
		a := r.Act(p, member, comment, now)
		rs.open[a.ID] = &a
		batch.Put(mark, []byte{})
		rs.put(batch, &a)
		return nil
	}
	return nil
}

// taken reports whether a rule acts on the post already, or has engaged with its
// author in this week, or is about to.
func (rs *engagementRules) taken(p *watchpost.Post, now time.Time) bool {
	author := watchpost.AuthorOfRule(p)
	if rs.authorDone(author, now) {
		return true
	}
	for _, a := range rs.open {
		if a.URN == p.URN || a.Author == author && a.State != watchpost.RuleRunning {
			return true
		}
	}
	return false
}

func (rs *engagementRules) authorDone(author string, now time.Time) bool {
	if week := watchpost.Weekly.Key(now); rs.week != week {
		rs.week = week
		clear(rs.authors)
	}
	return rs.authors[string(teamspace.RuleAuthorKey(rs.week, author))]
}

// leastBusy returns the member of a rule with the fewest open actions; "" when
// none is in the team.
func (rs *engagementRules) leastBusy(r *watchpost.EngagementRule) watchpost.MemberID {
	busy := map[watchpost.MemberID]int{}
	for _, a := range rs.open {
		busy[a.Member]++
	}
	var best watchpost.MemberID
	for _, id := range r.Members {
		if _, known := rs.team.members.byID(id); known && (best == "" || busy[id] < busy[best]) {
			best = id
		}
	}
	return best
}

func (rs *engagementRules) openOf(id watchpost.RuleID) (n int) {
	for _, a := range rs.open {
		if a.Rule == id {
			n++
		}
	}
	return n
}

// put stores an open action.
func (rs *engagementRules) put(batch *persistence.Batch, a *watchpost.RuleAction) {
	batch.Put(teamspace.Key(teamspace.KeyRuleAction, a.ID), teamspace.Encode(*a))
}

// end moves an action to the journal.
func (rs *engagementRules) end(batch *persistence.Batch, a *watchpost.RuleAction, state watchpost.RuleActionState) {
	a.State, a.EndedAt = state, rs.env.clock.Now()
	delete(rs.open, a.ID)
	delete(rs.running, a.Task)
	batch.Delete(teamspace.Key(teamspace.KeyRuleAction, a.ID))
	batch.Put(teamspace.Key(teamspace.KeyRuleJournal, a.ID), teamspace.Encode(*a))
}

// withdraw ends what waits of rules that may not act any more, in as many batches
// as it takes. Activations do so too: the cause is stored before.
func (rs *engagementRules) withdraw() {
	st := &steps{}
	for _, a := range rs.inOrder() {
		r, known := rs.byID[a.Rule]
		_, member := rs.team.members.byID(a.Member)
		switch {
		case rs.stopped == nil && known && !r.Disabled && member && slices.Contains(r.Members, a.Member):
		case a.State == watchpost.RuleRunning:
			// A watchlist's deletion leaves its tasks; a stop does not.
			if open := rs.team.tasks.open[a.Task]; open != nil && (rs.stopped != nil || known || rs.team.watchlists.byID[a.Watchlist] != nil) {
				rs.ctx.Send(open.pid, ruleWithdrawn)
			}
		default:
			rs.end(st.room(2), a, watchpost.RuleWithdrawn)
		}
	}
	rs.submitSteps(st, nil)
	rs.arm(time.Time{})
	rs.run()
}

// ruleWithdrawn ends a task of a rule that is not acting.
var ruleWithdrawn = failTask{watchpost.TaskFailure{
	Code: watchpost.FailRuleWithdrawn, Message: "the rule that asked for it was stopped, changed or deleted", RetrySafe: true,
}}

// inOrder returns the open actions, oldest first.
func (rs *engagementRules) inOrder() []*watchpost.RuleAction {
	return slices.SortedFunc(maps.Values(rs.open), func(a, b *watchpost.RuleAction) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
}

// run starts the actions whose turn it is: one at a time on an account. It ends
// those that have lapsed, and asks the clock for the next moment.
func (rs *engagementRules) run() {
	if len(rs.open) == 0 || rs.stopped != nil || rs.broken != nil {
		return
	}
	now := rs.env.clock.Now()
	st, started, next := &steps{}, 0, time.Time{}
	busy := map[watchpost.MemberID]bool{}
	for _, a := range rs.running {
		busy[a.Member] = true
	}
	for _, a := range rs.inOrder() {
		if a.State == watchpost.RuleRunning {
			continue
		}
		at := a.Lapses()
		r := rs.byID[a.Rule]
		if turn := r.NextStart(rs.paces[a.Member], now); a.State == watchpost.RuleQueued && !busy[a.Member] && turn.Before(at) {
			at = turn
		}
		switch {
		case !a.Lapses().After(now):
			rs.end(st.room(2), a, watchpost.RuleLapsed)
		case at.After(now):
			if next.IsZero() || at.Before(next) {
				next = at
			}
		case rs.start(st.room(startOps), a, &r, now):
			busy[a.Member] = true
			started++
		}
		if rs.broken != nil {
			return
		}
	}
	rs.submitSteps(st, nil)
	rs.arm(next)
	if started > 0 {
		rs.team.tasks.handOut()
	}
}

// startOps bounds the operations of a start.
const startOps = 10

// start creates the task of an action in the batch that makes it running; false
// if the action has ended instead.
func (rs *engagementRules) start(batch *persistence.Batch, a *watchpost.RuleAction, r *watchpost.EngagementRule, now time.Time) bool {
	kind := watchpost.TaskLikePost
	if a.Action == watchpost.ActionComment {
		kind = watchpost.TaskCommentPost
	}
	post, err := rs.team.tasks.post(a.Post)
	if watchpost.KindOf(err) == watchpost.Unavailable && err != nil {
		rs.fail(err)
		return false
	}
	skip := err != nil || rs.authorDone(a.Author, now) || a.Action == watchpost.ActionLike && post.Liked || a.Action == watchpost.ActionComment && post.Commented
	if skip {
		rs.end(batch, a, watchpost.RuleSkipped)
		return false
	}
	task, first, err := rs.team.tasks.newWrite(kind, rs.input(a), a.Member, watchpost.Asker{Kind: watchpost.AskedByRule, ID: string(a.Rule)})
	switch {
	case watchpost.KindOf(err) == watchpost.TooLarge && err != nil, first != "":
		rs.end(batch, a, watchpost.RuleSkipped) // a member asked for the same
		return false
	case err != nil:
		return false // too many tasks: it stays queued
	}
	rs.team.tasks.putWrite(batch, task)
	rs.paces[a.Member] = r.After(rs.paces[a.Member], a.ID, now)
	batch.Put(teamspace.Key(teamspace.KeyRulePace, a.Member), teamspace.Encode(rs.paces[a.Member]))
	author := teamspace.RuleAuthorKey(rs.week, a.Author)
	rs.authors[string(author)] = true
	batch.Put(author, []byte{})
	a.State, a.Task, a.StartedAt = watchpost.RuleRunning, task.ID, now
	rs.running[task.ID] = a
	rs.put(batch, a)
	return true
}

// input is the input of an action's task: what a request for it would have, and
// the rule.
func (rs *engagementRules) input(a *watchpost.RuleAction) json.RawMessage {
	member, _ := rs.team.members.byID(a.Member)
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

// onTaskClosed ends the action of a task whose end is durable.
func (rs *engagementRules) onTaskClosed(task *watchpost.Task) {
	if a := rs.running[task.ID]; a != nil {
		rs.closed(a, task)
		rs.run()
	}
}

func (rs *engagementRules) closed(a *watchpost.RuleAction, task *watchpost.Task) {
	state := watchpost.RuleDone
	switch {
	case task.Failure != nil && task.Failure.Code == watchpost.FailRuleWithdrawn:
		state = watchpost.RuleWithdrawn
	case task.State == watchpost.TaskFailed:
		state = watchpost.RuleFailed
	}
	batch := &persistence.Batch{}
	rs.end(batch, a, state)
	rs.commits.submit(batch, nil)
}

// arm asks the clock for a moment; zero: none.
func (rs *engagementRules) arm(at time.Time) {
	rs.stopTimer()
	if !at.IsZero() {
		rs.timer = rs.env.tell(at, rs.ctx.Self(), rulesDue{})
	}
}

func (rs *engagementRules) stopTimer() {
	if rs.timer != nil {
		rs.timer.Stop()
		rs.timer = nil
	}
}
