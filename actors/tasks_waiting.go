package actors

import (
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// A team may have 100,000 tasks that wait for days. Those that were never leased need
// neither an actor nor their record in memory: the team knows them by their
// WaitingRecord. An activation reads only that, and starts the actor of such a task
// when something happens to it.

// unstarted are the tasks without an actor, and the timer that expires them.
type unstarted struct {
	ordered.Heap[*openTask]
	timer watchpost.Timer
}

func newUnstarted() unstarted {
	return unstarted{Heap: ordered.New(
		func(a, b *openTask) bool { return a.expires.Before(b.expires) },
		func(open *openTask) *int { return &open.unstartedAt },
	)}
}

// waitOver is the team's timer: a task without an actor may have expired.
type waitOver struct{}

// loadWaiting takes up the tasks that wait by their WaitingRecord, and takes them out
// of debits. Those on which time or a restore has decided meanwhile stay there: their
// actors are started at once.
func (t *tasks) loadWaiting(view persistence.View, debits map[watchpost.TaskID][]watchpost.Debit) error {
	now, stale := t.env.Clock.Now(), &root.Steps{}
	err := teamspace.LoadAll(view, t.Space, teamspace.KeyWaiting, func(name string, r teamspace.WaitingRecord) {
		id := watchpost.TaskID(name)
		debited, open := debits[id]
		if !open || debited != nil { // by a node of the release before
			stale.Room(1).Delete(teamspace.Key(teamspace.KeyWaiting, id))
			return
		}
		task := r.Task(id)
		expires, _ := task.Expires()
		if expires.After(now) && !t.env.restored(&task) {
			t.trackWaiting(&task, &r, expires)
			delete(debits, id)
		}
	})
	t.SubmitSteps(stale, nil)
	t.armExpiry()
	return err
}

// trackWaiting takes up a task that waits. The store shows what effect it has.
func (t *tasks) trackWaiting(task *watchpost.Task, r *teamspace.WaitingRecord, expires time.Time) {
	open := &openTask{
		id: task.ID, kind: r.Type, fresh: true, member: r.Member, pinned: r.Account, units: r.Units, effect: r.Effect(), expires: expires,
	}
	t.unstarted.Add(open)
	t.take(task, open)
}

// start spawns the actors of those tasks that have none, and reports whether all have
// one now.
func (t *tasks) start(tasks ...*openTask) (ok bool) {
	waiting := make([]*openTask, 0, len(tasks))
	keys := make([][]byte, 0, len(tasks))
	for _, open := range tasks {
		if open.actor == nil {
			waiting, keys = append(waiting, open), append(keys, teamspace.Key(teamspace.KeyTask, open.id))
		}
	}
	if len(keys) == 0 {
		return true
	}
	view, err := t.env.View()
	if err != nil {
		t.Fail(err)
		return false
	}
	defer view.Close()
	err = teamspace.LoadEach(view, t.Space, keys, func(task watchpost.Task) {
		t.startAs(waiting[0], &task)
		waiting = waiting[1:]
	})
	if err != nil {
		t.Fail(err)
	}
	return err == nil
}

// startAs spawns the actor of a task with its record. A node of the release before may
// have moved it to another account.
func (t *tasks) startAs(open *openTask, task *watchpost.Task) {
	t.unstarted.Remove(open)
	open.actor = t.Spawn(newTask(t.env, *task, t.Context.Self()))
	open.pinned = task.Account
	if effect, counted := task.Effect(); counted {
		open.effect = &effect
	}
	t.team.effects.open(open.id, open.effect)
	t.team.dispatch.Requeue(task, t.env.Clock.Now())
}

// tell sends a message to the actors of open tasks.
func (t *tasks) tell(message any, to ...*openTask) {
	if !t.start(to...) {
		return
	}
	for _, open := range to {
		t.Context.Send(open.actor, message)
	}
}

// armExpiry asks the clock for the moment at which the first task without an actor
// expires. A timer that is early is left alone: it arms itself again.
func (t *tasks) armExpiry() {
	if t.unstarted.timer == nil && t.unstarted.Len() > 0 {
		t.unstarted.timer = t.env.TellAt(t.unstarted.First().expires, t.Context.Self(), waitOver{})
	}
}

// onWaitOver starts the actor of a task that has expired, which decides that and then
// answers the timer. The next one has a separate timer.
func (t *tasks) onWaitOver() {
	t.unstarted.timer = nil
	if u := &t.unstarted; u.Len() == 0 || u.First().expires.After(t.env.Clock.Now()) {
		t.Answer(root.Done{}, nil)
	} else if open := u.First(); t.start(open) {
		t.Context.RequestWithCustomSender(open.actor, taskTimer{}, t.Context.Sender())
	} else {
		t.Answer(nil, t.Broken)
	}
	t.armExpiry()
}

// noteWaiting keeps the WaitingRecord of a task as its record is.
func noteWaiting(batch *persistence.Batch, before, after *watchpost.Task) {
	key := teamspace.Key(teamspace.KeyWaiting, after.ID)
	if r, waits := teamspace.WaitingOf(after); waits {
		batch.Put(key, teamspace.Encode(r))
	} else if _, waited := teamspace.WaitingOf(before); waited {
		batch.Delete(key)
	}
}
