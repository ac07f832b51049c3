package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/signin"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

const invited = "joe@example.com"

// inviteTo has the team's founder invite an address.
func inviteTo(t *testing.T, team *actorstest.Team, email string) watchpost.Invitation {
	t.Helper()
	team.W.Advance(time.Second) // ids of one moment have no order
	i, err := team.W.Registry.Invite(team.W.Context(), team.ID, actors.InviteMember{Email: email, Role: watchpost.RoleMember, By: memberOf(t, team, team.Email)})
	require.NoError(t, err)
	return i
}

// signInBy signs in by a fresh code.
func signInBy(t *testing.T, w *actorstest.World, email string, c actors.Choice) (actors.SignedIn, error) {
	t.Helper()
	w.Advance(10 * time.Minute) // no limit of mails is met
	return w.Registry.VerifyOTP(w.Context(), signin.OneTimeCode{Email: email, OTP: codeFor(t, w, email), Client: "192.0.2.1"}, c)
}

// wantError checks the kind and the text of an error.
func wantError(t *testing.T, err error, kind watchpost.Kind, text string) {
	t.Helper()
	require.EqualError(t, err, text)
	require.Equal(t, kind, watchpost.KindOf(err))
}

// emails are the addresses of the members.
func emails(t *testing.T, team *actorstest.Team) (emails []string) {
	t.Helper()
	for _, m := range actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members {
		emails = append(emails, m.Email)
	}
	return emails
}

func nameOf(t *testing.T, team *actorstest.Team) string {
	t.Helper()
	return actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Name
}

// pendingOf are the addresses that the team has invited.
func pendingOf(t *testing.T, team *actorstest.Team) (emails []string) {
	t.Helper()
	for _, i := range actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Invitations {
		emails = append(emails, i.Email)
	}
	return emails
}

// TestInvitationIsPending: an invitation takes neither the address nor a place, until the
// person accepts it.
func TestInvitationIsPending(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	hostile, team := w.CreateTeam(t, watchpost.PlanFree), w.CreateTeam(t, watchpost.PlanFree)
	first, second := inviteTo(t, hostile, invited), inviteTo(t, team, invited)
	require.Equal(t, []string{hostile.Email}, emails(t, hostile))
	require.Equal(t, []string{invited}, pendingOf(t, hostile))
	require.Len(t, w.Mail.To(invited), 2)
	require.Contains(t, w.Mail.To(invited)[0].Body, hostile.Email, "the mail says who invites")

	w.Crash()
	pending, err := w.Registry.Invitations(w.Context(), invited)
	require.NoError(t, err)
	require.Equal(t, []actors.InvitationTo{
		{ID: first.ID, Team: hostile.ID, TeamName: nameOf(t, hostile), By: hostile.Email, Ends: first.Ends()},
		{ID: second.ID, Team: team.ID, TeamName: nameOf(t, team), By: team.Email, Ends: second.Ends()},
	}, pending)

	signed, err := signInBy(t, w, invited, actors.Choice{Accept: second.ID})
	require.NoError(t, err)
	require.Equal(t, team.ID, signed.Team.ID)
	require.Equal(t, team.Key, signed.APIKey)
	require.Equal(t, watchpost.RoleMember, signed.Member.Role)
	require.False(t, signed.Member.NeverSignedIn)
	w.Crash()
	require.Equal(t, []string{team.Email, invited}, emails(t, team))
	require.Empty(t, pendingOf(t, team))

	// The address belongs to one team at a time; the other invitation stays.
	_, err = signInBy(t, w, invited, actors.Choice{Accept: first.ID})
	wantError(t, err, watchpost.Conflict, "Email already belongs to a team")
	_, err = signInBy(t, w, invited, actors.Choice{Accept: second.ID})
	wantError(t, err, watchpost.NotFound, watchpost.TextInvitationNotFound)
	signed, err = signInBy(t, w, invited, actors.Choice{})
	require.NoError(t, err)
	require.Equal(t, team.ID, signed.Team.ID)
	require.Equal(t, []string{invited}, pendingOf(t, hostile))
}

