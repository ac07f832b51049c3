package actors

import (
	"encoding/json"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence"
)

// openTask is what the team keeps of a task that is not final; the task's own
// actor keeps the rest.
type openTask struct {
	pid  *actor.PID
	kind watchpost.TaskType // as which it is handed out
	scan bool
	due  time.Time // of a scan

	targets []watchpost.ScanTarget // the entries that a scan is for still
	subject subject                // of a scan
	fresh   bool                   // it was never handed out
	member  watchpost.MemberID     // on whose account it runs; "" for any
	pinned  watchpost.AccountURN   // that account, once known
	units   int                    // of its allowance that it still needs
	effect  *watchpost.Effect      // of a write that must not be done twice; else nil
	// late are results that came when it was final already.
	late []sessionFrame

	// holder is the session that it was handed to and not yet taken back from,
	// account that session's; reserved is the debit of an offer that was not
	// yet answered, debits are those of all hand-outs.
	holder   watchpost.SessionID
	acting   bool
	ended    bool // final, and not yet durable
	account  watchpost.AccountURN
	reserved watchpost.Debit
	debits   []watchpost.Debit
}

// taskChange tells the team what a task has decided.
type taskChange struct {
	task   watchpost.Task
	event  taskEvent
	freed  watchpost.SessionID // the session whose hands are free now
	refund int                 // the attempt whose debits are given back; 0: none
	// verdict says what is paused when a session reported an error.
	verdict watchpost.Verdict
	account watchpost.AccountURN // of the session that reported it
	signs   int                  // of that session's life before it did
	// released is set when that session gave the task back without beginning.
	released bool
	// scans say how far the entries of a completed scan have come.
	scans map[watchpost.TaskID]scanRecord
}

type taskEvent uint8

const (
	taskLeased taskEvent = iota
	taskDeclined
	taskReturned
	taskActs // or nothing that concerns the team
	taskMoved
	taskEnded
)

// taskClosed tells the team that a final task is durable; its actor may go.
type taskClosed struct{ task *watchpost.Task }

// taskStatus asks for an open task; answered by TaskView, or by notOpen when it
// is not open.
type taskStatus struct{ id watchpost.TaskID }

// notOpen says that a task is not open: the store knows it, or nobody.
type notOpen struct{}

// receiveTask handles what concerns tasks.
func (t *team) receiveTask(message any) bool {
	switch m := message.(type) {
	case CreateTask:
		t.onCreateTask(m)
	case Engage:
		t.onEngage(m)
	case BookmarkPost:
		t.onBookmarkPost(m)
	case engaged:
		t.onEngaged(m)
	case lateResult:
		t.onLateResult(sessionFrame(m))
	case taskStatus:
		t.onTaskStatus(m)
	case taskClosed:
		t.onTaskClosed(m)
	default:
		return false
	}
	return true
}

// loadTasks takes up the tasks that are not final.
func (t *team) loadTasks(view persistence.View) error {
	debits := map[watchpost.TaskID][]watchpost.Debit{}
	err := loadAll(view, t.space, keyOpen, func(id string, d []watchpost.Debit) {
		debits[watchpost.TaskID(id)] = d
	})
	if err != nil {
		return err
	}
	for id, d := range debits {
		task, err := load[watchpost.Task](view, t.space, key(keyTask, id))
		if err != nil {
			return err
		}
		open := t.track(&task)
		open.debits = d
		open.pid = t.spawn(newTask(t.env, task, t.ctx.Self(), nil, time.Time{}))
	}
	return nil
}

// track takes up an open task and, when it waits, gives it its turn.
func (t *team) track(task *watchpost.Task) *openTask {
	open := &openTask{kind: task.HandedType(), scan: task.Type.Scan(), due: task.Due,
		targets: task.Targets(), subject: subjectOf(task), fresh: task.Attempts == 0,
		member: task.Member, pinned: task.Account, units: task.Units()}
	if effect, counted := task.Effect(); counted {
		open.effect = &effect
	}
	if task.Lease != nil {
		t.hold(task.ID, open, task.Lease.Session)
		open.account = task.Lease.Account
		open.acting = task.State == watchpost.TaskActing
	}
	t.tasks[task.ID] = open
	t.noteTargets(task.ID, open)
	if open.subject.kind != "" && open.fresh {
		t.subjects[open.subject] = task.ID
	}
	t.effects.open(task)
	if task.State == watchpost.TaskPending {
		t.dispatch.add(task, t.env.clock.Now())
	}
	return open
}

// hold notes which session holds a task, "" for none.
func (t *team) hold(id watchpost.TaskID, open *openTask, session watchpost.SessionID) {
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
	if session == "" {
		return
	}
	if t.held[session] == nil {
		t.held[session] = map[watchpost.TaskID]*openTask{}
	}
	t.held[session][id] = open
}

// maxOpenTasks bounds the open tasks of a team, scans included, because all of
// them are in memory while the team is: about 600 MB at the bound. Only client
// tasks are refused at it; the plan bounds the scans.
const maxOpenTasks = 100_000

