package actors

import (
	"slices"

	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// watch adds the watchlists of the rules.
func (rs *engagementRules) watch(w *poststore.Watched) {
	for _, r := range rs.book.Rules {
		w.Add(r.Watchlist)
	}
}

func (rs *engagementRules) onCreate(m CreateRule) {
	tracked := rs.team.watchlists.byID[m.Rule.Watchlist]
	if tracked == nil {
		rs.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
		return
	}
	r := m.Rule
	var err error
	if r.Members, err = rs.membersOf(m.Emails); err != nil {
		rs.Answer(nil, err)
		return
	}
	have := 0
	for _, other := range rs.book.Rules {
		if other.Watchlist == r.Watchlist {
			have++
		}
	}
	if err := rs.team.plan().CheckAutoEngagementRules(have); err != nil {
		rs.Answer(nil, err)
		return
	}
	r.CreatedAt = rs.env.Clock.Now()
	r.ID = watchpost.RuleID(watchpost.NewID(r.CreatedAt))
	if r.Name == "" {
		r.Name = r.AutoName(tracked.view.Watchlist.Name)
	}
	rs.book.Rules[r.ID] = r
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyRule, r.ID), teamspace.Encode(r))
	rs.audit(batch, watchpost.AuditRuleMade, &r)
	rs.team.idempotency.commitOnce(batch, rs.viewOf(r))
}

// membersOf returns the members with the emails, each once.
func (rs *engagementRules) membersOf(emails []string) (ids []watchpost.MemberID, err error) {
	if len(emails) == 0 {
		acting, err := rs.team.members.actingFor(nil)
		return []watchpost.MemberID{acting.ID}, err
	}
	for _, email := range emails {
		member, err := rs.team.members.byEmail(email)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, member.ID) {
			ids = append(ids, member.ID)
		}
	}
	return ids, nil
}

func (rs *engagementRules) onUpdate(m UpdateRule) {
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
	rs.run()
}

func errRule() error { return watchpost.Errorf(watchpost.NotFound, watchpost.TextRuleNotFound) }

func (rs *engagementRules) onDelete(m DeleteRule) {
	if _, known := rs.book.Rules[m.ID]; !known {
		rs.Answer(nil, errRule())
		return
	}
	batch := &persistence.Batch{}
	rs.remove(batch, m.ID)
	rs.Commit(batch, root.Done{})
	rs.run()
}

func (rs *engagementRules) remove(batch *persistence.Batch, id watchpost.RuleID) {
	batch.Delete(teamspace.Key(teamspace.KeyRule, id))
	r := rs.book.Rules[id]
	rs.audit(batch, watchpost.AuditRuleDeleted, &r)
	delete(rs.book.Rules, id)
}

func (rs *engagementRules) audit(batch *persistence.Batch, kind watchpost.AuditKind, r *watchpost.EngagementRule) {
	rs.team.audit.note(batch, kind, "", r.Name+", "+string(r.Action))
}

// onWatchlistDeleted deletes the rules of a watchlist with it; run is to
// follow. Tasks that were made already go on, like all of the watchlist's.
func (rs *engagementRules) onWatchlistDeleted(batch *persistence.Batch, id watchpost.WatchlistID) {
	for _, r := range ordered.ByKey(rs.book.Rules) {
		if r.Watchlist == id {
			rs.remove(batch, r.ID)
		}
	}
}

// onStop decides with one small record, which every later activation honours.
func (rs *engagementRules) onStop(m StopRules) {
	batch := &persistence.Batch{}
	switch {
	case m.Stop && rs.stopped == nil:
		rs.stopped = &teamspace.StoppedRecord{At: rs.env.Clock.Now(), By: m.By}
		batch.Put([]byte(teamspace.KeyRulesStopped), teamspace.Encode(*rs.stopped))
		rs.team.audit.note(batch, watchpost.AuditRulesStopped, "", "")
	case !m.Stop && rs.stopped != nil:
		rs.stopped = nil
		rs.team.audit.note(batch, watchpost.AuditRulesResumed, "", "")
		batch.Delete([]byte(teamspace.KeyRulesStopped))
	}
	rs.book.Stopped = rs.stopped != nil
	rs.Commits.Submit(batch, nil)
	rs.run()
	rs.Answer(root.Done{}, nil) // behind the withdrawals
}

func (rs *engagementRules) onDecide(m DecideRuleAction) {
	a := rs.book.Open[m.ID]
	switch {
	case a == nil, a.Decision != nil && !a.Decision.Approve: // rejected
		rs.Answer(nil, watchpost.Errorf(watchpost.NotFound, textActionNotFound))
		return
	case a.State != watchpost.RuleProposed, a.Decision != nil:
		rs.Answer(nil, watchpost.Errorf(watchpost.Conflict, "The action was approved before"))
		return
	}
	decision := watchpost.RuleDecision{Approve: m.Approve, Text: m.Text, By: m.By, At: rs.env.Clock.Now().Add(m.Delay)}
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
	rs.run()
}

func (rs *engagementRules) onUndo(m UndoRuleDecision) {
	a := rs.book.Open[m.ID]
	switch {
	case a == nil:
		rs.Answer(nil, watchpost.Errorf(watchpost.NotFound, textActionNotFound))
		return
	case a.Decision == nil || a.Due(rs.env.Clock.Now()):
		rs.Answer(nil, watchpost.Errorf(watchpost.Conflict, "The decision has taken effect"))
		return
	}
	a.Undo()
	batch := &persistence.Batch{}
	rs.put(batch, a)
	rs.Commit(batch, *a)
	rs.run()
}
