package notifications

import (
	"crypto/rand"
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/notify"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// webhookKey is the length of the key of a webhook's signatures in bytes.
const webhookKey = 24

func (ts *Targets) onCreate(m Create) {
	t, err := m.Target.Clean(ts.sends.sender.Plain())
	if err == nil {
		err = ts.check(&t)
	}
	configured := 0
	for _, box := range ts.byID {
		if box.target != nil {
			configured++
		}
	}
	if err == nil && configured >= watchpost.MaxNotificationTargets {
		err = watchpost.Errorf(watchpost.Conflict, "At most %d notification targets", watchpost.MaxNotificationTargets)
	}
	if err == nil && t.Kind.Needs(watchpost.TargetToken) && m.Secret == "" {
		err = watchpost.Errorf(watchpost.Invalid, "Invalid 'bot_token'")
	}
	if err != nil {
		ts.Answer(nil, err)
		return
	}
	t.CreatedAt = ts.Env.Clock.Now()
	t.ID = watchpost.TargetID(watchpost.NewID(t.CreatedAt))
	created := Created{}
	switch {
	case watchpost.NotificationKindOf(t.Kind).Signs:
		key := make([]byte, webhookKey)
		_, _ = rand.Read(key) // it never fails
		created.Secret = notify.NewSecret(key)
		t.Sealed = ts.Env.Keyring.Seal(created.Secret, string(t.ID))
		created.Sealed = t.Sealed
	case m.Secret != "" && t.Kind.Needs(watchpost.TargetToken):
		t.Sealed = ts.Env.Keyring.Seal(m.Secret, string(t.ID))
	}
	box := ts.box(t.ID)
	box.target = &t
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyTarget, t.ID), teamspace.Encode(t))
	if t.Alert.Of != "" {
		box.restartAlert(t.CreatedAt)
		ts.putState(batch, box)
	}
	ts.audit(batch, watchpost.AuditTargetMade, &t)
	created.View = ts.viewOf(box, t)
	ts.host.CommitOnce(batch, created)
}

func (ts *Targets) audit(batch *persistence.Batch, kind watchpost.AuditKind, t *watchpost.NotificationTarget) {
	ts.host.Audit(batch, kind, t.Name+", "+string(t.Kind))
}

