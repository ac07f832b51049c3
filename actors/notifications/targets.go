package notifications

import (
	"errors"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Targets is the component of a team that owns its notification targets and what waits
// for them. It shares the team's mailbox and batches.
//
// A post waits from the batch that removes its arrival until the batch that follows
// a successful attempt: it is delivered at least once. A delivery is stored before
// its first attempt, so that each attempt has the same id and posts, and the next
// delivery of a target begins when it has ended: they keep their order.
//
// A target with an alert has no posts that wait: the batch that removes an arrival notes
// that days are to be judged, until the batch that has what the alert tells.
type Targets struct {
	*root.Actor
	host     Host
	sends    *Sends
	auditOps int

	byID   map[watchpost.TargetID]*outbox
	asked  watchpost.HourlyCount // tests and repetitions of all targets
	last   int64                 // number of the last post that waits
	marked bool                  // the directory has the team's entry
	timer  watchpost.Timer
	wakers []*actor.PID // timers that wait for attempts under way
}

// timerDue is the timer of the component.
type timerDue struct{}

// Options is what New needs.
type Options struct {
	Actor *root.Actor // of the team
	Host  Host
	Sends *Sends
	// AuditOps is how many operations Host.Audit adds to a batch.
	AuditOps int
}

// New returns the component of a team. Load is to follow.
func New(o Options) *Targets {
	return &Targets{Actor: o.Actor, host: o.Host, sends: o.Sends, auditOps: o.AuditOps, byID: map[watchpost.TargetID]*outbox{}}
}

// Receive handles a message of the component; it reports whether it is one.
func (ts *Targets) Receive(message any) bool {
	switch m := message.(type) {
	case Create:
		ts.onCreate(m)
	case Update:
		ts.onUpdate(m)
	case Delete:
		ts.Answer(root.Done{}, ts.Delete(m.ID))
	case List:
		ts.Answer(ts.Views(), nil)
	case SendNow:
		ts.onSendNow(m)
	case attempted:
		ts.onAttempted(m)
	case sentNow:
		ts.onSentNow(m)
	case judged:
		ts.onJudged(m)
	case timerDue:
		ts.Run()
		ts.onDue()
	default:
		return false
	}
	return true
}

// Load takes up the targets, removes the rest of deleted ones, and begins the attempts
// that are due. The members and watchlists of the team are loaded before.
func (ts *Targets) Load(view persistence.View) error {
	err := teamspace.LoadAll(view, ts.Space, teamspace.KeyTarget, func(id string, t watchpost.NotificationTarget) {
		ts.box(watchpost.TargetID(id)).target = &t
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, ts.Space, teamspace.KeyTargetState, func(id string, s teamspace.TargetState) {
		ts.box(watchpost.TargetID(id)).state = s
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, ts.Space, teamspace.KeyTargetQueue, func(id string, p watchpost.PostID) {
		number := id[teamspace.IDLength:]
		box := ts.box(watchpost.TargetID(id[:teamspace.IDLength]))
		box.queue = append(box.queue, queuedPost{number, p})
		ts.last = max(ts.last, numberOf(number))
	})
	if err != nil {
		return err
	}
	err = view.Scan(ts.Space, []byte(teamspace.KeyTargetLog), persistence.PrefixEnd([]byte(teamspace.KeyTargetLog)), func(k, _ []byte) bool {
		id := string(k[len(teamspace.KeyTargetLog):])
		box := ts.box(watchpost.TargetID(id[:teamspace.IDLength]))
		box.log = append(box.log, id[teamspace.IDLength:])
		return true
	})
	if err != nil {
		return err
	}
	ts.asked, err = teamspace.Load[watchpost.HourlyCount](view, ts.Space, []byte(teamspace.KeyTargetSends))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	ts.marked = ts.waiting()
	ts.Clean()
	ts.Run()
	return nil
}

// box returns the outbox of a target.
func (ts *Targets) box(id watchpost.TargetID) *outbox {
	if ts.byID[id] == nil {
		ts.byID[id] = &outbox{id: id}
	}
	return ts.byID[id]
}