// TestChoiceKeepsTheCode: a person who must choose a team uses the code for the choice,
// once.
func TestChoiceKeepsTheCode(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	i := inviteTo(t, team, invited)
	code := signin.OneTimeCode{Email: invited, OTP: codeFor(t, w, invited), Client: "192.0.2.1"}
	wrong := code
	wrong.OTP = "000000"
	if code.OTP == wrong.OTP {
		wrong.OTP = "000001"
	}
	for _, c := range []actors.Choice{{Asks: true}, {JoinsOnly: true}} {
		_, err := w.Registry.VerifyOTP(w.Context(), wrong, c)
		wantError(t, err, watchpost.Unauthenticated, "Invalid or expired OTP")
		_, err = w.Registry.VerifyOTP(w.Context(), code, c)
		var choice *actors.ChoiceError
		require.ErrorAs(t, err, &choice)
		require.Equal(t, i.ID, choice.Invitations[0].ID)
		require.Equal(t, watchpost.NotFound, watchpost.KindOf(err))
	}
	opened, err := w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Email: invited, OTP: code.OTP, Accept: string(i.ID)}, code.Client)
	require.NoError(t, err)
	require.Equal(t, team.ID, opened.Team.ID)
	_, err = w.Registry.VerifyOTP(w.Context(), code, actors.Choice{})
	wantError(t, err, watchpost.Unauthenticated, "Invalid or expired OTP")
}

// TestInvitedPersonMakesATeam: invitations keep no person from a team of their own, and
// pairing makes none.
func TestInvitedPersonMakesATeam(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	inviteTo(t, team, invited)
	signed, err := signInBy(t, w, invited, actors.Choice{})
	require.NoError(t, err)
	require.NotEqual(t, team.ID, signed.Team.ID)
	require.Equal(t, watchpost.RoleAdmin, signed.Member.Role)
	_, err = signInBy(t, w, "else@example.com", actors.Choice{JoinsOnly: true})
	wantError(t, err, watchpost.NotFound, "No team for this email")
}

// TestClosedRegistrationInvites: an invited address gets codes although strangers get none,
// and joins by accepting only.
func TestClosedRegistrationInvites(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.RegistrationClosed = true }))
	team := w.CreateTeam(t, watchpost.PlanFree)
	require.Empty(t, codeFor(t, w, invited))
	i := inviteTo(t, team, invited)
	_, err := signInBy(t, w, invited, actors.Choice{})
	var choice *actors.ChoiceError
	require.ErrorAs(t, err, &choice)
	require.NoError(t, w.Registry.BlockInvitations(w.Context(), invited, team.ID, true))
	before := len(w.Mail.To(invited))
	require.NoError(t, w.Registry.SendOTP(w.Context(), invited, "", "192.0.2.2", "", ""))
	require.Len(t, w.Mail.To(invited), before, "a blocked team sends no invitation")
	require.NoError(t, w.Registry.BlockInvitations(w.Context(), invited, team.ID, false))
	signed, err := signInBy(t, w, invited, actors.Choice{Accept: i.ID})
	require.NoError(t, err)
	require.Equal(t, team.ID, signed.Team.ID)
}

