package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// claims returns the names of all accounts that are or were claimed.
func claims(t *testing.T, w *actorstest.World) []string {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	names, err := teamspace.Names[string](view, teamspace.DirAccount)
	require.NoError(t, err)
	return names
}

// TestSignedOutClaimsNothing: a session that is signed in nowhere reports the accounts of
// others, in its hello and after. It leaves nothing, and their owners work with them. A
// session that signs out of its account keeps it.
func TestSignedOutClaimsNothing(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	evil := w.CreateTeam(t, watchpost.PlanFree)
	s := evil.Session(t, "victim-0")
	s.Account.SignedIn = false
	s.Connect()
	for i := range 50 {
		s.Account.URN = fmt.Sprint("urn:network:member:victim-", i)
		s.Heartbeat()
	}
	s.Settle()
	require.Empty(t, claims(t, w))
	require.Equal(t, []actors.PauseReason{actors.PauseSignedOut}, paused(t, evil, evil.Email))

	team := w.CreateTeam(t, watchpost.PlanUltimate)
	victim := team.Session(t, "victim-7").Connect()
	victim.Finish(victim.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
	require.Empty(t, paused(t, team, team.Email))
	require.Equal(t, []string{string(victim.URN())}, claims(t, w))

	victim.Account.SignedIn = false
	victim.Heartbeat()
	victim.Settle()
	require.Equal(t, []actors.PauseReason{actors.PauseSignedOut}, paused(t, team, team.Email))
	s.Account = actorstest.Account("victim-7")
	s.Heartbeat()
	s.Settle()
	require.Equal(t, []actors.PauseReason{actors.PauseAccountInUse}, paused(t, evil, evil.Email))
}

// TestClaimLapses: a claim that was made in one moment is another's after an hour, with
// all allowances. The member who made it is too late then, and until then has the same
// rights as any other.
func TestClaimLapses(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	evil, team := w.CreateTeam(t, watchpost.PlanFree), w.CreateTeam(t, watchpost.PlanUltimate)
	first := evil.Session(t, "ada").Connect()
	for range 20 {
		first.Heartbeat()
	}
	first.Settle()
	first.Drop()
	s := team.Session(t, "ada").Connect()
	inUse(t, w, team, s)
	w.Advance(59 * time.Minute)
	s.Heartbeat()
	s.Settle()
	inUse(t, w, team, s)
	w.Advance(time.Minute)
	s.Heartbeat()
	s.Settle()
	require.Empty(t, paused(t, team, team.Email), "nothing was done with the account")
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))

	first.Connect()
	require.True(t, presence(t, evil, evil.Email).AccountInUse)
}

// TestClaimIsConfirmed by work, by a later sign of life, or by a later hello, each also
// when the service has ended in between. Then it does not lapse.
func TestClaimIsConfirmed(t *testing.T) {
	t.Parallel()
	for name, confirm := range map[string]func(*testing.T, *actorstest.World, *actorstest.Team, *actorstest.Session){
		"work": func(t *testing.T, _ *actorstest.World, team *actorstest.Team, s *actorstest.Session) {
			s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
		},
		"heartbeat": func(_ *testing.T, w *actorstest.World, _ *actorstest.Team, s *actorstest.Session) {
			w.Advance(protocol.HeartbeatEvery)
			s.Heartbeat()
			s.Settle()
		},
		"hello": func(_ *testing.T, w *actorstest.World, _ *actorstest.Team, s *actorstest.Session) {
			w.Advance(protocol.HeartbeatEvery)
			s.Connect()
		},
		"crash": func(_ *testing.T, w *actorstest.World, _ *actorstest.Team, s *actorstest.Session) {
			w.Advance(protocol.HeartbeatEvery)
			w.Crash()
			s.Connect()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := actorstest.New(t)
			team, other := w.CreateTeam(t, watchpost.PlanUltimate), w.CreateTeam(t, watchpost.PlanUltimate)
			s := team.Session(t, "ada").Connect()
			confirm(t, w, team, s)
			s.Drop()
			w.Crash()
			w.Advance(2 * time.Hour)
			inUse(t, w, other, other.Session(t, "ada").Connect())
		})
	}
}

// TestChangesOfAccountADay: a member who confirms one account after another leaves no more
// than a few claims a day.
func TestChangesOfAccountADay(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	change := func(from, to int) {
		for i := from; i < to; i++ {
			signIn(s, fmt.Sprint("victim-", i))
			s.Send(protocol.Frame{Type: protocol.TypeBind, Account: &s.Account})
			s.Settle()
		}
	}
	change(0, 30)
	require.Len(t, claims(t, w), 1+10)
	require.Equal(t, "victim-9", presence(t, team, s.Email).Account.Slug)
	w.Crash()
	s.Connect()
	change(30, 40)
	require.Len(t, claims(t, w), 1+10)
	w.SetClock(watchpost.Daily.Reset(w.Now()))
	change(40, 60)
	require.Len(t, claims(t, w), 1+20)
}
