package actors

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/actors/insight"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// tasks is the component of a team that owns the open tasks: their creation,
// the order in which they wait, and their dispatch to sessions.
//
// The others ask for open tasks (find, all, ofMember, heldBy, count, running, countIn,
// checkRoom), make them (create, newWrite, createWrite, putWrite), and send to their actors
// (start, tell). moveWrites, moveAllWrites and endWrites follow a change of a member's account,
// dueEarlier one of a scan's time; decide is the way of every decision of a task.
type tasks struct {
	*rootActor
	team *team

	open  map[watchpost.TaskID]*openTask
	held  map[watchpost.SessionID]map[watchpost.TaskID]*openTask // by holder
	tally tally
	// unstarted are those open tasks that have no actor.
	unstarted unstarted
	failures  failures
}

func newTasks(t *team) *tasks {
	return &tasks{
		rootActor: &t.rootActor, team: t,
		open:  map[watchpost.TaskID]*openTask{},
		held:  map[watchpost.SessionID]map[watchpost.TaskID]*openTask{},
		tally: newTally(), unstarted: newUnstarted(),
	}
}

// openTask is what the team keeps of a task that is not final, to order it among
// others and to find its actor, which keeps the rest.
type openTask struct {
	id watchpost.TaskID
	// actor is nil until it is needed: tasks.start spawns it, tasks.tell sends to it.
	actor *actor.PID
	kind  watchpost.TaskType // as which it is handed out
	scan  bool
	due   time.Time // of a scan

	targets []watchpost.ScanTarget // the entries that a scan is for still
	subject subject                // of a scan
	fresh   bool                   // it was never handed out
	member  watchpost.MemberID     // on whose account it runs; "" for any
	pinned  watchpost.AccountURN   // that account, once known
	units   int                    // of its allowance that it still needs
	offered watchpost.AccountURN   // whose session actor it is assigned to and has not answered; "" for none
	created *creation              // until its first decision; nil when it is stored
	// decisions is the number of its last decision that was submitted.
	decisions uint64
	effect    *watchpost.Effect  // of a write that must not be done twice; else nil
	undoes    []watchpost.Effect // of a write that ends those of others
	// late are results that came when it was final already.
	late []sessionFrame

	// holder is the session that it was handed to and not yet taken back from,
	// account that session's.
	holder  watchpost.SessionID
	acting  bool
	ended   bool // final, and not yet durable
	account watchpost.AccountURN
	counted tallyOf
	at      int // in tally.waitingScans
	// expires is when it ends if nothing more happens, unstartedAt where it is in
	// tasks.unstarted; of a task without an actor.
	expires     time.Time
	unstartedAt int
}

// queue returns where it waits.
func (o *openTask) queue() dispatch.Key {
	return dispatch.Key{Kind: o.kind, Member: o.member, Account: o.pinned}
}

// taskChange tells what a task has decided: the team, and then the session actors
// that it concerns.
type taskChange struct {
	number   uint64 // of the decision, from 1 since the task was created or loaded
	at       time.Time
	task     watchpost.Task
	event    taskEvent
	lease    string              // that was declined
	debited  []watchpost.Debit   // that the task has noted
	refunded []watchpost.Debit   // that are given back
	by       watchpost.SessionID // the session whose hands are free now
	refund   int                 // the attempt whose debits are given back; 0: none
	// verdict says which work is paused when a session reported an error.
	verdict watchpost.Outcome
	account watchpost.AccountURN // of the session that reported it
	signs   int                  // of that session's life before it did
	// wrote is set when a write has begun to act or has ended with that.
	wrote bool
	// released is set when that session gave the task back without beginning.
	released bool
	// scans say how far the entries of a completed scan have come.
	scans map[watchpost.TaskID]teamspace.ScanRecord
}

// uses returns what the decision changes in the ledgers of accounts.
func (c *taskChange) uses() dispatch.Uses {
	u := dispatch.Uses{Debited: c.debited, Refunded: c.refunded, Task: c.task.ID, At: c.at, Action: c.task.LeasedType().Action()}
	if c.verdict.CloseAction {
		u.ClosedOf = c.account
	}
	if c.wrote {
		u.WroteOn = c.task.Account
	}
	return u
}

