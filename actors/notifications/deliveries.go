package notifications

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/root"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// deliveryLog bounds the deliveries in the log of a target.
const deliveryLog = 100

// attempted tells the team what became of an attempt of a stored delivery.
type attempted struct {
	target   watchpost.TargetID
	delivery string
	result   watchpost.Attempt
}

// sentNow tells the team what became of a test or replay.
type sentNow struct {
	target   watchpost.TargetID
	delivery watchpost.Delivery
	result   watchpost.Attempt
	to       *actor.PID
}

// Run begins the attempts that are due, and asks the clock for the next moment.
func (ts *Targets) Run() {
	if len(ts.byID) == 0 || ts.Broken != nil {
		return
	}
	now, next := ts.Env.Clock.Now(), time.Time{}
	for _, box := range ordered.ByKey(ts.byID) {
		t, ok := ts.definition(box)
		if !ok {
			continue
		}
		at, due := attemptDue(ts.host, box, &t, now)
		switch {
		case !due:
		case at.After(now):
			if next.IsZero() || at.Before(next) {
				next = at
			}
		default:
			ts.begin(box, t, now)
		}
	}
	ts.StopTimer()
	if !next.IsZero() {
		ts.timer = ts.Env.TellAt(next, ts.Context.Self(), timerDue{})
	}
}

// attemptDue returns when the next attempt of a target may be made. None is made while its
// deletion waits: a message could not be taken back with it. An undo calls Run.
func attemptDue(host Host, box *outbox, t *watchpost.NotificationTarget, now time.Time) (at time.Time, ok bool) {
	if !host.DeletedAt(box.id).IsZero() {
		return at, false
	}
	return box.due(t, now)
}

// StopTimer ends the component's timer; Run sets it again.
func (ts *Targets) StopTimer() {
	if ts.timer != nil {
		ts.timer.Stop()
		ts.timer = nil
	}
}

// begin makes an attempt of the current delivery, or of the next one once it is
// durable. Without a post that waits it lets the alert judge.
func (ts *Targets) begin(box *outbox, t watchpost.NotificationTarget, now time.Time) {
	batch := &persistence.Batch{}
	if box.state.Current == nil && len(box.queue) == 0 {
		ts.judge(box, t, now)
		return
	}
	if box.state.Current == nil {
		first := box.queue[:min(len(box.queue), watchpost.PostsPerDelivery)]
		d := &watchpost.Delivery{ID: watchpost.NewID(now), Kind: "posts", State: watchpost.DeliveryPending, At: now, Through: first[len(first)-1].number}
		for _, q := range first {
			d.Posts = append(d.Posts, q.post)
		}
		box.state.Current = d
		box.count(now)
		ts.putState(batch, box)
	}
	box.sending = true
	d := *box.state.Current
	root, self := ts.Env.System.Root, ts.Context.Self()
	ts.dispatch(batch, t, d, func(result watchpost.Attempt) { root.Send(self, attempted{box.id, d.ID, result}) })
}

// takeSend counts a test or repetition: by its target, whose rate it takes from, and by
// the team, which may make targets again (Conflict).
func (ts *Targets) takeSend(batch *persistence.Batch, box *outbox, perHour int) error {
	now := ts.Env.Clock.Now()
	asked := ts.asked.At(now)
	if box.state.Hour.Equal(asked.Hour) && box.state.InHour >= perHour || asked.Times >= watchpost.MaxSendsNow {
		return watchpost.Errorf(watchpost.Conflict, watchpost.TextSendsNow)
	}
	asked.Times++
	ts.asked = asked
	batch.Put([]byte(teamspace.KeyTargetSends), teamspace.Encode(asked))
	box.count(now)
	ts.putState(batch, box)
	return nil
}

// dispatch makes an attempt when a batch is durable, and hands on what became of it.
func (ts *Targets) dispatch(batch *persistence.Batch, t watchpost.NotificationTarget, d watchpost.Delivery, then func(watchpost.Attempt)) {
	secret, err := "", error(nil)
	if len(t.Sealed) > 0 {
		secret, err = ts.Env.Keyring.Open(t.Sealed, string(t.ID))
	}
	var to []outgoing.Recipient
	for _, email := range t.Emails {
		if m, err := ts.host.Member(email); err == nil && !m.NeverSignedIn {
			to = append(to, outgoing.Recipient{Address: email, Language: m.Language})
		}
	}
	sends, team, now := ts.sends, watchpost.TeamID(ts.Name), ts.Env.Clock.Now()
	ts.Commits.Submit(batch, func(lost error) {
		if lost != nil {
			return // the tree reloads
		}
		if err != nil {
			then(watchpost.Attempt{Error: "the secret cannot be read"})
			return
		}
		sends.queue(hostOf(&t), func() { then(sends.deliver(team, &t, to, secret, &d, now)) })
	})
}