// check checks what only the team knows.
func (ts *Targets) check(t *watchpost.NotificationTarget) error {
	if t.Watchlist != "" && ts.host.Watchlist(t.Watchlist) == nil {
		return watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	for _, email := range t.Emails {
		if _, err := ts.host.Member(email); err != nil {
			return err
		}
	}
	return nil
}

func errTarget() error {
	return watchpost.Errorf(watchpost.NotFound, watchpost.TextTargetNotFound)
}

func (ts *Targets) onUpdate(m Update) {
	box := ts.byID[m.ID]
	if !ts.Has(m.ID) {
		ts.Answer(nil, errTarget())
		return
	}
	t, err := m.Patch.Apply(*box.target).Clean(ts.sends.sender.Plain())
	if err == nil {
		err = ts.check(&t)
	}
	if err != nil {
		ts.Answer(nil, err)
		return
	}
	if token := m.Patch.Token; token != nil && *token != "" && t.Kind.Needs(watchpost.TargetToken) {
		t.Sealed = ts.Env.Keyring.Seal(*token, string(t.ID))
	}
	batch := &persistence.Batch{}
	if t.Alert != box.target.Alert {
		box.restartAlert(ts.Env.Clock.Now())
		ts.putState(batch, box)
	}
	box.target = &t
	batch.Put(teamspace.Key(teamspace.KeyTarget, t.ID), teamspace.Encode(t))
	ts.audit(batch, watchpost.AuditTargetChanged, &t)
	ts.resume(batch, box)
	ts.Mark(batch)
	ts.Commit(batch, ts.viewOf(box, t))
	ts.Run()
}

// resume lets a paused target deliver again.
func (ts *Targets) resume(batch *persistence.Batch, box *outbox) {
	if box.state.Paused != "" {
		box.state.Paused, box.state.FailingSince = "", time.Time{}
		if box.state.Failed != nil {
			box.state.FailingSince = box.state.Failed.At
		}
		ts.putState(batch, box)
		ts.Mark(batch)
	}
}

// OnWatchlistCreated notes in the batch that creates a watchlist that it makes a target by
// its slack_webhook_url.
func (ts *Targets) OnWatchlistCreated(batch *persistence.Batch, w *watchpost.Watchlist) {
	ts.auditHook(batch, &watchpost.Watchlist{Name: w.Name}, w.SlackURL)
}

// OnWatchlistChanged reports whether a change of a watchlist changes its slack_webhook_url:
// then Clean and Run are to follow. That resumes the target that it makes, as a change of
// another target does.
func (ts *Targets) OnWatchlistChanged(batch *persistence.Batch, old, next *watchpost.Watchlist) bool {
	if old.SlackURL == next.SlackURL {
		return false
	}
	ts.auditHook(batch, old, next.SlackURL)
	if box := ts.byID[watchpost.TargetID(next.ID)]; box != nil {
		ts.resume(batch, box)
	}
	return true
}

// auditHook notes that the target which a watchlist makes by its slack_webhook_url is
// made, changed or deleted.
func (ts *Targets) auditHook(batch *persistence.Batch, w *watchpost.Watchlist, next string) {
	kind := watchpost.AuditTargetChanged
	switch {
	case w.SlackURL == next:
		return
	case w.SlackURL == "":
		kind = watchpost.AuditTargetMade
	case next == "":
		kind = watchpost.AuditTargetDeleted
	}
	ts.audit(batch, kind, &watchpost.NotificationTarget{Name: w.Name, Kind: watchpost.TargetSlack})
}

// Has reports whether the team has a target that no watchlist makes.
func (ts *Targets) Has(id watchpost.TargetID) bool {
	box := ts.byID[id]
	return box != nil && box.target != nil
}

// Delete deletes a target that Has reports (NotFound), with what waits for it.
func (ts *Targets) Delete(id watchpost.TargetID) error {
	if !ts.Has(id) {
		return errTarget()
	}
	batch := &persistence.Batch{}
	ts.remove(batch, ts.byID[id])
	ts.Commits.Submit(batch, nil)
	ts.Clean()
	return nil
}

// remove deletes a target. Its other records go with Clean, which is to follow.
func (ts *Targets) remove(batch *persistence.Batch, box *outbox) {
	batch.Delete(teamspace.Key(teamspace.KeyTarget, box.id))
	ts.audit(batch, watchpost.AuditTargetDeleted, box.target)
	box.target = nil
	ts.host.Deleted(batch, box.id)
}

// OnWatchlistDeleted deletes the targets of a watchlist in the decision that deletes it,
// so that the audit has both or neither; Clean is to follow.
func (ts *Targets) OnWatchlistDeleted(batch *persistence.Batch, w *watchpost.Watchlist) {
	ts.auditHook(batch, w, "")
	for _, box := range ordered.ByKey(ts.byID) {
		if box.target != nil && box.target.Watchlist == w.ID {
			ts.remove(batch, box)
		}
	}
}

// Clean removes the records of targets that were deleted, or whose watchlist or hook
// was.
func (ts *Targets) Clean() {
	st := &root.Steps{}
	for id, box := range ordered.ByKey(ts.byID) {
		if _, ok := ts.definition(box); ok {
			continue
		}
		delete(ts.byID, id)
		batch := st.Room(1 + ts.auditOps)
		batch.Delete(teamspace.Key(teamspace.KeyTarget, id))
		if box.target != nil { // an earlier build deleted its watchlist, and stopped
			ts.audit(batch, watchpost.AuditTargetDeleted, box.target)
		}
		st.Room(1).Delete(teamspace.Key(teamspace.KeyTargetState, id))
		for _, q := range box.queue {
			st.Room(1).Delete(waitingPostKey(id, q.number))
		}
		for _, delivery := range box.log {
			st.Room(1).Delete(teamspace.Key(teamspace.KeyTargetLog, string(id)+delivery))
		}
	}
	if len(st.Batches) > 0 {
		ts.Mark(st.Room(1))
		ts.SubmitSteps(st, nil)
	}
}

// Views returns the targets, oldest first.
func (ts *Targets) Views() []View {
	views := []View{}
	for w := range ts.host.Watchlists() {
		if w.SlackURL != "" {
			ts.box(watchpost.TargetID(w.ID))
		}
	}
	for _, box := range ts.byID {
		if t, ok := ts.definition(box); ok {
			views = append(views, ts.viewOf(box, t))
		}
	}
	slices.SortFunc(views, func(a, b View) int { return watchpost.CompareTargets(a.Target, b.Target) })
	return views
}

func (ts *Targets) viewOf(box *outbox, t watchpost.NotificationTarget) View {
	v := View{
		Target: t, OfWatchlist: box.target == nil, Paused: box.state.Paused, FailingSince: box.state.FailingSince, DeliveredAt: box.state.DeliveredAt,
		Waiting: len(box.queue), Dropped: box.state.Dropped, DeletedAt: ts.host.DeletedAt(box.id),
	}
	v.Target.Sealed = nil
	if box.state.Current != nil {
		current := *box.state.Current
		v.Current = &current
	}
	if box.state.Failed != nil {
		failed := *box.state.Failed
		v.Failed = &failed
	}
	if at, due := attemptDue(ts.host, box, &t, ts.Env.Clock.Now()); due {
		v.NextAt = at
	}
	return v
}

// Reseal seals the secrets of the targets again with the first master key.
func (ts *Targets) Reseal(st *root.Steps) error {
	for id, box := range ordered.ByKey(ts.byID) {
		if box.target == nil {
			continue
		}
		sealed, changed, err := ts.Env.Keyring.Reseal(box.target.Sealed, string(id))
		if err != nil {
			return err
		}
		if !changed {
			continue
		}
		target := *box.target
		target.Sealed = sealed
		box.target = &target
		st.Room(1).Put(teamspace.Key(teamspace.KeyTarget, id), teamspace.Encode(target))
	}
	return nil
}
