package actors

import (
	"errors"
	"slices"
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// CreateRule makes an auto-engagement rule for a watchlist (NotFound, PlanLimit);
// answered by RuleView. Emails name the members on whose accounts it acts
// (NotFound `User not found`); none: the one who acts for the team. Without a name
// the rule gets one.
type CreateRule struct {
	Rule   watchpost.EngagementRule // cleaned
	Emails []string
}

// UpdateRule changes a rule (NotFound, Invalid); answered by RuleView.
type UpdateRule struct {
	ID     watchpost.RuleID
	Patch  watchpost.RulePatch
	Emails *[]string
}

// DeleteRule is answered by Done (NotFound). What waits of the rule is withdrawn.
type DeleteRule struct{ ID watchpost.RuleID }

// ListRules is answered by RulesView.
type ListRules struct{}

// StopRules stops all rules of the team at once, and withdraws what waits of
// them, or lets them act again; answered by Done.
type StopRules struct {
	Stop bool
	By   watchpost.MemberID
}

// DecideRuleAction approves or rejects a proposed action (NotFound, Conflict);
// answered by watchpost.RuleAction. Text replaces a comment.
type DecideRuleAction struct {
	ID      watchpost.RuleActionID
	Approve bool
	Text    *string // cleaned
	By      watchpost.MemberID
}

func (CreateRule) answeredWith(RuleView)                   {}
func (UpdateRule) answeredWith(RuleView)                   {}
func (DeleteRule) answeredWith(Done)                       {}
func (ListRules) answeredWith(RulesView)                   {}
func (StopRules) answeredWith(Done)                        {}
func (DecideRuleAction) answeredWith(watchpost.RuleAction) {}

// RulesView are the team's rules, oldest first, and what waits of them.
type RulesView struct {
	Stopped bool
	// StoppedAt and StoppedBy say since when and by whom.
	StoppedAt time.Time
	StoppedBy watchpost.MemberID
	Rules     []RuleView
	Open      []watchpost.RuleAction // oldest first
}

// RuleView is a rule with its members, and how many of its actions wait.
type RuleView struct {
	Rule              watchpost.EngagementRule
	Members           []watchpost.Member
	Proposed, Waiting int
	// NextAt is when the first waiting action may be done; zero: none waits.
	NextAt time.Time
}

// engagementRules is the component of a team that owns its rules and their open
// actions.
//
// An action is decided once: in the batch that removes the post's arrival. It is
// done once: the batch that creates its task makes it running. What a task does
// once is up to the task.
type engagementRules struct {
	*rootActor
	team *team

	byID    map[watchpost.RuleID]watchpost.EngagementRule
	open    map[watchpost.RuleActionID]*watchpost.RuleAction
	running map[watchpost.TaskID]*watchpost.RuleAction
	paces   map[watchpost.MemberID]watchpost.Pace
	// authors are the marks of the authors of the week that a rule has engaged with.
	authors map[string]bool
	week    string
	stopped *teamspace.StoppedRecord // nil: not stopped
	timer   watchpost.Timer
}

// rulesDue is the timer of the component: an action may be done, or lapses.
type rulesDue struct{}

const textActionNotFound = "Action not found"

func newEngagementRules(t *team) *engagementRules {
	return &engagementRules{
		rootActor: &t.rootActor, team: t,
		byID:    map[watchpost.RuleID]watchpost.EngagementRule{},
		open:    map[watchpost.RuleActionID]*watchpost.RuleAction{},
		running: map[watchpost.TaskID]*watchpost.RuleAction{},
		paces:   map[watchpost.MemberID]watchpost.Pace{},
		authors: map[string]bool{},
	}
}

func (rs *engagementRules) receive(message any) bool {
	switch m := message.(type) {
	case CreateRule:
		rs.onCreate(m)
	case UpdateRule:
		rs.onUpdate(m)
	case DeleteRule:
		rs.onDelete(m)
	case ListRules:
		rs.answer(rs.view(), nil)
	case StopRules:
		rs.onStop(m)
	case DecideRuleAction:
		rs.onDecide(m)
	case rulesDue:
		rs.run()
		rs.answer(Done{}, nil)
	default:
		return false
	}
	return true
}

// load takes up the rules. It ends the actions whose task has ended, and those
// that a stop, a change or a deletion had left to withdraw.
func (rs *engagementRules) load(view persistence.View) error {
	err := teamspace.LoadAll(view, rs.space, teamspace.KeyRule, func(_ string, r watchpost.EngagementRule) { rs.byID[r.ID] = r })
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, rs.space, teamspace.KeyRuleAction, func(_ string, a watchpost.RuleAction) {
		rs.open[a.ID] = &a
		if a.State == watchpost.RuleRunning {
			rs.running[a.Task] = &a
		}
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, rs.space, teamspace.KeyRulePace, func(id string, p watchpost.Pace) { rs.paces[watchpost.MemberID(id)] = p })
	if err != nil {
		return err
	}
	stopped, err := teamspace.Load[teamspace.StoppedRecord](view, rs.space, []byte(teamspace.KeyRulesStopped))
	if err == nil {
		rs.stopped = &stopped
	} else if !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	if err := loadEach(view, rs.loadWeek, rs.forgetEnded); err != nil {
		return err
	}
	var ended [][]byte
	for id := range rs.running {
		if rs.team.tasks.open[id] == nil {
			ended = append(ended, teamspace.Key(teamspace.KeyTask, id))
		}
	}
	err = teamspace.LoadEach(view, rs.space, ended, func(task watchpost.Task) { rs.closed(rs.running[task.ID], &task) })
	if err != nil {
		return err
	}
	if err := rs.stopAfterRestore(view); err != nil {
		return err
	}
	rs.withdraw()
	return nil
}

// loadWeek takes up the authors of the present week, and forgets some of those of
// earlier ones.
func (rs *engagementRules) loadWeek(view persistence.View) error {
	rs.week = watchpost.Weekly.Key(rs.env.clock.Now())
	batch := &persistence.Batch{}
	err := view.Scan(rs.space, []byte(teamspace.KeyRuleAuthor), persistence.PrefixEnd([]byte(teamspace.KeyRuleAuthor)), func(k, _ []byte) bool {
		if key := string(k); key > teamspace.KeyRuleAuthor+rs.week {
			rs.authors[key] = true
		} else if _, ops := batch.Size(); ops < stepOps {
			batch.Delete([]byte(key))
		}
		return true
	})
	rs.commits.submit(batch, nil)
	return err
}

// watch adds the watchlists of the rules.
func (rs *engagementRules) watch(w *watchedLists) {
	for _, r := range rs.byID {
		w.add(r.Watchlist)
	}
}

func (rs *engagementRules) onCreate(m CreateRule) {
	tracked := rs.team.watchlists.byID[m.Rule.Watchlist]
	if tracked == nil {
		rs.answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
		return
	}
	r := m.Rule
	var err error
	if r.Members, err = rs.membersOf(m.Emails); err != nil {
		rs.answer(nil, err)
		return
	}
	have := 0
	for _, other := range rs.byID {
		if other.Watchlist == r.Watchlist {
			have++
		}
	}
	if err := rs.team.plan().CheckAutoEngagementRules(have); err != nil {
		rs.answer(nil, err)
		return
	}
	r.CreatedAt = rs.env.clock.Now()
	r.ID = watchpost.RuleID(watchpost.NewID(r.CreatedAt))
	if r.Name == "" {
		r.Name = r.AutoName(tracked.view.Watchlist.Name)
	}
	rs.byID[r.ID] = r
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyRule, r.ID), teamspace.Encode(r))
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
	old, known := rs.byID[m.ID]
	if !known {
		rs.answer(nil, errRule())
		return
	}
	r, err := m.Patch.Apply(old)
	if err == nil && m.Emails != nil {
		r.Members, err = rs.membersOf(*m.Emails)
	}
	if err != nil {
		rs.answer(nil, err)
		return
	}
	rs.byID[r.ID] = r
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyRule, r.ID), teamspace.Encode(r))
	rs.commit(batch, rs.viewOf(r))
	rs.withdraw()
}

