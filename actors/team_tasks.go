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
	kind watchpost.TaskType
	scan bool
	due  time.Time // of a scan

	watchlist watchpost.WatchlistID
	entry     watchpost.EntryID
	member    watchpost.MemberID   // in whose name a write acts; "" for reads
	pinned    watchpost.AccountURN // the account of a write, once known
	units     int                  // of its allowance that it still needs
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
	scan    *scanRecord          // of a completed scan: how far its entry has come
}

type taskEvent uint8

const (
	taskLeased taskEvent = iota
	taskDeclined
	taskReturned
	taskActs // or nothing that concerns the team
	taskEnded
)

// taskClosed tells the team that a final task is durable; its actor may go.
type taskClosed struct{ id watchpost.TaskID }

// taskStatus asks for an open task; answered by TaskView, or by atRest when it
// is not open.
type taskStatus struct{ id watchpost.TaskID }

// atRest says that a task is not open: the store knows it, or nobody.
type atRest struct{}

// receiveTask handles what concerns tasks.
func (t *team) receiveTask(message any) bool {
	switch m := message.(type) {
	case CreateTask:
		t.onCreateTask(m)
	case Engage:
		t.onEngage(m)
	case MarkPost:
		t.onMarkPost(m)
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
	var ids []string
	err := view.Scan(t.space, []byte(keyOpen), persistence.PrefixEnd([]byte(keyOpen)), func(k, _ []byte) bool {
		ids = append(ids, string(k[len(keyOpen):]))
		return true
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		task, err := load[watchpost.Task](view, t.space, key(keyTask, id))
		if err != nil {
			return err
		}
		open := t.openTask(task)
		if debits, err := load[[]watchpost.Debit](view, t.space, key(keyDebits, id)); err == nil {
			open.debits = debits
		}
	}
	return nil
}

// openTask gives a task its actor and, when it waits, its place in the queue.
func (t *team) openTask(task watchpost.Task) *openTask {
	open := &openTask{kind: task.Type, scan: task.Type.Scan(), due: task.Due,
		watchlist: task.Watchlist, entry: task.Entry, member: task.Member, pinned: task.Account, units: task.Units()}
	if task.Lease != nil {
		open.holder, open.account = task.Lease.Session, task.Lease.Account
		open.acting = task.State == watchpost.TaskActing
	}
	open.pid = t.spawn(newTask(t.env, task, t.ctx.Self()))
	t.tasks[task.ID] = open
	t.effects.open(&task)
	if task.State == watchpost.TaskPending {
		t.dispatch.add(&task)
	}
	return open
}

// createTask writes a new task to the batch and opens it.
func (t *team) createTask(batch *persistence.Batch, task watchpost.Task) {
	putTask(batch, &task)
	batch.Put(key(keyOpen, task.ID), nil)
	t.openTask(task)
	t.env.metrics.tasks.WithLabelValues(string(task.Type), "created").Inc()
	t.armWake()
}

func putTask(batch *persistence.Batch, task *watchpost.Task) {
	batch.Put(key(keyTask, task.ID), encode(task))
}

// onCreateTask makes a read, or a write in the name of the oldest admin.
func (t *team) onCreateTask(m CreateTask) {
	if m.Type.Writes() {
		acting, ok := watchpost.ActingMember(t.members)
		if !ok {
			t.answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextNoAdmin))
			return
		}
		t.createWrite(m.Type, m.Input, acting.ID)
		return
	}
	task := t.newTask(m.Type, m.Input)
	batch := &persistence.Batch{}
	t.createTask(batch, task)
	t.commit(batch, TaskCreated{task.ID})
	t.handOut()
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
	open := t.tasks[m.id]
	if open == nil {
		return
	}
	// Not Stop: what was sent to the task before is still answered.
	t.ctx.Poison(open.pid)
	delete(t.tasks, m.id)
	t.effects.settled(m.id)
	for _, late := range open.late {
		t.onLateResult(late)
	}
}

func (t *team) onTaskStatus(m taskStatus) {
	open := t.tasks[m.id]
	if open == nil || open.scan {
		t.answer(atRest{}, nil)
		return
	}
	reason, notBefore := t.dispatch.why(queueKey{open.kind, open.member, open.pinned}, t.env.clock.Now())
	t.ctx.RequestWithCustomSender(open.pid, describe{reason: reason, notBefore: notBefore}, t.ctx.Sender())
}

