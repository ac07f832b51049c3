package actors

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/internal/notify"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// CreateTarget makes a notification target (NotFound, Conflict, Invalid); answered
// by TargetCreated. Secret is the token of a Telegram bot; Emails are those of
// members.
type CreateTarget struct {
	Target watchpost.NotificationTarget
	Secret string
}

// TargetCreated is a new target; Secret is the key of a webhook's signatures, which
// is shown only once.
type TargetCreated struct {
	TargetView
	Secret string
}

// UpdateTarget replaces a target (NotFound, Invalid); answered by TargetView. Change
// is called in the team's mailbox and changes nothing else. A target that was paused
// is resumed.
type UpdateTarget struct {
	ID     watchpost.TargetID
	Change func(watchpost.NotificationTarget) watchpost.NotificationTarget
}

// DeleteTarget removes a target with what waits for it (NotFound); answered by Done.
type DeleteTarget struct{ ID watchpost.TargetID }

// ListTargets is answered by []TargetView, oldest first.
type ListTargets struct{}

// SendNow sends a test message or, with a delivery of the log, its posts again, at
// once and past what waits (NotFound); answered by watchpost.Delivery. A success
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
}

func (CreateTarget) answeredWith(TargetCreated) {}
func (UpdateTarget) answeredWith(TargetView)    {}
func (DeleteTarget) answeredWith(Done)          {}
func (ListTargets) answeredWith([]TargetView)   {}
func (SendNow) answeredWith(watchpost.Delivery) {}

// notifications is the component of a team that owns its notification targets and
// what waits for them.
//
// A post waits from the batch that removes its arrival until the batch that follows
// a successful attempt: it is delivered at least once. A delivery is stored before
// its first attempt, so that each attempt has the same id and posts, and the next
// delivery of a target begins when it has ended: they keep their order.
type notifications struct {
	*rootActor
	team *team

	byID   map[watchpost.TargetID]*outbox
	last   int64 // number of the last post that waits
	marked bool  // the directory has the team's entry
	timer  watchpost.Timer
	wakers []*actor.PID // timers that wait for attempts under way
}

// outbox is a target, and what waits for it.
type outbox struct {
	id      watchpost.TargetID
	target  *watchpost.NotificationTarget // nil: made by a watchlist's slack_webhook_url
	state   teamspace.TargetState
	queue   []queuedPost
	log     []string // ids of the deliveries in the log, oldest first
	sending bool
}

// queuedPost is a post that waits. number orders them, and is when it came.
type queuedPost struct {
	number string
	post   watchpost.PostID
}

// notificationsDue is the timer of the component.
type notificationsDue struct{}

func newNotifications(t *team) *notifications {
	return &notifications{rootActor: &t.rootActor, team: t, byID: map[watchpost.TargetID]*outbox{}}
}

func (ns *notifications) receive(message any) bool {
	switch m := message.(type) {
	case CreateTarget:
		ns.onCreate(m)
	case UpdateTarget:
		ns.onUpdate(m)
	case DeleteTarget:
		ns.onDelete(m)
	case ListTargets:
		ns.answer(ns.views(), nil)
	case SendNow:
		ns.onSendNow(m)
	case attempted:
		ns.onAttempted(m)
	case sentNow:
		ns.onSentNow(m)
	case notificationsDue:
		ns.run()
		ns.onDue()
	default:
		return false
	}
	return true
}

