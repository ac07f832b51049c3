package actors

import (
	"encoding/json"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"

	"github.com/asynkron/protoactor-go/actor"
)

// maxOpenTasks bounds the open tasks of a team, scans included, because the team
// knows all of them while it is in memory: by 0.9 KB each, by 3.1 KB and their input
// with an actor. Only client tasks are refused at it; the plan bounds the scans.
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

// create writes a new task to the batch and opens it. It waits for the next
// handOut.
func (t *tasks) create(batch *persistence.Batch, task watchpost.Task) {
	putNew(batch, &task)
	t.begin(&task)
}

// begin opens a new task.
func (t *tasks) begin(task *watchpost.Task) *openTask {
	open := t.track(task)
	open.actor = t.Spawn(newTask(t.env, *task, t.Context.Self()))
	t.team.sessions.statusesChanged()
	t.env.metrics.tasks.WithLabelValues(string(task.Type), "created").Inc()
	t.armWake()
	return open
}

// createRead makes a read. When a session is free for it, its hand-out is decided
// in the batch that creates it: one sync for both. One that counts for a daily limit has
// a separate batch, which is submitted before another request is counted.
func (t *tasks) createRead(task watchpost.Task) {
	now := t.env.Clock.Now()
	t.beginDay(now)
	counts, err := t.team.keys.count(&task)
	if err != nil {
		t.Answer(nil, err)
		return
	}
	created := &creation{}
	created.name, created.onCommitted = t.team.idempotency.promise(TaskCreated{ID: task.ID, Expected: expect(t, &task)})
	open := t.begin(&task)
	if a, ok := t.team.dispatch.Next(now); ok && a.Task == task.ID && counts == nil {
		open.created = created
		t.assign(open, a)
	} else {
		batch := t.team.idempotency.keep(&persistence.Batch{}, created.name)
		putNew(batch, &task)
		t.team.keys.putCounts(batch, counts)
		t.Commits.Submit(batch, created.onCommitted)
		if ok {
			t.handTo(a)
		}
		t.handOut()
	}
	t.showPending(now)
}

// expect says when a task will be done that is about to be made, or that waits.
func expect(t *tasks, task *watchpost.Task) Expected {
	now, k := t.env.Clock.Now(), dispatch.Key{Kind: task.LeasedType(), Member: task.Member, Account: task.Account}
	if task.NotBefore.After(now) {
		return Expected{watchpost.PendingQueued, task.NotBefore}
	}
	if t.team.dispatch.Free(k.Member, k.Account, k.Kind, now) {
		return Expected{} // whatever waits could not be handed to that session
	}
	reason, notBefore := t.team.dispatch.Why(k, now)
	return Expected{reason, notBefore}
}

// expectAgain says when a task will be done that was asked for before.
func expectAgain(t *tasks, id watchpost.TaskID) Expected {
	open := t.open[id]
	if open == nil || open.ended || open.holder != "" {
		return Expected{}
	}
	reason, notBefore := t.team.dispatch.Why(open.queue(), t.env.Clock.Now())
	return Expected{reason, notBefore}
}

// creation is the part of a new task that is still to be submitted, when a session was
// asked to do it at once.
type creation struct {
	name        string // under which its reply is kept
	onCommitted func(error)
}

// addCreation makes the first decision of a task create it, too.
func (t *tasks) addCreation(d *decided, open *openTask) {
	if c := d.task; c.event != taskLeased && !c.task.State.Final() { // nothing of it is in the batch, or not all
		putNew(d.batch, &c.task) // no attempt, no debit
	}
	d.batch = t.team.idempotency.keep(d.batch, open.created.name)
	d.onCommitted = root.Both(open.created.onCommitted, d.onCommitted)
	open.created = nil
}

// sendTask returns what hands a leased task to its session's actor.
func sendTask(env *environment, session *actor.PID, task *watchpost.Task) func(error) {
	frame := frameOf(task)
	frame.Restored = env.mayRepeat(task.Type)
	return func(err error) {
		if err == nil {
			env.System.Root.Send(session, deliver{task.Lease.Session, frame})
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
			t.Answer(nil, err)
			return
		}
	}
	if m.Type.Writes() {
		t.createWrite(m.Type, m.Input, member.ID, 0)
		return
	}
	if inputTooLarge(m.Input) {
		t.Answer(nil, watchpost.Errorf(watchpost.TooLarge, textTooLarge))
		return
	}
	if m.MaxAge != nil {
		fetched, known, err := fetchedSince(t, &m)
		if err != nil {
			t.Answer(nil, root.Unavailable(err))
			return
		}
		if known {
			t.team.idempotency.commitOnce(nil, fetched)
			return
		}
	}
	if err := t.checkRoom(); err != nil {
		t.Answer(nil, err)
		return
	}
	task := t.newTask(m.Type, m.Input, t.team.audit.asker())
	if member.ID != "" {
		task.Member, task.Account = member.ID, t.team.members.accountOf(member.ID)
	}
	t.createRead(task)
}

func (t *tasks) newTask(kind watchpost.TaskType, input json.RawMessage, asked watchpost.Asker) watchpost.Task {
	now := t.env.Clock.Now()
	return watchpost.Task{
		ID: watchpost.TaskID(watchpost.NewID(now)), Type: kind, Input: watchpost.ParseTaskInput(input),
		State: watchpost.TaskPending, CreatedAt: now, Asked: asked, Trace: t.team.trace,
	}
}
