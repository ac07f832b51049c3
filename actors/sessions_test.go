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

func TestPairingCodes(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	email := team.Member(t, "bob")
	pair := func() actors.PairingCode {
		return actorstest.Must[actors.PairingCode](t, team, actors.CreatePairingCode{Email: email})
	}
	redeem := func(code string) (actors.SessionOpened, error) {
		return w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Code: code}, "192.0.2.1")
	}
	refused := func(code string) {
		t.Helper()
		_, err := redeem(code)
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	code := pair()
	require.True(t, watchpost.ValidPairingCode(code.Code))
	require.WithinDuration(t, w.Now().Add(10*time.Minute), code.ExpiresAt, actorstest.Wait)

	t.Run("used once, at the same moment too", func(t *testing.T) {
		const tries = 8
		type outcome struct {
			opened actors.SessionOpened
			err    error
		}
		outcomes := make(chan outcome, tries)
		for range tries {
			go func() {
				opened, err := redeem(code.Code)
				outcomes <- outcome{opened, err}
			}()
		}
		won := 0
		for range tries {
			if o := <-outcomes; o.err == nil {
				won++
				require.Equal(t, email, o.opened.Member.Email)
				require.Equal(t, team.ID, o.opened.Team.ID)
				s := &actorstest.Session{T: t, Team: team, Email: email, Token: o.opened.Token, Account: actorstest.Account("bob"), Journal: "j"}
				s.Connect()
			} else {
				require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(o.err))
			}
		}
		require.Equal(t, 1, won)
		refused(code.Code)
		w.Crash()
		refused(code.Code)
	})
	t.Run("ten minutes", func(t *testing.T) {
		code := pair()
		w.SetClock(code.ExpiresAt.Add(-3 * time.Second))
		_, err := redeem(code.Code)
		require.NoError(t, err)
		code = pair()
		w.SetClock(code.ExpiresAt)
		refused(code.Code)
	})
	t.Run("lost with its commit", func(t *testing.T) {
		code := pair()
		w.Store.FailWhen(always(team, actorstest.Before))
		_, err := redeem(code.Code)
		require.Equal(t, watchpost.Unavailable, watchpost.KindOf(err))
		w.Store.FailWhen(nil)
		w.AwaitPassivated()
		w.Advance(time.Second)
		_, err = redeem(code.Code)
		require.NoError(t, err, "not used up")
	})
	refused("")
	refused("0000000000")
	actorstest.Fails(t, team, watchpost.NotFound, actors.CreatePairingCode{Email: "nobody@example.com"})
}

