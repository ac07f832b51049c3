package actors

import (
	"context"
	"encoding/json"
	"time"

	"watchpost/actors/root"
	"watchpost/actors/rules"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// CreateRule makes a rule.
type CreateRule = rules.Create

// UpdateRule changes a rule.
type UpdateRule = rules.Update

// DeleteRule deletes a rule, and withdraws what waits of it.
type DeleteRule = rules.Delete

// ListRules asks for all that members may see of the rules.
type ListRules = rules.List

// StopRules stops all rules of the team, or lets them act again.
type StopRules = rules.Stop

// DecideRuleAction approves or rejects a proposed action.
type DecideRuleAction = rules.Decide

// UndoRuleDecision takes back a decision that waits.
type UndoRuleDecision = rules.Undo

// RulesView are the team's rules, and what waits of them.
type RulesView = rules.Overview

// RuleView is a rule with its members, and how many of its actions wait.
type RuleView = rules.View

// RuleActionsPage is a part of a team's actions of rules.
type RuleActionsPage = rules.Page

// rulePostponed gives the action of a task that is not acting back to its rule.
var rulePostponed = failTask{failure: watchpost.RulePostponed("")}

// receiveRules handles what concerns rules.
func (t *team) receiveRules(message any) bool {
	switch m := message.(type) {
	case CreateRule:
		batch, made, err := t.rules.Create(m, t.plan())
		if err != nil {
			t.Answer(nil, err)
			break
		}
		t.idempotency.commitOnce(batch, made)
	case rules.Due:
		t.rules.Run()
		t.handouts.answerTimer()
	default:
		return t.rules.Receive(message)
	}
	return true
}

// loadRules takes up the rules, and lets them go on.
func (t *team) loadRules(view persistence.View) error {
	if err := t.rules.Load(view, t.env.restoredAt); err != nil {
		return err
	}
	t.workRules(t.env.Clock.Now())
	return nil
}

// workRules lets the rules make tasks for the connections that are free.
func (t *team) workRules(now time.Time) {
	for _, id := range t.rules.Work(now) {
		t.handouts.runOne(id)
	}
}

// rulesHost answers the questions of the rules.
type rulesHost struct{ team *team }

// Member implements rules.Host.
func (h rulesHost) Member(id watchpost.MemberID) (watchpost.Member, bool) {
	return h.team.members.byID(id)
}

// ActingFor implements rules.Host.
func (h rulesHost) ActingFor(email *string) (watchpost.Member, error) {
	return h.team.members.actingFor(email)
}

// Account implements rules.Host.
func (h rulesHost) Account(kind watchpost.TaskType, member watchpost.MemberID, now time.Time) watchpost.RuleAccount {
	return h.team.accounts.ruleAccount(kind, member, now)
}

// Watchlist implements rules.Host.
func (h rulesHost) Watchlist(id watchpost.WatchlistID) (name string, known bool) {
	tracked := h.team.watchlists.find(id)
	if tracked == nil {
		return "", false
	}
	return tracked.view.Watchlist.Name, true
}

// Tagging implements rules.Host.
func (h rulesHost) Tagging(view persistence.View) (*watchpost.Tagging, error) {
	return h.team.env.watchlists.Of(view, h.team.id)
}

// HasRoom implements rules.Host.
func (h rulesHost) HasRoom() bool { return h.team.tasks.checkRoom() == nil }

// CreateWrite implements rules.Host.
func (h rulesHost) CreateWrite(batch *persistence.Batch, kind watchpost.TaskType, input json.RawMessage, member watchpost.MemberID, rule watchpost.RuleID) (id watchpost.TaskID, made bool, err error) {
	task, first, err := h.team.tasks.newWrite(kind, input, member, watchpost.Asker{Kind: watchpost.AskedByRule, ID: string(rule)})
	if err != nil || first != "" {
		return "", false, err
	}
	h.team.tasks.putWrite(batch, task)
	return task.ID, true, nil
}

// Task implements rules.Host.
func (h rulesHost) Task(id watchpost.TaskID) rules.TaskProgress {
	open := h.team.tasks.find(id)
	if open == nil {
		return rules.TaskProgress{}
	}
	return rules.TaskProgress{Open: true, Held: open.holder != "", Acting: open.acting, Ended: open.ended}
}

// EndTask implements rules.Host.
func (h rulesHost) EndTask(id watchpost.TaskID, failure watchpost.TaskFailure) {
	h.team.tasks.tell(failTask{failure: failure}, h.team.tasks.find(id))
}

// HandOut implements rules.Host.
func (h rulesHost) HandOut() { h.team.handouts.run() }

// DeletedAt implements rules.Host.
func (h rulesHost) DeletedAt(id watchpost.RuleID) time.Time {
	return h.team.pendingDeletions.at(string(id))
}

// Deleted implements rules.Host.
func (h rulesHost) Deleted(batch *persistence.Batch, id watchpost.RuleID) {
	h.team.pendingDeletions.forget(batch, string(id))
}

// Audit implements rules.Host.
func (h rulesHost) Audit(batch *persistence.Batch, kind watchpost.AuditKind, subject string) {
	h.team.audit.note(batch, kind, "", subject)
}

// RuleJournal returns the newest actions of rules that have ended, newest first.
func (r *reading) RuleJournal(ctx context.Context, team watchpost.TeamID) ([]watchpost.RuleAction, error) {
	return r.ruleJournal(ctx, team, "", rules.JournalMost)
}

func (r *reading) ruleJournal(ctx context.Context, team watchpost.TeamID, before watchpost.RuleActionID, most int) ([]watchpost.RuleAction, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	ended, err := rules.Journal(view, persistence.Space(team), before, most, r.env.Clock.Now())
	return ended, root.Unavailable(err)
}

// RejectedProposals returns the newest proposals of rules on posts of an author that were
// rejected in the last 14 days, newest first; authors are the keys of the author. Errors:
// Unavailable.
func (r *reading) RejectedProposals(ctx context.Context, team watchpost.TeamID, authors ...string) ([]watchpost.RuleAction, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	rejected, err := rules.Rejected(view, persistence.Space(team), authors, r.env.Clock.Now())
	return rejected, root.Unavailable(err)
}

// RuleActions returns a page of the actions of rules, from the cursor of an earlier one
// or "": the open ones, oldest first, then those that have ended in the last 14 days,
// newest first. Errors: Invalid for a cursor, Unavailable.
func (r *reading) RuleActions(ctx context.Context, team watchpost.TeamID, cursor string, limit int) (RuleActionsPage, error) {
	open := func() ([]watchpost.RuleAction, error) {
		view, err := askTeam(ctx, r.base, team, ListRules{})
		return view.Open, err
	}
	ended := func(before watchpost.RuleActionID, most int) ([]watchpost.RuleAction, error) {
		return r.ruleJournal(ctx, team, before, most)
	}
	return rules.ReadPage(cursor, limit, open, ended)
}

// TryRule returns what a rule would have done with the newest posts that its
// watchlist collected in the last 30 days (NotFound, Forbidden). Nothing is
// stored, and nothing is done on the network.
func (r *reading) TryRule(ctx context.Context, team watchpost.TeamID, rule watchpost.EngagementRule) (watchpost.RuleTrial, error) {
	if err := r.WatchlistAccess(ctx, team, string(rule.Watchlist)); err != nil {
		return watchpost.RuleTrial{}, err
	}
	return rules.Try(rule, r.env.Clock.Now(), func(q watchpost.PostQuery) ([]*postindex.Stored, *watchpost.Tagging, error) {
		found, err := r.Posts(ctx, team, []string{string(rule.Watchlist)}, q)
		return found.Posts, found.Tagging, err
	})
}