// TestInvitationEnds: by its time, by the team and by the person; the audit names who.
func TestInvitationEnds(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	none := func(t *testing.T, email string, id watchpost.InvitationID) {
		t.Helper()
		pending, err := w.Registry.Invitations(w.Context(), email)
		require.NoError(t, err)
		require.Empty(t, pending)
		require.NotContains(t, pendingOf(t, team), email)
		_, err = signInBy(t, w, email, actors.Choice{Accept: id})
		wantError(t, err, watchpost.NotFound, watchpost.TextInvitationNotFound)
		require.Error(t, w.Registry.DeclineInvitation(w.Context(), email, id))
	}
	expiring := inviteTo(t, team, "late@example.com")
	w.Advance(watchpost.InvitationTime)
	none(t, expiring.Email, expiring.ID)
	actorstest.Fails(t, team, watchpost.NotFound, actors.WithdrawInvitation{Invitation: expiring.ID})

	withdrawn := inviteTo(t, team, "withdrawn@example.com")
	done(t, team, actors.WithdrawInvitation{Invitation: withdrawn.ID})
	none(t, withdrawn.Email, withdrawn.ID)

	declined := inviteTo(t, team, "declined@example.com")
	require.Error(t, w.Registry.DeclineInvitation(w.Context(), "other@example.com", declined.ID), "another's")
	require.NoError(t, w.Registry.DeclineInvitation(w.Context(), declined.Email, declined.ID))
	none(t, declined.Email, declined.ID)
	inviteTo(t, team, declined.Email)

	accepted := inviteTo(t, team, "accepted@example.com")
	_, err := signInBy(t, w, accepted.Email, actors.Choice{Accept: accepted.ID})
	require.NoError(t, err)
	done(t, team, actors.LeaveTeam{Member: memberOf(t, team, accepted.Email)})
	entries, err := w.Registry.Audit(w.Context(), team.ID, 100)
	require.NoError(t, err)
	var story []string
	for _, e := range entries {
		story = append([]string{string(e.Kind) + " " + e.Email + " " + e.Subject}, story...)
	}
	require.Equal(t, []string{
		"team_created  " + team.Email,
		"member_invited " + team.Email + " late@example.com, member",
		"member_invited " + team.Email + " withdrawn@example.com, member", "invitation_withdrawn  withdrawn@example.com",
		"member_invited " + team.Email + " declined@example.com, member", "invitation_declined  declined@example.com",
		"member_invited " + team.Email + " declined@example.com, member",
		"member_invited " + team.Email + " accepted@example.com, member",
		"invitation_accepted accepted@example.com invited by " + team.Email + ", member", "signed_in accepted@example.com one-time code",
		"member_left accepted@example.com accepted@example.com",
	}, story)
}

// TestExpiredEntriesGo: a sign-in removes the entries of invitations that expired while
// their team was not in memory.
func TestExpiredEntriesGo(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	inviteTo(t, team, invited)
	entries := func() (n int) {
		view, err := w.Store.View(w.Context())
		require.NoError(t, err)
		defer view.Close()
		require.NoError(t, teamspace.Invitations(view, invited, func(watchpost.InvitationID, teamspace.InvitationEntry) bool { n++; return true }))
		return n
	}
	_, err := signInBy(t, w, invited, actors.Choice{})
	require.NoError(t, err)
	require.Equal(t, 1, entries())
	w.Restart()
	w.Advance(watchpost.InvitationTime + 25*time.Hour)
	_, err = signInBy(t, w, invited, actors.Choice{})
	require.NoError(t, err)
	require.Zero(t, entries())
	inviteTo(t, team, invited)
	require.Equal(t, 1, entries())
}

// TestAcceptAboveTheQuota: pending invitations take no place; a person who accepts too
// late gets the quota's error and may try again.
func TestAcceptAboveTheQuota(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	var all []watchpost.Invitation
	for n := range 6 {
		all = append(all, inviteTo(t, team, fmt.Sprintf("i%d@example.com", n)))
	}
	for n := range 4 {
		_, err := signInBy(t, w, all[n].Email, actors.Choice{Accept: all[n].ID})
		require.NoError(t, err)
	}
	_, err := signInBy(t, w, all[4].Email, actors.Choice{Accept: all[4].ID})
	wantError(t, err, watchpost.PlanLimit, "Your plan includes up to 5 team members.")
	require.Len(t, emails(t, team), 5)
	require.Equal(t, []string{all[4].Email, all[5].Email}, pendingOf(t, team))
	done(t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: new(watchpost.PlanGrowth)}})
	_, err = signInBy(t, w, all[4].Email, actors.Choice{Accept: all[4].ID})
	require.NoError(t, err)
}