// checkRoom refuses a client's task when too many are open.
func (t *team) checkRoom() error {
	if len(t.tasks) >= maxOpenTasks {
		return watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
	}
	return nil
}

// createTask writes a new task to the batch and opens it. When a session is
// free for a read, its hand-out is decided in the same batch: one sync for
// both. What it returns (or nil) is to be done when the batch is durable. A
// write waits for the next handOut: its effect is to be decided first.
func (t *team) createTask(batch *persistence.Batch, task watchpost.Task) (then func(error)) {
	now := t.env.clock.Now()
	t.debitNewDay(now)
	open := t.track(&task)
	var session *actor.PID
	if task.Type.Writes() {
		// Not yet.
	} else if a, ok := t.dispatch.next(now); ok && a.task == task.ID {
		session = t.sessions[a.worker.session].pid
		task, _ = task.Hand(t.reserve(a, now)) // it was made pending
		open.pinned = task.Account
		t.debit(batch, open, task.Attempts)
		then = sendTask(t.env, session, &task)
		t.env.metrics.tasks.WithLabelValues(string(task.Type), "handed").Inc()
	} else if ok {
		t.offer(a, now)
	}
	putTask(batch, &task)
	putOpen(batch, task.ID, open)
	open.pid = t.spawn(newTask(t.env, task, t.ctx.Self(), session, t.renewed))
	t.statusesChanged()
	t.env.metrics.tasks.WithLabelValues(string(task.Type), "created").Inc()
	t.armWake()
	t.showPending(now)
	return then
}

// sendTask returns what hands a leased task to a session's actor.
func sendTask(env *environment, session *actor.PID, task *watchpost.Task) func(error) {
	frame := frameOf(task)
	return func(err error) {
		if err == nil {
			env.system.Root.Send(session, deliver{frame})
		}
	}
}

// putOpen marks a task as open, with what its hand-outs have cost.
func putOpen(batch *persistence.Batch, id watchpost.TaskID, open *openTask) {
	batch.Put(key(keyOpen, id), encode(open.debits))
}

func putTask(batch *persistence.Batch, task *watchpost.Task) {
	batch.Put(key(keyTask, task.ID), encode(task))
}

// maxInput bounds the input of a new task, so that it can be stored with its
// output and its leases too.
const maxInput = persistence.MaxValue - watchpost.MaxOutput - 64<<10

const textTooLarge = "Request body too large"

// inputTooLarge reports whether an input exceeds maxInput as it is stored: escaping
// makes six bytes of one at most.
func inputTooLarge(input json.RawMessage) bool {
	return 6*len(input) > maxInput && len(encode(input)) > maxInput
}

// onCreateTask makes an agent task.
func (t *team) onCreateTask(m CreateTask) {
	var member watchpost.Member
	if m.Type.OfMember() {
		var err error
		if member, err = t.memberNamed(m.Email); err != nil {
			t.answer(nil, err)
			return
		}
	}
	if m.Type.Writes() {
		t.createWrite(m.Type, m.Input, member.ID)
		return
	}
	if inputTooLarge(m.Input) {
		t.answer(nil, watchpost.Errorf(watchpost.TooLarge, textTooLarge))
		return
	}
	if err := t.checkRoom(); err != nil {
		t.answer(nil, err)
		return
	}
	task := t.newTask(m.Type, m.Input)
	if member.ID != "" {
		task.Member, task.Account = member.ID, t.accountOf(member.ID)
	}
	batch := &persistence.Batch{}
	handed := t.createTask(batch, task)
	t.commitAnd(batch, TaskCreated{task.ID}, handed)
}

// memberNamed returns the member with that email or, when none is named, the
// one who acts for the team.
func (t *team) memberNamed(email *string) (watchpost.Member, error) {
	if email != nil {
		return t.memberByEmail(*email)
	}
	acting, ok := watchpost.ActingMember(t.members)
	if !ok {
		return acting, watchpost.Errorf(watchpost.NotFound, watchpost.TextNoAdmin)
	}
	return acting, nil
}

// both returns what does one thing after the other; either may be nil.
func both(first, second func(error)) func(error) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(err error) {
		first(err)
		second(err)
	}
}

func (t *team) newTask(kind watchpost.TaskType, input json.RawMessage) watchpost.Task {
	now := t.env.clock.Now()
	return watchpost.Task{
		ID: watchpost.TaskID(watchpost.NewID(now)), Type: kind, Input: input,
		State: watchpost.TaskPending, CreatedAt: now,
	}
}

// onTaskClosed lets go of a task whose end is durable, and then looks at what
// came for it too late.
func (t *team) onTaskClosed(m taskClosed) {
	open := t.tasks[m.task.ID]
	if open == nil {
		return
	}
	// Not Stop: what was sent to the task before is still answered.
	t.ctx.Poison(open.pid)
	t.ledger.release(open.reserved) // offered just before
	t.hold(m.task.ID, open, "")
	t.forgetScan(m.task.ID, open)
	delete(t.tasks, m.task.ID)
	t.effects.settled(m.task.ID)
	if !open.scan {
		t.env.finished.remember(t.id, viewOf(m.task))
	}
	t.showPending(t.env.clock.Now())
	for _, late := range open.late {
		t.onLateResult(late)
	}
}

