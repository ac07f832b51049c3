package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// otherAccount checks that a session learns that it is signed in to a different
// account, and that the team still shows the member's own account.
func otherAccount(t *testing.T, s *actorstest.Session, bound protocol.Account) {
	t.Helper()
	f := s.ExpectStatus(func(f protocol.Frame) bool { return blockedBy(f, protocol.BlockedOtherAccount) })
	require.Equal(t, bound.URN, f.Account.URN)
	require.Equal(t, bound.Name, f.Account.Name)
	require.False(t, f.Account.SignedIn)
	p := presence(t, s.Team, s.Email)
	require.Equal(t, bound.URN, p.Account.URN)
	require.Equal(t, bound.Slug, p.Account.Slug)
	require.False(t, p.Account.SignedIn)
	require.Equal(t, []actors.Pause{{Reason: "other_account"}}, p.Pauses)
}

func blockedBy(f protocol.Frame, reason string) bool {
	for _, b := range f.Blocked {
		if b.Reason == reason {
			return true
		}
	}
	return false
}

func free(f protocol.Frame) bool { return len(f.Blocked) == 0 }

// signIn signs the member's browser in to the network with the given account.
func signIn(s *actorstest.Session, slug string) {
	s.Account = actorstest.Account(slug)
	s.Heartbeat()
	s.ExpectNone()
}

// A browser that is paired for one account and signed in as another gets no
// tasks, in any state before.
func TestOtherAccountIsHandedNothing(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	ada := s.Account
	s.ExpectStatus(func(f protocol.Frame) bool { return free(f) && f.Account.URN == ada.URN && f.Account.SignedIn })
	before := presence(t, team, s.Email).LastActive
	w.Advance(time.Minute)
	signIn(s, "jan")
	otherAccount(t, s, ada)
	require.Equal(t, before, presence(t, team, s.Email).LastActive, "no sign of life of the member")

	like, read := team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskProfileFetch)
	s.ExpectNone()
	wantPending(t, team, like, watchpost.PendingPaused)
	wantPending(t, team, read, watchpost.PendingPaused)

	// Jan's own session may use the account: no member has claimed it.
	other := w.CreateTeam(t, watchpost.PlanFree)
	jan := other.Session(t, "jan").Connect()
	require.False(t, presence(t, other, jan.Email).AccountInUse)

	w.Crash()
	s.Connect()
	otherAccount(t, s, ada)
	s.ExpectNone()
	w.Advance(49 * time.Hour)
	s.Heartbeat()
	s.ExpectNone()
	actorstest.Fails(t, team, watchpost.ExtensionRequired, actors.RequireExtension{})

	signIn2 := func() {
		s.Account = ada
		s.Heartbeat()
	}
	signIn2()
	s.Finish(s.ExpectTask(like))
	s.Finish(s.ExpectTask(read))
	done(t, team, actors.RequireExtension{})
	s.ExpectStatus(free)
}

// The account that changes between the hand-out and acting: no go.
func TestOtherAccountMayNotAct(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	ada := s.Account
	like := team.Create(t, watchpost.TaskLikePost)
	frame := s.ExpectTask(like)
	s.Accept(frame)
	signIn(s, "jan")
	s.Send(protocol.Frame{Type: protocol.TypeActing, Task: frame.Task, Lease: frame.Lease})
	require.Equal(t, frame.Task, s.Expect(protocol.TypeCancel).Task)
	s.Release(frame)
	s.ExpectNone()
	wantPending(t, team, like, watchpost.PendingPaused)
	require.Zero(t, team.Used(t, s.Email, watchpost.ActionLike), "given back")
	w.Advance(time.Minute) // the pause after a release
	s.Account = ada
	s.Heartbeat()
	s.Finish(s.ExpectTask(like))
}

// The member confirms the other account: from then on it is the member's, and
// the former one is anybody's.
func TestBind(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	ada := s.Account
	signIn(s, "jan")
	otherAccount(t, s, ada)
	like := team.Create(t, watchpost.TaskLikePost)
	s.ExpectNone()

	bind := func(a protocol.Account) { s.Send(protocol.Frame{Type: protocol.TypeBind, Account: &a}) }
	t.Run("only what the session is signed in as", func(t *testing.T) {
		bind(actorstest.Account("joe"))
		bind(protocol.Account{})
		s.Send(protocol.Frame{Type: protocol.TypeBind})
		s.ExpectNone()
		require.Equal(t, ada.URN, presence(t, team, s.Email).Account.URN)
	})
	bind(s.Account)
	s.Finish(s.ExpectTask(like))
	s.ExpectStatus(func(f protocol.Frame) bool { return free(f) && f.Account.URN == s.Account.URN && f.Account.SignedIn })
	p := presence(t, team, s.Email)
	require.Equal(t, "jan", p.Account.Slug)
	require.Empty(t, p.Pauses)
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionLike))

	heir := w.CreateTeam(t, watchpost.PlanFree)
	h := heir.Session(t, "ada").Connect()
	require.Equal(t, []actors.PauseReason{actors.PauseNewClaim, actors.PauseNewClaim}, paused(t, heir, h.Email), "claimed anew by another: no allowance until the reset")

	w.Crash()
	s.Connect()
	require.Equal(t, "jan", presence(t, team, s.Email).Account.Slug)
	s.Account = ada
	s.Heartbeat()
	s.ExpectNone()
	otherAccount(t, s, actorstest.Account("jan"))
	bind(ada)
	s.ExpectNone()
	s.ExpectStatus(func(f protocol.Frame) bool { return blockedBy(f, protocol.BlockedAccountInUse) })
	require.Equal(t, "jan", presence(t, team, s.Email).Account.Slug, "the account is another team's: nothing is bound")
}

