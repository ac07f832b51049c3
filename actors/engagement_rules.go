package actors

import (
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
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
	// Delay is how long the decision waits, so that it can be taken back.
	Delay time.Duration
}

// UndoRuleDecision takes back a decision that waits (NotFound, Conflict once it has
// taken effect); answered by watchpost.RuleAction.
type UndoRuleDecision struct{ ID watchpost.RuleActionID }

func (CreateRule) AnsweredWith(RuleView)                   {}
func (UpdateRule) AnsweredWith(RuleView)                   {}
func (DeleteRule) AnsweredWith(root.Done)                  {}
func (ListRules) AnsweredWith(RulesView)                   {}
func (StopRules) AnsweredWith(root.Done)                   {}
func (DecideRuleAction) AnsweredWith(watchpost.RuleAction) {}
func (UndoRuleDecision) AnsweredWith(watchpost.RuleAction) {}

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
// An action is decided on once: in the batch that removes the post's arrival. What
// becomes of it is the book's to say, whenever something changes: it becomes a task
// when it may be done at once and a connection of its account is free. The batch that
// creates the task makes it running. A task that comes back without having acted ends,
// and gives the action back to be decided again, in one batch.
type engagementRules struct {
	*rootActor
	team *team

	book    watchpost.RuleBook
	running map[watchpost.TaskID]*watchpost.RuleAction
	stopped *teamspace.StoppedRecord // nil: not stopped
	// due is set when an action may have to be decided again; work does it.
	due bool
	// awaited are the members for whose connections an action waits.
	awaited map[watchpost.MemberID]bool
	timer   watchpost.Timer
	// forgetTimer is that of the next pass of forget; nil: nothing is to be forgotten.
	forgetTimer watchpost.Timer
}

// rulesDue is the timer of the component: an action may be done, or lapses.
type rulesDue struct{}

const textActionNotFound = "Action not found"

func newEngagementRules(t *team) *engagementRules {
	return &engagementRules{
		rootActor: &t.rootActor, team: t, book: watchpost.NewRuleBook(),
		running: map[watchpost.TaskID]*watchpost.RuleAction{},
		awaited: map[watchpost.MemberID]bool{},
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
		rs.Answer(rs.view(), nil)
	case StopRules:
		rs.onStop(m)
	case DecideRuleAction:
		rs.onDecide(m)
	case UndoRuleDecision:
		rs.onUndo(m)
	case forgetRules:
		rs.onForget()
	case rulesDue:
		rs.run()
		rs.team.handouts.answerTimer()
	default:
		return false
	}
	return true
}

// load takes up the rules. It ends the actions whose task has ended, gives back those
// whose task waits, and decides on the others as work does.
func (rs *engagementRules) load(view persistence.View) error {
	err := teamspace.LoadAll(view, rs.Space, teamspace.KeyRule, func(_ string, r watchpost.EngagementRule) { rs.book.Rules[r.ID] = r })
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, rs.Space, teamspace.KeyRuleAction, func(_ string, a watchpost.RuleAction) {
		rs.book.Open[a.ID] = &a
		if a.State == watchpost.RuleRunning {
			rs.running[a.Task] = &a
		}
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, rs.Space, teamspace.KeyRulePace, func(id string, p watchpost.Pace) { rs.book.Paces[watchpost.MemberID(id)] = p })
	if err != nil {
		return err
	}
	stopped, err := teamspace.Load[teamspace.StoppedRecord](view, rs.Space, []byte(teamspace.KeyRulesStopped))
	if err == nil {
		rs.stopped, rs.book.Stopped = &stopped, true
	} else if !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	if err := loadEach(view, rs.loadWeek, rs.forget, rs.loadRunning, rs.stopAfterRestore); err != nil {
		return err
	}
	rs.due = true
	rs.work(rs.env.Clock.Now())
	return nil
}

// loadRunning looks at the tasks of the running actions.
func (rs *engagementRules) loadRunning(view persistence.View) error {
	var ended [][]byte
	for id := range ordered.ByKey(rs.running) {
		open := rs.team.tasks.open[id]
		switch {
		case open == nil:
			ended = append(ended, teamspace.Key(teamspace.KeyTask, id))
		case open.holder == "":
			rs.team.tasks.tell(rulePostponed, open)
		}
	}
	return teamspace.LoadEach(view, rs.Space, ended, func(task watchpost.Task) {
		batch := &persistence.Batch{}
		rs.onTaskEnded(batch, &task)
		rs.Commits.Submit(batch, nil)
	})
}

// loadWeek takes up the authors of the present week.
func (rs *engagementRules) loadWeek(view persistence.View) error {
	from := teamspace.RuleAuthorKey(watchpost.Weekly.Key(rs.env.Clock.Now()))
	return view.Scan(rs.Space, from, persistence.PrefixEnd([]byte(teamspace.KeyRuleAuthor)), func(k, _ []byte) bool {
		rs.book.Engaged[string(k[len(teamspace.KeyRuleAuthor):])] = true
		return true
	})
}

// arm asks the clock for a moment, and no more for the one before; zero: for none.
func (rs *engagementRules) arm(at time.Time) {
	if rs.timer != nil {
		rs.timer.Stop()
		rs.timer = nil
	}
	if !at.IsZero() {
		rs.timer = rs.env.TellAt(at, rs.Context.Self(), rulesDue{})
	}
}

// stopTimers stops all timers of the component.
func (rs *engagementRules) stopTimers() {
	rs.arm(time.Time{})
	if rs.forgetTimer != nil {
		rs.forgetTimer.Stop()
	}
}
