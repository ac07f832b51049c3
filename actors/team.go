package actors

import (
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence"
)

// team is the top actor of one team's tree and the single writer of its space.
//
// Owner and lifetime: the registry spawns it at the first request, or when one
// of the team's sessions connects, and puts it to rest when nothing was asked
// for a while and no session is connected. It owns the team's record and
// members, the presence of sessions, the allowance ledger and the order of
// tasks; its children own the rest. Supervision: a failure anywhere in the tree
// ends the tree.
type team struct {
	rootActor
	id watchpost.TeamID

	record   teamRecord // zero while the team does not exist
	members  []watchpost.Member
	liveness map[watchpost.MemberID]*liveness
	sessions map[watchpost.SessionID]*sessionState
	// claims are those that this activation made or renewed, redeemed the
	// pairing codes that it took: the directory shows them only once durable.
	claims   map[watchpost.AccountURN]heldClaim
	redeemed map[string]bool
	ledger   *ledger
	dispatch *dispatcher
	tasks    map[watchpost.TaskID]*openTask
	// joined is which task scans an entry that asked for another, subjects the
	// newest scan of each subject.
	joined   map[watchpost.TaskID]watchpost.TaskID
	subjects map[subject]watchpost.TaskID
	held     map[watchpost.SessionID]map[watchpost.TaskID]*openTask // by holder
	effects  *effects
	// resolved are the tasks whose unknown outcome this activation learned: the
	// store shows it only once durable.
	resolved    map[watchpost.TaskID]bool
	idempotency idempotency
	watchlists  map[watchpost.WatchlistID]*trackedWatchlist
	lists       map[watchpost.ListID]*followedList
	weeks       map[watchpost.WatchlistID]weekChange
	// accounts are those that members have claimed.
	accounts map[watchpost.AccountURN]accountRecord
	// bindings are the accounts that members work as.
	bindings map[watchpost.MemberID]bindingRecord
	// statusTimer is set while a status may have to be sent.
	statusTimer watchpost.Timer
	postStore   *actor.PID
	wake        watchpost.Timer
	wakeAt      time.Time
	planTimer   watchpost.Timer // see armPlan
	day         string          // the period that debitNewDay has seen
	// counted is what the metrics count of the team's pending work, since shownAt.
	counted map[watchpost.PendingReason]int
	shownAt time.Time
	// renewed is until when sessions keep what they are handed while the clock
	// is set forward: they cannot answer in between.
	renewed time.Time
}

// decided is how a child hands a decision to the team: what to write, what the
// team has to know of it, and what to do once it is durable (or, with an
// error, was lost). With an empty batch it is an answer that waits for
// everything decided before it.
type decided struct {
	batch       *persistence.Batch
	onCommitted func(error)

	task      *taskChange
	watchlist *watchlistChange
	week      *weekChange
	list      *listChange
}

// wakeUp is the team's own timer: a reset or the end of a pause has come.
type wakeUp struct{}

// renewLeases prepares for a clock that is set forward: sessions connected now
// keep what they hold until then. Answered by Done.
type renewLeases struct{ until time.Time }

func newTeam(env *environment, id watchpost.TeamID) *team {
	l := newLedger()
	return &team{
		rootActor: newRootActor(env, string(id)), id: id,
		liveness:    map[watchpost.MemberID]*liveness{},
		sessions:    map[watchpost.SessionID]*sessionState{},
		claims:      map[watchpost.AccountURN]heldClaim{},
		redeemed:    map[string]bool{},
		ledger:      l,
		dispatch:    newDispatcher(l),
		tasks:       map[watchpost.TaskID]*openTask{},
		joined:      map[watchpost.TaskID]watchpost.TaskID{},
		subjects:    map[subject]watchpost.TaskID{},
		held:        map[watchpost.SessionID]map[watchpost.TaskID]*openTask{},
		effects:     newEffects(),
		resolved:    map[watchpost.TaskID]bool{},
		idempotency: idempotency{fresh: map[string]idempotencyRecord{}},
		watchlists:  map[watchpost.WatchlistID]*trackedWatchlist{},
		weeks:       map[watchpost.WatchlistID]weekChange{},
		accounts:    map[watchpost.AccountURN]accountRecord{},
		bindings:    map[watchpost.MemberID]bindingRecord{},
		lists:       map[watchpost.ListID]*followedList{},
	}
}

// Receive implements actor.Actor.
func (t *team) Receive(c actor.Context) {
	if _, stopped := c.Message().(*actor.Stopped); stopped {
		t.env.presence.Delete(t.id)
		t.hidePending()
		for _, s := range t.sessions {
			t.retire(s) // of a team that broke; otherwise none is connected
		}
		if t.wake != nil {
			t.wake.Stop()
		}
		if t.planTimer != nil {
			t.planTimer.Stop()
		}
		if t.statusTimer != nil {
			t.statusTimer.Stop()
		}
	}
	if t.handle(c, t.load) {
		t.receive(c.Message())
	}
}

