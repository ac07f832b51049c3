package rules

import (
	"slices"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Watch calls add with the watchlists of the rules, in any order.
func (rs *Rules) Watch(add func(watchpost.WatchlistID)) {
	for _, r := range rs.book.Rules {
		add(r.Watchlist)
	}
}

// Create makes a rule. The team submits the batch and answers with the view, or with
// the error.
func (rs *Rules) Create(m Create, plan watchpost.Plan) (*persistence.Batch, View, error) {
	watchlist, known := rs.team.Watchlist(m.Rule.Watchlist)
	if !known {
		return nil, View{}, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	r := m.Rule
	var err error
	if r.Members, err = rs.membersOf(m.Emails); err != nil {
		return nil, View{}, err
	}
	have := 0
	for _, other := range rs.book.Rules {
		if other.Watchlist == r.Watchlist {
			have++
		}
	}
	if err := plan.CheckAutoEngagementRules(have); err != nil {
		return nil, View{}, err
	}
	r.CreatedAt = rs.Env.Clock.Now()
	r.ID = watchpost.RuleID(watchpost.NewID(r.CreatedAt))
	if r.Name == "" {
		r.Name = r.AutoName(watchlist)
	}
	rs.book.Rules[r.ID] = r
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyRule, r.ID), teamspace.Encode(r))
	rs.audit(batch, watchpost.AuditRuleMade, &r)
	return batch, rs.viewOf(r), nil
}

// membersOf returns the members with the emails, each once.
func (rs *Rules) membersOf(emails []string) (ids []watchpost.MemberID, err error) {
	if len(emails) == 0 {
		acting, err := rs.team.ActingFor(nil)
		return []watchpost.MemberID{acting.ID}, err
	}
	for _, email := range emails {
		member, err := rs.team.ActingFor(&email)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, member.ID) {
			ids = append(ids, member.ID)
		}
	}
	return ids, nil
}

func (rs *Rules) onUpdate(m Update) {
	old, known := rs.book.Rules[m.ID]
	if !known {
		rs.Answer(nil, errRule())
		return
	}
	r, err := m.Patch.Apply(old)
	if err == nil && m.Emails != nil {
		r.Members, err = rs.membersOf(*m.Emails)
	}
	if err != nil {
		rs.Answer(nil, err)
		return
	}
	rs.book.Rules[r.ID] = r
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyRule, r.ID), teamspace.Encode(r))
	rs.audit(batch, watchpost.AuditRuleChanged, &r)
	rs.Commit(batch, rs.viewOf(r))
	rs.refresh(&r)
	rs.Run()
}

func errRule() error { return watchpost.Errorf(watchpost.NotFound, watchpost.TextRuleNotFound) }

// Has reports whether the team has a rule.
func (rs *Rules) Has(id watchpost.RuleID) bool {
	_, known := rs.book.Rules[id]
	return known
}

// Delete deletes a rule of the team (NotFound), and withdraws what waits of it.
func (rs *Rules) Delete(id watchpost.RuleID) error {
	if !rs.Has(id) {
		return errRule()
	}
	batch := &persistence.Batch{}
	rs.remove(batch, id)
	rs.Commits.Submit(batch, nil)
	rs.Run()
	return nil
}

func (rs *Rules) remove(batch *persistence.Batch, id watchpost.RuleID) {
	batch.Delete(teamspace.Key(teamspace.KeyRule, id))
	r := rs.book.Rules[id]
	rs.audit(batch, watchpost.AuditRuleDeleted, &r)
	delete(rs.book.Rules, id)
	rs.team.Deleted(batch, id)
}

func (rs *Rules) audit(batch *persistence.Batch, kind watchpost.AuditKind, r *watchpost.EngagementRule) {
	rs.team.Audit(batch, kind, r.Name+", "+string(r.Action))
}

// OnWatchlistDeleted deletes the rules of a watchlist with it; Run is to
// follow. Tasks that were made already go on, like all of the watchlist's.
func (rs *Rules) OnWatchlistDeleted(batch *persistence.Batch, id watchpost.WatchlistID) {
	for _, r := range ordered.ByKey(rs.book.Rules) {
		if r.Watchlist == id {
			rs.remove(batch, r.ID)
		}
	}
}

// onStop decides with one small record, which every later activation honours.
func (rs *Rules) onStop(m Stop) {
	batch := &persistence.Batch{}
	switch {
	case m.Stop && rs.stopped == nil:
		rs.stopped = &teamspace.StoppedRecord{At: rs.Env.Clock.Now(), By: m.By}
		batch.Put([]byte(teamspace.KeyRulesStopped), teamspace.Encode(*rs.stopped))
		rs.team.Audit(batch, watchpost.AuditRulesStopped, "")
	case !m.Stop && rs.stopped != nil:
		rs.stopped = nil
		rs.team.Audit(batch, watchpost.AuditRulesResumed, "")
		batch.Delete([]byte(teamspace.KeyRulesStopped))
	}
	rs.book.Stopped = rs.stopped != nil
	rs.Commits.Submit(batch, nil)
	rs.Run()
	rs.Answer(root.Done{}, nil) // behind the withdrawals
}

func (rs *Rules) onDecide(m Decide) {
	a := rs.book.Open[m.ID]
	switch {
	case a == nil, a.Decision != nil && !a.Decision.Approve: // rejected
		rs.Answer(nil, watchpost.Errorf(watchpost.NotFound, textActionNotFound))
		return
	case a.State != watchpost.RuleProposed, a.Decision != nil:
		rs.Answer(nil, watchpost.Errorf(watchpost.Conflict, "The action was approved before"))
		return
	}
	decision := watchpost.RuleDecision{Approve: m.Approve, Text: m.Text, By: m.By, At: rs.Env.Clock.Now().Add(m.Delay)}
	batch := &persistence.Batch{}
	switch {
	case m.Delay > 0:
		a.Decision = &decision
		rs.put(batch, a)
	case a.Take(decision) == watchpost.RuleRejected:
		rs.end(batch, a, watchpost.RuleRejected)
	default:
		rs.put(batch, a)
	}
	rs.Commit(batch, *a)
	rs.Run()
}

func (rs *Rules) onUndo(m Undo) {
	a := rs.book.Open[m.ID]
	switch {
	case a == nil:
		rs.Answer(nil, watchpost.Errorf(watchpost.NotFound, textActionNotFound))
		return
	case a.Decision == nil || a.Due(rs.Env.Clock.Now()):
		rs.Answer(nil, watchpost.Errorf(watchpost.Conflict, "The decision has taken effect"))
		return
	}
	a.Undo()
	batch := &persistence.Batch{}
	rs.put(batch, a)
	rs.Commit(batch, *a)
	rs.Run()
}
