package actors

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"watchpost"
	"watchpost/internal/protocol"
)

// TeamView is a team as its members and the operator see it.
type TeamView struct {
	Team       watchpost.Team
	Presence   []MemberPresence // in the order of Team.Members
	Watchlists int
	// Limits are the quotas in force, Use the parts in use: for a quota per
	// watchlist, of the watchlist that uses most.
	Limits, Use watchpost.Quotas
	// WaitingScans counts the scans that are due and were not handed out,
	// RunningScans those that were; OldestScan is since when the oldest of the
	// former waits.
	WaitingScans int
	RunningScans int
	OldestScan   time.Time
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
	PauseNetworkLimit  PauseReason = "network_limit"       // the network refused more of Pause.Action
	PauseOtherAccount  PauseReason = "other_account"       // the session is signed in to another account than the member's
)

// pauseReasons are all of them.
var pauseReasons = []PauseReason{
	PauseAccountInUse, PauseSignedOut, PauseChallenge, PauseReleased, PauseNewClaim, PauseNotUnderstood, PauseNetworkLimit, PauseOtherAccount,
}

// Pause is one reason, with the kind of work that it concerns (none: all) and
// when it ends, if that is known.
type Pause struct {
	Reason   PauseReason
	TaskType watchpost.TaskType
	Action   watchpost.Action
	Until    time.Time
}

// view describes the team for its members and the operator.
func (t *team) view() TeamView {
	now := t.env.clock.Now()
	v := TeamView{Team: t.value(), Watchlists: len(t.watchlists.byID), Limits: t.plan().Quotas()}
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
	for _, m := range t.members.list {
		p := t.sessions.presence(m.ID, now)
		p.Acting = m.ID == acting.ID
		v.Presence = append(v.Presence, p)
	}
	for _, task := range t.tasks.open {
		switch {
		case !task.scan:
		case task.holder != "":
			v.RunningScans++
		default:
			v.WaitingScans++
			if v.OldestScan.IsZero() || task.due.Before(v.OldestScan) {
				v.OldestScan = task.due
			}
		}
	}
	return v
}

// presence describes a member by the account that it works as and the session
// that can do most. Before a member has an account, by that of the session.
func (ss *sessions) presence(member watchpost.MemberID, now time.Time) MemberPresence {
	p := MemberPresence{Member: member}
	if last, known := ss.alive[member]; known {
		p.LastActive, p.Active = last, watchpost.ExtensionActive(last, now)
	}
	var best *sessionState
	for _, s := range ss.of(member) {
		if s.worker != nil && (best == nil || compareWorkers(s.worker, best.worker) < 0) {
			best = s
		}
	}
	if best != nil {
		p.Connected = true
		w := best.worker
		if w.account == "" {
			return p
		}
		account := best.account
		p.Account, p.AccountInUse = &account, w.inUse
		if w.other {
			p.Account, p.AccountInUse = ss.team.members.boundAccount(member), false
		}
		if !w.inUse || w.other {
			p.Used = ss.used(watchpost.AccountURN(p.Account.URN), now)
		}
		p.Pauses = ss.pauses(w, now)
		return p
	}
	if p.Account = ss.team.members.boundAccount(member); p.Account != nil {
		urn := watchpost.AccountURN(p.Account.URN)
		p.Used, p.Pauses = ss.used(urn, now), ss.accountPauses(urn, now)
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

// compareWorkers orders workers by capability, then newest session first.
func compareWorkers(a, b *worker) int {
	rank := func(w *worker) int {
		switch {
		case w.account == "":
			return 3
		case w.inUse, w.other:
			return 2
		case !w.signedIn || w.stopped:
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.session, a.session))
}

func (ss *sessions) used(account watchpost.AccountURN, now time.Time) []AllowanceUse {
	var uses []AllowanceUse
	l := &ss.team.tasks.dispatch.standing(account).ledger
	for _, a := range watchpost.Allowances {
		uses = append(uses, AllowanceUse{
			Action: a.Action, Used: l.used(a, now), Limit: a.Limit, ResetsAt: a.Period.Reset(now),
		})
	}
	return uses
}

// pauses says why a connected session is not handed everything.
func (ss *sessions) pauses(w *worker, now time.Time) []Pause {
	var pauses []Pause
	switch {
	case w.other && w.inUse:
		return []Pause{{Reason: PauseOtherAccount}, {Reason: PauseAccountInUse}}
	case w.other:
		return []Pause{{Reason: PauseOtherAccount}}
	case w.inUse:
		return []Pause{{Reason: PauseAccountInUse}}
	case !w.signedIn:
		pauses = append(pauses, Pause{Reason: PauseSignedOut})
	case w.stopped:
		pauses = append(pauses, Pause{Reason: cmp.Or(PauseReason(w.stoppedBy), PauseReleased)})
	}
	st := ss.team.tasks.dispatch.standing(w.account)
	if now.Before(st.from) {
		pauses = append(pauses, Pause{Reason: PauseNewClaim, Until: st.from})
	}
	if now.Before(st.fromWeekly) {
		pauses = append(pauses, Pause{Reason: PauseNewClaim, Action: watchpost.ActionInvitation, Until: st.fromWeekly})
	}
	return append(pauses, ss.accountPauses(w.account, now)...)
}

// accountPauses are the pauses of an account, with or without a session.
func (ss *sessions) accountPauses(account watchpost.AccountURN, now time.Time) []Pause {
	var pauses []Pause
	st := ss.team.tasks.dispatch.standing(account)
	for _, kind := range slices.Sorted(maps.Keys(st.paused)) {
		if until := st.paused[kind]; now.Before(until) {
			pauses = append(pauses, Pause{Reason: PauseNotUnderstood, TaskType: kind, Until: until})
		}
	}
	for _, a := range watchpost.Allowances {
		if st.ledger.closed(a.Action, now) {
			pauses = append(pauses, Pause{Reason: PauseNetworkLimit, Action: a.Action, Until: a.Period.Reset(now)})
		}
	}
	return pauses
}

// value returns the team with its members, as a value of the receiver's own.
func (t *team) value() watchpost.Team {
	return watchpost.Team{
		ID: t.id, Name: t.record.Name, Plan: t.plan(), CreatedAt: t.record.CreatedAt,
		PlanExpiresAt: t.record.PlanExpiresAt,
		Members:       slices.Clone(t.members.list),
	}
}

// onRequireExtension answers whether an extension was active within LivenessWindow.
func (t *team) onRequireExtension() {
	now := t.env.clock.Now()
	for _, last := range t.sessions.alive {
		if watchpost.ExtensionActive(last, now) {
			t.answer(Done{}, nil)
			return
		}
	}
	t.answer(nil, watchpost.Errorf(watchpost.ExtensionRequired, watchpost.TextExtensionRequired))
}
