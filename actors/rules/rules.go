// Package rules is the component of a team that owns its auto-engagement rules and their
// open actions. It shares the team's mailbox and its batches.
//
// It answers requests (Receive, Create), and its team asks it:
//
//	Consider   what becomes of a post that is new to a watchlist
//	Work       which tasks are to be made now, after the others were handed out
//	Allow      whether a task may be handed out
//	Closing    when a task has to have begun
//	Watch      of which watchlists new posts are to be noted
//	Proposals  how many actions wait for approval
//
// The team tells it what has changed for it: OnTaskEnded, OnAccountChanged,
// OnWatchlistDeleted, and otherwise Run. It asks its team the questions of Host.
//
// Journal, ReadPage and Try work on snapshots of the store and need no actor.
package rules

import (
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Rules is the component of a team that owns its rules and their open actions.
//
// An action is decided on once: in the batch that removes the post's arrival. What
// becomes of it is the book's to say, whenever something changes: it becomes a task
// when it may be done at once and a connection of its account is free. The batch that
// creates the task makes it running. A task that comes back without having acted ends,
// and gives the action back to be decided again, in one batch.
type Rules struct {
	*root.Actor
	team Host

	book    watchpost.RuleBook
	running map[watchpost.TaskID]*watchpost.RuleAction
	stopped *teamspace.StoppedRecord // nil: not stopped
	// due is set when an action may have to be decided again; Work does it.
	due bool
	// awaited are the members for whose connections an action waits.
	awaited map[watchpost.MemberID]bool
	timer   watchpost.Timer
	// forgetTimer is that of the next pass of forget; nil: nothing is to be forgotten.
	forgetTimer watchpost.Timer
}

// Due is the timer of the component: an action may be done, or lapses. The team calls
// Run, and answers the timer when the tasks that are made then are handed out.
type Due struct{}

const textActionNotFound = "Action not found"

// New returns the component of the team whose actor that is.
func New(actor *root.Actor, team Host) *Rules {
	return &Rules{
		Actor: actor, team: team, book: watchpost.NewRuleBook(),
		running: map[watchpost.TaskID]*watchpost.RuleAction{},
		awaited: map[watchpost.MemberID]bool{},
	}
}

// Receive handles the messages of the component but Create and Due, and reports whether
// the message is one.
func (rs *Rules) Receive(message any) bool {
	switch m := message.(type) {
	case Update:
		rs.onUpdate(m)
	case Delete:
		rs.Answer(root.Done{}, rs.Delete(m.ID))
	case List:
		rs.Answer(rs.overview(), nil)
	case Stop:
		rs.onStop(m)
	case Decide:
		rs.onDecide(m)
	case Undo:
		rs.onUndo(m)
	case forgetDue:
		rs.onForget()
	default:
		return false
	}
	return true
}

// Load takes up the rules. It ends the actions whose task has ended, and gives back those
// whose task waits; Work is to follow. restoredAt is when the store was restored from a
// backup, zero: never.
func (rs *Rules) Load(view persistence.View, restoredAt time.Time) error {
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
	for _, load := range []func(persistence.View) error{rs.loadWeek, rs.forget, rs.loadRunning} {
		if err := load(view); err != nil {
			return err
		}
	}
	rs.due = true
	return rs.stopAfterRestore(view, restoredAt)
}

// loadRunning looks at the tasks of the running actions.
func (rs *Rules) loadRunning(view persistence.View) error {
	var ended [][]byte
	for id := range ordered.ByKey(rs.running) {
		switch task := rs.team.Task(id); {
		case !task.Open:
			ended = append(ended, teamspace.Key(teamspace.KeyTask, id))
		case !task.Held:
			rs.team.EndTask(id, postponed)
		}
	}
	return teamspace.LoadEach(view, rs.Space, ended, func(task watchpost.Task) {
		batch := &persistence.Batch{}
		rs.OnTaskEnded(batch, &task)
		rs.Commits.Submit(batch, nil)
	})
}

// loadWeek takes up the authors of the present week.
func (rs *Rules) loadWeek(view persistence.View) error {
	from := teamspace.RuleAuthorKey(watchpost.Weekly.Key(rs.Env.Clock.Now()))
	return view.Scan(rs.Space, from, persistence.PrefixEnd([]byte(teamspace.KeyRuleAuthor)), func(k, _ []byte) bool {
		rs.book.Engaged[string(k[len(teamspace.KeyRuleAuthor):])] = true
		return true
	})
}

// stopAfterRestore stops the rules once after each restore, before any of them acts. A
// team whose rules were all made since has nothing to stop.
func (rs *Rules) stopAfterRestore(view persistence.View, at time.Time) error {
	older := false
	for _, r := range rs.book.Rules {
		older = older || !r.CreatedAt.After(at)
	}
	if at.IsZero() || !older {
		return nil
	}
	stopped, err := teamspace.Load[time.Time](view, rs.Space, []byte(teamspace.KeyRulesRestored))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	if stopped.Equal(at) {
		return nil
	}
	batch := &persistence.Batch{}
	if rs.stopped == nil {
		rs.stopped = &teamspace.StoppedRecord{At: at}
		rs.book.Stopped = true
		batch.Put([]byte(teamspace.KeyRulesStopped), teamspace.Encode(*rs.stopped))
	}
	batch.Put([]byte(teamspace.KeyRulesRestored), teamspace.Encode(at))
	rs.Commits.Submit(batch, nil)
	return nil
}

// arm asks the clock for a moment, and no more for the one before; zero: for none.
func (rs *Rules) arm(at time.Time) {
	if rs.timer != nil {
		rs.timer.Stop()
		rs.timer = nil
	}
	if !at.IsZero() {
		rs.timer = rs.Env.TellAt(at, rs.Context.Self(), Due{})
	}
}

// StopTimers stops all timers of the component.
func (rs *Rules) StopTimers() {
	rs.arm(time.Time{})
	if rs.forgetTimer != nil {
		rs.forgetTimer.Stop()
	}
}