// receive is the table of what a team understands.
func (t *team) receive(message any) {
	switch m := message.(type) {
	case decided:
		t.decide(m)
	case canPassivate:
		rested := t.forgetAllPairings()
		t.ctx.Respond(rested && t.commits.idle() && len(t.dispatch.workers) == 0)
	case planExpired:
		t.onPlanExpired()
	case wakeUp:
		t.onWake()
	case statusDue:
		t.onStatusDue()
	case renewLeases:
		t.onRenewLeases(m)
	case replyDurable:
		delete(t.idempotency.fresh, m.name)
	case CreateTeam:
		t.onCreateTeam(m)
	default:
		if t.record.ID == "" {
			t.answer(nil, watchpost.Errorf(watchpost.NotFound, "Team not found"))
			return
		}
		if !t.receiveTeam(m) && !t.receiveSession(m) && !t.receiveTask(m) && !t.receiveWatchlist(m) {
			t.env.log.Error("unknown message", "actor", "team", "message", typeName(m))
			t.answer(nil, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal))
		}
	}
}

// load reads the team and all that is open of it.
func (t *team) load(view persistence.View) error {
	record, err := load[teamRecord](view, t.space, []byte(keyTeam))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil // not founded yet
	}
	if err != nil {
		return err
	}
	t.record = record
	if err := t.loadMembers(view); err != nil {
		return err
	}
	if err := t.ledger.load(view, t.space, t.env.clock.Now()); err != nil {
		return err
	}
	if err := t.loadSessions(view); err != nil {
		return err
	}
	if err := t.loadAccounts(view); err != nil {
		return err
	}
	t.endUnused(t.env.clock.Now())
	if err := t.loadBindings(view); err != nil {
		return err
	}
	if err := t.loadTasks(view); err != nil {
		return err
	}
	for member, bound := range t.bindings {
		t.moveWrites(member, bound.Account) // what the last activation had left to do
	}
	if err := t.loadRemovals(view); err != nil {
		return err
	}
	t.postStore = t.spawn(newPostStore(t.env, t.space, t.ctx.Self()))
	if err := t.loadWatchlists(view); err != nil {
		return err
	}
	if err := t.loadWeeks(view); err != nil {
		return err
	}
	t.armWake()
	t.armPlan()
	return nil
}

func (t *team) spawn(child actor.Actor) *actor.PID {
	return t.ctx.Spawn(childOf(t.env, func() actor.Actor { return child }))
}

// decide submits a child's decision together with what is the team's of it.
func (t *team) decide(d decided) {
	if d.watchlist != nil && t.watchlists[d.watchlist.view.Watchlist.ID] == nil || d.list != nil && t.lists[d.list.list] == nil {
		// Deleted meanwhile: nothing of it is written any more, and nobody is
		// told before that is durable.
		if d.onCommitted != nil {
			t.commits.submit(nil, func(err error) {
				if err == nil {
					err = watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
				}
				d.onCommitted(err)
			})
		}
		return
	}
	if d.batch == nil {
		d.batch = &persistence.Batch{}
	}
	if d.task != nil {
		t.onTaskChange(d.batch, d.task)
	}
	if d.watchlist != nil {
		d.onCommitted = both(d.onCommitted, t.onWatchlistChange(d.batch, d.watchlist))
	}
	if d.week != nil {
		t.weeks[d.week.watchlist] = *d.week
	}
	if d.list != nil {
		d.onCommitted = both(d.onCommitted, t.onListChange(d.batch, d.list))
	}
	t.commits.submit(d.batch, d.onCommitted)
	if d.task != nil || d.watchlist != nil || d.list != nil {
		t.handOut()
	}
}

// armWake asks the clock for the next moment at which waiting tasks may run
// without anything else happening.
func (t *team) armWake() {
	if len(t.tasks) == 0 {
		return
	}
	at := t.dispatch.wake(t.env.clock.Now())
	if t.wake != nil {
		if t.wakeAt.Equal(at) {
			return
		}
		t.wake.Stop()
	}
	t.wakeAt = at
	t.wake = t.env.tell(at, t.ctx.Self(), wakeUp{})
}

// onWake hands out what a reset or the end of a pause has made possible.
func (t *team) onWake() {
	t.wake = nil
	for _, w := range t.dispatch.workers {
		t.showBlocked(w)
	}
	t.handOut()
	t.statusesChanged()
	t.armWake()
	t.answer(Done{}, nil)
}
