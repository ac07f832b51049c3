package actors

import (
	"errors"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/access"
	"watchpost/actors/arrivals"
	"watchpost/actors/changefeed"
	"watchpost/actors/dispatch"
	"watchpost/actors/insight"
	"watchpost/actors/journal"
	"watchpost/actors/notifications"
	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/actors/rules"
	"watchpost/actors/triage"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// team is the root actor of one team's tree and the single writer of its space.
//
// Owner and lifetime: the registry spawns it at the first request, or when one
// of the team's sessions connects, and passivates it when it is unused and no
// session is connected. It owns the team's record. Its components share its
// mailbox and its batches, and each declares its fields. Child actors own the
// rest. Supervision: a failure anywhere in the tree ends the tree.
type team struct {
	rootActor
	id        watchpost.TeamID
	record    teamspace.TeamRecord // zero while the team does not exist
	planTimer watchpost.Timer      // see armPlan
	trace     string               // span of the request that is being received; "": it is not traced
	postStore *actor.PID

	members     *members
	invitations *access.Invitations
	domains     *access.Domains
	web         *access.Browsers
	passkeys    *access.Passkeys
	sessions    *sessions
	statuses    *statuses
	paces       *paces
	accounts    *accounts
	watchlists  *watchlists
	scans       *scans
	tasks       *tasks
	pending     *pendingCounts
	engagements *engagements
	dispatch    *dispatch.Dispatcher
	handouts    *handouts
	effects     *effects
	late        *lateResults
	idempotency *idempotency
	deletion    *deletion
	arrivals    *arrivals.Queue
	rules       *rules.Rules

	notifications *notifications.Targets
	keys          *scopedKeys
	audit         *audit
	refusals      *refusals
	views         *savedViews
	inbox         *triage.Inbox

	pendingDeletions *pendingDeletions
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
	list      *listChange
}

// Over implements waits.
func (d decided) Over(err error) {
	if d.onCommitted != nil {
		d.onCommitted(err)
	}
}

// wakeUp is the team's own timer: a reset or the end of a pause has come.
type wakeUp struct{}

func newTeam(env *environment, id watchpost.TeamID) *team {
	t := &team{rootActor: newRootActor(env, string(id)), id: id}
	t.members = newMembers(t)
	t.invitations = access.NewInvitations(&t.Actor, accessHost{t})
	t.domains = access.NewDomains(&t.Actor, accessHost{t})
	t.web = access.NewBrowsers(&t.Actor, accessHost{t})
	t.passkeys = access.NewPasskeys(&t.Actor, accessHost{t}, t.web, env.passkeys)
	t.sessions = newSessions(t)
	t.paces = &paces{rootActor: &t.rootActor, team: t}
	t.statuses = &statuses{rootActor: &t.rootActor, team: t}
	t.accounts = newAccounts(t)
	t.watchlists = newWatchlists(t)
	t.pendingDeletions = newPendingDeletions(t)
	t.scans = newScans(t)
	t.tasks = newTasks(t)
	t.pending = &pendingCounts{team: t}
	t.engagements = &engagements{rootActor: &t.rootActor, team: t}
	t.dispatch = dispatch.New()
	t.handouts = &handouts{rootActor: &t.rootActor, team: t}
	t.effects = newEffects(t)
	t.late = newLateResults(t)
	t.idempotency = newIdempotency(t)
	t.deletion = &deletion{team: t}
	t.rules = rules.New(&t.Actor, rulesHost{t})
	t.notifications = newNotifications(t)
	t.arrivals = newArrivals(t)
	t.keys = newScopedKeys(t)
	t.audit = newAudit(t)
	t.refusals = newRefusals(t)
	t.views = newSavedViews(t)
	t.inbox = triage.New(&t.Actor, func(id watchpost.MemberID) bool {
		_, known := t.members.byID(id)
		return known
	})
	return t
}

// Receive implements actor.Actor.
func (t *team) Receive(c actor.Context) {
	if _, stopped := c.Message().(*actor.Stopped); stopped {
		t.env.presence.Delete(t.id)
		t.pending.hide()
		t.sessions.retireAll()
		t.handouts.stopTimer()
		t.tasks.stopTimer()
		if t.planTimer != nil {
			t.planTimer.Stop()
		}
		t.rules.StopTimers()
		t.notifications.StopTimer()
		t.inbox.StopTimer()
		t.statuses.stopTimer()
		t.pendingDeletions.stopTimer()
	}
	if t.Handle(c, t.load) {
		t.receive(c.Message())
	}
}

// receive is the table of what a team understands.
func (t *team) receive(message any) {
	if failed, ok := message.(poststore.Failed); ok {
		t.Fail(failed.Err)
		return
	}
	if t.record.Deleting {
		if o, ok := message.(root.Originated); ok {
			message = o.Request
		}
		t.deletion.receive(message)
		return
	}
	switch m := message.(type) {
	case decided:
		if m.task != nil {
			t.tasks.decide(m)
		} else {
			t.decide(m)
		}
	case poststore.Decision:
		t.watchlists.takeWeek(m.Week)
		if m.Arrived {
			t.arrivals.Coming(m.Batch)
		}
		t.Commits.Submit(m.Batch, m.OnCommitted)
		t.inbox.PostsGone(postindex.DeletedIn(m.Batch))
	case root.CanPassivate:
		rested := t.members.forgetAllPairings()
		t.Context.Respond(rested && t.notifications.Idle() && t.inbox.Idle() && t.Commits.Idle() && t.dispatch.Connected() == 0)
	case planExpired:
		t.onPlanExpired()
	case wakeUp:
		t.handouts.onWake()
	case statusDue:
		t.statuses.onDue(m)
	case root.ClockAdvances:
		t.sessions.onRenewLeases(m)
	case replyDurable:
		t.idempotency.onReplyDurable(m)
	case CreateTeam:
		t.onCreateTeam(m)
	case root.Originated:
		t.audit.receive(m)
	default:
		if t.record.ID == "" {
			t.Answer(nil, watchpost.Errorf(watchpost.NotFound, "Team not found"))
			return
		}
		if !t.receiveTeam(m) && !t.sessions.receive(m) && !t.tasks.receive(m) && !t.engagements.receive(m) && !t.watchlists.receive(m) && !t.pendingDeletions.receive(m) && !t.arrivals.Receive(m) && !t.receiveRules(m) && !t.notifications.Receive(m) {
			t.env.Log.Error("unknown message", "actor", "team", "message", root.TypeName(m))
			t.Answer(nil, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal))
		}
	}
}

