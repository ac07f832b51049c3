package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/signin"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// codeFor asks for a code and returns it; "" when none was mailed.
func codeFor(t *testing.T, w *actorstest.World, email string) string {
	t.Helper()
	before := len(w.Mail.To(email))
	require.NoError(t, w.Registry.SendOTP(w.Context(), email, "", "192.0.2.1", "", ""))
	if len(w.Mail.To(email)) == before {
		return ""
	}
	return w.Mail.Code(email)
}

// verifyOTP signs in with a code, as a client that knows no invitations.
func verifyOTP(w *actorstest.World, email, otp, client string) (actors.SignedIn, error) {
	return w.Registry.VerifyOTP(w.Context(), signin.OneTimeCode{Email: email, OTP: otp, Client: client}, actors.Choice{})
}

// TestRemovedMemberSignsIn: a person without a team any more founds one.
func TestRemovedMemberSignsIn(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	joe := team.Member(t, "joe")
	signed, err := verifyOTP(w, joe, codeFor(t, w, joe), "192.0.2.1")
	require.NoError(t, err)
	require.Equal(t, team.ID, signed.Team.ID)
	require.Equal(t, team.Key, signed.APIKey)
	remove(t, team, joe)
	signed, err = verifyOTP(w, joe, codeFor(t, w, joe), "192.0.2.1")
	require.NoError(t, err)
	require.NotEqual(t, team.ID, signed.Team.ID)
	require.Equal(t, watchpost.PlanFree, signed.Team.Plan)
	require.Equal(t, watchpost.RoleAdmin, signed.Member.Role)
}

// TestAddedMember: the operator adds at once.
func TestAddedMember(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	member, err := w.Registry.AddMember(w.Context(), team.ID, actors.AddMember{Email: "joe@example.com", Role: watchpost.RoleMember})
	require.NoError(t, err)
	require.Len(t, w.Mail.To(member.Email), 1)
	_, err = w.Registry.AddMember(w.Context(), team.ID, actors.AddMember{Email: "joe@example.com", Role: watchpost.RoleMember})
	require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
	require.Len(t, w.Mail.To(member.Email), 1, "nobody is invited twice")
	w.Mail.FailNext()
	_, err = w.Registry.AddMember(w.Context(), team.ID, actors.AddMember{Email: "eve@example.com", Role: watchpost.RoleMember})
	require.NoError(t, err, "the member is there, with or without the mail")
}

// signInSpaces are the spaces of the shards.
func signInSpaces() []persistence.Space {
	spaces := []persistence.Space{"sign-in"}
	for n := 1; n < 64; n++ {
		spaces = append(spaces, persistence.Space(fmt.Sprintf("sign-in-%d", n)))
	}
	return spaces
}

// signInRecords counts what the store keeps of sign-ins.
func signInRecords(t *testing.T, w *actorstest.World) (n int) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	for _, space := range signInSpaces() {
		require.NoError(t, view.Scan(space, nil, nil, func([]byte, []byte) bool { n++; return true }))
	}
	return n
}

// TestSignInForgets: the records of an address and of a client are deleted
// when they no longer limit anything.
func TestSignInForgets(t *testing.T) {
	t.Parallel()
	flood := func(t *testing.T, options ...actorstest.Option) *actorstest.World {
		w := actorstest.New(t, options...)
		for n := range 200 {
			require.NoError(t, w.Registry.SendOTP(w.Context(), fmt.Sprintf("somebody%d@example.com", n), "", fmt.Sprintf("192.0.2.%d", n), "", ""))
		}
		require.Equal(t, 400, signInRecords(t, w))
		return w
	}
	t.Run("when the shards are unused", func(t *testing.T) {
		t.Parallel()
		// Longer than the records live: a shard that rests earlier keeps them.
		w := flood(t, actorstest.With(func(o *actors.Options) { o.IdleAfter = 25 * time.Hour }))
		w.SetClock(w.Now().Add(25 * time.Hour))
		w.Advance(2 * time.Minute) // each shard is asked once, and looks at all of its records then
		require.Eventually(t, func() bool { return signInRecords(t, w) == 0 }, actorstest.Wait, time.Millisecond)
	})
	t.Run("when a shard is activated", func(t *testing.T) {
		t.Parallel()
		w := flood(t)
		w.Restart()
		w.Advance(48 * time.Hour)
		tryAddresses(t, w, 1000)
		require.Zero(t, signInRecords(t, w))
	})
	t.Run("while a shard is busy", func(t *testing.T) {
		t.Parallel()
		w := flood(t)
		w.Advance(24 * time.Hour)
		tryAddresses(t, w, 2000)
		require.Zero(t, signInRecords(t, w))
	})
}

// TestVerifyStoresNothing: tries of codes where none is in force leave nothing
// in the store, so a stranger cannot fill it.
func TestVerifyStoresNothing(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	for n := range 300 {
		_, err := verifyOTP(w, fmt.Sprintf("nobody%d@example.com", n), "123456", fmt.Sprintf("192.0.2.%d", n))
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	require.Zero(t, signInRecords(t, w))
	require.NotEmpty(t, codeFor(t, w, "ada@example.com"))
	w.Advance(11 * time.Minute)
	before := signInRecords(t, w)
	submitted := w.Store.Submitted()
	_, err := verifyOTP(w, "ada@example.com", "000000", "192.0.2.1")
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	require.Equal(t, before, signInRecords(t, w))
	require.Equal(t, submitted, w.Store.Submitted(), "an expired code counts no tries")
}

// TestTriesOfOneClient: a client address that tries codes of many addresses is
// refused for an hour, even with a right one; other clients are not.
func TestTriesOfOneClient(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	code := codeFor(t, w, "ada@example.com")
	for n := range 100 {
		_, err := verifyOTP(w, fmt.Sprintf("nobody%d@example.com", n), "123456", "203.0.113.9")
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	_, err := verifyOTP(w, "ada@example.com", code, "203.0.113.9")
	require.EqualError(t, err, "Invalid or expired OTP")
	_, err = verifyOTP(w, "ada@example.com", code, "203.0.113.10")
	require.NoError(t, err)
	w.Advance(time.Hour)
	_, err = verifyOTP(w, "ada@example.com", codeFor(t, w, "ada@example.com"), "203.0.113.9")
	require.NoError(t, err)
}

// TestMailsOverAnAddressLimit: a mail that the limit of the address forbids
// does not count for the client.
func TestMailsOverAnAddressLimit(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	for range 40 {
		require.NoError(t, w.Registry.SendOTP(w.Context(), "ada@example.com", "", "192.0.2.1", "", ""))
	}
	require.Len(t, w.Mail.To("ada@example.com"), 3)
	for n := range 40 {
		require.NoError(t, w.Registry.SendOTP(w.Context(), fmt.Sprintf("somebody%d@example.com", n), "", "192.0.2.1", "", ""))
	}
	require.Len(t, w.Mail.To("somebody26@example.com"), 1)
	require.Empty(t, w.Mail.To("somebody27@example.com"))
}

// tryAddresses tries a code for each of `times` addresses, one client per
// address, so that every shard has several.
func tryAddresses(t *testing.T, w *actorstest.World, times int) {
	t.Helper()
	for n := range times {
		_, err := verifyOTP(w, fmt.Sprintf("other%d@example.com", n), "123456", fmt.Sprintf("client %d", n))
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
}