// What another claimed before is the member's after the confirmation, without
// an allowance until the reset.
func TestBindClaimsAnew(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	other := w.CreateTeam(t, watchpost.PlanFree)
	jan := other.Session(t, "jan").Connect()
	done(t, other, actors.Revoke{Session: jan.ID})
	signIn(s, "jan")
	s.Send(protocol.Frame{Type: protocol.TypeBind, Account: &s.Account})
	s.ExpectNone()
	read := team.Create(t, watchpost.TaskProfileFetch)
	s.ExpectNone()
	require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, team, read, watchpost.PendingDailyCap).NotBefore)
	f := s.ExpectStatus(func(f protocol.Frame) bool { return blockedBy(f, protocol.BlockedNewClaim) })
	require.Equal(t, watchpost.Daily.Reset(w.Now()), *f.Blocked[0].Until)
	w.SetClock(watchpost.Daily.Reset(w.Now()))
	s.ExpectTask(read)
}

// Two browsers of one member: each receives the changes the other confirms.
func TestBindConcernsAllSessionsOfTheMember(t *testing.T) {
	t.Parallel()
	_, team, first := house(t)
	second := team.Session(t, "jan").Connect()
	f := second.ExpectStatus(func(f protocol.Frame) bool { return blockedBy(f, protocol.BlockedOtherAccount) })
	require.Equal(t, first.Account.URN, f.Account.URN)
	require.True(t, presence(t, team, first.Email).Account.SignedIn, "the browser that is signed in as the member goes on")
	second.Send(protocol.Frame{Type: protocol.TypeBind, Account: &second.Account})
	second.ExpectNone()
	first.ExpectStatus(func(f protocol.Frame) bool { return blockedBy(f, protocol.BlockedOtherAccount) })
	id := team.Create(t, watchpost.TaskProfileFetch)
	second.ExpectTask(id)
	first.ExpectNone()
}

// A member's session that is welcomed learns its allowances and what waits; and
// again when they change, at most once a second.
func TestStatusTellsWhatWaits(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	f := s.ExpectStatus(free)
	require.Len(t, f.Allowances, len(watchpost.Allowances))
	require.Zero(t, *f.Waiting)
	ids := fetches(t, team, 3)
	w.Advance(time.Second)
	f = s.ExpectStatus(func(f protocol.Frame) bool { return *f.Waiting == 2 })
	require.Equal(t, 1, usedOf(f, watchpost.ActionProfileFetch))
	for range ids {
		s.Finish(s.Expect(protocol.TypeTask))
	}
	w.Advance(time.Second)
	f = s.ExpectStatus(func(f protocol.Frame) bool { return *f.Waiting == 0 })
	require.Equal(t, 3, usedOf(f, watchpost.ActionProfileFetch))
	s.ExpectNone()
	w.Advance(10 * time.Second)
	s.Heartbeat()
	s.ExpectNone()
	w.Advance(10 * time.Second)
	s.ExpectNoStatus("nothing has changed")
}

func usedOf(f protocol.Frame, action watchpost.Action) int {
	for _, a := range f.Allowances {
		if a.Action == string(action) {
			return a.Used
		}
	}
	return -1
}

// The operator takes a member's account away: the next that a session reports
// is the member's, and the former one is anybody's.
func TestReleaseAccount(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	member := presence(t, team, s.Email).Member
	signIn(s, "jan")
	done(t, team, actors.ReleaseAccount{Member: member})
	read := team.Create(t, watchpost.TaskProfileFetch)
	s.ExpectNone()
	w.Crash()
	require.Nil(t, presence(t, team, s.Email).Account)
	s.Connect()
	s.Finish(s.ExpectTask(read))
	require.Equal(t, "jan", presence(t, team, s.Email).Account.Slug)
	heir := w.CreateTeam(t, watchpost.PlanFree)
	h := heir.Session(t, "ada").Connect()
	require.False(t, presence(t, heir, h.Email).AccountInUse)
	actorstest.Fails(t, team, watchpost.NotFound, actors.ReleaseAccount{Member: "nobody"})
}
