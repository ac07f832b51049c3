package actors

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/internal/ordered"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// accounts is the component of a team that owns the actors of its accounts, and
// knows their announcements. It counts the usage of the accounts and keeps the members'
// signs of life. Only this code writes the stored ones.
//
// The others ask who acts for an account (actor, actorOf), what one may do now (used,
// pauses, pausesOf, mayInvite, ruleAccount, live) and for signs of life (lastAlive,
// lastOfAny). They report decisions about tasks (count, submit), signs of life (lives) and
// members who leave (leaves); showBlocked and showRelieved bring the metrics up to date, and
// beginDay comes before the first assignment of a day.
type accounts struct {
	*rootActor
	team *team

	actors  map[watchpost.AccountURN]*actor.PID
	ledgers map[watchpost.AccountURN]*dispatch.Ledger
	// alive are the members' last signs of life, as loaded or announced.
	alive map[watchpost.MemberID]liveness
	// newest is the last of them.
	newest time.Time
	hours  watchpost.PresentHours
	day    string // the period that the session actors know of
}

func newAccounts(t *team) *accounts {
	return &accounts{
		rootActor: &t.rootActor, team: t,
		actors:  map[watchpost.AccountURN]*actor.PID{},
		ledgers: map[watchpost.AccountURN]*dispatch.Ledger{},
		alive:   map[watchpost.MemberID]liveness{},
	}
}

// actor returns the session actor of an account; nil when there is none.
func (as *accounts) actor(urn watchpost.AccountURN) *actor.PID { return as.actors[urn] }

// actorOf returns the session actor of an account, a new one if need be.
func (as *accounts) actorOf(urn watchpost.AccountURN, member watchpost.MemberID) *actor.PID {
	if as.actors[urn] == nil {
		as.start(urn, member, dispatch.NewLedger(urn), nil)
	}
	return as.actors[urn]
}

// load starts the session actors of all accounts that the team knows: the
// claimed and bound ones, and those whose allowances or open tasks still count.
func (as *accounts) load(view persistence.View, open []*watchpost.Task, debits map[watchpost.TaskID][]watchpost.Debit) error {
	ledgers, err := dispatch.LoadLedgers(view, as.Space, as.env.Clock.Now())
	if err != nil {
		return err
	}
	if err := as.loadHours(view); err != nil {
		return err
	}
	leases := map[watchpost.AccountURN]map[watchpost.TaskID]*heldLease{}
	members := map[watchpost.AccountURN]watchpost.MemberID{}
	know := func(urn watchpost.AccountURN) {
		if ledgers[urn] == nil {
			ledgers[urn] = dispatch.NewLedger(urn)
		}
	}
	for _, t := range open {
		for _, d := range debits[t.ID] {
			know(d.Account)
		}
		if l := t.Lease; l != nil {
			know(l.Account)
			if leases[l.Account] == nil {
				leases[l.Account] = map[watchpost.TaskID]*heldLease{}
			}
			held := &heldLease{id: l.ID, session: l.Session, writes: t.Type.Writes(), acting: t.State == watchpost.TaskActing}
			if d := debits[t.ID]; len(d) > 0 {
				held.last = d[len(d)-1]
			}
			leases[l.Account][t.ID] = held
		}
	}
	for urn, account := range as.team.members.claimedAccounts() {
		know(urn)
		members[urn] = account.Member
	}
	for member, bound := range as.team.members.bound() {
		know(bound.Account)
		members[bound.Account] = member
	}
	for urn, l := range ordered.ByKey(ledgers) {
		as.start(urn, members[urn], l, leases[urn])
	}
	return nil
}

// start spawns the session actor of an account with its stored state.
func (as *accounts) start(urn watchpost.AccountURN, member watchpost.MemberID, l *dispatch.Ledger, leases map[watchpost.TaskID]*heldLease) {
	now := as.env.Clock.Now()
	as.ledgers[urn] = l
	st := dispatch.StandingOf(l)
	st.Pace = as.team.paces.of(member)
	session := &sessionActor{env: as.env, team: as.Context.Self(), account: urn, member: member, Standing: st, leases: leases}
	session.countWriting()
	as.team.dispatch.Announce(urn, st.Present(now))
	as.actors[urn] = as.Spawn(session)
}