type taskEvent uint8

const (
	taskLeased taskEvent = iota
	taskDeclined
	taskReturned
	taskStays // its record changes, as when it acts, and it moves nowhere
	taskMoved
	taskEnded
)

// taskClosed tells the team that a final task is durable; its actor may go.
type taskClosed struct{ task *watchpost.Task }

// taskStatus asks for an open task; answered by TaskView, or by inStore when it has
// no actor.
type taskStatus struct{ id watchpost.TaskID }

// inStore says that a task is as the store shows it, if it is there, and if it waits,
// why.
type inStore describe

// receive handles what concerns tasks.
func (t *tasks) receive(message any) bool {
	switch m := message.(type) {
	case CreateTask:
		t.onCreateTask(m)
	case lateResult:
		t.team.late.onLateResult(sessionFrame(m))
	case resolved:
		t.team.late.onResolved(m)
	case taskStatus:
		t.onTaskStatus(m)
	case CancelTask:
		cancelTask(t, m.ID)
	case GetForecast:
		t.Answer(t.team.forecast(m.Added), nil)
	case listOpen:
		t.onListOpen(m)
	case taskClosed:
		t.onTaskClosed(m)
	case expireTasks:
		t.onExpireTasks(m)
	case waitOver:
		t.onWaitOver()
	default:
		return false
	}
	return true
}

// load takes up the tasks that are not final.
func (t *tasks) load(view persistence.View) error {
	debits := map[watchpost.TaskID][]watchpost.Debit{}
	err := teamspace.LoadAll(view, t.Space, teamspace.KeyOpen, func(id string, d []watchpost.Debit) {
		debits[watchpost.TaskID(id)] = d
	})
	if err != nil {
		return err
	}
	t.open = make(map[watchpost.TaskID]*openTask, len(debits))
	if err := errors.Join(t.loadWaiting(view, debits), t.failures.load(view, t.Space, t.env.Clock.Now())); err != nil {
		return err
	}
	keys := make([][]byte, 0, len(debits))
	for id := range debits {
		keys = append(keys, teamspace.Key(teamspace.KeyTask, id))
	}
	slices.SortFunc(keys, bytes.Compare) // neighbours in the store
	open := make([]*watchpost.Task, 0, len(keys))
	err = teamspace.LoadEach(view, t.Space, keys, func(task watchpost.Task) { open = append(open, &task) })
	if err != nil {
		return err
	}
	if err := t.team.accounts.load(view, open, debits); err != nil {
		return err
	}
	for _, task := range open {
		actor := newTask(t.env, *task, t.Context.Self())
		actor.debits = debits[task.ID]
		if task.Lease != nil {
			actor.session = t.team.accounts.actor(task.Lease.Account)
		}
		tracked := t.track(task)
		tracked.actor = t.Spawn(actor)
		if actor.session != nil {
			t.Context.Send(actor.session, taskLoaded{task.ID, tracked.actor})
		}
	}
	return nil
}

// track takes up an open task and, when it waits, gives it its turn.
func (t *tasks) track(task *watchpost.Task) *openTask {
	open := &openTask{id: task.ID, kind: task.LeasedType(), scan: task.Type.Scan(), due: task.Due,
		targets: task.Targets(), subject: subjectOf(task), fresh: task.Attempts == 0,
		member: task.Member, pinned: task.Account, units: task.Units()}
	if effect, counted := task.Effect(); counted {
		open.effect = &effect
	}
	open.undoes = task.Undoes()
	if task.Lease != nil {
		t.hold(task.ID, open, task.Lease.Session)
		open.account = task.Lease.Account
		open.acting = task.State == watchpost.TaskActing
	}
	t.team.effects.open(task.ID, open.effect)
	t.team.scans.noteTargets(task.ID, open)
	if open.subject.kind != "" && open.fresh {
		t.team.scans.mayBeJoined(open.subject, task.ID)
	}
	t.take(task, open)
	return open
}

// find returns an open task; nil when there is none of the id.
func (t *tasks) find(id watchpost.TaskID) *openTask { return t.open[id] }

