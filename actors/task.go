package actors

import (
	"encoding/json"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// task is the actor of one open task.
//
// Owner and lifetime: the team spawns it when the task is created or loaded, or when
// something happens to one that waits (tasks.start), and stops it when its end is
// durable. It owns the task's record, its lease, what
// its hand-outs have cost, and its times of expiry. Its decisions go to the team
// as decided.
type task struct {
	env  *environment
	team *actor.PID

	ctx       actor.Context
	state     watchpost.Task
	debits    paidDebits
	decisions uint64     // their number so far
	session   *actor.PID // the session actor of the newest lease
	// leaseUntil is when the lease is over unless renewed. It need not be stored:
	// after a restart the lease has its whole time again.
	leaseUntil time.Time
	timer      watchpost.Timer
	timerAt    time.Time
	span       leaseSpan
	// newest is the publication time of the newest post of this scan so far.
	newest time.Time
}

// offer asks a pending task to be leased to a session; decided as taskLeased
// or taskDeclined. Without a lease, the session actor declines.
type offer struct {
	session *actor.PID // the session actor
	lease   watchpost.Lease
	debit   watchpost.Debit
	until   time.Time          // the lease lasts at least until then
	kind    watchpost.TaskType // of the slice that the lease is for
}

// describe asks for the task as callers see it; answered by TaskView. The team
// has filled in why it would wait.
type describe struct {
	reason    watchpost.PendingReason
	notBefore time.Time
}

// fromSession carries a frame of a session about this task.
type fromSession struct {
	id   watchpost.SessionID
	link *actor.PID // its connection
	// journal is the one with which the session said hello.
	journal string
	signs   int // of the session's life before this frame
	frame   protocol.Frame
}

// reattach tells that the session which holds the lease is connected again.
// listed is what its hello said of the task; nil when it said nothing.
type reattach struct {
	link    *actor.PID
	journal string // the one of its hello
	listed  *protocol.JournalTask
}

// renew prolongs the lease.
type renew struct {
	lease string
	until time.Time
}

// taskTimer is the task's own timer: the lease or the task may be over.
type taskTimer struct{}

// dropTask ends a scan that no entry wants any more.
type dropTask struct{}

// failDropped is the code of a scan that was dropped; no caller sees it.
const failDropped = "dropped"

func newTask(env *environment, state watchpost.Task, team *actor.PID) *task {
	return &task{env: env, team: team, state: state}
}

// Receive implements actor.Actor.
func (t *task) Receive(c actor.Context) {
	t.ctx = c
	switch m := c.Message().(type) {
	case *actor.Started:
		if !t.endRestored() {
			t.onStarted()
		}
	case *actor.Stopping:
		if t.timer != nil {
			t.timer.Stop()
		}
	case *actor.Stopped, *actor.Restarting:
	case offer:
		t.onOffer(m)
	case describe:
		t.onDescribe(m)
	case fromSession:
		t.onFrame(m)
	case reattach:
		t.onReattach(m)
	case renew:
		if t.state.Holds(m.lease) || m.lease == "" {
			t.renewUntil(m.until)
		}
	case ingested:
		t.onIngested(m)
	case flagsUpdated:
		t.onFlagsUpdated(m)
	case taskTimer:
		t.onTimer()
	case dropTask:
		t.onDrop()
	case joinScan:
		t.onJoin(m)
	case leaveScan:
		t.onLeave(m)
	case failTask:
		t.onFail(m)
	case moveWrite:
		t.onMove()
	case carryOver:
		t.onCarryOver(m)
	default:
		t.env.Log.Error("unknown message", "actor", "task", "message", root.TypeName(m))
	}
}

// onStarted decides what became due while the team was not in memory, before
// anybody asks, and gives a lease its whole time again.
func (t *task) onStarted() {
	now := t.env.Clock.Now()
	if next, ok := t.state.Expire(now); ok {
		t.decide(next, taskChange{event: taskEnded, by: t.holder()}, nil)
		return
	}
	if whole := now.Add(protocol.LeaseTime); t.state.Lease != nil && whole.After(t.leaseUntil) {
		t.leaseUntil = whole
	}
	t.arm()
}

// onOffer leases the task; the frame leaves when the lease is durable.
func (t *task) onOffer(m offer) {
	next, ok := t.state.WithLease(m.lease)
	if !ok || m.lease.ID == "" || next.LeasedType() != m.kind { // a late answer changed the next slice
		t.submit(decided{}, taskChange{event: taskDeclined, lease: m.lease.ID})
		return
	}
	t.session = m.session
	t.leaseUntil = t.env.Clock.Now().Add(protocol.LeaseTime)
	if m.until.After(t.leaseUntil) {
		t.leaseUntil = m.until
	}
	c := taskChange{event: taskLeased, debited: t.debits.pay(m.debit, next.Attempts)}
	t.span.begin(t.env.tracer, &next, t.env.Clock.Now())
	t.decide(next, c, sendTask(t.env, m.session, &next))
	t.env.metrics.tasks.WithLabelValues(string(next.Type), "handed").Inc()
}

// frameOf is the frame that hands the task out.
func frameOf(t *watchpost.Task) protocol.Frame {
	deadline := t.Lease.Deadline
	return protocol.Frame{
		Type: protocol.TypeTask, Task: string(t.ID), Lease: t.Lease.ID, Attempt: t.Lease.Attempt,
		TaskType: string(t.LeasedType()), Input: t.LeasedInput(), Deadline: &deadline, Trace: t.Lease.Trace,
	}
}

func (t *task) onDescribe(m describe) {
	t.answer(t.env.ReplyTo(t.ctx.Sender(), waitingView(&t.state, m.reason, m.notBefore, t.env.Clock.Now())))
}

// waitingView shows an open task; reason and notBefore are why the team lets such
// tasks wait.
func waitingView(t *watchpost.Task, reason watchpost.PendingReason, notBefore, now time.Time) TaskView {
	view := viewOf(t)
	switch {
	case t.State == watchpost.TaskPending:
		view.Reason, view.NotBefore = reason, notBefore
		if !t.PausedSince.IsZero() && reason == watchpost.PendingQueued {
			view.Reason = watchpost.PendingPaused
		}
		if until := t.NotBefore; until.After(now) {
			if view.Reason == watchpost.PendingQueued {
				view.NotBefore = until
				if t.Retries > 0 { // else it was asked for with a delay
					view.Reason = watchpost.PendingRetry
				}
			} else if !view.NotBefore.IsZero() && until.After(view.NotBefore) {
				view.NotBefore = until
			}
		}
	case !t.State.Final():
		view.Reason = watchpost.PendingRunning
	}
	return view
}

// viewOf shows a task without the reasons of its waiting.
func viewOf(t *watchpost.Task) TaskView {
	v := TaskView{
		ID: t.ID, Type: t.Type, State: t.State, Input: t.Input.JSON(), Output: t.Output,
		CreatedAt: t.CreatedAt, CompletedAt: t.EndedAt,
	}
	if t.Failure != nil {
		v.Output, _ = json.Marshal(t.Failure) // two strings and a bool
		v.Output = withResolution(v.Output, t.Resolved)
	}
	return v
}

// onReattach continues with a session that was away. A task that it does not know
// is sent again under the same lease, which belongs to its present journal from
// then on; a write in acting is its journal's to answer for.
func (t *task) onReattach(m reattach) {
	if t.state.Lease == nil {
		return
	}
	t.renewUntil(t.env.Clock.Now().Add(protocol.LeaseTime))
	next, moved := t.state.SetJournal(m.journal)
	var send func(error)
	if known := m.listed != nil && m.listed.Lease == t.state.Lease.ID; !known && t.state.State == watchpost.TaskLeased {
		send = sendTask(t.env, m.link, &next)
	}
	switch {
	case moved:
		t.decide(next, taskChange{event: taskStays}, send)
	case send != nil:
		t.answer(send)
	}
}

// renewUntil prolongs the lease; it is never shortened, and not prolonged for
// ever.
func (t *task) renewUntil(until time.Time) {
	if t.state.Renewable(t.env.Clock.Now()) && until.After(t.leaseUntil) {
		t.leaseUntil = until
	}
	t.arm()
}

// arm asks the clock for the next moment at which time alone changes the task.
// A timer that is early enough is left alone: it arms itself again.
func (t *task) arm() {
	at, ends := t.state.Expires()
	if t.state.State == watchpost.TaskLeased && (!ends || t.leaseUntil.Before(at)) {
		at, ends = t.leaseUntil, true
	}
	if t.timer != nil {
		if ends && !t.timerAt.After(at) {
			return
		}
		t.timer.Stop()
		t.timer = nil
	}
	if ends {
		t.timerAt = at
		t.timer = t.env.TellAt(at, t.ctx.Self(), taskTimer{})
	}
}

func (t *task) onTimer() {
	t.timer = nil
	now := t.env.Clock.Now()
	sender := t.ctx.Sender()
	answer := t.env.ReplyTo(sender, root.Done{})
	if next, ok := t.state.Expire(now); ok {
		by := t.holder()
		t.decide(next, taskChange{event: taskEnded, by: by}, answer)
		return
	}
	if t.state.State == watchpost.TaskLeased && !now.Before(t.leaseUntil) {
		by := t.holder()
		overdue := !t.state.Renewable(now) // its session may still believe in it
		if next, ok := t.state.LoseLease(now); ok {
			event := returnedOrEnded(&next)
			if !overdue {
				t.decide(next, taskChange{event: event, by: by}, answer)
			} else {
				t.decide(next, taskChange{event: event, by: by}, t.alsoCancel(answer))
			}
			return
		}
	}
	t.arm()
	t.answer(answer)
}

func (t *task) holder() watchpost.SessionID {
	if t.state.Lease == nil {
		return ""
	}
	return t.state.Lease.Session
}

// onDrop ends a waiting scan at once; one that runs is cancelled, and what its
// session still sends finds no task any more.
func (t *task) onDrop() {
	by := t.holder()
	next, ok := t.state.Fail(watchpost.TaskFailure{Code: failDropped}, t.env.Clock.Now())
	if !ok {
		return
	}
	t.decide(next, taskChange{event: taskEnded, by: by}, t.alsoCancel(nil))
}

// onJoin lets a waiting scan serve more entries. The team asks for it only
// before it has offered the scan to a session.
func (t *task) onJoin(m joinScan) {
	if next, ok := joined(&t.state, &m.other); ok {
		t.decide(next, taskChange{event: taskStays}, nil)
	}
}

// onLeave goes on without an entry; what the scan finds for the others stands.
func (t *task) onLeave(m leaveScan) {
	if next, ok := t.state.Leave(m.scan); ok && !t.state.State.Final() {
		t.decide(next, taskChange{event: taskStays}, nil)
	}
}

// onFail ends the task unless it acts: only its journal knows how that ends.
func (t *task) onFail(m failTask) {
	if m.cancel {
		cancelAsked(t)
		return
	}
	by := t.holder()
	next, ok := t.state.Fail(m.failure, t.env.Clock.Now())
	if !ok || t.state.State == watchpost.TaskActing {
		return
	}
	t.decide(next, taskChange{event: taskEnded, by: by}, t.alsoCancel(nil))
}

// cancelAsked ends the task as its caller wants, and answers when that is durable. A hand-out
// or an acting that was decided before counts; one that comes later finds a final task.
func cancelAsked(t *task) {
	by, asked := t.holder(), t.ctx.Sender()
	next, refund, err := t.state.Cancel(t.env.Clock.Now())
	if err != nil {
		t.answer(t.env.ReplyTo(asked, err))
		return
	}
	answer := t.env.ReplyTo(asked, viewOf(&next))
	if t.state.State.Final() { // cancelled before
		t.answer(answer)
		return
	}
	t.decide(next, taskChange{event: taskEnded, by: by, refund: refund}, t.alsoCancel(answer))
}
