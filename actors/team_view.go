package actors

import (
	"slices"
	"time"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
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
	// Proposals the actions of rules that wait for approval, FailingTargets the
	// notification targets whose messages fail.
	WaitingTasks   int
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
	v := TeamView{Team: t.value(), Watchlists: len(t.watchlists.byID), Limits: t.plan().Quotas(), Invitations: t.invitations.all(now)}
	v.Limits.WeeklyPosts = t.weeklyQuota(now).Posts
	v.Use = watchpost.Quotas{Watchlists: len(t.watchlists.byID), Members: len(t.members.list)}
	for id, tracked := range t.watchlists.byID {
		week := t.watchlists.week(id, now)
		v.Use.WeeklyPosts = max(v.Use.WeeklyPosts, week.Posts)
		v.Use.PotentialLeads = max(v.Use.PotentialLeads, week.Leads)
		followed := t.watchlists.lists[tracked.view.Watchlist.List]
		switch tracked.view.Watchlist.Type {
		case watchpost.PeopleWatchlist:
			v.Use.Profiles = max(v.Use.Profiles, len(followed.list.Entries))
		case watchpost.CompanyWatchlist:
			v.Use.CompaniesPerWatchlist = max(v.Use.CompaniesPerWatchlist, len(followed.list.Entries))
		}
	}
	acting, _ := watchpost.ActingMember(t.members.list)
	v.Presence = make([]MemberPresence, 0, len(t.members.list))
	for _, m := range t.members.list {
		p := t.sessions.presence(m.ID, now)
		p.Acting = m.ID == acting.ID
		v.Presence = append(v.Presence, p)
	}
	v.Proposals = t.rules.proposals()
	for _, target := range t.notifications.views() {
		if target.Failing() {
			v.FailingTargets++
		}
	}
	tally := &t.tasks.tally
	v.WaitingTasks, v.WaitingScans, v.RunningScans, v.OldestScan = tally.waiting, tally.waitingScans.Len(), tally.runningScans, tally.oldestScan()
	return v
}

// presence describes a member by the account that it works as and the session
// that can do most. Before a member has an account, by that of the session.
func (ss *sessions) presence(member watchpost.MemberID, now time.Time) MemberPresence {
	p := MemberPresence{Member: member}
	if alive, known := ss.team.accounts.alive[member]; known {
		p.LastActive, p.Active = alive.last, watchpost.ExtensionActive(alive.last, now)
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
			p.Account, p.AccountInUse = ss.team.members.boundAccount(member), false
		}
		if !w.InUse || w.Other {
			p.Used = ss.team.accounts.used(watchpost.AccountURN(p.Account.URN), now)
		}
		p.Pauses = ss.team.accounts.pauses(w, now)
		return p
	}
	if p.Account = ss.team.members.boundAccount(member); p.Account != nil {
		urn := watchpost.AccountURN(p.Account.URN)
		p.Used, p.Pauses = ss.team.accounts.used(urn, now), ss.team.accounts.pausesOf(urn, now)
	}
	return p
}

// boundAccount is the account that a member works as, nil before there is one.
// It is not signed in: no session says so.
func (ms *members) boundAccount(member watchpost.MemberID) *protocol.Account {
	bound, ok := ms.bindings[member]
	if !ok {
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
		Members: slices.Clone(t.members.list), Domains: slices.Clone(t.members.domains),
		Voice: t.record.Voice,
	}
}

// onRequireExtension answers whether an extension was active within LivenessWindow.
func (t *team) onRequireExtension() {
	now := t.env.Clock.Now()
	for _, alive := range t.accounts.alive {
		if watchpost.ExtensionActive(alive.last, now) {
			t.Answer(root.Done{}, nil)
			return
		}
	}
	t.Answer(nil, watchpost.Errorf(watchpost.ExtensionRequired, watchpost.TextExtensionRequired))
}
