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
		require.NoError(t, w.Registry.SendOTP(w.Context(), email, "Eve", client, "", ""))
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
		owner, err := w.Registry.HolderOf(w.Context(), again.APIKey)
		require.NoError(t, err)
		require.Equal(t, signed.Team.ID, owner.Team)
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
		require.NoError(t, w.Registry.SendOTP(w.Context(), email, "", "192.0.2.1", "", ""))
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
