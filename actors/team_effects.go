package actors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"watchpost"
	"watchpost/persistence"
)

// effects is the ledger of what must not be done twice: which task does, or
// did, a like or an invitation of an actor. It holds the effects of open tasks;
// those of final ones are in the store.
type effects struct {
	entries map[string]effectEntry // by key
	keys    map[watchpost.TaskID][]string
}

// effectEntry says which task an effect is in force for, "" when it was given
// up, and which task said so: the entry goes when that task's end is durable.
type effectEntry struct{ task, owner watchpost.TaskID }

// effectRecord is the stored form of an effect in force.
type effectRecord struct {
	Task watchpost.TaskID `json:"task"`
}

func newEffects() *effects {
	return &effects{entries: map[string]effectEntry{}, keys: map[watchpost.TaskID][]string{}}
}

// open takes up the effect of a task that is not final.
func (e *effects) open(t *watchpost.Task) {
	if effect, ok := t.Effect(); ok {
		e.set(effect.Key(), t.ID, t.ID)
	}
}

// set notes on behalf of a task which task an effect is in force for.
func (e *effects) set(key string, owner, task watchpost.TaskID) {
	e.entries[key] = effectEntry{task, owner}
	e.keys[owner] = append(e.keys[owner], key)
}

// settled forgets what a task has set: the store shows it by now. What another
// task has set after it stays.
func (e *effects) settled(id watchpost.TaskID) {
	for _, key := range e.keys[id] {
		if e.entries[key].owner == id {
			delete(e.entries, key)
		}
	}
	delete(e.keys, id)
}

// effectKey names an effect in the store; its own key may be longer than the
// store's keys are.
func effectKey(e watchpost.Effect) []byte {
	hash := sha256.Sum256([]byte(e.Key()))
	return key(keyEffect, hex.EncodeToString(hash[:]))
}

// inForce returns the task that an effect is in force for; "" when there is
// none.
func (t *team) inForce(e watchpost.Effect) (watchpost.TaskID, error) {
	if entry, known := t.effects.entries[e.Key()]; known {
		return entry.task, nil
	}
	view, err := t.env.store.View(context.Background())
	if err != nil {
		return "", err
	}
	defer view.Close()
	record, err := load[effectRecord](view, t.space, effectKey(e))
	if errors.Is(err, persistence.ErrNotFound) {
		return "", nil
	}
	return record.Task, err
}

func putEffect(batch *persistence.Batch, e watchpost.Effect, id watchpost.TaskID) {
	batch.Put(effectKey(e), encode(effectRecord{id}))
}

// createWrite makes a task that acts in a member's name, unless the same is
// done already, or this week has no room for one more invitation.
func (t *team) createWrite(kind watchpost.TaskType, input json.RawMessage, member watchpost.MemberID) {
	if inputTooLarge(input) {
		t.answer(nil, watchpost.Errorf(watchpost.TooLarge, textTooLarge))
		return
	}
	task := t.newTask(kind, input)
	task.Member, task.Account = member, t.accountOf(member)
	effect, counted := task.Effect()
	if counted {
		first, err := t.inForce(effect)
		if err == nil && first == "" {
			// One that was asked for before the account was known may wait yet.
			before, _ := withoutAccount(task).Effect()
			first, err = t.inForce(before)
		}
		if err != nil {
			t.fail(err)
			t.answer(nil, t.broken)
			return
		}
		if first != "" {
			t.commit(nil, TaskCreated{first})
			return
		}
	}
	if err := t.checkRoom(); err != nil {
		t.answer(nil, err)
		return
	}
	if kind == watchpost.TaskConnectionRequest && !t.mayInvite(&task) {
		t.answer(nil, watchpost.Errorf(watchpost.InvitationCap, watchpost.TextInvitationCap))
		return
	}
	batch := &persistence.Batch{}
	t.createTask(batch, task)
	if counted {
		putEffect(batch, effect, task.ID)
	}
	t.commit(batch, TaskCreated{task.ID})
	t.handOut()
}

// withoutAccount is a task as it is before its account is known.
func withoutAccount(task watchpost.Task) *watchpost.Task {
	task.Account = ""
	return &task
}

// mayInvite reports whether one more invitation may be accepted this week: it
// counts those that the account was handed since Monday and those that wait.
func (t *team) mayInvite(task *watchpost.Task) bool {
	now := t.env.clock.Now()
	t.debitNewDay(now)
	a, _ := watchpost.AllowanceOf(watchpost.ActionInvitation)
	used := 0
	if task.Account != "" {
		if t.ledger.closed(task.Account, a.Action, now) {
			return false
		}
		used = t.ledger.used(task.Account, a, now)
	}
	for _, open := range t.tasks {
		offered := open.reserved.Action != watchpost.ActionNone // and not debited yet
		waits := open.kind == task.Type && !open.ended && (open.holder == "" || offered)
		if waits && open.member == task.Member && (open.pinned == task.Account || open.pinned == "") {
			used++
		}
	}
	return used < a.Limit
}

// knowAccount notes which account a write runs on, with its first hand-out at
// the latest, and names its effect after it.
func (t *team) knowAccount(batch *persistence.Batch, open *openTask, task *watchpost.Task) {
	after, ok := task.Effect()
	if !ok || open.pinned == task.Account {
		return
	}
	before, _ := withoutAccount(*task).Effect()
	batch.Delete(effectKey(before))
	t.effects.set(before.Key(), task.ID, "")
	putEffect(batch, after, task.ID)
	t.effects.set(after.Key(), task.ID, task.ID)
}

// duplicate returns the task that already does, or did, on an account what an
// open task would do there; "" when there is none. It can only be found out
// when the task is about to be handed out: it was asked for while the account
// was not known.
func (t *team) duplicate(open *openTask, account watchpost.AccountURN) (watchpost.TaskID, error) {
	if open.effect == nil || open.pinned != "" {
		return "", nil
	}
	effect := *open.effect
	effect.Account, effect.Member = account, ""
	return t.inForce(effect)
}

// duplicateOf is the failure of a task that would do what another does.
func duplicateOf(first watchpost.TaskID) failTask {
	return failTask{watchpost.TaskFailure{
		Code: watchpost.FailDuplicate, Message: "the same was asked for before: task " + string(first), RetrySafe: true,
	}}
}

// endEffect gives the effect of a task up that failed.
func (t *team) endEffect(batch *persistence.Batch, task *watchpost.Task) {
	effect, ok := task.Effect()
	if !ok || task.State != watchpost.TaskFailed {
		return
	}
	holder, err := t.inForce(effect)
	if err != nil {
		t.fail(err)
		return
	}
	if holder == task.ID {
		batch.Delete(effectKey(effect))
		t.effects.set(effect.Key(), task.ID, "")
	}
}

// rememberAccount stores which account a session works with when that changes,
// so that it is known while the session is away.
func (t *team) rememberAccount(batch *persistence.Batch, s *sessionState, urn watchpost.AccountURN, ours bool, now time.Time) {
	r := s.record
	switch {
	case ours && (r.Account != urn || r.Slug != s.account.Slug):
		r.Account, r.Slug, r.AccountAt = urn, s.account.Slug, now
	case !ours && r.Account == urn:
		r.Account, r.Slug, r.AccountAt = "", "", now
	default:
		return
	}
	s.record = r
	batch.Put(key(keySession, r.ID), encode(r))
}