// load takes up the targets, and removes what is left of deleted ones.
func (ns *notifications) load(view persistence.View) error {
	err := teamspace.LoadAll(view, ns.space, teamspace.KeyTarget, func(id string, t watchpost.NotificationTarget) {
		ns.box(watchpost.TargetID(id)).target = &t
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, ns.space, teamspace.KeyTargetState, func(id string, s teamspace.TargetState) {
		ns.box(watchpost.TargetID(id)).state = s
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, ns.space, teamspace.KeyTargetQueue, func(id string, p watchpost.PostID) {
		number := id[idLength:]
		box := ns.box(watchpost.TargetID(id[:idLength]))
		box.queue = append(box.queue, queuedPost{number, p})
		ns.last = max(ns.last, numberOf(number))
	})
	if err != nil {
		return err
	}
	err = view.Scan(ns.space, []byte(teamspace.KeyTargetLog), persistence.PrefixEnd([]byte(teamspace.KeyTargetLog)), func(k, _ []byte) bool {
		id := string(k[len(teamspace.KeyTargetLog):])
		box := ns.box(watchpost.TargetID(id[:idLength]))
		box.log = append(box.log, id[idLength:])
		return true
	})
	if err != nil {
		return err
	}
	ns.marked = ns.waiting()
	ns.clean()
	ns.run()
	return nil
}

// box returns the outbox of a target.
func (ns *notifications) box(id watchpost.TargetID) *outbox {
	if ns.byID[id] == nil {
		ns.byID[id] = &outbox{id: id}
	}
	return ns.byID[id]
}

// definition returns a target; ok is false when it was deleted.
func (ns *notifications) definition(box *outbox) (t watchpost.NotificationTarget, ok bool) {
	if box.target != nil {
		t, live := *box.target, box.target.Watchlist == "" || ns.team.watchlists.byID[box.target.Watchlist] != nil
		t.Emails = slices.DeleteFunc(slices.Clone(t.Emails), func(email string) bool { // of removed members
			_, err := ns.team.members.byEmail(email)
			return err != nil
		})
		return t, live
	}
	tracked := ns.team.watchlists.byID[watchpost.WatchlistID(box.id)]
	if tracked == nil {
		return t, false
	}
	return tracked.view.Watchlist.SlackTarget()
}

// watch adds the watchlists of the targets.
func (ns *notifications) watch(w *watchedLists) {
	for _, box := range ns.byID {
		switch {
		case box.target == nil || box.target.Disabled:
		case box.target.Watchlist == "":
			w.all = true
		default:
			w.add(box.target.Watchlist)
		}
	}
	for id, tracked := range ns.team.watchlists.byID {
		if tracked.view.Watchlist.SlackURL != "" {
			w.add(id)
		}
	}
}

// consider lets the targets of a watchlist take a post that is new to it.
func (ns *notifications) consider(batch *persistence.Batch, p *watchpost.Post, w watchpost.WatchlistID, tagging *watchpost.Tagging) {
	now := ns.env.clock.Now()
	if tracked := ns.team.watchlists.byID[w]; tracked != nil && tracked.view.Watchlist.SlackURL != "" {
		ns.box(watchpost.TargetID(w))
	}
	for _, box := range ns.byID {
		t, ok := ns.definition(box)
		if !ok || !t.Wants(p, w, tagging, now) {
			continue
		}
		if slices.ContainsFunc(box.queue, func(q queuedPost) bool { return q.post == p.ID }) {
			continue // another watchlist collected it, too
		}
		if len(box.queue) >= watchpost.MaxQueuedPosts {
			box.state.Dropped++
			ns.putState(batch, box)
			continue
		}
		ns.last = max(ns.last+1, now.UnixNano())
		q := queuedPost{fmt.Sprintf("%016x", ns.last), p.ID}
		box.queue = append(box.queue, q)
		batch.Put(waitingPostKey(box.id, q.number), teamspace.Encode(p.ID))
	}
	ns.mark(batch)
}

func waitingPostKey(id watchpost.TargetID, number string) []byte {
	return teamspace.Key(teamspace.KeyTargetQueue, string(id)+number)
}

func numberOf(s string) (n int64) {
	_, _ = fmt.Sscanf(s, "%x", &n)
	return n
}

// waiting reports whether something waits to be delivered.
func (ns *notifications) waiting() bool {
	for _, box := range ns.byID {
		t, ok := ns.definition(box)
		if ok && !t.Disabled && box.state.Paused == "" && (len(box.queue) > 0 || box.state.Current != nil) {
			return true
		}
	}
	return false
}

// mark keeps the directory's entry, by which a restart finds the team, up to date.
func (ns *notifications) mark(batch *persistence.Batch) {
	waits := ns.waiting()
	if waits == ns.marked {
		return
	}
	ns.marked = waits
	entry := persistence.DirectoryKey{Kind: teamspace.DirOutbox, Name: string(ns.team.id)}
	if waits {
		batch.Set(entry, []byte{})
	} else {
		batch.Set(entry, nil)
	}
}

// idle reports whether the team may leave memory.
func (ns *notifications) idle() bool { return !ns.waiting() }

func (ns *notifications) putState(batch *persistence.Batch, box *outbox) {
	batch.Put(teamspace.Key(teamspace.KeyTargetState, box.id), teamspace.Encode(box.state))
}

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
	if err == nil && t.Kind == watchpost.TargetTelegram && m.Secret == "" {
		err = watchpost.Errorf(watchpost.Invalid, "Invalid 'bot_token'")
	}
	if err != nil {
		ns.answer(nil, err)
		return
	}
	t.CreatedAt = ns.env.clock.Now()
	t.ID = watchpost.TargetID(watchpost.NewID(t.CreatedAt))
	created := TargetCreated{}
	switch t.Kind {
	case watchpost.TargetWebhook:
		key := make([]byte, webhookKey)
		_, _ = rand.Read(key) // it never fails
		created.Secret = notify.NewSecret(key)
		t.Sealed = ns.env.keyring.seal(created.Secret, string(t.ID))
	case watchpost.TargetTelegram:
		t.Sealed = ns.env.keyring.seal(m.Secret, string(t.ID))
	}
	box := ns.box(t.ID)
	box.target = &t
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyTarget, t.ID), teamspace.Encode(t))
	created.TargetView = ns.viewOf(box, t)
	ns.commit(batch, created)
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
		ns.answer(nil, errTarget())
		return
	}
	t, err := m.Change(*box.target).Clean(ns.env.sends.sender.Plain())
	if err == nil {
		err = ns.check(&t)
	}
	if err != nil {
		ns.answer(nil, err)
		return
	}
	box.target = &t
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyTarget, t.ID), teamspace.Encode(t))
	ns.resume(batch, box)
	ns.commit(batch, ns.viewOf(box, t))
	ns.run()
}

