package actors

import (
	"slices"
	"time"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
	"watchpost/watchpost/forecast"
)

// TeamView is a team as its members and the operator see it.
type TeamView struct {
	Team     watchpost.Team
	Presence []MemberPresence // in the order of Team.Members
	// Invitations are those that are pending, the oldest first.
	Invitations []watchpost.Invitation
	Watchlists  int
	// Limits are the quotas in force, Use the parts in use: for a quota per
	// watchlist, of the watchlist that uses most.
	Limits, Use watchpost.Quotas
	// WaitingScans counts the scans that are due and were not handed out,
	// RunningScans those that were; OldestScan is since when the oldest of the
	// former waits.
	WaitingScans int
	RunningScans int
	OldestScan   time.Time
	// WaitingTasks counts all open tasks that no session has, scans included;
	// FailedTasks those of callers that were asked for today (UTC) and have failed;
	// Proposals the actions of rules that wait for approval, FailingTargets the
	// notification targets whose messages fail.
	WaitingTasks   int
	FailedTasks    int
	Proposals      int
	FailingTargets int
}

// MemberPresence is what a team knows of a member's sessions and account.
type MemberPresence struct {
	Member       watchpost.MemberID
	LastActive   time.Time // zero: never
	Active       bool      // within watchpost.LivenessWindow
	Connected    bool
	Account      *protocol.Account // the session's, or the one claimed last
	AccountInUse bool              // another member has claimed the account
	Acting       bool              // agent calls act in this member's name
	Used         []AllowanceUse    // of the account; none when it is another member's
	Pauses       []Pause           // why the account is not handed everything
}

// AllowanceUse is how much of one allowance an account has used.
type AllowanceUse struct {
	Action   watchpost.Action
	Used     int
	Limit    int
	ResetsAt time.Time
}

// PauseReason says why an account gets no tasks, or none of a kind.
type PauseReason string

// The reasons.
const (
	PauseAccountInUse  PauseReason = "account_in_use"      // another member works with the account
	PauseSignedOut     PauseReason = "signed_out"          // of the network
	PauseChallenge     PauseReason = "challenge"           // the network wants to see a person
	PauseReleased      PauseReason = "released"            // the session gave a task back; until it is heard of
	PauseNewClaim      PauseReason = "new_claim"           // the account was another member's
	PauseNotUnderstood PauseReason = "page_not_understood" // of Pause.TaskType
	PauseFailing       PauseReason = "network_failing"     // the network fails tasks of Pause.TaskType
	PauseNetworkLimit  PauseReason = "network_limit"       // the network refused more of Pause.Action, or Pause.TaskType
	PauseOtherAccount  PauseReason = "other_account"       // the session is signed in to another account than the member's
)

// pauseReasons are all of them.
var pauseReasons = []PauseReason{
	PauseAccountInUse, PauseSignedOut, PauseChallenge, PauseReleased, PauseNewClaim, PauseNotUnderstood, PauseFailing, PauseNetworkLimit, PauseOtherAccount,
}

// Pause is one reason, with the kind of work that it concerns (none: all) and
// when it ends, if that is known.
type Pause struct {
	Reason   PauseReason
	TaskType watchpost.TaskType
	Action   watchpost.Action
	Until    time.Time
	// Failures in a row, since when, and the last one: of a breaker.
	Failures      int
	Since         time.Time
	Code, Message string
}