// count counts the open tasks, scans included.
func (t *tasks) count() int { return len(t.open) }

// all yields the open tasks by their ids.
func (t *tasks) all() iter.Seq2[watchpost.TaskID, *openTask] { return ordered.ByKey(t.open) }

// heldBy yields what a session holds, by its ids.
func (t *tasks) heldBy(session watchpost.SessionID) iter.Seq2[watchpost.TaskID, *openTask] {
	return ordered.ByKey(t.held[session])
}

// running counts the tasks that sessions hold.
func (t *tasks) running() (n int) {
	for _, held := range t.held {
		n += len(held)
	}
	return n
}

// take gives an open task its place among the others.
func (t *tasks) take(task *watchpost.Task, open *openTask) {
	t.open[task.ID] = open
	t.tally.opened(task.ID, open)
	if task.State == watchpost.TaskPending {
		t.team.dispatch.Add(task, t.env.Clock.Now())
	} else {
		t.team.dispatch.Resumes(task)
	}
}

// hold notes which session holds a task, "" for none.
func (t *tasks) hold(id watchpost.TaskID, open *openTask, session watchpost.SessionID) {
	if open.holder == session {
		return
	}
	if held := t.held[open.holder]; open.holder != "" {
		delete(held, id)
		if len(held) == 0 {
			delete(t.held, open.holder)
		}
	}
	open.holder = session
	t.tally.count(open)
	if session == "" {
		return
	}
	if t.held[session] == nil {
		t.held[session] = map[watchpost.TaskID]*openTask{}
	}
	t.held[session][id] = open
}

// putNew writes a new task.
func putNew(batch *persistence.Batch, task *watchpost.Task) {
	putTask(batch, task)
	putOpen(batch, task.ID, nil)
	noteWaiting(batch, task, task)
}

// putOpen marks a task as open, with what its hand-outs have cost.
func putOpen(batch *persistence.Batch, id watchpost.TaskID, debits []watchpost.Debit) {
	batch.Put(teamspace.Key(teamspace.KeyOpen, id), teamspace.Encode(debits))
}

func putTask(batch *persistence.Batch, task *watchpost.Task) {
	batch.Put(teamspace.Key(teamspace.KeyTask, task.ID), teamspace.Encode(task))
	// The journal learns of the beginning and of the end.
	if !task.Type.Scan() && (task.Attempts <= 1 || task.State.Final()) {
		batch.Put(teamspace.JournalKey(task.ID), teamspace.Encode(task.Journal()))
	}
	insight.NoteAcquaintances(batch, task)
}

// onTaskClosed lets go of a task whose end is durable, and then looks at what
// came for it too late.
func (t *tasks) onTaskClosed(m taskClosed) {
	open := t.open[m.task.ID]
	if open == nil {
		return
	}
	// Not Stop: messages sent to the task before are still answered.
	t.Context.Poison(open.actor)
	if open.offered != "" { // just before
		t.Context.Send(t.team.accounts.actor(open.offered), recall{m.task.ID})
		t.team.handouts.answered(open)
	}
	t.hold(m.task.ID, open, "")
	t.team.scans.forget(m.task.ID, open)
	delete(t.open, m.task.ID)
	t.tally.closed(m.task.ID, open)
	t.team.effects.settled(m.task.ID)
	if !open.scan {
		t.env.finished.remember(t.team.id, viewOf(m.task))
	}
	t.team.effects.goOn(m.task.ID)
	t.team.pending.show(t.env.Clock.Now())
	for _, late := range open.late {
		t.team.late.onLateResult(late)
	}
}

func (t *tasks) onTaskStatus(m taskStatus) {
	open := t.open[m.id]
	if open == nil || open.scan {
		t.Answer(inStore{}, nil)
		return
	}
	reason, notBefore := t.team.dispatch.Why(open.queue(), t.env.Clock.Now())
	why := describe{reason: reason, notBefore: notBefore}
	if open.actor == nil {
		t.Answer(inStore(why), nil)
		return
	}
	t.Context.RequestWithCustomSender(open.actor, why, t.Context.Sender())
}
