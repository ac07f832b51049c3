package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/root"
	"watchpost/internal/notify"
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

// due returns when the next attempt of a target may be made; ok is false when
// nothing is to be delivered, or an attempt is under way.
func (ns *notifications) due(box *outbox, t *watchpost.NotificationTarget, now time.Time) (at time.Time, ok bool) {
	switch current := box.state.Current; {
	case box.sending, box.state.Paused != "", t.Disabled, current == nil && len(box.queue) == 0:
		return at, false
	case current != nil:
		at = current.NotBefore
	default:
		at = time.Unix(0, numberOf(box.queue[0].number)).UTC().Add(t.Batch)
		if hour := now.Truncate(time.Hour); box.state.Hour.Equal(hour) && box.state.InHour >= t.PerHour && at.Before(hour.Add(time.Hour)) {
			at = hour.Add(time.Hour)
		}
	}
	if at.Before(now) {
		at = now
	}
	return t.Opens(at), true
}

// run begins the attempts that are due, and asks the clock for the next moment.
func (ns *notifications) run() {
	if len(ns.byID) == 0 || ns.Broken != nil {
		return
	}
	now, next := ns.env.Clock.Now(), time.Time{}
	for _, box := range ordered.ByKey(ns.byID) {
		t, ok := ns.definition(box)
		if !ok {
			continue
		}
		at, due := ns.due(box, &t, now)
		switch {
		case !due:
		case at.After(now):
			if next.IsZero() || at.Before(next) {
				next = at
			}
		default:
			ns.begin(box, t, now)
		}
	}
	ns.stopTimer()
	if !next.IsZero() {
		ns.timer = ns.env.TellAt(next, ns.Context.Self(), notificationsDue{})
	}
}

func (ns *notifications) stopTimer() {
	if ns.timer != nil {
		ns.timer.Stop()
		ns.timer = nil
	}
}

// begin makes an attempt of the current delivery, or of the next one once it is
// durable.
func (ns *notifications) begin(box *outbox, t watchpost.NotificationTarget, now time.Time) {
	batch := &persistence.Batch{}
	if box.state.Current == nil {
		first := box.queue[:min(len(box.queue), watchpost.PostsPerDelivery)]
		d := &watchpost.Delivery{ID: watchpost.NewID(now), Kind: "posts", State: watchpost.DeliveryPending, At: now, Through: first[len(first)-1].number}
		for _, q := range first {
			d.Posts = append(d.Posts, q.post)
		}
		box.state.Current = d
		box.count(now)
		ns.putState(batch, box)
	}
	box.sending = true
	d := *box.state.Current
	root, self := ns.env.System.Root, ns.Context.Self()
	ns.dispatch(batch, t, d, func(result watchpost.Attempt) { root.Send(self, attempted{box.id, d.ID, result}) })
}

// count counts a delivery of this hour.
func (box *outbox) count(now time.Time) {
	in := watchpost.HourlyCount{Hour: box.state.Hour, Times: box.state.InHour}.At(now)
	box.state.Hour, box.state.InHour = in.Hour, in.Times+1
}

// takeSend counts a test or repetition: by its target, whose rate it takes from, and by
// the team, which may make targets again (Conflict).
func (ns *notifications) takeSend(batch *persistence.Batch, box *outbox, perHour int) error {
	now := ns.env.Clock.Now()
	sends := ns.sends.At(now)
	if box.state.Hour.Equal(sends.Hour) && box.state.InHour >= perHour || sends.Times >= watchpost.MaxSendsNow {
		return watchpost.Errorf(watchpost.Conflict, watchpost.TextSendsNow)
	}
	sends.Times++
	ns.sends = sends
	batch.Put([]byte(teamspace.KeyTargetSends), teamspace.Encode(sends))
	box.count(now)
	ns.putState(batch, box)
	return nil
}

