package actors

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

// CreateTarget makes a notification target (NotFound, Conflict, Invalid); answered
// by TargetCreated. Secret is the token of a bot; Emails are those of
// members.
type CreateTarget struct {
	Target watchpost.NotificationTarget
	Secret string
}

// TargetCreated is a new target; Secret is the key of a webhook's signatures, which
// is shown only once.
type TargetCreated struct {
	TargetView
	Secret string `json:"-"`
	Sealed []byte // Secret, for a repetition of the request
}

// UpdateTarget changes a target (NotFound, Invalid); answered by TargetView. A target
// that was paused is resumed.
type UpdateTarget struct {
	ID    watchpost.TargetID
	Patch watchpost.TargetPatch
}

// DeleteTarget removes a target with what waits for it (NotFound); answered by Done.
type DeleteTarget struct{ ID watchpost.TargetID }

// ListTargets is answered by []TargetView, oldest first.
type ListTargets struct{}

// SendNow sends a test message or, with a delivery of the log, its posts again, at
// once and past what waits (NotFound, Conflict); answered by watchpost.Delivery. A success
// resumes a target that was paused.
type SendNow struct {
	ID       watchpost.TargetID
	Delivery string
}

// TargetView is a target and how it stands.
type TargetView struct {
	Target watchpost.NotificationTarget // without its secret
	// OfWatchlist reports that slack_webhook_url of a watchlist makes it.
	OfWatchlist  bool
	Paused       string // why; empty: it is not
	FailingSince time.Time
	DeliveredAt  time.Time
	Waiting      int // posts
	Dropped      int
	NextAt       time.Time // of the next attempt; zero: none is due
	Current      *watchpost.Delivery
	Failed       *watchpost.Delivery // a test or repetition that nothing succeeded since
}

// Failing reports whether messages to the target fail; one that a member has paused
// is not asked to work.
func (v *TargetView) Failing() bool {
	return !v.Target.Disabled && (v.Paused != "" || v.Failed != nil || v.Current != nil && v.Current.Error != "")
}

func (CreateTarget) AnsweredWith(TargetCreated) {}
func (UpdateTarget) AnsweredWith(TargetView)    {}
func (DeleteTarget) AnsweredWith(root.Done)     {}
func (ListTargets) AnsweredWith([]TargetView)   {}
func (SendNow) AnsweredWith(watchpost.Delivery) {}

// webhookKey is the length of the key of a webhook's signatures in bytes.
const webhookKey = 24

func (ns *notifications) onCreate(m CreateTarget) {
	t, err := m.Target.Clean(ns.env.sends.sender.Plain())
	if err == nil {
		err = ns.check(&t)
	}
	configured := 0
	for _, box := range ns.byID {
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
		ns.Answer(nil, err)
		return
	}
	t.CreatedAt = ns.env.Clock.Now()
	t.ID = watchpost.TargetID(watchpost.NewID(t.CreatedAt))
	created := TargetCreated{}
	switch {
	case watchpost.NotificationKindOf(t.Kind).Signs:
		key := make([]byte, webhookKey)
		_, _ = rand.Read(key) // it never fails
		created.Secret = notify.NewSecret(key)
		t.Sealed = ns.env.Keyring.Seal(created.Secret, string(t.ID))
		created.Sealed = t.Sealed
	case m.Secret != "" && t.Kind.Needs(watchpost.TargetToken):
		t.Sealed = ns.env.Keyring.Seal(m.Secret, string(t.ID))
	}
	box := ns.box(t.ID)
	box.target = &t
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyTarget, t.ID), teamspace.Encode(t))
	ns.audit(batch, watchpost.AuditTargetMade, &t)
	created.TargetView = ns.viewOf(box, t)
	ns.team.idempotency.commitOnce(batch, created)
}

func (ns *notifications) audit(batch *persistence.Batch, kind watchpost.AuditKind, t *watchpost.NotificationTarget) {
	ns.team.audit.note(batch, kind, "", t.Name+", "+string(t.Kind))
}

// check checks what only the team knows.
func (ns *notifications) check(t *watchpost.NotificationTarget) error {
	if t.Watchlist != "" && ns.team.watchlists.byID[t.Watchlist] == nil {
		return watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	for _, email := range t.Emails {
		if _, err := ns.team.members.byEmail(email); err != nil {
			return err
		}
	}
	return nil
}

func errTarget() error {
	return watchpost.Errorf(watchpost.NotFound, watchpost.TextTargetNotFound)
}

func (ns *notifications) onUpdate(m UpdateTarget) {
	box := ns.byID[m.ID]
	if box == nil || box.target == nil {
		ns.Answer(nil, errTarget())
		return
	}
	t, err := m.Patch.Apply(*box.target).Clean(ns.env.sends.sender.Plain())
	if err == nil {
		err = ns.check(&t)
	}
	if err != nil {
		ns.Answer(nil, err)
		return
	}
	if token := m.Patch.Token; token != nil && *token != "" && t.Kind.Needs(watchpost.TargetToken) {
		t.Sealed = ns.env.Keyring.Seal(*token, string(t.ID))
	}
	box.target = &t
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyTarget, t.ID), teamspace.Encode(t))
	ns.audit(batch, watchpost.AuditTargetChanged, &t)
	ns.resume(batch, box)
	ns.mark(batch)
	ns.Commit(batch, ns.viewOf(box, t))
	ns.run()
}