// handOut offers waiting tasks to free sessions until nothing fits.
func (t *team) handOut() {
	now := t.env.clock.Now()
	t.debitNewDay(now)
	for {
		a, ok := t.dispatch.next(now)
		if !ok {
			return
		}
		open, s := t.tasks[a.task], t.sessions[a.worker.session]
		units := max(1, min(open.units, t.dispatch.room(a.worker, a.kind, now)))
		open.reserved = t.ledger.reserve(a.worker.account, a.kind.Action(), units, now)
		open.account = a.worker.account
		t.ctx.Send(open.pid, offer{session: s.pid, until: t.renewed, lease: watchpost.Lease{
			ID: watchpost.NewSecret(8), Session: a.worker.session, Account: a.worker.account,
			Journal: s.journal, Deadline: watchpost.Deadline(now), Units: units,
		}})
	}
}

// onTaskChange adds to a task's decision what is the team's of it.
func (t *team) onTaskChange(batch *persistence.Batch, c *taskChange) {
	open := t.tasks[c.task.ID]
	if open == nil {
		return
	}
	open.acting, open.units = c.task.State == watchpost.TaskActing, c.task.Units()
	switch c.event {
	case taskLeased:
		t.knowAccount(batch, open, &c.task)
		open.holder, open.pinned = c.task.Lease.Session, c.task.Account
		t.debit(batch, c.task.ID, open, c.task.Attempts)
	case taskDeclined:
		t.ledger.release(open.reserved)
		open.reserved = watchpost.Debit{}
	case taskReturned:
		open.holder = ""
		t.dispatch.add(&c.task)
		t.armWake()
	case taskEnded:
		open.holder, open.ended = "", true
		t.dispatch.remove(c.task.ID)
	}
	if c.refund > 0 {
		t.refund(batch, c.task.ID, open, c.refund)
	}
	if c.event == taskEnded {
		if !c.task.Unknown() { // else the truth may still give them back
			batch.Delete(key(keyDebits, c.task.ID))
		}
		t.endEffect(batch, &c.task)
		t.onScanEnded(batch, open, c)
	}
	if s := t.sessions[c.freed]; s != nil && s.worker != nil && s.worker.task == c.task.ID {
		s.worker.task = ""
	}
	t.pause(batch, c)
}

// debit turns the reserved unit of an offer into a used one.
func (t *team) debit(batch *persistence.Batch, id watchpost.TaskID, open *openTask, attempt int) {
	d := open.reserved
	t.ledger.release(d)
	open.reserved = watchpost.Debit{}
	if d.Action == watchpost.ActionNone {
		return
	}
	d.Attempt = attempt
	t.ledger.debit(batch, d)
	open.debits = append(open.debits, d)
	batch.Put(key(keyDebits, id), encode(open.debits))
}

// refund gives the debits of an attempt back, to the days that were debited.
func (t *team) refund(batch *persistence.Batch, id watchpost.TaskID, open *openTask, attempt int) {
	var kept []watchpost.Debit
	for _, d := range open.debits {
		if d.Attempt == attempt {
			t.ledger.refund(batch, d)
		} else {
			kept = append(kept, d)
		}
	}
	open.debits = kept
	batch.Put(key(keyDebits, id), encode(open.debits))
}

// debitNewDay debits what is still out when a period begins to that period
// too, before anything is handed out in it.
func (t *team) debitNewDay(now time.Time) {
	day := watchpost.Daily.Key(now)
	if day == t.day {
		return
	}
	t.day = day
	t.ledger.forget(now)
	batch := &persistence.Batch{}
	for id, open := range t.tasks {
		a, counted := watchpost.AllowanceOf(open.kind.Action())
		if !counted || open.holder == "" || len(open.debits) == 0 {
			continue
		}
		last := open.debits[len(open.debits)-1]
		if period := a.Period.Key(now); last.Period < period {
			last.Period = period
			t.ledger.debit(batch, last)
			open.debits = append(open.debits, last)
			batch.Put(key(keyDebits, id), encode(open.debits))
		}
	}
	t.journal.submit(batch, nil)
}

// pause stops hand-outs as a verdict says.
func (t *team) pause(batch *persistence.Batch, c *taskChange) {
	now := t.env.clock.Now()
	v := c.verdict
	if v.PauseAccount {
		for _, w := range t.dispatch.workers {
			if w.account == c.account {
				w.stopped = true
			}
		}
	}
	if v.PauseType {
		t.dispatch.paused[pauseKey{c.account, c.task.Type}] = now.Add(watchpost.LayoutProbe)
		t.armWake()
	}
	if v.CloseAction {
		t.ledger.close(batch, c.account, c.task.Type.Action(), now)
	}
}
