package actors_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

func presence(t *testing.T, team *actorstest.Team, email string) actors.MemberPresence {
	t.Helper()
	view := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
	m, ok := view.Team.MemberByEmail(email)
	require.True(t, ok)
	for _, p := range view.Presence {
		if p.Member == m.ID {
			return p
		}
	}
	require.FailNow(t, "no presence")
	return actors.MemberPresence{}
}

func TestNewerConnectionReplacesOlder(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	old := s.Line()
	s.Connect(actorstest.Listed(frame, protocol.StateReceived))
	require.Equal(t, 4408, old.ExpectClosed().Code)
	old.Result(frame, map[string]any{"name": "over the old connection"})
	s.ExpectNone()
	wantPending(t, team, id, watchpost.PendingRunning)
	old.Drop() // its end is not that of the newer one
	require.True(t, presence(t, team, s.Email).Connected)
	s.Finish(frame)
	old.ExpectQuiet()
}

// TestOneTaskAtATime: replacing the connection again and again while work
// waits never hands a session two tasks.
func TestOneTaskAtATime(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	for range 30 {
		fetches(t, team, 1)
		s.Connect()
	}
	held := map[string]bool{}
	for _, f := range append(s.Settle(), s.Settle()...) {
		require.Equal(t, protocol.TypeTask, f.Type)
		held[f.Task] = true
	}
	require.Len(t, held, 1)
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch))
}

func TestRevokedSession(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	twin := team.Session(t, "ada").Connect()
	id := team.Create(t, watchpost.TaskProfileFetch)
	holder, other := s, twin
	var frame protocol.Frame
	if came := s.Settle(); len(came) == 1 {
		frame = came[0]
	} else {
		holder, other = twin, s
		frame = twin.ExpectTask(id)
	}
	done(t, team, actors.Revoke{Session: holder.ID})
	holder.Expect(protocol.TypeRevoked)
	require.Equal(t, 4401, holder.ExpectClosed().Code)
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(holder.Hello()))
	actorstest.Fails(t, team, watchpost.NotFound, actors.Revoke{Session: holder.ID})
	holder.Result(frame, map[string]any{"name": "late"})
	w.Advance(leaseOver)
	require.Equal(t, 2, other.ExpectTask(id).Attempt)
	w.Crash()
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(holder.Hello()))
	require.NoError(t, other.Hello())

	t.Run("unknown token", func(t *testing.T) {
		stranger := *other
		stranger.Token = "0000"
		err := stranger.Hello()
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
		stranger.Token = ""
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(stranger.Hello()))
		stranger.Token = team.Key
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(stranger.Hello()), "the team's key is no session token")
	})
}

// TestWelcomeComesFirst, whatever else the hello brings about.
func TestWelcomeComesFirst(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	kept := s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch))
	stale := actorstest.Listed(protocol.Frame{Task: watchpost.NewID(w.Now()), Lease: "x"}, protocol.StateReceived)
	done := actorstest.Listed(protocol.Frame{Task: watchpost.NewID(w.Now()), Lease: "y"}, protocol.StateDone)
	for range 20 {
		s.Drop()
		w.Advance(time.Second)
		s.Connect(stale, done)
		types := []string{}
		for _, f := range s.Settle() {
			types = append(types, f.Type)
		}
		require.ElementsMatch(t, []string{protocol.TypeCancel, protocol.TypeTask}, types)
	}
	_ = kept
}

func TestAccountClaims(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for name, other := range map[string]*actorstest.Session{
		"another team":   w.CreateTeam(t, watchpost.PlanFree).Session(t, "ada"),
		"another member": team.SessionOf(t, team.Member(t, "bob"), "Ada"),
	} {
		t.Run(name, func(t *testing.T) {
			other.Connect()
			p := presence(t, other.Team, other.Email)
			require.True(t, p.AccountInUse)
			require.True(t, p.Connected)
			require.Zero(t, p.LastActive)
			if other.Team != team {
				actorstest.Fails(t, other.Team, watchpost.ExtensionRequired, actors.RequireExtension{})
				wantPending(t, other.Team, other.Team.Create(t, watchpost.TaskProfileFetch), watchpost.PendingExtensionOffline)
			}
			other.ExpectNone()
			other.Drop()
		})
	}
	require.False(t, presence(t, team, s.Email).AccountInUse)
}

// TestClaimTakenOver: after 30 days without a hello an account is anybody's,
// but has no allowance until the next reset.
func TestClaimTakenOver(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.Advance(protocol.HeartbeatEvery)
	s.Heartbeat() // confirms the claim
	s.Settle()
	s.Drop()
	heir := w.CreateTeam(t, watchpost.PlanFree)
	h := heir.Session(t, "ada")
	today := watchpost.Daily.Start(w.Now())
	w.SetClock(today.AddDate(0, 0, 30).Add(-time.Minute))
	h.Connect()
	require.True(t, presence(t, heir, h.Email).AccountInUse)
	w.SetClock(today.AddDate(0, 0, 30).Add(time.Minute))
	h.Heartbeat()
	h.ExpectNone()
	require.False(t, presence(t, heir, h.Email).AccountInUse)
	done(t, heir, actors.RequireExtension{})

	read, write := heir.Create(t, watchpost.TaskProfileFetch), heir.Create(t, watchpost.TaskConnectionRequest)
	for range 2 {
		h.ExpectNone()
		require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, heir, read, watchpost.PendingDailyCap).NotBefore)
		require.Equal(t, watchpost.Weekly.Reset(w.Now()), wantPending(t, heir, write, watchpost.PendingWeeklyCap).NotBefore)
		w.Crash()
		h.Connect()
	}
	monday := watchpost.Weekly.Reset(w.Now())
	w.SetClock(watchpost.Daily.Reset(w.Now()))
	h.Heartbeat()
	h.Finish(h.ExpectTask(read))
	h.ExpectNone()
	w.SetClock(monday)
	h.Heartbeat()
	h.Finish(h.ExpectTask(write))

	t.Run("the former owner is the stranger now", func(t *testing.T) {
		require.NoError(t, s.Hello())
		s.Expect(protocol.TypeWelcome)
		require.True(t, presence(t, team, s.Email).AccountInUse)
		s.ExpectNone()
	})
}