// ledger returns what an account has used; that of an account without a session
// actor has not used anything.
func (as *accounts) ledger(account watchpost.AccountURN) *dispatch.Ledger {
	if l := as.ledgers[account]; l != nil {
		return l
	}
	return dispatch.NewLedger(account)
}

// count adds the changes of the accounts' ledgers to a task's decision, and returns these
// accounts.
func (as *accounts) count(batch *persistence.Batch, c *taskChange) (changed []watchpost.AccountURN) {
	note := func(account watchpost.AccountURN) {
		if !slices.Contains(changed, account) {
			changed = append(changed, account)
		}
	}
	for _, d := range c.debited {
		note(d.Account)
		as.countScan(c, d, 1)
		as.team.members.confirm(batch, d.Account)
	}
	for _, d := range c.refunded {
		note(d.Account)
		as.countScan(c, d, -1)
	}
	if c.verdict.CloseAction {
		note(c.account)
	}
	if c.wrote = c.wrote && as.team.paces.of(c.task.Member) != nil; c.wrote {
		note(c.task.Account)
	}
	for _, account := range changed {
		as.ledger(account).Count(batch, c.uses())
		as.team.dispatch.NoteAccount(account)
	}
	return changed
}

// countScan counts a scan for the watchlist or list whose turn it was.
func (as *accounts) countScan(c *taskChange, d watchpost.Debit, n int) {
	if c.task.Type.Scan() {
		as.team.dispatch.Debited(&c.task, d.Period, n)
	}
}

// submit submits a decision about a task, and reports it to the session actors of the
// accounts. then runs when the decision is durable, and the first of them has announced
// what its account may do now. told is false when there is none.
func (as *accounts) submit(batch *persistence.Batch, c *taskChange, then func(error), accounts ...watchpost.AccountURN) (told bool) {
	for i, account := range accounts {
		session := as.actors[account]
		if session == nil || slices.Contains(accounts[:i], account) {
			continue
		}
		m := taskDecided{taskChange: c}
		if !told {
			then = second(then)
			told, m.then = true, then
		}
		as.team.handouts.asked(1)
		as.Context.Send(session, m)
	}
	as.Commits.Submit(batch, then)
	return told
}

// second returns what runs then with its second call, or with the first error.
func second(then func(error)) func(error) {
	if then == nil {
		return nil
	}
	var left atomic.Int32
	left.Store(2)
	return func(err error) {
		if err != nil && left.Swap(0) > 0 || err == nil && left.Add(-1) == 0 {
			then(err)
		}
	}
}

func (as *accounts) used(account watchpost.AccountURN, now time.Time) []AllowanceUse {
	uses := make([]AllowanceUse, 0, len(watchpost.Allowances))
	resets := [...]time.Time{watchpost.Daily: watchpost.Daily.Reset(now), watchpost.Weekly: watchpost.Weekly.Reset(now)}
	l := as.ledger(account)
	for _, a := range watchpost.Allowances {
		uses = append(uses, AllowanceUse{
			Action: a.Action, Used: l.Used(a, now), Limit: a.Limit, ResetsAt: resets[a.Period],
		})
	}
	return uses
}