func errRule() error { return watchpost.Errorf(watchpost.NotFound, watchpost.TextRuleNotFound) }

func (rs *engagementRules) onDelete(m DeleteRule) {
	if _, known := rs.byID[m.ID]; !known {
		rs.answer(nil, errRule())
		return
	}
	batch := &persistence.Batch{}
	rs.remove(batch, m.ID)
	rs.commit(batch, Done{})
	rs.withdraw()
}

func (rs *engagementRules) remove(batch *persistence.Batch, id watchpost.RuleID) {
	batch.Delete(teamspace.Key(teamspace.KeyRule, id))
	delete(rs.byID, id)
}

// onWatchlistDeleted deletes the rules of a watchlist with it; withdraw is to
// follow. Tasks that were made already go on, like all of the watchlist's.
func (rs *engagementRules) onWatchlistDeleted(batch *persistence.Batch, id watchpost.WatchlistID) {
	for _, r := range rs.byID {
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
		rs.stopped = &teamspace.StoppedRecord{At: rs.env.clock.Now(), By: m.By}
		batch.Put([]byte(teamspace.KeyRulesStopped), teamspace.Encode(*rs.stopped))
	case !m.Stop:
		rs.stopped = nil
		batch.Delete([]byte(teamspace.KeyRulesStopped))
	}
	rs.commits.submit(batch, nil)
	rs.withdraw()
	rs.answer(Done{}, nil) // behind the withdrawals
}