// TestClaimedAtOnce: of two teams that report an account at the same moment one
// has it. The other's hello may have to be said again.
func TestClaimedAtOnce(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	sessions := []*actorstest.Session{}
	for range 4 {
		sessions = append(sessions, w.CreateTeam(t, watchpost.PlanFree).Session(t, "ada"))
	}
	w.Store.Block()
	said := make(chan error, len(sessions))
	for _, s := range sessions {
		go func() { said <- s.Hello() }()
	}
	require.NoError(t, w.Store.AwaitHeld(w.Context(), len(sessions)))
	w.Store.Release()
	for range sessions {
		if err := <-said; err != nil {
			require.Equal(t, watchpost.Unavailable, watchpost.KindOf(err))
		}
	}
	owners := 0
	for _, s := range sessions {
		require.Eventually(t, func() bool {
			w.Advance(time.Second)
			return s.Hello() == nil
		}, actorstest.Wait, time.Millisecond)
		if !presence(t, s.Team, s.Email).AccountInUse {
			owners++
		}
	}
	require.Equal(t, 1, owners)
}

func TestTeamsAndKeys(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	t.Run("an email is one user of one team", func(t *testing.T) {
		_, err := w.Registry.CreateTeam(w.Context(), actors.CreateTeam{Plan: watchpost.PlanFree, Email: team.Email})
		require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
		other := w.CreateTeam(t, watchpost.PlanFree)
		actorstest.Fails(t, other, watchpost.Conflict, actors.AddMember{Email: team.Email, Role: watchpost.RoleMember})
		actorstest.Fails(t, team, watchpost.Conflict, actors.AddMember{Email: team.Email, Role: watchpost.RoleMember})
	})
	t.Run("a rotated key", func(t *testing.T) {
		fresh := actorstest.Must[actors.APIKey](t, team, actors.RotateKey{}).Key
		_, err := w.Registry.HolderOf(w.Context(), team.Key)
		require.EqualError(t, err, "Invalid API Key")
		owner, err := w.Registry.HolderOf(w.Context(), fresh)
		require.NoError(t, err)
		require.Equal(t, team.ID, owner.Team)
		w.Crash()
		require.Equal(t, fresh, actorstest.Must[actors.APIKey](t, team, actors.RevealKey{}).Key)
	})
	t.Run("members up to the plan", func(t *testing.T) {
		small := w.CreateTeam(t, watchpost.PlanFree)
		for range 4 {
			small.Member(t, "m")
		}
		actorstest.Fails(t, small, watchpost.PlanLimit, actors.AddMember{Email: "sixth@example.com", Role: watchpost.RoleMember})
		done(t, small, actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: new(watchpost.PlanGrowth)}})
		small.Member(t, "m")
	})
	t.Run("secrets are not stored", func(t *testing.T) {
		s := team.Session(t, "ada")
		var batches []byte
		view, err := w.Store.View(w.Context())
		require.NoError(t, err)
		defer view.Close()
		for _, kind := range []string{"team", "email", "key", "token", "pairing", "account"} {
			require.NoError(t, view.ScanDirectory(kind, "", func(name string, value []byte) bool {
				batches = append(append(batches, name...), value...)
				return true
			}))
		}
		require.NotContains(t, string(batches), s.Token)
		require.NotContains(t, string(batches), team.Key)
	})
	t.Run("a task whose input is too large is refused", func(t *testing.T) {
		for _, text := range []string{strings.Repeat("x", 300<<10), strings.Repeat("<", 150<<10)} { // stored it is escaped
			actorstest.Fails(t, team, watchpost.TooLarge, actors.CreateTask{Type: watchpost.TaskProfileFetch, Input: json.RawMessage(`{"x":"` + text + `"}`)})
			done(t, team, actors.GetTeam{})
		}
		done(t, team, actors.CreateTask{Type: watchpost.TaskProfileFetch, Input: json.RawMessage(`{"x":"` + strings.Repeat("x", 150<<10) + `"}`)})
	})
}

// TestHelloMeetsTheSweeper: a team that is asked whether it is idle while a
// session connects stays.
func TestHelloMeetsTheSweeper(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for range 100 {
		s.Drop()
		w.Advance(actors.DefaultIdleAfter + time.Minute)
		s.Connect()
		s.ExpectNone()
	}
	require.Equal(t, team, s.Team)
}
