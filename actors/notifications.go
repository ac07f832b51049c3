package actors

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/poststore"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

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
	sends  watchpost.HourlyCount // tests and repetitions of all targets
	last   int64                 // number of the last post that waits
	marked bool                  // the directory has the team's entry
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
		ns.Answer(ns.views(), nil)
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

// load takes up the targets, and removes the rest of deleted ones.
func (ns *notifications) load(view persistence.View) error {
	err := teamspace.LoadAll(view, ns.Space, teamspace.KeyTarget, func(id string, t watchpost.NotificationTarget) {
		ns.box(watchpost.TargetID(id)).target = &t
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, ns.Space, teamspace.KeyTargetState, func(id string, s teamspace.TargetState) {
		ns.box(watchpost.TargetID(id)).state = s
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, ns.Space, teamspace.KeyTargetQueue, func(id string, p watchpost.PostID) {
		number := id[teamspace.IDLength:]
		box := ns.box(watchpost.TargetID(id[:teamspace.IDLength]))
		box.queue = append(box.queue, queuedPost{number, p})
		ns.last = max(ns.last, numberOf(number))
	})
	if err != nil {
		return err
	}
	err = view.Scan(ns.Space, []byte(teamspace.KeyTargetLog), persistence.PrefixEnd([]byte(teamspace.KeyTargetLog)), func(k, _ []byte) bool {
		id := string(k[len(teamspace.KeyTargetLog):])
		box := ns.box(watchpost.TargetID(id[:teamspace.IDLength]))
		box.log = append(box.log, id[teamspace.IDLength:])
		return true
	})
	if err != nil {
		return err
	}
	ns.sends, err = teamspace.Load[watchpost.HourlyCount](view, ns.Space, []byte(teamspace.KeyTargetSends))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
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
func (ns *notifications) watch(w *poststore.Watched) {
	for _, box := range ns.byID {
		switch {
		case box.target == nil || box.target.Disabled:
		case box.target.Watchlist == "":
			w.AddAll()
		default:
			w.Add(box.target.Watchlist)
		}
	}
	for id, tracked := range ns.team.watchlists.byID {
		if tracked.view.Watchlist.SlackURL != "" {
			w.Add(id)
		}
	}
}

// consider lets the targets of a watchlist take a post that is new to it.
func (ns *notifications) consider(batch *persistence.Batch, p *watchpost.Post, w watchpost.WatchlistID, tagging *watchpost.Tagging) {
	now := ns.env.Clock.Now()
	if tracked := ns.team.watchlists.byID[w]; tracked != nil && tracked.view.Watchlist.SlackURL != "" {
		ns.box(watchpost.TargetID(w))
	}
	for _, box := range ordered.ByKey(ns.byID) {
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

// waiting reports whether something waits to be delivered, or may once arrivals are
// looked at.
func (ns *notifications) waiting() bool {
	if ns.team.arrivals.pending() {
		return true
	}
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