// view describes the team for its members and the operator.
func (t *team) view() TeamView {
	now := t.env.Clock.Now()
	v := TeamView{Team: t.value(), Watchlists: t.watchlists.count(), Limits: t.plan().Quotas(), Invitations: t.invitations.All(now)}
	v.Limits.WeeklyPosts = t.weeklyQuota(now).Posts
	v.Use = watchpost.Quotas{Watchlists: t.watchlists.count(), Members: len(t.members.all())}
	for id, tracked := range t.watchlists.all() {
		week := t.watchlists.week(id, now)
		v.Use.WeeklyPosts = max(v.Use.WeeklyPosts, week.Posts)
		v.Use.PotentialLeads = max(v.Use.PotentialLeads, week.Leads)
		followed := t.watchlists.followed(tracked.view.Watchlist.List)
		switch tracked.view.Watchlist.Type {
		case watchpost.PeopleWatchlist:
			v.Use.Profiles = max(v.Use.Profiles, len(followed.list.Entries))
		case watchpost.CompanyWatchlist:
			v.Use.CompaniesPerWatchlist = max(v.Use.CompaniesPerWatchlist, len(followed.list.Entries))
		}
	}
	acting, _ := watchpost.ActingMember(t.members.all())
	v.Presence = make([]MemberPresence, 0, len(t.members.all()))
	for _, m := range t.members.all() {
		p := t.sessions.presence(m.ID, now)
		p.Acting = m.ID == acting.ID
		v.Presence = append(v.Presence, p)
	}
	v.Proposals = t.rules.Proposals()
	for _, target := range t.notifications.Views() {
		if target.Failing() {
			v.FailingTargets++
		}
	}
	t.tasks.countIn(&v)
	return v
}

// presence describes a member by the account that it works as and the session
// that can do most. Before a member has an account, by that of the session.
func (ss *sessions) presence(member watchpost.MemberID, now time.Time) MemberPresence {
	p := MemberPresence{Member: member}
	if last, known := ss.team.accounts.lastAlive(member); known {
		p.LastActive, p.Active = last, watchpost.ExtensionActive(last, now)
	}
	var best *sessionState
	for _, s := range ss.byMember[member] {
		if s.worker != nil && (best == nil || dispatch.CompareWorkers(s.worker, best.worker) < 0) {
			best = s
		}
	}
	if best != nil {
		p.Connected = true
		w := best.worker
		if w.Account == "" {
			return p
		}
		account := best.account
		p.Account, p.AccountInUse = &account, w.InUse
		if w.Other {
			p.Account, p.AccountInUse = workingAs(ss.team.members.binding(member)), false
		}
		if !w.InUse || w.Other {
			p.Used = ss.team.accounts.used(watchpost.AccountURN(p.Account.URN), now)
		}
		p.Pauses = ss.team.accounts.pauses(w, now)
		return p
	}
	if p.Account = workingAs(ss.team.members.binding(member)); p.Account != nil {
		urn := watchpost.AccountURN(p.Account.URN)
		p.Used, p.Pauses = ss.team.accounts.used(urn, now), ss.team.accounts.pausesOf(urn, now)
	}
	return p
}

// workingAs shows the account that a member works as, nil before there is one.
// It is not signed in: no session says so.
func workingAs(bound teamspace.BindingRecord, works bool) *protocol.Account {
	if !works {
		return nil
	}
	return &protocol.Account{URN: string(bound.Account), Slug: bound.Slug, Name: bound.Name}
}

// value returns the team with its members, as a value of the receiver's own.
func (t *team) value() watchpost.Team {
	return watchpost.Team{
		ID: t.id, Name: t.record.Name, Plan: t.plan(), CreatedAt: t.record.CreatedAt,
		PlanExpiresAt: t.record.PlanExpiresAt, KeepPosts: t.record.KeepPosts,
		MemberLeftAt: t.record.MemberLeftAt, KeyRotationAskedAt: t.record.KeyRotationAskedAt,
		Members: slices.Clone(t.members.all()), Domains: t.domains.List(),
		Voice: t.record.Voice,
	}
}

// onRequireExtension answers whether an extension was active within LivenessWindow.
func (t *team) onRequireExtension() {
	now := t.env.Clock.Now()
	if watchpost.ExtensionActive(t.accounts.lastOfAny(), now) {
		t.Answer(root.Done{}, nil)
		return
	}
	t.Answer(nil, watchpost.Errorf(watchpost.ExtensionRequired, watchpost.TextExtensionRequired))
}

