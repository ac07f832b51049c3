package actors

import (
	"encoding/json"
	"errors"

	"watchpost/actors/changefeed"
	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// withResolution adds to a failure what became known after it.
func withResolution(output json.RawMessage, r *watchpost.Resolution) json.RawMessage {
	if r == nil {
		return output
	}
	resolved, err := json.Marshal(struct {
		Resolved any `json:"resolved"`
	}{struct {
		Acted bool   `json:"acted"`
		At    string `json:"at"`
	}{r.Acted, r.At.UTC().Format("2006-01-02T15:04:05.000Z07:00")}})
	if err != nil || len(output) <= len(`{}`) {
		return output
	}
	out := append(json.RawMessage(nil), output[:len(output)-1]...)
	return append(append(out, ','), resolved[1:]...)
}

// lateTruth reads what a result says of a write: whether it was done. known is
// false when it does not say so either.
func lateTruth(kind watchpost.TaskType, m *sessionFrame) (acted, known bool) {
	switch e := m.frame.Error; {
	case e == nil:
		_, err := watchpost.CleanOutput(kind, m.frame.Output, nil)
		return true, err == nil
	case e.Acted == nil:
		return false, false
	default:
		return *e.Acted, true
	}
}

// lateResults is the component of a team that learns the truth about writes
// whose outcome was unknown.
//
// The others pass it results of tasks that are not open (onLateResult) and the answer of the
// post store (onResolved).
type lateResults struct {
	*rootActor
	team *team

	// resolved are the tasks whose truth this activation learned: the store
	// shows it only once durable.
	resolved map[watchpost.TaskID]bool
}

func newLateResults(t *team) *lateResults {
	return &lateResults{rootActor: &t.rootActor, team: t, resolved: map[watchpost.TaskID]bool{}}
}

// lateResult is a result for a task that is final.
type lateResult sessionFrame

// onLateResult looks whether a result for a final task is the truth about a
// write whose outcome was unknown, and acknowledges it in any case.
func (l *lateResults) onLateResult(m sessionFrame) {
	id := watchpost.TaskID(m.frame.Task)
	if open := l.team.tasks.find(id); open != nil {
		open.late = append(open.late, m) // until its end is durable
		return
	}
	ack := l.ackTo(m)
	task, ok, err := l.unknownTask(id)
	if err != nil {
		l.Fail(err)
		return
	}
	journal := ""
	if s := l.team.sessions.find(m.session); s != nil {
		journal = s.journal
	}
	lease, given := task.FindLease(m.session, journal, m.frame.Lease)
	acted, known := lateTruth(task.Type, &m)
	next, fresh := task.Resolve(lease, acted, l.env.Clock.Now())
	if !ok || !given || !known || !fresh || l.resolved[id] {
		l.Commits.Submit(nil, ack)
		return
	}
	l.resolved[id] = true
	r := resolved{task: next, then: root.Both(l.remember(&next), ack)}
	if engagement, ok := next.Engagement(); ok && acted && next.Type.OnPost() {
		root, team := l.env.System.Root, l.Context.Self()
		l.Context.Send(l.team.postStore, poststore.UpdatePostFlags{Done: l.team.engagements.interaction(&next, engagement), Then: func(err error) {
			if err == nil { // else the session sends its journal to the next activation
				root.Send(team, r)
			}
		}})
		return
	}
	l.onResolved(r)
}

// resolved carries a task whose outcome is known now. The post of an engagement shows
// it already.
type resolved struct {
	task watchpost.Task
	then func(error) // when it is durable
}

// remember returns what shows a task's outcome to those who ask for it. A commit that
// failed may be in the store all the same: then only the store knows what to show.
func (l *lateResults) remember(task *watchpost.Task) func(error) {
	return func(err error) {
		if err != nil {
			l.env.finished.forget([]watchpost.TaskID{task.ID})
			return
		}
		l.env.finished.remember(l.team.id, viewOf(task))
	}
}

// ackTo returns what acknowledges a result.
func (l *lateResults) ackTo(m sessionFrame) func(error) {
	s := l.team.sessions.find(m.session)
	if s == nil || s.link == nil {
		return nil
	}
	return l.team.sessions.sends(s, ackOf(&m.frame))
}

// unknownTask reads a final task whose outcome is unknown.
func (l *lateResults) unknownTask(id watchpost.TaskID) (task watchpost.Task, ok bool, err error) {
	view, err := l.env.View()
	if err != nil {
		return task, false, err
	}
	defer view.Close()
	if !watchpost.ValidID(string(id)) {
		return task, false, nil
	}
	task, err = teamspace.Load[watchpost.Task](view, l.Space, teamspace.Key(teamspace.KeyTask, id))
	if errors.Is(err, persistence.ErrNotFound) {
		return task, false, nil
	}
	return task, err == nil && task.Unknown(), err
}

// onResolved stores the outcome, and sets by it what the task is remembered by: the
// effect, or the allowance. Nothing of that is decided before it is submitted.
func (l *lateResults) onResolved(m resolved) {
	batch, task := &persistence.Batch{}, &m.task
	putTask(batch, task)
	changefeed.Note(batch, task.Changes()...)
	batch.Delete(teamspace.Key(teamspace.KeyDebits, task.ID))
	if !task.Resolved.Acted {
		l.refund(batch, m)
		return
	}
	if effect, counted := task.Effect(); counted {
		putEffect(batch, effect, task.ID)
		l.team.effects.set(effect.Key(), task.ID, task.ID)
	}
	l.team.effects.endUndone(batch, task)
	l.Commits.Submit(batch, m.then)
}

// refund gives the debits of the last attempt back: the write did nothing.
func (l *lateResults) refund(batch *persistence.Batch, m resolved) {
	view, err := l.env.View()
	if err != nil {
		l.Fail(err)
		return
	}
	defer view.Close()
	debits, err := teamspace.Load[[]watchpost.Debit](view, l.Space, teamspace.Key(teamspace.KeyDebits, m.task.ID))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) { // not found: nothing was counted
		l.Fail(err)
		return
	}
	c := &taskChange{task: m.task, event: taskStays, at: l.env.Clock.Now()}
	for _, d := range debits {
		if d.Attempt == m.task.Attempts {
			c.refunded = append(c.refunded, d)
		}
	}
	l.team.accounts.submit(batch, c, m.then, l.team.accounts.count(batch, c)...)
}
