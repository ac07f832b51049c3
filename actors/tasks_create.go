package actors

import (
	"encoding/json"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"

	"github.com/asynkron/protoactor-go/actor"
)

// maxOpenTasks bounds the open tasks of a team, scans included, because all of
// them are in memory while the team is: about 600 MB at the bound. Only client
// tasks are refused at it; the plan bounds the scans.
const maxOpenTasks = 100_000

// maxInput bounds the input of a new task, so that it can be stored with its
// output and its leases too.
const maxInput = persistence.MaxValue - watchpost.MaxOutput - 64<<10

const textTooLarge = "Request body too large"

// checkRoom refuses a client's task when too many are open.
func (t *tasks) checkRoom() error {
	if len(t.open) >= maxOpenTasks {
		return watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
	}
	return nil
}

// create writes a new task to the batch and opens it. When a session is
// free for a read, its hand-out is decided in the same batch: one sync for
// both. Call the returned function, if any, when the batch is durable. A
// write waits for the next handOut: its effect is to be decided first.
func (t *tasks) create(batch *persistence.Batch, task watchpost.Task) (then func(error)) {
	now := t.env.clock.Now()
	t.debitNewDay(now)
	open := t.track(&task)
	var session *actor.PID
	if task.Type.Writes() {
		// Not yet.
	} else if a, ok := t.dispatch.next(now); ok && a.task == task.ID {
		session = t.team.sessions.byID[a.worker.session].pid
		task, _ = task.WithLease(t.reserve(a, now)) // it was made pending
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
	t.team.sessions.statusesChanged()
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

// inputTooLarge reports whether an input exceeds maxInput as it is stored: escaping
// makes six bytes of one at most.
func inputTooLarge(input json.RawMessage) bool {
	return 6*len(input) > maxInput && len(teamspace.Encode(input)) > maxInput
}

// onCreateTask makes an agent task.
func (t *tasks) onCreateTask(m CreateTask) {
	var member watchpost.Member
	if m.Type.OfMember() {
		var err error
		if member, err = t.team.members.actingFor(m.Email); err != nil {
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
		task.Member, task.Account = member.ID, t.team.members.accountOf(member.ID)
	}
	batch := &persistence.Batch{}
	handed := t.create(batch, task)
	t.team.idempotency.commitOnceAnd(batch, TaskCreated{task.ID}, handed)
}

func (t *tasks) newTask(kind watchpost.TaskType, input json.RawMessage) watchpost.Task {
	now := t.env.clock.Now()
	return watchpost.Task{
		ID: watchpost.TaskID(watchpost.NewID(now)), Type: kind, Input: watchpost.ParseTaskInput(input),
		State: watchpost.TaskPending, CreatedAt: now,
	}
}