// resume lets a paused target deliver again.
func (ns *notifications) resume(batch *persistence.Batch, box *outbox) {
	if box.state.Paused != "" {
		box.state.Paused, box.state.FailingSince = "", time.Time{}
		ns.putState(batch, box)
		ns.mark(batch)
	}
}

func (ns *notifications) onDelete(m DeleteTarget) {
	box := ns.byID[m.ID]
	if box == nil || box.target == nil {
		ns.answer(nil, errTarget())
		return
	}
	batch := &persistence.Batch{}
	batch.Delete(teamspace.Key(teamspace.KeyTarget, m.ID))
	box.target = nil
	ns.commits.submit(batch, nil)
	ns.clean()
	ns.answer(Done{}, nil)
}

// clean removes what is stored of targets that were deleted, or whose watchlist was.
func (ns *notifications) clean() {
	st := &steps{}
	for id, box := range ns.byID {
		if _, ok := ns.definition(box); ok {
			continue
		}
		delete(ns.byID, id)
		st.room(2).Delete(teamspace.Key(teamspace.KeyTarget, id))
		st.room(1).Delete(teamspace.Key(teamspace.KeyTargetState, id))
		for _, q := range box.queue {
			st.room(1).Delete(waitingPostKey(id, q.number))
		}
		for _, delivery := range box.log {
			st.room(1).Delete(teamspace.Key(teamspace.KeyTargetLog, string(id)+delivery))
		}
	}
	if len(st.batches) > 0 {
		ns.mark(st.room(1))
		ns.submitSteps(st, nil)
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
	if at, due := ns.due(box, &t, ns.env.clock.Now()); due {
		v.NextAt = at
	}
	return v
}
