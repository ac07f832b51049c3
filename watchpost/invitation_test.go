package watchpost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

var invitedAt = time.Date(2030, 1, 7, 9, 0, 0, 0, time.UTC)

func TestInvitationExpires(t *testing.T) {
	t.Parallel()
	i := watchpost.Invitation{CreatedAt: invitedAt, MailedAt: invitedAt.Add(24 * time.Hour)}
	require.Equal(t, invitedAt.Add(15*24*time.Hour), i.Ends(), "the last mail counts")
	require.False(t, i.Expired(i.Ends().Add(-1)))
	require.True(t, i.Expired(i.Ends()))
	require.EqualError(t, i.CheckMailAgain(i.MailedAt.Add(24*time.Hour-1)), watchpost.TextMailedToday)
	require.NoError(t, i.CheckMailAgain(i.MailedAt.Add(24*time.Hour)))
}

func TestCheckInvite(t *testing.T) {
	t.Parallel()
	pending := func(n int, mailed time.Time) (all []watchpost.Invitation) {
		for i := range n {
			all = append(all, watchpost.Invitation{Email: fmt.Sprintf("i%d@example.com", i), MailedAt: mailed})
		}
		return all
	}
	members := []watchpost.Member{{Email: "ada@example.com"}}
	for name, c := range map[string]struct {
		invitations []watchpost.Invitation
		email, want string
	}{
		"a new address":              {pending(3, invitedAt), "joe@example.com", ""},
		"a member":                   {nil, "ada@example.com", watchpost.TextIsMember},
		"a pending one":              {pending(3, invitedAt), "i2@example.com", watchpost.TextInvited},
		"an expired one":             {pending(3, invitedAt.Add(-watchpost.InvitationTime)), "i2@example.com", ""},
		"the last that may":          {pending(watchpost.MaxPendingInvitations-1, invitedAt), "joe@example.com", ""},
		"too many":                   {pending(watchpost.MaxPendingInvitations, invitedAt), "joe@example.com", watchpost.TextPendingInvitations},
		"expired ones do not count":  {pending(watchpost.MaxPendingInvitations, invitedAt.Add(-watchpost.InvitationTime)), "joe@example.com", ""},
		"a pending one of too many":  {pending(watchpost.MaxPendingInvitations, invitedAt), "i0@example.com", watchpost.TextInvited},
		"a member before everything": {pending(watchpost.MaxPendingInvitations, invitedAt), "ada@example.com", watchpost.TextIsMember},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := watchpost.CheckInvite(members, c.invitations, c.email, invitedAt)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
			require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
		})
	}
}

func TestInvitationBlocks(t *testing.T) {
	t.Parallel()
	var none watchpost.InvitationBlocks
	one := none.Changed("t1", true)
	require.True(t, one.Refuses("t1"))
	require.False(t, one.Refuses("t2"))
	require.False(t, none.Refuses("t1"), "values do not share")
	require.Equal(t, one, one.Changed("t1", true), "blocked once")
	require.Empty(t, one.Changed("t1", false).Teams)
	all := one.Changed("", true)
	require.True(t, all.Refuses("t2"))
	require.Equal(t, one.Teams, all.Teams)
	require.Zero(t, all.Changed("", false))
	many := none
	for i := range watchpost.MaxBlockedTeams + 1 {
		many = many.Changed(watchpost.TeamID(fmt.Sprint(i)), true)
	}
	require.Len(t, many.Teams, watchpost.MaxBlockedTeams)
	require.False(t, many.Refuses("0"))
	require.True(t, many.Refuses(watchpost.TeamID(fmt.Sprint(watchpost.MaxBlockedTeams))))
}

func TestCheckLeave(t *testing.T) {
	t.Parallel()
	admin := func(id watchpost.MemberID) watchpost.Member {
		return watchpost.Member{ID: id, Role: watchpost.RoleAdmin}
	}
	member := func(id watchpost.MemberID) watchpost.Member {
		return watchpost.Member{ID: id, Role: watchpost.RoleMember}
	}
	for name, c := range map[string]struct {
		members []watchpost.Member
		closing bool
		want    string
	}{
		"a member":                        {[]watchpost.Member{admin("b"), member("a")}, false, ""},
		"one of two admins":               {[]watchpost.Member{admin("a"), admin("b")}, false, ""},
		"the last admin":                  {[]watchpost.Member{admin("a"), member("b")}, false, watchpost.TextLastAdmin},
		"the last admin who closes":       {[]watchpost.Member{admin("a"), member("b")}, true, watchpost.TextLastAdmin},
		"a member of a team without one":  {[]watchpost.Member{member("a"), member("b")}, false, ""},
		"the last member":                 {[]watchpost.Member{admin("a")}, false, watchpost.TextLastMember},
		"the last member, no admin":       {[]watchpost.Member{member("a")}, false, watchpost.TextLastMember},
		"the last member who confirms it": {[]watchpost.Member{admin("a")}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := watchpost.CheckLeave(c.members, "a", c.closing)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
			require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
		})
	}
}