func TestOneTimeCodes(t *testing.T) {
	t.Parallel()
	const email = "eve@example.com"
	send := func(t *testing.T, w *actorstest.World, email, client string) bool {
		t.Helper()
		before := len(w.Mail.To(email))
		require.NoError(t, w.Registry.SendOTP(w.Context(), email, "Eve", client, ""))
		return len(w.Mail.To(email)) > before
	}
	verify := func(w *actorstest.World, email, code string) error {
		_, err := verifyOTP(w, email, code, "192.0.2.1")
		return err
	}
	wrong := func(w *actorstest.World, email string) string {
		if w.Mail.Code(email) == "000000" {
			return "000001"
		}
		return "000000"
	}
	refused := func(t *testing.T, err error) {
		t.Helper()
		require.EqualError(t, err, "Invalid or expired OTP")
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	t.Run("an unknown email founds a free team, once", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		require.True(t, send(t, w, email, "192.0.2.1"))
		code := w.Mail.Code(email)
		signed, err := verifyOTP(w, email, code, "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, "Eve's Team", signed.Team.Name)
		require.Equal(t, watchpost.PlanFree, signed.Team.Plan)
		require.Equal(t, watchpost.RoleAdmin, signed.Member.Role)
		refused(t, verify(w, email, code))
		w.Crash()
		refused(t, verify(w, email, code))
		send(t, w, email, "192.0.2.1")
		again, err := verifyOTP(w, email, w.Mail.Code(email), "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, signed.Team.ID, again.Team.ID)
		require.Equal(t, signed.APIKey, again.APIKey)
		owner, err := w.Registry.TeamOfKey(w.Context(), again.APIKey)
		require.NoError(t, err)
		require.Equal(t, signed.Team.ID, owner)
	})
	t.Run("a new code replaces the old", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		send(t, w, email, "192.0.2.1")
		old := w.Mail.Code(email)
		send(t, w, email, "192.0.2.1")
		if old != w.Mail.Code(email) {
			refused(t, verify(w, email, old))
		}
		require.NoError(t, verify(w, email, w.Mail.Code(email)))
	})
	t.Run("used once at the same moment", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		send(t, w, email, "192.0.2.1")
		outcomes := make(chan error, 6)
		for range cap(outcomes) {
			go func() { outcomes <- verify(w, email, w.Mail.Code(email)) }()
		}
		won := 0
		for range cap(outcomes) {
			if err := <-outcomes; err == nil {
				won++
			} else {
				refused(t, err)
			}
		}
		require.Equal(t, 1, won)
	})
	t.Run("ten minutes", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		send(t, w, email, "192.0.2.1")
		at := w.Now()
		w.SetClock(at.Add(10*time.Minute + time.Second))
		refused(t, verify(w, email, w.Mail.Code(email)))
		send(t, w, email, "192.0.2.1")
		at = w.Now()
		w.SetClock(at.Add(10*time.Minute - 5*time.Second))
		require.NoError(t, verify(w, email, w.Mail.Code(email)))
	})
	t.Run("five wrong tries burn it, whatever crashes", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		send(t, w, email, "192.0.2.1")
		for range 4 {
			refused(t, verify(w, email, wrong(w, email)))
			w.Crash()
		}
		require.NoError(t, verify(w, email, w.Mail.Code(email)))
		send(t, w, email, "192.0.2.1")
		for range 5 {
			refused(t, verify(w, email, wrong(w, email)))
			w.Crash()
		}
		refused(t, verify(w, email, w.Mail.Code(email)))
	})
	t.Run("twenty wrong tries close the address until midnight", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		for i := range 20 {
			if i%4 == 0 {
				require.True(t, send(t, w, email, "192.0.2.1"))
				w.Advance(5 * time.Minute)
			}
			refused(t, verify(w, email, wrong(w, email)))
		}
		send(t, w, email, "192.0.2.1")
		w.Crash()
		refused(t, verify(w, email, w.Mail.Code(email)))
		w.SetClock(watchpost.Daily.Reset(w.Now()))
		require.True(t, send(t, w, email, "192.0.2.1"))
		require.NoError(t, verify(w, email, w.Mail.Code(email)))
	})
	t.Run("three mails in ten minutes, ten a day", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		sent := 0
		for range 3 {
			require.True(t, send(t, w, email, "192.0.2.1"))
			sent++
		}
		require.False(t, send(t, w, email, "192.0.2.2"), "per address, whoever asks")
		w.Crash()
		require.False(t, send(t, w, email, "192.0.2.2"))
		require.True(t, send(t, w, "other@example.com", "192.0.2.1"))
		last := w.Mail.Code(email)
		for sent < 10 {
			w.Advance(10*time.Minute + time.Second)
			for range 3 {
				if send(t, w, email, "192.0.2.1") {
					sent++
				}
			}
		}
		require.Equal(t, 10, sent)
		w.Advance(time.Hour)
		require.False(t, send(t, w, email, "192.0.2.1"))
		require.NotEmpty(t, last)
		w.Advance(23 * time.Hour)
		require.True(t, send(t, w, email, "192.0.2.1"))
	})
	t.Run("thirty mails an hour per client", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		for i := range 30 {
			require.True(t, send(t, w, string(rune('a'+i%26))+string(rune('a'+i/26))+"@example.com", "192.0.2.1"))
		}
		require.False(t, send(t, w, "zz@example.com", "192.0.2.1"))
		require.True(t, send(t, w, "zz@example.com", "192.0.2.2"))
		w.Advance(time.Hour + time.Second)
		require.True(t, send(t, w, "zz@example.com", "192.0.2.1"))
	})
	t.Run("a mail that cannot be sent is not told of", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		w.Mail.FailNext()
		require.NoError(t, w.Registry.SendOTP(w.Context(), email, "", "192.0.2.1", ""))
		require.Empty(t, w.Mail.To(email))
		require.True(t, send(t, w, email, "192.0.2.1"))
	})
	t.Run("no code was ever sent", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		refused(t, verify(w, email, "000000"))
		refused(t, verify(w, email, ""))
	})
	t.Run("a session signs in with one", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		team := w.CreateTeam(t, watchpost.PlanFree)
		send(t, w, team.Email, "192.0.2.1")
		opened, err := w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Email: team.Email, OTP: w.Mail.Code(team.Email)}, "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, team.ID, opened.Team.ID)
		s := &actorstest.Session{T: t, Team: team, Email: team.Email, Token: opened.Token, Account: actorstest.Account("eve"), Journal: "j"}
		s.Connect()
	})
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
		_, err := w.Registry.TeamOfKey(w.Context(), team.Key)
		require.EqualError(t, err, "Invalid API Key")
		owner, err := w.Registry.TeamOfKey(w.Context(), fresh)
		require.NoError(t, err)
		require.Equal(t, team.ID, owner)
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
