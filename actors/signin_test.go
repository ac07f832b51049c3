package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
)

// codeFor asks for a code and returns it; "" when none was mailed.
func codeFor(t *testing.T, w *actorstest.World, email string) string {
	t.Helper()
	before := len(w.Mail.To(email))
	require.NoError(t, w.Registry.SendOTP(w.Context(), email, "", "192.0.2.1"))
	if len(w.Mail.To(email)) == before {
		return ""
	}
	return w.Mail.Code(email)
}

// TestSignInForgets: who asked once does not stay for ever.
func TestSignInForgets(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	for n := range 20 {
		email := fmt.Sprintf("somebody%d@example.com", n)
		require.NoError(t, w.Registry.SendOTP(w.Context(), email, "", fmt.Sprintf("192.0.2.%d", n)))
		_, err := w.Registry.VerifyOTP(w.Context(), email+".example", "123456")
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	w.Advance(48 * time.Hour)
	for range 400 {
		_, err := w.Registry.VerifyOTP(w.Context(), "a@example.com", "123456")
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	left := 0
	require.NoError(t, view.Scan(persistence.Space("sign-in"), nil, nil, func([]byte, []byte) bool { left++; return true }))
	require.Equal(t, 1, left)
}

// TestRemovedMemberSignsIn: a person without a team any more founds one.
func TestRemovedMemberSignsIn(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	joe := team.Member(t, "joe")
	signed, err := w.Registry.VerifyOTP(w.Context(), joe, codeFor(t, w, joe))
	require.NoError(t, err)
	require.Equal(t, team.ID, signed.Team.ID)
	require.Equal(t, team.Key, signed.APIKey)
	remove(t, team, joe)
	signed, err = w.Registry.VerifyOTP(w.Context(), joe, codeFor(t, w, joe))
	require.NoError(t, err)
	require.NotEqual(t, team.ID, signed.Team.ID)
	require.Equal(t, watchpost.PlanFree, signed.Team.Plan)
	require.Equal(t, watchpost.RoleAdmin, signed.Member.Role)
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	member, err := w.Registry.Invite(w.Context(), team.ID, actors.AddMember{Email: "joe@example.com", Role: watchpost.RoleMember})
	require.NoError(t, err)
	require.Len(t, w.Mail.To(member.Email), 1)
	_, err = w.Registry.Invite(w.Context(), team.ID, actors.AddMember{Email: "joe@example.com", Role: watchpost.RoleMember})
	require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
	require.Len(t, w.Mail.To(member.Email), 1, "nobody is invited twice")
	w.Mail.FailNext()
	_, err = w.Registry.Invite(w.Context(), team.ID, actors.AddMember{Email: "eve@example.com", Role: watchpost.RoleMember})
	require.NoError(t, err, "the member is there, with or without the mail")
}

// TestFloodOfAddresses: the record that every unknown address gets for a day is
// gone after it, however many there were, without as many requests to come.
func TestFloodOfAddresses(t *testing.T) {
	t.Parallel()
	const flood = 300
	records := func(w *actorstest.World) (n int) {
		view, err := w.Store.View(w.Context())
		require.NoError(t, err)
		defer view.Close()
		require.NoError(t, view.Scan(persistence.Space("sign-in"), nil, nil, func([]byte, []byte) bool { n++; return true }))
		return n
	}
	begin := func(t *testing.T) *actorstest.World {
		w := actorstest.New(t)
		for n := range flood {
			_, err := w.Registry.VerifyOTP(w.Context(), fmt.Sprintf("nobody%d@example.com", n), "123456")
			require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
		}
		require.Equal(t, flood, records(w))
		return w
	}
	t.Run("when nobody signs in any more", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.SetClock(watchpost.Daily.Reset(w.Now()))
		require.Eventually(t, func() bool {
			w.Advance(time.Minute)
			return records(w) == 0
		}, actorstest.Wait, time.Millisecond)
	})
	t.Run("when it is the next that somebody does", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.Restart()
		w.Advance(48 * time.Hour)
		codeFor(t, w, "ada@example.com")
		require.Equal(t, 2, records(w))
	})
}