// onAttempted decides what becomes of the delivery.
func (ts *Targets) onAttempted(m attempted) {
	box := ts.byID[m.target]
	if box == nil || box.state.Current == nil || box.state.Current.ID != m.delivery {
		ts.onDue()
		return // deleted meanwhile
	}
	box.sending = false
	now := ts.Env.Clock.Now()
	next, givenUp := box.state.Current.After(m.result, now)
	batch := &persistence.Batch{}
	box.state.Current = &next
	switch {
	case next.State == watchpost.DeliveryDelivered:
		box.state.FailingSince, box.state.DeliveredAt, box.state.Failed = time.Time{}, now, nil
	case box.state.FailingSince.IsZero():
		box.state.FailingSince = next.At
	}
	if next.State != watchpost.DeliveryPending {
		box.state.Current = nil
		for len(box.queue) > 0 && box.queue[0].number <= next.Through {
			batch.Delete(waitingPostKey(box.id, box.queue[0].number))
			box.queue = box.queue[1:]
		}
	}
	if givenUp {
		box.state.Paused = next.Error
	}
	ts.putState(batch, box)
	ts.putLog(batch, box, &next)
	ts.Mark(batch)
	ts.Commits.Submit(batch, nil)
	ts.Run()
	ts.onDue()
}

// onDue answers the timers that wait when no attempt is under way any more.
func (ts *Targets) onDue() {
	if ts.Context.Sender() != nil {
		ts.wakers = append(ts.wakers, ts.Context.Sender())
	}
	for _, box := range ts.byID {
		if box.sending {
			return
		}
	}
	for _, waker := range ts.wakers {
		ts.Commits.Submit(nil, ts.Env.ReplyTo(waker, root.Done{}))
	}
	ts.wakers = nil
}

// putLog stores a delivery in the log of its target, and removes the oldest.
func (ts *Targets) putLog(batch *persistence.Batch, box *outbox, d *watchpost.Delivery) {
	if !slices.Contains(box.log, d.ID) {
		box.log = append(box.log, d.ID)
	}
	if len(box.log) > deliveryLog {
		batch.Delete(teamspace.Key(teamspace.KeyTargetLog, string(box.id)+box.log[0]))
		box.log = box.log[1:]
	}
	batch.Put(teamspace.Key(teamspace.KeyTargetLog, string(box.id)+d.ID), teamspace.Encode(*d))
}

// onSendNow sends a test or a delivery of the log.
func (ts *Targets) onSendNow(m SendNow) {
	now := ts.Env.Clock.Now()
	d := watchpost.Delivery{ID: watchpost.NewID(now), Kind: "test", State: watchpost.DeliveryPending, At: now}
	if ts.hooked(watchpost.WatchlistID(m.ID)) {
		ts.box(m.ID)
	}
	box := ts.byID[m.ID]
	if box == nil {
		ts.Answer(nil, errTarget())
		return
	}
	t, ok := ts.definition(box)
	if !ok {
		ts.Answer(nil, errTarget())
		return
	}
	if m.Delivery != "" {
		old, err := ts.logged(m)
		if err != nil {
			ts.Answer(nil, err)
			return
		}
		d.Kind, d.Posts, d.Alert = "replay", old.Posts, old.Alert
	}
	batch := &persistence.Batch{}
	if err := ts.takeSend(batch, box, t.PerHour); err != nil {
		ts.Answer(nil, err)
		return
	}
	root, self, to := ts.Env.System.Root, ts.Context.Self(), ts.Context.Sender()
	ts.dispatch(batch, t, d, func(result watchpost.Attempt) { root.Send(self, sentNow{m.ID, d, result, to}) })
}

// logged returns a delivery of the log (NotFound).
func (ts *Targets) logged(m SendNow) (d watchpost.Delivery, err error) {
	view, err := ts.Env.View()
	if err != nil {
		return d, root.Unavailable(err)
	}
	defer view.Close()
	if len(m.Delivery) > 2*teamspace.IDLength {
		return d, watchpost.Errorf(watchpost.NotFound, "Delivery not found")
	}
	d, err = teamspace.Load[watchpost.Delivery](view, ts.Space, teamspace.Key(teamspace.KeyTargetLog, string(m.ID)+m.Delivery))
	if errors.Is(err, persistence.ErrNotFound) {
		err = watchpost.Errorf(watchpost.NotFound, "Delivery not found")
	}
	return d, root.Unavailable(err)
}

func (ts *Targets) onSentNow(m sentNow) {
	next, _ := m.delivery.After(m.result, ts.Env.Clock.Now())
	batch := &persistence.Batch{}
	if box := ts.byID[m.target]; box != nil {
		ts.putLog(batch, box, &next)
		box.sentNow(&next)
		if next.State == watchpost.DeliveryDelivered {
			ts.resume(batch, box)
		}
		ts.putState(batch, box)
	}
	ts.Commits.Submit(batch, ts.Env.ReplyTo(m.to, next))
	ts.Run()
}

// Logged is a delivery of the log of a target.
type Logged struct {
	Target watchpost.TargetID
	watchpost.Delivery
}

// Log returns the log of a target in a team's space, newest first; without an id, the
// newest deliveries of all targets.
func Log(view persistence.View, space persistence.Space, id watchpost.TargetID) ([]Logged, error) {
	log := []Logged{}
	if id != "" && len(id) != teamspace.IDLength {
		return log, nil
	}
	err := teamspace.LoadAll(view, space, teamspace.KeyTargetLog+string(id), func(rest string, d watchpost.Delivery) {
		log = append(log, Logged{watchpost.TargetID((string(id) + rest)[:teamspace.IDLength]), d})
	})
	slices.SortFunc(log, func(a, b Logged) int { return cmp.Compare(b.ID, a.ID) })
	return log[:min(len(log), deliveryLog)], err
}