func (t *team) onTaskStatus(m taskStatus) {
	open := t.tasks[m.id]
	if open == nil || open.scan {
		t.answer(notOpen{}, nil)
		return
	}
	reason, notBefore := t.dispatch.why(queueKey{open.kind, open.member, open.pinned}, t.env.clock.Now())
	t.ctx.RequestWithCustomSender(open.pid, describe{reason: reason, notBefore: notBefore}, t.ctx.Sender())
}

// handOut offers waiting tasks to free sessions until nothing fits.
func (t *team) handOut() {
	now := t.env.clock.Now()
	t.debitNewDay(now)
	for t.broken == nil {
		a, ok := t.dispatch.next(now)
		if !ok {
			break
		}
		t.offer(a, now)
	}
	t.showPending(now)
}

// offer asks a task's actor to be leased, or to fail when the account has done
// the same already.
func (t *team) offer(a assignment, now time.Time) {
	first, err := t.duplicate(t.tasks[a.task], a.worker.account)
	if err != nil {
		t.fail(err)
		return
	}
	if first != "" {
		a.worker.task = ""
		t.ctx.Send(t.tasks[a.task].pid, duplicateOf(first))
		return
	}
	t.ctx.Send(t.tasks[a.task].pid, offer{
		session: t.sessions[a.worker.session].pid, until: t.renewed, kind: a.kind, lease: t.reserve(a, now),
	})
}

// reserve sets aside the allowance for an assignment and makes its lease.
func (t *team) reserve(a assignment, now time.Time) watchpost.Lease {
	open := t.tasks[a.task]
	units := max(1, min(open.units, t.dispatch.room(a.worker, a.kind, now)))
	open.reserved = t.ledger.reserve(a.worker.account, a.kind.Action(), units, now)
	open.account = a.worker.account
	// Its own from now on: a new connection must not be handed another task
	// while this one is under way.
	t.hold(a.task, open, a.worker.session)
	return watchpost.Lease{
		ID: watchpost.NewSecret(8), Session: a.worker.session, Account: a.worker.account,
		Journal: t.sessions[a.worker.session].journal, Deadline: watchpost.Deadline(now), Units: units,
	}
}

// onTaskChange adds to a task's decision what is the team's of it.
func (t *team) onTaskChange(batch *persistence.Batch, c *taskChange) {
	open := t.tasks[c.task.ID]
	if open == nil { // closed, and offered just before
		t.free(c.freed, c.task.ID)
		return
	}
	open.acting, open.units, open.kind = c.task.State == watchpost.TaskActing, c.task.Units(), c.task.HandedType()
	open.fresh = c.task.Attempts == 0
	switch c.event {
	case taskLeased:
		t.knowAccount(batch, open, &c.task)
		t.hold(c.task.ID, open, c.task.Lease.Session)
		open.pinned = c.task.Account
		t.debit(batch, open, c.task.Attempts)
		t.carryOver(batch, open, t.env.clock.Now()) // offered before a reset, taken after it
		putOpen(batch, c.task.ID, open)
	case taskDeclined:
		t.ledger.release(open.reserved)
		open.reserved = watchpost.Debit{}
		t.hold(c.task.ID, open, "")
		if c.task.State == watchpost.TaskPending {
			t.dispatch.add(&c.task, t.env.clock.Now())
		}
	case taskActs:
		t.dispatch.requeue(&c.task, t.env.clock.Now())
	case taskReturned:
		t.hold(c.task.ID, open, "")
		t.dispatch.add(&c.task, t.env.clock.Now())
		t.armWake()
		if _, known := t.member(open.member); open.member != "" && !known {
			t.ctx.Send(open.pid, memberRemoved) // while it was acting
		}
	case taskMoved:
		t.onMoved(batch, open, &c.task)
	case taskEnded:
		t.hold(c.task.ID, open, "")
		open.ended = true
		t.dispatch.remove(c.task.ID)
	}
	if c.refund > 0 {
		t.refund(batch, open, c.refund)
		putOpen(batch, c.task.ID, open)
	}
	if c.event == taskEnded {
		batch.Delete(key(keyOpen, c.task.ID))
		if c.task.Unknown() { // the truth may still give them back
			batch.Put(key(keyDebits, c.task.ID), encode(open.debits))
		}
		t.endEffect(batch, &c.task)
		t.onScanEnded(batch, open, c)
	}
	t.free(c.freed, c.task.ID)
	t.countReleases(c)
	t.pause(batch, c)
	t.statusesChanged()
}

// free notes that a session no longer works on a task.
func (t *team) free(session watchpost.SessionID, task watchpost.TaskID) {
	if s := t.sessions[session]; s != nil && s.worker != nil && s.worker.task == task {
		s.worker.task = ""
	}
}