// load reads the team and all that is open of it.
func (t *team) load(view persistence.View) error {
	chain := &journal.Chain{}
	if err := chain.Load(view, t.Space); err != nil {
		return err
	}
	feed := changefeed.NewLog(t.env.Clock)
	if err := feed.Load(view, t.Space); err != nil {
		return err
	}
	t.Commits.Complete = func(batch *persistence.Batch) {
		chain.Add(batch)
		if !t.record.Deleting {
			feed.Add(batch)
		}
	}
	record, err := teamspace.Load[teamspace.TeamRecord](view, t.Space, []byte(teamspace.KeyTeam))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil // not founded yet
	}
	if err != nil {
		return err
	}
	t.record = record
	if record.Deleting {
		return nil // nothing of it is served any more
	}
	if err := loadEach(view, t.members.load, t.domains.Load, t.invitations.Load, t.keys.load, t.audit.load, t.refusals.load, t.views.load, t.inbox.Load, t.web.Load, t.passkeys.Load, t.sessions.load, t.members.loadAccounts); err != nil {
		return err
	}
	t.sessions.endUnused(t.env.Clock.Now())
	if err := loadEach(view, t.members.loadBindings, t.tasks.load); err != nil {
		return err
	}
	t.tasks.moveAllWrites() // what the last activation had left to do
	if err := t.members.loadRemovals(view); err != nil {
		return err
	}
	t.openPosts()
	if err := loadEach(view, t.watchlists.load, t.watchlists.loadWeeks, t.pendingDeletions.load); err != nil {
		return err
	}
	t.handouts.arm()
	t.armPlan()
	if err := loadEach(view, t.arrivals.Load, t.loadRules, t.notifications.Load, t.askMembers); err != nil {
		return err
	}
	t.pendingDeletions.onDue()
	t.arrivals.Work()
	return nil
}

// openPosts spawns the actor of the team's posts.
func (t *team) openPosts() {
	t.postStore = t.Spawn(poststore.New(poststore.Options{
		Space: t.Space, Team: t.Context.Self(), Clock: t.env.Clock, Log: t.env.Log, Posts: t.env.posts,
		View: t.env.View, Tagging: t.env.watchlists.Of, Guard: t.env.guard, Turn: t.env.Run.Turn, Count: t.env.metrics.countPosts,
	}))
}

