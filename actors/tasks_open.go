package actors

import (
	"fmt"
	"iter"
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
	t.unstarted.arm(t.rootActor)
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

// arm asks the clock for the moment at which the first task without an actor expires, for
// its team. A timer that is early is left alone: it arms itself again.
func (u *unstarted) arm(team *rootActor) {
	if u.timer == nil && u.Len() > 0 {
		u.timer = team.env.TellAt(u.First().expires, team.Context.Self(), waitOver{})
	}
}

// stopTimer stops the timer that expires them.
func (u *unstarted) stopTimer() {
	if u.timer != nil {
		u.timer.Stop()
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
	t.unstarted.arm(t.rootActor)
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

// tallyOf says under what an open task is counted.
type tallyOf uint8

const (
	countedNot     tallyOf = iota
	countedWaiting         // no session has it, and it has not ended
	countedRunning
)

// tally counts the open tasks of a team as they change: a team has too many to
// count them for each view of it.
type tally struct {
	waiting      int
	runningScans int
	waitingScans ordered.Heap[*openTask] // the one that is due first on top
	// byMember are the open tasks of each member.
	byMember map[watchpost.MemberID]map[watchpost.TaskID]*openTask
}

func newTally() tally {
	return tally{
		waitingScans: ordered.New(
			func(a, b *openTask) bool { return a.due.Before(b.due) },
			func(open *openTask) *int { return &open.at },
		),
		byMember: map[watchpost.MemberID]map[watchpost.TaskID]*openTask{},
	}
}

// opened takes up an open task.
func (ty *tally) opened(id watchpost.TaskID, open *openTask) {
	if open.member != "" {
		if ty.byMember[open.member] == nil {
			ty.byMember[open.member] = map[watchpost.TaskID]*openTask{}
		}
		ty.byMember[open.member][id] = open
	}
	ty.count(open)
}

// closed lets go of a task that is no longer open.
func (ty *tally) closed(id watchpost.TaskID, open *openTask) {
	open.ended = true
	ty.count(open)
	delete(ty.byMember[open.member], id)
	if len(ty.byMember[open.member]) == 0 {
		delete(ty.byMember, open.member)
	}
}

// count takes up who holds a task, and whether it has ended.
func (ty *tally) count(open *openTask) {
	now := countedWaiting
	switch {
	case open.ended:
		now = countedNot
	case open.holder != "":
		now = countedRunning
	}
	if before := open.counted; before != now {
		open.counted = now
		ty.add(open, before, -1)
		ty.add(open, now, 1)
	}
}

func (ty *tally) add(open *openTask, as tallyOf, n int) {
	switch {
	case as == countedWaiting:
		ty.waiting += n
		if !open.scan {
			return
		}
		if n > 0 {
			ty.waitingScans.Add(open)
		} else {
			ty.waitingScans.Remove(open)
		}
	case as == countedRunning && open.scan:
		ty.runningScans += n
	}
}

// dueEarlier makes a scan due at a moment if that is earlier.
func (ty *tally) dueEarlier(open *openTask, due time.Time) {
	if !due.Before(open.due) {
		return
	}
	open.due = due
	if open.counted == countedWaiting {
		ty.waitingScans.Fix(open)
	}
}

// oldestScan returns since when the oldest waiting scan is due; zero when none waits.
func (ty *tally) oldestScan() time.Time {
	if ty.waitingScans.Len() == 0 {
		return time.Time{}
	}
	return ty.waitingScans.First().due
}

// decide submits the decision of a task with the team's part of it, and tells the
// session actors that it concerns. The decisions of a task have one way, from the task
// to here, so they come in their order; if that ever fails, the tree ends before the
// store is wrong. What waits for the decision runs when the session actor has
// announced what its account may do now, too: who sees the decision sees what follows
// from it.
func (t *tasks) decide(d decided) {
	c := d.task
	open := t.open[c.task.ID]
	if open == nil { // closed, and offered just before
		t.Commits.Submit(d.batch, d.onCommitted)
		return
	}
	if c.number != open.decisions+1 {
		t.Fail(fmt.Errorf("decision %d of task %s came after decision %d", c.number, c.task.ID, open.decisions))
		t.Refuse(d)
		return
	}
	open.decisions = c.number
	if d.batch == nil {
		d.batch = &persistence.Batch{}
	}
	if open.created != nil {
		t.addCreation(&d, open)
	}
	accounts := []watchpost.AccountURN{open.account}
	if c.event == taskLeased || c.event == taskDeclined {
		accounts[0] = open.offered
	}
	accounts = append(accounts, t.team.accounts.count(d.batch, c)...)
	t.onTaskChange(d.batch, open, c)
	if !t.team.accounts.submit(d.batch, c, d.onCommitted, accounts...) {
		t.team.handouts.run() // else it follows the announcement
	}
}

// onTaskChange adds the team's part to a task's decision.
func (t *tasks) onTaskChange(batch *persistence.Batch, open *openTask, c *taskChange) {
	open.acting, open.units, open.kind = c.task.State == watchpost.TaskActing, c.task.Units(), c.task.LeasedType()
	open.fresh = c.task.Attempts == 0
	switch c.event {
	case taskLeased:
		t.team.handouts.answered(open)
		t.team.effects.knowAccount(batch, open, &c.task)
		t.hold(c.task.ID, open, c.task.Lease.Session)
		open.pinned, open.account = c.task.Account, c.task.Lease.Account
	case taskDeclined:
		t.team.handouts.answered(open)
		switch {
		case c.task.State != watchpost.TaskPending:
		case c.task.Asked.Kind == watchpost.AskedByRule:
			t.tell(rulePostponed, open)
		default:
			t.team.dispatch.Add(&c.task, t.env.Clock.Now())
		}
	case taskStays:
		t.team.dispatch.Requeue(&c.task, t.env.Clock.Now())
	case taskReturned:
		t.hold(c.task.ID, open, "")
		t.team.dispatch.Add(&c.task, t.env.Clock.Now())
		t.team.handouts.arm()
		if _, known := t.team.members.byID(open.member); open.member != "" && !known {
			t.tell(memberRemoved, open) // while it was acting
		}
	case taskMoved:
		t.onMoved(batch, open, &c.task)
	case taskEnded:
		t.hold(c.task.ID, open, "")
		open.ended = true
		t.tally.count(open)
		t.team.dispatch.Remove(c.task.ID)
		t.failures.ended(&c.task, t.env.Clock.Now())
		t.team.effects.end(batch, &c.task)
		t.team.effects.endUndone(batch, &c.task)
		noteFetched(batch, &c.task)
		t.team.rules.OnTaskEnded(batch, &c.task)
		t.team.scans.onScanEnded(batch, open, c)
	}
	t.team.statuses.someChanged()
}

// ofMember yields the open tasks on the account of a member, by their ids.
func (t *tasks) ofMember(member watchpost.MemberID) iter.Seq2[watchpost.TaskID, *openTask] {
	return ordered.ByKey(t.tally.byMember[member])
}

// moveAllWrites is moveWrites for each member who has writes.
func (t *tasks) moveAllWrites() {
	for member := range ordered.ByKey(t.tally.byMember) {
		t.moveWrites(member)
	}
}

// dueEarlier moves a scan that waits to an earlier moment.
func (t *tasks) dueEarlier(open *openTask, due time.Time) { t.tally.dueEarlier(open, due) }

// countIn fills in how many tasks and scans wait and run, and how many failed today.
func (t *tasks) countIn(v *TeamView) {
	ty := &t.tally
	v.WaitingTasks, v.WaitingScans, v.RunningScans, v.OldestScan = ty.waiting, ty.waitingScans.Len(), ty.runningScans, ty.oldestScan()
	v.FailedTasks = t.failures.today(t.env.Clock.Now())
}

// stopTimer stops the timer of the component.
func (t *tasks) stopTimer() { t.unstarted.stopTimer() }
