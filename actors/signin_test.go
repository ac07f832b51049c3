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

// wrongCode is not that code.
func wrongCode(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

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

func refused(t *testing.T, w *actorstest.World, email, code string) {
	t.Helper()
	_, err := w.Registry.VerifyOTP(w.Context(), email, code)
	require.EqualError(t, err, "Invalid or expired OTP")
}

func TestCodesExpireAndBurn(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	code := codeFor(t, w, "a@example.com")
	w.Advance(10*time.Minute - time.Second)
	for range 4 {
		refused(t, w, "a@example.com", wrongCode(code))
	}
	w.Crash()
	_, err := w.Registry.VerifyOTP(w.Context(), "a@example.com", code)
	require.NoError(t, err)
	refused(t, w, "a@example.com", code)

	w.Advance(time.Hour)
	code = codeFor(t, w, "b@example.com")
	w.Advance(10 * time.Minute)
	refused(t, w, "b@example.com", code)

	code = codeFor(t, w, "c@example.com")
	for range 5 {
		refused(t, w, "c@example.com", wrongCode(code))
	}
	refused(t, w, "c@example.com", code)
}

// TestWrongTriesOfADay: after twenty the right code is refused until 00:00.
func TestWrongTriesOfADay(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	for range 20 {
		refused(t, w, "a@example.com", "123456")
	}
	w.SetClock(watchpost.Daily.Reset(w.Now()).Add(-time.Minute))
	code := codeFor(t, w, "a@example.com")
	refused(t, w, "a@example.com", code)
	w.Crash()
	refused(t, w, "a@example.com", code)
	w.Advance(time.Minute)
	_, err := w.Registry.VerifyOTP(w.Context(), "a@example.com", code)
	require.NoError(t, err)
}

// TestMailFailureIsNotTold: the answer is that of a mail that went out.
func TestMailFailureIsNotTold(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	w.Mail.FailNext()
	require.NoError(t, w.Registry.SendOTP(w.Context(), "a@example.com", "", "192.0.2.1"))
	require.Empty(t, w.Mail.To("a@example.com"))
	require.NotEmpty(t, codeFor(t, w, "a@example.com"))
}

// TestSignInForgets: who asked once does not stay for ever.
func TestSignInForgets(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	for n := range 20 {
		email := fmt.Sprintf("somebody%d@example.com", n)
		require.NoError(t, w.Registry.SendOTP(w.Context(), email, "", fmt.Sprintf("192.0.2.%d", n)))
		refused(t, w, email+".example", "123456")
	}
	w.Advance(48 * time.Hour)
	for range 400 {
		refused(t, w, "a@example.com", "123456")
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