// resume lets a paused target deliver again.
func (ns *notifications) resume(batch *persistence.Batch, box *outbox) {
	if box.state.Paused != "" {
		box.state.Paused, box.state.FailingSince = "", time.Time{}
		if box.state.Failed != nil {
			box.state.FailingSince = box.state.Failed.At
		}
		ns.putState(batch, box)
		ns.mark(batch)
	}
}

// hookChanges reports whether a change of a watchlist changes its slack_webhook_url. That
// resumes the target that it makes, as a change of another target does.
func (ns *notifications) hookChanges(batch *persistence.Batch, next *watchpost.Watchlist) bool {
	old := &ns.team.watchlists.byID[next.ID].view.Watchlist
	if old.SlackURL == next.SlackURL {
		return false
	}
	ns.auditHook(batch, old, next.SlackURL)
	if box := ns.byID[watchpost.TargetID(next.ID)]; box != nil {
		ns.resume(batch, box)
	}
	return true
}

// auditHook notes that the target which a watchlist makes by its slack_webhook_url is
// made, changed or deleted.
func (ns *notifications) auditHook(batch *persistence.Batch, w *watchpost.Watchlist, next string) {
	kind := watchpost.AuditTargetChanged
	switch {
	case w.SlackURL == next:
		return
	case w.SlackURL == "":
		kind = watchpost.AuditTargetMade
	case next == "":
		kind = watchpost.AuditTargetDeleted
	}
	ns.audit(batch, kind, &watchpost.NotificationTarget{Name: w.Name, Kind: watchpost.TargetSlack})
}

// sentNow remembers whether a test or repetition failed.
func (box *outbox) sentNow(d *watchpost.Delivery) {
	current := box.state.Current
	switch {
	case d.State != watchpost.DeliveryDelivered:
		box.state.Failed = d
		if box.state.FailingSince.IsZero() {
			box.state.FailingSince = d.At
		}
	case current == nil || current.Error == "":
		box.state.Failed, box.state.FailingSince = nil, time.Time{}
	default: // the current delivery has not succeeded
		box.state.Failed = nil
	}
}

func (ns *notifications) onDelete(m DeleteTarget) {
	box := ns.byID[m.ID]
	if box == nil || box.target == nil {
		ns.Answer(nil, errTarget())
		return
	}
	batch := &persistence.Batch{}
	ns.remove(batch, box)
	ns.Commits.Submit(batch, nil)
	ns.clean()
	ns.Answer(root.Done{}, nil)
}

// remove deletes a target. Its other records go with clean, which is to follow.
func (ns *notifications) remove(batch *persistence.Batch, box *outbox) {
	batch.Delete(teamspace.Key(teamspace.KeyTarget, box.id))
	ns.audit(batch, watchpost.AuditTargetDeleted, box.target)
	box.target = nil
}

// onWatchlistDeleted deletes the targets of a watchlist in the decision that deletes it,
// so that the audit has both or neither; clean is to follow.
func (ns *notifications) onWatchlistDeleted(batch *persistence.Batch, w *watchpost.Watchlist) {
	ns.auditHook(batch, w, "")
	for _, box := range ordered.ByKey(ns.byID) {
		if box.target != nil && box.target.Watchlist == w.ID {
			ns.remove(batch, box)
		}
	}
}

// clean removes the records of targets that were deleted, or whose watchlist or hook
// was.
func (ns *notifications) clean() {
	st := &root.Steps{}
	for id, box := range ordered.ByKey(ns.byID) {
		if _, ok := ns.definition(box); ok {
			continue
		}
		delete(ns.byID, id)
		batch := st.Room(1 + auditOps)
		batch.Delete(teamspace.Key(teamspace.KeyTarget, id))
		if box.target != nil { // an earlier build deleted its watchlist, and stopped
			ns.audit(batch, watchpost.AuditTargetDeleted, box.target)
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
		ns.mark(st.Room(1))
		ns.SubmitSteps(st, nil)
	}
}

// views returns the targets, oldest first.
func (ns *notifications) views() []TargetView {
	views := []TargetView{}
	for id, tracked := range ns.team.watchlists.byID {
		if tracked.view.Watchlist.SlackURL != "" {
			ns.box(watchpost.TargetID(id))
		}
	}
	for _, box := range ns.byID {
		if t, ok := ns.definition(box); ok {
			views = append(views, ns.viewOf(box, t))
		}
	}
	slices.SortFunc(views, func(a, b TargetView) int { return watchpost.CompareTargets(a.Target, b.Target) })
	return views
}

func (ns *notifications) viewOf(box *outbox, t watchpost.NotificationTarget) TargetView {
	v := TargetView{
		Target: t, OfWatchlist: box.target == nil, Paused: box.state.Paused, FailingSince: box.state.FailingSince, DeliveredAt: box.state.DeliveredAt,
		Waiting: len(box.queue), Dropped: box.state.Dropped,
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
	if at, due := ns.due(box, &t, ns.env.Clock.Now()); due {
		v.NextAt = at
	}
	return v
}

// reseal seals the secrets of the targets again with the first master key.
func (ns *notifications) reseal(st *root.Steps) error {
	for id, box := range ordered.ByKey(ns.byID) {
		if box.target == nil {
			continue
		}
		sealed, changed, err := ns.env.Keyring.Reseal(box.target.Sealed, string(id))
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
