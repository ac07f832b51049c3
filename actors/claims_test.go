package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// inUse checks that a session's account is shown as claimed by another member,
// and that the session neither counts as a sign of life nor gets any task.
func inUse(t *testing.T, w *actorstest.World, team *actorstest.Team, s *actorstest.Session) {
	t.Helper()
	p := presenceOf(t, team, s.Email)
	require.True(t, p.Connected)
	require.True(t, p.AccountInUse)
	require.Equal(t, s.Account.URN, p.Account.URN)
	require.Empty(t, p.Used)
	require.Equal(t, []actors.Pause{{Reason: actors.PauseAccountInUse}}, p.Pauses)
	require.False(t, p.Active)
	require.Equal(t, watchpost.ExtensionRequired, watchpost.KindOf(w.Registry.RequireExtension(w.Context(), team.ID)))
}

// paused returns the reasons for which a member's account is paused.
func paused(t *testing.T, team *actorstest.Team, email string) (reasons []actors.PauseReason) {
	t.Helper()
	for _, p := range presenceOf(t, team, email).Pauses {
		reasons = append(reasons, p.Reason)
	}
	return reasons
}

// TestClaimEndsWithTheMember: another team may claim the account, and has no
// allowance until the next day.
func TestClaimEndsWithTheMember(t *testing.T) {
	t.Parallel()
	w, team, first := house(t)
	other := w.CreateTeam(t, watchpost.PlanUltimate)
	s := other.Session(t, "ada").Connect()
	inUse(t, w, other, s)

	first.Drop()
	s.Heartbeat()
	s.ExpectNone()
	inUse(t, w, other, s)

	remove(t, team, team.Email)
	s.Heartbeat()
	s.ExpectNone()
	p := presenceOf(t, other, s.Email)
	require.False(t, p.AccountInUse)
	require.True(t, p.Active)
	require.Equal(t, []actors.PauseReason{actors.PauseNewClaim, actors.PauseNewClaim}, paused(t, other, s.Email))
	require.Equal(t, watchpost.Daily.Reset(w.Now()), p.Pauses[0].Until)
	require.Equal(t, watchpost.ActionInvitation, p.Pauses[1].Action)
	id := other.Create(t, watchpost.TaskProfileFetch)
	s.ExpectNone()
	wantPending(t, other, id, watchpost.PendingDailyCap)
	w.SetClock(watchpost.Daily.Reset(w.Now()))
	s.ExpectTask(id)
	require.Equal(t, []actors.PauseReason{actors.PauseNewClaim}, paused(t, other, s.Email), "invitations: from Monday on")
}

// TestClaimEndsWithTheLastSession of the member, not before. A member who
// reconnects is not another member.
func TestClaimEndsWithTheLastSession(t *testing.T) {
	t.Parallel()
	w, team, first := house(t)
	second := team.Session(t, "ada").Connect()
	other := w.CreateTeam(t, watchpost.PlanUltimate)
	s := other.Session(t, "ada").Connect()
	done(t, team, actors.Revoke{Session: first.ID})
	s.Heartbeat()
	s.ExpectNone()
	inUse(t, w, other, s)

	done(t, team, actors.Revoke{Session: second.ID})
	back := team.Session(t, "ada").Connect()
	back.ExpectTask(team.Create(t, watchpost.TaskProfileFetch))
	require.Empty(t, paused(t, team, team.Email))
	s.Heartbeat()
	s.ExpectNone()
	inUse(t, w, other, s)

	done(t, team, actors.Revoke{Session: back.ID})
	w.Crash()
	s.Connect()
	require.False(t, presenceOf(t, other, s.Email).AccountInUse)
	require.NotEmpty(t, paused(t, other, s.Email))
	late := team.Session(t, "ada").Connect()
	inUse2 := presenceOf(t, team, late.Email)
	require.True(t, inUse2.AccountInUse, "the other team has it now")
}

// TestClaimByAnotherMember of the same team: the same rules.
func TestClaimByAnotherMember(t *testing.T) {
	t.Parallel()
	_, team, _ := house(t)
	joe := team.Member(t, "joe")
	s := team.SessionOf(t, joe, "ada").Connect()
	require.True(t, presenceOf(t, team, joe).AccountInUse)
	require.False(t, presenceOf(t, team, team.Email).AccountInUse)
	remove(t, team, team.Email)
	s.Heartbeat()
	s.ExpectNone()
	require.False(t, presenceOf(t, team, joe).AccountInUse)
	require.Contains(t, paused(t, team, joe), actors.PauseNewClaim)
}

// TestAccountWithoutASession shows the account claimed last, with its usage.
func TestAccountWithoutASession(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
	s.Drop()
	w.Crash()
	p := presenceOf(t, team, team.Email)
	require.False(t, p.Connected)
	require.True(t, p.Active)
	require.Equal(t, s.Account.Slug, p.Account.Slug)
	require.Equal(t, s.Account.Name, p.Account.Name)
	require.False(t, p.Account.SignedIn)
	require.Equal(t, 1, team.Used(t, team.Email, watchpost.ActionProfileFetch))
	w.Advance(49 * time.Hour)
	require.False(t, presenceOf(t, team, team.Email).Active)
	require.Zero(t, team.Used(t, team.Email, watchpost.ActionProfileFetch))
}

func TestPausesAreShown(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	require.Empty(t, paused(t, team, team.Email))
	for code, want := range map[string]actors.PauseReason{"challenge": actors.PauseChallenge, "signed_out": actors.PauseSignedOut} {
		s.Error(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)), code, actorstest.Lie)
		s.Settle()
		require.Equal(t, []actors.PauseReason{want}, paused(t, team, team.Email))
		w.Advance(time.Minute) // the pause before another attempt
		s.Heartbeat()
		s.Finish(s.Expect("task"))
		require.Empty(t, paused(t, team, team.Email))
	}
	s.Account.SignedIn = false
	s.Heartbeat()
	s.ExpectNone()
	require.Equal(t, []actors.PauseReason{actors.PauseSignedOut}, paused(t, team, team.Email))
	// A session may report a human check with its account: it is not a sign-out.
	s.Account.Challenge = true
	s.Heartbeat()
	s.ExpectNone()
	require.Equal(t, []actors.PauseReason{actors.PauseChallenge}, paused(t, team, team.Email))
	s.Heartbeat() // the same again
	s.ExpectNone()
	require.Equal(t, []actors.PauseReason{actors.PauseChallenge}, paused(t, team, team.Email))
	s.Account.SignedIn, s.Account.Challenge = true, false
	s.Heartbeat()
	s.ExpectNone()
	require.Empty(t, paused(t, team, team.Email))

	s.Error(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)), "page_not_understood", actorstest.Lie)
	s.Settle()
	p := presenceOf(t, team, team.Email).Pauses
	require.Len(t, p, 1)
	require.Equal(t, actors.PauseNotUnderstood, p[0].Reason)
	require.Equal(t, watchpost.TaskProfileFetch, p[0].TaskType)
	require.WithinDuration(t, w.Now().Add(15*time.Minute), p[0].Until, actorstest.Wait)

	s.Error(s.ExpectTask(team.Create(t, watchpost.TaskCompanyFetch)), "network_limit", actorstest.Lie)
	s.Settle()
	p = presenceOf(t, team, team.Email).Pauses
	require.Equal(t, actors.Pause{Reason: actors.PauseNetworkLimit, Action: watchpost.ActionCompanyFetch, Until: watchpost.Daily.Reset(w.Now())}, p[1])
}