// forecast says when the work of each action is done, what would be added included. It
// looks at queues and accounts, not at tasks.
func (t *team) forecast(added []forecast.Added) []ActionForecast {
	now := t.env.Clock.Now()
	work := map[watchpost.Action][]forecast.Work{}
	add := func(k dispatch.Key, units int, isAdded bool) {
		w := forecast.Work{Account: k.Account, Units: units, Added: isAdded}
		if k.Member != "" && w.Account == "" {
			w.Account = t.members.accountOf(k.Member)
		}
		w.Reason, w.NotBefore = t.dispatch.Why(k, now)
		work[k.Kind.Action()] = append(work[k.Kind.Action()], w)
	}
	for _, b := range t.dispatch.Backlogs() {
		add(b.Key, b.Units, false)
	}
	acting, _ := watchpost.ActingMember(t.members.all())
	for _, a := range added {
		k := dispatch.Key{Kind: a.Type}
		if a.Type.OfMember() {
			k.Member, k.Account = acting.ID, t.members.accountOf(acting.ID)
		}
		add(k, a.Count, true)
	}
	live := t.accounts.live(now)
	forecasts := make([]ActionForecast, 0, len(watchpost.Allowances)+1)
	for _, action := range watchpost.Actions() {
		accounts := make([]forecast.Account, len(live))
		for i, account := range live {
			accounts[i] = forecast.Account{Account: account, Room: max(0, t.dispatch.Standing(account).RoomOf(action, now))}
		}
		forecasts = append(forecasts, ActionForecast{action, forecast.Of(action, accounts, work[action], now)})
	}
	return forecasts
}

// planExpired is the team's own timer: its plan is free from now on.
type planExpired struct{}

// plan returns the plan that counts now.
func (t *team) plan() watchpost.Plan {
	return watchpost.PlanAt(t.record.Plan, t.record.PlanExpiresAt, t.env.Clock.Now())
}

func (t *team) onUpdateTeam(m UpdateTeam) {
	batch := &persistence.Batch{}
	if m.Patch.Domains != nil {
		if err := t.domains.Set(batch, *m.Patch.Domains); err != nil {
			t.Answer(nil, err)
			return
		}
	}
	r := &t.record
	next := m.Patch.Apply(watchpost.Team{Name: r.Name, Plan: r.Plan, PlanExpiresAt: r.PlanExpiresAt, KeepPosts: r.KeepPosts, Voice: r.Voice})
	if next.Voice != r.Voice { // the text stays out of the audit, which keeps many entries
		t.audit.note(batch, watchpost.AuditVoiceChanged, "", "")
	}
	if m.Patch != (watchpost.TeamPatch{Voice: m.Patch.Voice}) {
		t.audit.note(batch, watchpost.AuditTeamChanged, "", next.Name+", "+string(next.Plan))
	}
	r.Name, r.Plan, r.PlanExpiresAt, r.KeepPosts, r.Voice = next.Name, next.Plan, next.PlanExpiresAt, next.KeepPosts, next.Voice
	t.putTeam(batch)
	t.Commit(batch, t.value())
	t.armPlan()
	t.watchlists.tellPlan()
}

// armPlan asks the clock for the moment when the plan expires. A team that is not
// in memory needs no timer: every reader of its plan compares the moment.
func (t *team) armPlan() {
	if t.planTimer != nil {
		t.planTimer.Stop()
		t.planTimer = nil
	}
	if at := t.record.PlanExpiresAt; at.After(t.env.Clock.Now()) {
		t.planTimer = t.env.TellAt(at, t.Context.Self(), planExpired{})
	}
}

// onPlanExpired tells the lists, whose scans the free plan may not include.
func (t *team) onPlanExpired() {
	t.planTimer = nil
	t.armPlan() // the clock may have rung for a date that was changed meanwhile
	t.watchlists.tellPlan()
	t.Answer(root.Done{}, nil)
}

// weeklyQuota is what each of the team's watchlists may take in a week. A free
// team in which neither a session nor a person was seen for a week has less.
func (t *team) weeklyQuota(now time.Time) watchpost.WeeklyQuota {
	return t.plan().WeeklyQuota(watchpost.Inactive(later(t.record.SignedInAt, t.accounts.lastOfAny()), now))
}
