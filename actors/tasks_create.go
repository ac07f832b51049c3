package actors

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
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
	t.team.statuses.someChanged()
	t.env.metrics.tasks.WithLabelValues(string(task.Type), "created").Inc()
	t.team.handouts.arm()
	return open
}

// createRead makes a read. When a session is free for it, its hand-out is decided
// in the batch that creates it: one sync for both. One that counts for a daily limit has
// a separate batch, which is submitted before another request is counted.
func (t *tasks) createRead(task watchpost.Task) {
	now := t.env.Clock.Now()
	t.team.handouts.asked(t.team.accounts.beginDay(now))
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
		t.team.handouts.assign(open, a)
	} else {
		batch := t.team.idempotency.keep(&persistence.Batch{}, created.name)
		putNew(batch, &task)
		t.team.keys.putCounts(batch, counts)
		t.Commits.Submit(batch, created.onCommitted)
		if ok {
			t.team.handouts.hand(a)
		}
		t.team.handouts.run()
	}
	t.team.pending.show(now)
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
	open := t.find(id)
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

// cancelTask has a caller's open task cancelled by its actor, which alone decides about
// it: a hand-out is before that or not at all. One without an actor has ended, or is
// unknown.
func cancelTask(t *tasks, id watchpost.TaskID) {
	open := t.find(id)
	switch {
	case open == nil:
		t.Answer(endedTask(t, id))
		return
	case open.scan:
		t.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextTaskNotFound))
		return
	}
	if err := t.team.keys.caller().Allows(open.kind.Scope()); err != nil {
		t.Answer(nil, err)
		return
	}
	if !t.start(open) {
		t.Answer(nil, t.Broken)
		return
	}
	t.Context.RequestWithCustomSender(open.actor, failTask{cancel: true}, t.Context.Sender())
}

// endedTask returns a caller's task that was cancelled (NotFound, Conflict for another end).
func endedTask(t *tasks, id watchpost.TaskID) (TaskView, error) {
	notFound := watchpost.Errorf(watchpost.NotFound, watchpost.TextTaskNotFound)
	if !watchpost.ValidID(string(id)) {
		return TaskView{}, notFound
	}
	view, err := t.env.View()
	if err != nil {
		return TaskView{}, root.Unavailable(err)
	}
	defer view.Close()
	task, err := teamspace.Load[watchpost.Task](view, t.Space, teamspace.Key(teamspace.KeyTask, id))
	switch {
	case errors.Is(err, persistence.ErrNotFound), err == nil && task.Type.Scan():
		return TaskView{}, notFound
	case err != nil:
		return TaskView{}, root.Unavailable(err)
	}
	if err := t.team.keys.caller().Allows(task.Type.Scope()); err != nil {
		return TaskView{}, err
	}
	if _, _, err := task.Cancel(t.env.Clock.Now()); err != nil {
		return TaskView{}, err
	}
	return viewOf(&task), nil
}

// moveWrites lets the member's writes that no session was handed yet run on the
// account that the member works as now. A write that was handed out stays with
// its account.
func (t *tasks) moveWrites(member watchpost.MemberID) {
	to := t.team.members.accountOf(member)
	var moved []*openTask
	for _, open := range ordered.ByKey(t.tally.byMember[member]) {
		if open.fresh && open.pinned != "" && to != "" && open.pinned != to {
			moved = append(moved, open)
		}
	}
	t.tell(moveWrite{}, moved...)
}

// onMoved gives a write its turn, and its effect the name, of one whose account
// is not known yet.
func (t *tasks) onMoved(batch *persistence.Batch, open *openTask, task *watchpost.Task) {
	was := *task
	was.Account = open.pinned
	if after, counted := task.Effect(); counted {
		before, _ := was.Effect()
		holder, err := t.team.effects.inForce(before)
		first, err2 := t.team.effects.inForce(after)
		if err := errors.Join(err, err2); err != nil {
			t.Fail(err)
			return
		}
		if holder == task.ID {
			t.team.effects.giveUp(batch, before, task.ID)
		}
		if first == "" {
			putEffect(batch, after, task.ID)
			t.team.effects.set(after.Key(), task.ID, task.ID)
		}
	}
	open.pinned = ""
	if open.offered == "" { // else it was assigned meanwhile, and is not waiting
		t.team.dispatch.Remove(task.ID)
		t.team.dispatch.Add(task, t.env.Clock.Now())
	}
}

// createWrite makes a task that acts in a member's name, unless the same is
// done already, or this week has no room for one more invitation.
func (t *tasks) createWrite(kind watchpost.TaskType, input json.RawMessage, member watchpost.MemberID, delay time.Duration) {
	task, first, err := t.newWrite(kind, input, member, t.team.audit.asker())
	switch {
	case err != nil:
		t.Answer(nil, err)
		return
	case first != "":
		t.team.idempotency.commitOnce(nil, TaskCreated{ID: first, Expected: expectAgain(t, first)})
		return
	}
	counts, err := t.team.keys.count(&task)
	if err != nil {
		t.Answer(nil, err)
		return
	}
	if delay > 0 {
		task.NotBefore = task.CreatedAt.Add(delay)
	}
	batch, expected := &persistence.Batch{}, expect(t, &task)
	t.putWrite(batch, task)
	t.team.keys.putCounts(batch, counts)
	t.team.idempotency.commitOnce(batch, TaskCreated{ID: task.ID, Expected: expected})
	t.team.handouts.run()
}

// newWrite returns a task that acts in a member's name or, when the same is
// done already, the first task that did.
func (t *tasks) newWrite(kind watchpost.TaskType, input json.RawMessage, member watchpost.MemberID, asked watchpost.Asker) (task watchpost.Task, first watchpost.TaskID, err error) {
	if inputTooLarge(input) {
		return task, "", watchpost.Errorf(watchpost.TooLarge, textTooLarge)
	}
	task = t.newTask(kind, input, asked)
	task.Member, task.Account = member, t.team.members.accountOf(member)
	if effect, counted := task.Effect(); counted {
		first, err := t.team.effects.inForce(effect)
		if err == nil && first == "" {
			// One that was asked for before the account was known may wait yet.
			before, _ := withoutAccount(task).Effect()
			first, err = t.team.effects.inForce(before)
		}
		if err != nil {
			t.Fail(err)
			return task, "", t.Broken
		}
		if first != "" {
			return task, first, nil
		}
	}
	if err := t.checkRoom(); err != nil {
		return task, "", err
	}
	if kind == watchpost.TaskConnectionRequest && !t.team.accounts.mayInvite(&task) {
		return task, "", watchpost.Errorf(watchpost.InvitationCap, watchpost.TextInvitationCap)
	}
	return task, "", nil
}

// putWrite opens a new task of newWrite, and notes its effect.
func (t *tasks) putWrite(batch *persistence.Batch, task watchpost.Task) {
	t.create(batch, task)
	if effect, counted := task.Effect(); counted {
		putEffect(batch, effect, task.ID)
	}
}

// withoutAccount is a task as it is before its account is known.
func withoutAccount(task watchpost.Task) *watchpost.Task {
	task.Account = ""
	return &task
}

// endWrites fails the waiting writes of a removed member and reports whether
// there were any.
func (t *tasks) endWrites(member watchpost.MemberID) (some bool) {
	var ended []*openTask
	for _, open := range ordered.ByKey(t.tally.byMember[member]) {
		if !open.acting {
			ended = append(ended, open)
		}
	}
	t.tell(memberRemoved, ended...)
	return len(ended) > 0
}