// dispatch makes an attempt when a batch is durable, and hands on what became of it.
func (ns *notifications) dispatch(batch *persistence.Batch, t watchpost.NotificationTarget, d watchpost.Delivery, then func(watchpost.Attempt)) {
	env, team := ns.env, ns.team.id
	secret, err := "", error(nil)
	if len(t.Sealed) > 0 {
		secret, err = env.Keyring.Open(t.Sealed, string(t.ID))
	}
	if t.Kind.Needs(watchpost.TargetUsers) {
		t.Emails = ns.team.members.mailable(t.Emails)
	}
	now := env.Clock.Now()
	ns.Commits.Submit(batch, func(lost error) {
		if lost != nil {
			return // the tree reloads
		}
		if err != nil {
			then(watchpost.Attempt{Error: "the secret cannot be read"})
			return
		}
		env.sends.queue(hostOf(&t), func() { then(env.deliver(team, &t, secret, &d, now)) })
	})
}

// deliver makes an attempt of a delivery. A panic fails it, as one of an actor would.
func (env *environment) deliver(team watchpost.TeamID, t *watchpost.NotificationTarget, secret string, d *watchpost.Delivery, now time.Time) (result watchpost.Attempt) {
	defer func() {
		if reason := recover(); reason != nil {
			env.metrics.CountPanic()
			env.Log.Error("delivery failed", "team", team, "target", t.ID, "reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
			result = watchpost.Attempt{Error: "the message cannot be made"}
		}
	}()
	m := notify.Message{ID: d.ID, At: now, Test: d.Kind == "test"}
	var err error
	if m.Posts, err = env.postsOf(team, t.Watchlist, d.Posts); err != nil {
		return watchpost.Attempt{Error: "the posts cannot be read"}
	}
	if len(m.Posts) == 0 && !m.Test {
		return watchpost.Attempt{} // all were deleted meanwhile
	}
	return env.sends.attempt(t, secret, m)
}

// postsOf reads posts, each as GET /api-posts shows it to a caller who asks for the posts
// of a watchlist (none: all). Those that are not in any watchlist are left out.
func (env *environment) postsOf(team watchpost.TeamID, of watchpost.WatchlistID, ids []watchpost.PostID) ([]notify.Post, error) {
	view, err := env.View()
	if err != nil {
		return nil, err
	}
	defer view.Close()
	tagging, err := env.watchlists.Of(view, team)
	if err != nil {
		return nil, err
	}
	asked := tagging.Live
	if of != "" {
		asked = map[watchpost.WatchlistID]bool{of: true}
	}
	found, err := env.posts.StoredPosts(view, persistence.Space(team), ids)
	if err != nil {
		return nil, err
	}
	var posts []notify.Post
	for _, stored := range found {
		if !stored.Collected(tagging.Live) {
			continue
		}
		p, err := stored.Post()
		if err != nil {
			return nil, err
		}
		posts = append(posts, notify.Post{Post: p, Object: stored.Append(nil, asked, tagging)})
	}
	return posts, nil
}

// onAttempted decides what becomes of the delivery.
func (ns *notifications) onAttempted(m attempted) {
	box := ns.byID[m.target]
	if box == nil || box.state.Current == nil || box.state.Current.ID != m.delivery {
		ns.onDue()
		return // deleted meanwhile
	}
	box.sending = false
	now := ns.env.Clock.Now()
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
	ns.putState(batch, box)
	ns.putLog(batch, box, &next)
	ns.mark(batch)
	ns.Commits.Submit(batch, nil)
	ns.run()
	ns.onDue()
}

// onDue answers the timers that wait when no attempt is under way any more.
func (ns *notifications) onDue() {
	if ns.Context.Sender() != nil {
		ns.wakers = append(ns.wakers, ns.Context.Sender())
	}
	for _, box := range ns.byID {
		if box.sending {
			return
		}
	}
	for _, waker := range ns.wakers {
		ns.Commits.Submit(nil, ns.env.ReplyTo(waker, root.Done{}))
	}
	ns.wakers = nil
}

// putLog stores a delivery in the log of its target, and removes the oldest.
func (ns *notifications) putLog(batch *persistence.Batch, box *outbox, d *watchpost.Delivery) {
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
func (ns *notifications) onSendNow(m SendNow) {
	now := ns.env.Clock.Now()
	d := watchpost.Delivery{ID: watchpost.NewID(now), Kind: "test", State: watchpost.DeliveryPending, At: now}
	box := ns.byID[m.ID]
	if tracked := ns.team.watchlists.byID[watchpost.WatchlistID(m.ID)]; box == nil && tracked != nil && tracked.view.Watchlist.SlackURL != "" {
		box = ns.box(m.ID)
	}
	if box == nil {
		ns.Answer(nil, errTarget())
		return
	}
	t, ok := ns.definition(box)
	if !ok {
		ns.Answer(nil, errTarget())
		return
	}
	if m.Delivery != "" {
		old, err := ns.logged(m)
		if err != nil {
			ns.Answer(nil, err)
			return
		}
		d.Kind, d.Posts = "replay", old.Posts
	}
	batch := &persistence.Batch{}
	if err := ns.takeSend(batch, box, t.PerHour); err != nil {
		ns.Answer(nil, err)
		return
	}
	root, self, to := ns.env.System.Root, ns.Context.Self(), ns.Context.Sender()
	ns.dispatch(batch, t, d, func(result watchpost.Attempt) { root.Send(self, sentNow{m.ID, d, result, to}) })
}

// logged returns a delivery of the log (NotFound).
func (ns *notifications) logged(m SendNow) (d watchpost.Delivery, err error) {
	view, err := ns.env.View()
	if err != nil {
		return d, root.Unavailable(err)
	}
	defer view.Close()
	if len(m.Delivery) > 2*teamspace.IDLength {
		return d, watchpost.Errorf(watchpost.NotFound, "Delivery not found")
	}
	d, err = teamspace.Load[watchpost.Delivery](view, ns.Space, teamspace.Key(teamspace.KeyTargetLog, string(m.ID)+m.Delivery))
	if errors.Is(err, persistence.ErrNotFound) {
		err = watchpost.Errorf(watchpost.NotFound, "Delivery not found")
	}
	return d, root.Unavailable(err)
}

func (ns *notifications) onSentNow(m sentNow) {
	next, _ := m.delivery.After(m.result, ns.env.Clock.Now())
	batch := &persistence.Batch{}
	if box := ns.byID[m.target]; box != nil {
		ns.putLog(batch, box, &next)
		box.sentNow(&next)
		if next.State == watchpost.DeliveryDelivered {
			ns.resume(batch, box)
		}
		ns.putState(batch, box)
	}
	ns.Commits.Submit(batch, ns.env.ReplyTo(m.to, next))
	ns.run()
}

// TargetDelivery is a delivery of the log of a target.
type TargetDelivery struct {
	Target watchpost.TargetID
	watchpost.Delivery
}

// Deliveries returns the log of a target, newest first; without an id, the newest
// deliveries of all targets.
func (r *reading) Deliveries(ctx context.Context, team watchpost.TeamID, id watchpost.TargetID) ([]TargetDelivery, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	log := []TargetDelivery{}
	if id != "" && len(id) != teamspace.IDLength {
		return log, nil
	}
	err = teamspace.LoadAll(view, persistence.Space(team), teamspace.KeyTargetLog+string(id), func(rest string, d watchpost.Delivery) {
		log = append(log, TargetDelivery{watchpost.TargetID((string(id) + rest)[:teamspace.IDLength]), d})
	})
	slices.SortFunc(log, func(a, b TargetDelivery) int { return cmp.Compare(b.ID, a.ID) })
	return log[:min(len(log), deliveryLog)], root.Unavailable(err)
}

// ResumeNotifications activates the teams with notifications that wait, of those
// that this node serves and that are not in memory: after a start, when the node has
// taken teams over, and when a team has failed.
func (r *upkeep) ResumeNotifications(ctx context.Context) error {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return err
	}
	teams, err := teamspace.Names[watchpost.TeamID](view, teamspace.DirOutbox)
	view.Close()
	for _, team := range teams {
		if r.Running(string(team)) {
			continue
		}
		_, failure := askTeam(ctx, r.base, team, ListTargets{})
		err = errors.Join(err, passOver(failure))
	}
	return err
}