func (rs *engagementRules) onDecide(m DecideRuleAction) {
	a := rs.open[m.ID]
	switch {
	case a == nil:
		rs.answer(nil, watchpost.Errorf(watchpost.NotFound, textActionNotFound))
		return
	case a.State != watchpost.RuleProposed:
		rs.answer(nil, watchpost.Errorf(watchpost.Conflict, "The action was approved before"))
		return
	}
	a.DecidedBy = m.By
	batch := &persistence.Batch{}
	if m.Approve {
		a.State = watchpost.RuleQueued
		if m.Text != nil && a.Action == watchpost.ActionComment {
			a.Text = *m.Text
		}
		rs.put(batch, a)
	} else {
		rs.end(batch, a, watchpost.RuleRejected)
	}
	rs.commit(batch, *a)
	rs.run()
}

// view returns all that the team's members may see of the rules.
func (rs *engagementRules) view() RulesView {
	v := RulesView{Rules: []RuleView{}, Open: []watchpost.RuleAction{}}
	if rs.stopped != nil {
		v.Stopped, v.StoppedAt, v.StoppedBy = true, rs.stopped.At, rs.stopped.By
	}
	for _, r := range rs.byID {
		v.Rules = append(v.Rules, rs.viewOf(r))
	}
	slices.SortFunc(v.Rules, func(a, b RuleView) int { return watchpost.CompareRules(a.Rule, b.Rule) })
	for _, a := range rs.inOrder() {
		v.Open = append(v.Open, *a)
	}
	return v
}

// proposals counts the actions that wait for approval.
func (rs *engagementRules) proposals() (n int) {
	for _, a := range rs.open {
		if a.State == watchpost.RuleProposed {
			n++
		}
	}
	return n
}

func (rs *engagementRules) viewOf(r watchpost.EngagementRule) RuleView {
	v := RuleView{Rule: r}
	for _, id := range r.Members {
		if member, known := rs.team.members.byID(id); known {
			v.Members = append(v.Members, member)
		}
	}
	now := rs.env.clock.Now()
	for _, a := range rs.open {
		switch {
		case a.Rule != r.ID:
		case a.State == watchpost.RuleProposed:
			v.Proposed++
		case a.State == watchpost.RuleQueued:
			v.Waiting++
			if at := r.NextStart(rs.paces[a.Member], now); v.NextAt.IsZero() || at.Before(v.NextAt) {
				v.NextAt = at
			}
		}
	}
	return v
}
