package actors

import (
	"encoding/json"
	"errors"
	"time"

	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/watchpost"
)

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
	t.handOut()
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
	if kind == watchpost.TaskConnectionRequest && !t.mayInvite(&task) {
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

// mayInvite reports whether one more invitation may be accepted this week: it
// counts those that the account was handed since Monday and those that wait.
func (t *tasks) mayInvite(task *watchpost.Task) bool {
	now := t.env.Clock.Now()
	a, _ := watchpost.AllowanceOf(watchpost.ActionInvitation)
	used := 0
	if task.Account != "" {
		l := t.team.accounts.ledger(task.Account)
		if l.Closed(a.Action, now) {
			return false
		}
		used = l.Used(a, now)
	}
	for _, open := range t.tally.byMember[task.Member] {
		waits := open.kind == task.Type && open.counted == countedWaiting // a session that has it was debited
		if waits && (open.pinned == task.Account || open.pinned == "") {
			used++
		}
	}
	return used < a.Limit
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
