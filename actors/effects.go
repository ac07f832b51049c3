package actors

import (
	"errors"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// effects records actions that must not be done twice: which task does, or
// did, a like or an invitation of an actor. It holds the effects of open tasks with an
// actor; those of the others are in the store.
//
// The others ask which task is the first of an effect (duplicate, inForce) or under way
// against it (waitsFor, putBehind), and report hand-outs and ends: open, knowAccount, set,
// end, endUndone, giveUp, settled; goOn gives those that waited their turn.
type effects struct {
	*rootActor
	team *team

	entries map[string]effectEntry // by key
	keys    map[watchpost.TaskID][]string
	// behind are the tasks that had their turn and wait for the end of the one under
	// whose id they are.
	behind map[watchpost.TaskID][]*openTask
}

// effectEntry says which task an effect is in force for, "" when it was given
// up, and which task said so: the entry goes when that task's end is durable.
type effectEntry struct{ task, owner watchpost.TaskID }

func newEffects(t *team) *effects {
	return &effects{rootActor: &t.rootActor, team: t, entries: map[string]effectEntry{}, keys: map[watchpost.TaskID][]string{}, behind: map[watchpost.TaskID][]*openTask{}}
}

// open takes up the effect of a task that is not final, nil for none.
func (ef *effects) open(id watchpost.TaskID, effect *watchpost.Effect) {
	if effect != nil {
		ef.set(effect.Key(), id, id)
	}
}

// set notes on behalf of a task which task an effect is in force for.
func (ef *effects) set(key string, owner, task watchpost.TaskID) {
	ef.entries[key] = effectEntry{task, owner}
	ef.keys[owner] = append(ef.keys[owner], key)
}

// settled forgets what a task has set: the store shows it by now. What another
// task has set after it stays.
func (ef *effects) settled(id watchpost.TaskID) {
	for _, key := range ef.keys[id] {
		if ef.entries[key].owner == id {
			delete(ef.entries, key)
		}
	}
	delete(ef.keys, id)
}

// inForce returns the task that an effect is in force for; "" when there is
// none.
func (ef *effects) inForce(e watchpost.Effect) (watchpost.TaskID, error) {
	if entry, known := ef.entries[e.Key()]; known {
		return entry.task, nil
	}
	view, err := ef.env.View()
	if err != nil {
		return "", err
	}
	defer view.Close()
	record, err := teamspace.Load[teamspace.EffectRecord](view, ef.Space, teamspace.EffectKey(e))
	if errors.Is(err, persistence.ErrNotFound) {
		return "", nil
	}
	return record.Task, err
}

func putEffect(batch *persistence.Batch, e watchpost.Effect, id watchpost.TaskID) {
	batch.Put(teamspace.EffectKey(e), teamspace.Encode(teamspace.EffectRecord{Task: id}))
}

// knowAccount notes which account a write runs on, with its first hand-out at
// the latest, and names its effect after it.
func (ef *effects) knowAccount(batch *persistence.Batch, open *openTask, task *watchpost.Task) {
	after, ok := task.Effect()
	if !ok || open.pinned == task.Account {
		return
	}
	before, _ := withoutAccount(*task).Effect()
	ef.giveUp(batch, before, task.ID)
	putEffect(batch, after, task.ID)
	ef.set(after.Key(), task.ID, task.ID)
}

// duplicate returns the task that already does, or did, on an account what an
// open task would do there; "" when there is none. It can only be found out
// when the task is about to be handed out: it was asked for while the account
// was not known.
func (ef *effects) duplicate(open *openTask, account watchpost.AccountURN) (watchpost.TaskID, error) {
	if open.effect == nil || open.pinned != "" {
		return "", nil
	}
	effect := *open.effect
	effect.Account, effect.Member = account, ""
	return ef.inForce(effect)
}

// waitsFor returns the open task whose effect another open task is to undo on an
// account, and which must end first; "" when there is none. A browser that crashed in
// the middle of the first looks at the page again: it would see its effect undone, and
// repeat it.
func (ef *effects) waitsFor(open *openTask, account watchpost.AccountURN) (watchpost.TaskID, error) {
	for _, effect := range open.undoes {
		of := effect
		of.Account, of.Member = account, ""
		unnamed := effect
		unnamed.Account, unnamed.Member = "", open.member // asked for before the account was known
		for _, e := range []watchpost.Effect{of, unnamed} {
			first, err := ef.inForce(e)
			if err != nil {
				return "", err
			}
			if ef.team.tasks.find(first) != nil && open.id.Follows(first) {
				return first, nil
			}
		}
	}
	return "", nil
}

// goOn gives another turn to the tasks that waited for the end of one.
func (ef *effects) goOn(ended watchpost.TaskID) {
	waiting := ef.behind[ended]
	if len(waiting) == 0 {
		return
	}
	delete(ef.behind, ended)
	for _, open := range waiting {
		if ef.team.tasks.find(open.id) == open && !open.ended && open.holder == "" && open.offered == "" {
			ef.team.dispatch.Add(&watchpost.Task{ID: open.id, Type: open.kind, Member: open.member, Account: open.pinned, CreatedAt: open.id.CreatedAt()}, ef.env.Clock.Now())
		}
	}
	ef.team.handouts.run()
}

// endUndone gives up the effects that a task has undone. The effect of a task that is
// not final, or that was asked for later, stays in force.
func (ef *effects) endUndone(batch *persistence.Batch, task *watchpost.Task) {
	if !task.Undone() {
		return
	}
	for _, effect := range task.Undoes() {
		holder, err := ef.inForce(effect)
		if err != nil {
			ef.Fail(err)
			return
		}
		if open := ef.team.tasks.find(holder); holder != "" && task.ID.Follows(holder) && (open == nil || open.ended) {
			ef.giveUp(batch, effect, task.ID)
		}
	}
}

// giveUp ends an effect on behalf of a task.
func (ef *effects) giveUp(batch *persistence.Batch, effect watchpost.Effect, owner watchpost.TaskID) {
	batch.Delete(teamspace.EffectKey(effect))
	ef.set(effect.Key(), owner, "")
}

// duplicateOf is the failure of a task that would do what another does.
func duplicateOf(first watchpost.TaskID) failTask {
	return failTask{failure: watchpost.TaskFailure{
		Code: watchpost.FailDuplicate, Message: "the same was asked for before: task " + string(first), RetrySafe: true,
	}}
}

// end gives the effect of a task up that failed.
func (ef *effects) end(batch *persistence.Batch, task *watchpost.Task) {
	effect, ok := task.Effect()
	if !ok || task.State != watchpost.TaskFailed {
		return
	}
	holder, err := ef.inForce(effect)
	if err != nil {
		ef.Fail(err)
		return
	}
	if holder == task.ID {
		ef.giveUp(batch, effect, task.ID)
	}
}

// putBehind has a task wait for the end of another one.
func (ef *effects) putBehind(before watchpost.TaskID, open *openTask) {
	ef.behind[before] = append(ef.behind[before], open)
}