// loadEach loads in the given order, up to the first error.
func loadEach(view persistence.View, loads ...func(persistence.View) error) error {
	for _, load := range loads {
		if err := load(view); err != nil {
			return err
		}
	}
	return nil
}

// decide submits a child's decision together with the team's part of it; those of
// tasks are tasks.decide's.
func (t *team) decide(d decided) {
	if d.watchlist != nil && t.watchlists.find(d.watchlist.view.Watchlist.ID) == nil || d.list != nil && t.watchlists.followed(d.list.list) == nil {
		// Deleted meanwhile: nothing of it is written, and the caller gets its
		// answer when the deletion is durable.
		if d.onCommitted != nil {
			t.Commits.Submit(nil, func(err error) {
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
	hook := false
	if d.watchlist != nil {
		old := &t.watchlists.find(d.watchlist.view.Watchlist.ID).view.Watchlist
		t.audit.by(d.watchlist.from, func() {
			hook = t.notifications.OnWatchlistChanged(d.batch, old, &d.watchlist.view.Watchlist)
		})
		t.watchlists.onWatchlistChange(d.batch, d.watchlist)
		if d.watchlist.answer != nil {
			*d.watchlist.answer = t.watchlists.expected(d.watchlist.view)
		}
	}
	if d.list != nil {
		t.watchlists.onListChange(d.batch, d.list)
	}
	t.Commits.Submit(d.batch, d.onCommitted)
	if hook {
		t.notifications.Clean()
		t.notifications.Run()
	}
	if d.watchlist != nil || d.list != nil {
		t.handouts.run()
	}
}

// receiveTeam handles what concerns the team itself and its members.
func (t *team) receiveTeam(message any) bool {
	switch m := message.(type) {
	case RequireExtension:
		t.onRequireExtension()
	case IdempotentRequest:
		t.idempotency.onIdempotentRequest(m)
	case GetTeam:
		t.Answer(t.view(), nil)
	case UpdateTeam:
		t.onUpdateTeam(m)
	case RevealKey:
		t.onRevealKey(m)
	case RotateKey:
		t.onRotateKey()
	case AskKeyRotation:
		t.onAskKeyRotation()
	case reseal:
		t.onReseal()
	case expirePosts:
		t.onExpirePosts(m)
	case expireChanges:
		t.onExpireChanges()
	case deleteTeam:
		t.onDeleteTeam()
	case noteClaims:
		t.onNoteClaims(m)
	case noteAcquaintances:
		t.onNoteAcquaintances()
	case listEngagements:
		t.onListEngagements()
	default:
		return t.members.receive(message) || t.invitations.Receive(message) || t.web.Receive(message) || t.passkeys.Receive(message) || t.keys.receive(message) || t.audit.receive(message) || t.refusals.receive(message) || t.views.receive(message) || t.inbox.Receive(message)
	}
	return true
}

// onCreateTeam founds the team. Sent again for the same id it is a Conflict:
// the caller chose a new id.
func (t *team) onCreateTeam(m CreateTeam) {
	if t.record.ID != "" {
		t.Answer(nil, watchpost.Errorf(watchpost.Conflict, "Team already exists"))
		return
	}
	if err := t.members.emailFree(m.Email); err != nil {
		t.Answer(nil, err)
		return
	}
	now := t.env.Clock.Now()
	name := m.Name
	if name == "" {
		name = watchpost.DefaultTeamName(m.FullName, m.Email)
	}
	founder := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName,
		Role: watchpost.RoleAdmin, CreatedAt: now, NeverSignedIn: !m.SignedIn,
	}
	batch := &persistence.Batch{}
	t.record = teamspace.TeamRecord{ID: t.id, Name: name, Plan: m.Plan, CreatedAt: now, Consented: true}
	if m.SignedIn {
		t.record.SignedInAt = now
	}
	apiKey := t.newKey(batch)
	t.putTeam(batch)
	t.members.put(batch, founder)
	t.audit.note(batch, watchpost.AuditTeamCreated, "", founder.Email)
	if m.SignedIn {
		t.audit.note(batch, watchpost.AuditSignedIn, founder.ID, access.ByCode)
	}
	insight.Begin(batch)
	t.openPosts()
	t.Commit(batch, TeamCreated{Team: t.value(), APIKey: apiKey})
}