// TestInvitationBounds: 20 mails a day of the team's members, whatever becomes of the
// invitations, one a day for each invitation, and a bound on pending ones.
func TestInvitationBounds(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	by := memberOf(t, team, team.Email)
	first := inviteTo(t, team, "i0@example.com")
	_, err := w.Registry.MailInvitation(w.Context(), team.ID, first.ID, by, "")
	wantError(t, err, watchpost.Conflict, watchpost.TextMailedToday)
	for n := range 19 {
		done(t, team, actors.WithdrawInvitation{Invitation: inviteTo(t, team, fmt.Sprintf("i%d@example.com", n+1)).ID})
	}
	_, err = w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: invited, Role: watchpost.RoleMember, By: by})
	wantError(t, err, watchpost.InvitationCap, watchpost.TextInvitations)
	require.Empty(t, w.Mail.To(invited))
	_, err = w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: invited, Role: watchpost.RoleMember})
	require.NoError(t, err, "the operator's are not counted")
	w.Advance(24 * time.Hour)
	again, err := w.Registry.MailInvitation(w.Context(), team.ID, first.ID, by, "")
	require.NoError(t, err)
	require.False(t, again.MailedAt.Before(first.MailedAt.Add(24*time.Hour)))
	require.Len(t, w.Mail.To(first.Email), 2)
	w.Advance(watchpost.InvitationTime - time.Hour)
	require.Equal(t, []string{first.Email}, pendingOf(t, team), "its time began again")
	for n := 1; n < watchpost.MaxPendingInvitations; n++ {
		_, err = w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: fmt.Sprintf("p%d@example.com", n), Role: watchpost.RoleMember})
		require.NoError(t, err)
	}
	actorstest.Fails(t, team, watchpost.Conflict, actors.InviteMember{Email: invited, Role: watchpost.RoleMember})
	actorstest.Fails(t, team, watchpost.Conflict, actors.InviteMember{Email: team.Email, Role: watchpost.RoleMember})
}

// TestBlockedInvitations: a team does not notice that it is blocked; its invitations are
// neither mailed nor shown.
func TestBlockedInvitations(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	hostile, team := w.CreateTeam(t, watchpost.PlanFree), w.CreateTeam(t, watchpost.PlanFree)
	shown := func() (teams []watchpost.TeamID) {
		pending, err := w.Registry.Invitations(w.Context(), invited)
		require.NoError(t, err)
		for _, i := range pending {
			teams = append(teams, i.Team)
		}
		return teams
	}
	block := func(team watchpost.TeamID, blocked bool) {
		require.NoError(t, w.Registry.BlockInvitations(w.Context(), invited, team, blocked))
	}
	block(hostile.ID, true)
	w.Crash()
	inviteTo(t, hostile, invited)
	inviteTo(t, team, invited)
	require.Equal(t, []string{invited}, pendingOf(t, hostile))
	require.Len(t, w.Mail.To(invited), 1)
	require.Equal(t, []watchpost.TeamID{team.ID}, shown())
	block("", true)
	require.Empty(t, shown())
	consent, err := w.Registry.Consent(w.Context(), invited)
	require.NoError(t, err)
	require.Equal(t, actors.Consent{Founds: true, All: true, Blocked: []actors.BlockedTeam{{ID: hostile.ID, Name: nameOf(t, hostile)}}}, consent)
	block("", false)
	w.Crash()
	require.Equal(t, []watchpost.TeamID{hostile.ID, team.ID}, shown(), "allowing all allows each")
	require.NoError(t, w.Registry.DeleteTeam(w.Context(), hostile.ID))
	require.Equal(t, []watchpost.TeamID{team.ID}, shown())
}

// TestLeaveTeam: a member leaves as by a removal; the last admin and the last member do not
// without a thought.
func TestLeaveTeam(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	joe := team.Member(t, "joe")
	s := team.SessionOf(t, joe, "joe").Connect()
	me := actors.LeaveTeam{Member: memberOf(t, team, team.Email)}
	wantError(t, actorstest.Fails(t, team, watchpost.Conflict, me), watchpost.Conflict, watchpost.TextLastAdmin)
	done(t, team, actors.LeaveTeam{Member: memberOf(t, team, joe)})
	s.ExpectClosed()
	require.Equal(t, []string{team.Email}, emails(t, team))
	wantError(t, actorstest.Fails(t, team, watchpost.Conflict, me), watchpost.Conflict, watchpost.TextLastMember)
	me.Closing = true
	done(t, team, me)
	require.Empty(t, emails(t, team))
	actorstest.Fails(t, team, watchpost.NotFound, me)
	signed, err := signInBy(t, w, team.Email, actors.Choice{})
	require.NoError(t, err)
	require.NotEqual(t, team.ID, signed.Team.ID, "the address is free")
}

// TestOperatorAddsAnInvited: the operator adds at once, and the invitation ends.
func TestOperatorAddsAnInvited(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	inviteTo(t, team, invited)
	done(t, team, actors.AddMember{Email: invited, Role: watchpost.RoleMember})
	require.Empty(t, pendingOf(t, team))
	pending, err := w.Registry.Invitations(w.Context(), invited)
	require.NoError(t, err)
	require.Empty(t, pending)
}