// pauses says why a connected session is not handed everything.
func (as *accounts) pauses(w *dispatch.Worker, now time.Time) []Pause {
	var pauses []Pause
	switch {
	case w.Other && w.InUse:
		return []Pause{{Reason: PauseOtherAccount}, {Reason: PauseAccountInUse}}
	case w.Other:
		return []Pause{{Reason: PauseOtherAccount}}
	case w.InUse:
		return []Pause{{Reason: PauseAccountInUse}}
	case !w.SignedIn && w.StoppedBy == protocol.CodeChallenge:
		pauses = append(pauses, Pause{Reason: PauseChallenge})
	case !w.SignedIn:
		pauses = append(pauses, Pause{Reason: PauseSignedOut})
	case w.Stopped:
		pauses = append(pauses, Pause{Reason: cmp.Or(PauseReason(w.StoppedBy), PauseReleased)})
	}
	st := as.team.dispatch.Standing(w.Account)
	if now.Before(st.From) {
		pauses = append(pauses, Pause{Reason: PauseNewClaim, Until: st.From})
	}
	if now.Before(st.FromWeekly) {
		pauses = append(pauses, Pause{Reason: PauseNewClaim, Action: watchpost.ActionInvitation, Until: st.FromWeekly})
	}
	return append(pauses, as.pausesOf(w.Account, now)...)
}

// pausesOf are the pauses of an account, with or without a session.
func (as *accounts) pausesOf(account watchpost.AccountURN, now time.Time) []Pause {
	var pauses []Pause
	st, l := as.team.dispatch.Standing(account), as.ledger(account)
	for _, b := range st.OpenBreakers(now) {
		reason := PauseFailing
		switch b.Code {
		case protocol.CodePageNotUnderstood:
			reason = PauseNotUnderstood
		case protocol.CodeNetworkLimit:
			reason = PauseNetworkLimit
		}
		pauses = append(pauses, Pause{Reason: reason, TaskType: b.Kind, Until: b.Until, Failures: b.Failures, Since: b.Since, Code: b.Code, Message: b.Message})
	}
	if !l.Refused() {
		return pauses
	}
	for _, a := range watchpost.Allowances {
		if l.Closed(a.Action, now) {
			pauses = append(pauses, Pause{Reason: PauseNetworkLimit, Action: a.Action, Until: a.Period.Reset(now)})
		}
	}
	return pauses
}

// showBlocked counts a connected session in the metrics under the reasons that
// block it now: a changed layout of the network's pages shows there first. The end
// of a reason by time is noticed with the next heartbeat.
func (as *accounts) showBlocked(s *sessionState) {
	var reasons []PauseReason
	for _, p := range as.pauses(s.worker, as.env.Clock.Now()) {
		if !slices.Contains(reasons, p.Reason) {
			reasons = append(reasons, p.Reason)
		}
	}
	as.env.metrics.countBlocked(&s.blocked, reasons)
}

// showRelieved is showBlocked for the sessions of accounts that time lets do more.
func (as *accounts) showRelieved() {
	for _, c := range as.team.dispatch.TakeRelieved() {
		for _, w := range c.Workers() {
			as.showBlocked(as.team.sessions.find(w.Session))
		}
	}
}

// mayInvite reports whether one more invitation may be accepted this week: it
// counts those that the account was handed since Monday and those that wait.
func (as *accounts) mayInvite(task *watchpost.Task) bool {
	now := as.env.Clock.Now()
	a, _ := watchpost.AllowanceOf(watchpost.ActionInvitation)
	used := 0
	if task.Account != "" {
		l := as.ledger(task.Account)
		if l.Closed(a.Action, now) {
			return false
		}
		used = l.Used(a, now)
	}
	for _, open := range as.team.tasks.ofMember(task.Member) {
		waits := open.kind == task.Type && open.counted == countedWaiting // a session that has it was debited
		if waits && (open.pinned == task.Account || open.pinned == "") {
			used++
		}
	}
	return used < a.Limit
}

// beginDay has the session actors debit their leases to the period that begins, and
// returns how many will answer. All later assignments come after that.
func (as *accounts) beginDay(now time.Time) (asked int) {
	day := dispatch.PeriodOf(watchpost.Daily, now)
	if day == as.day {
		return 0
	}
	as.day = day
	for _, l := range as.ledgers {
		l.Forget(now)
	}
	for _, session := range ordered.ByKey(as.actors) {
		as.Context.Send(session, newDay{})
	}
	return len(as.actors)
}
