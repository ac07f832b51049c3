package watchpost

import (
	"cmp"
	"slices"
	"time"
)

// Invitation offers an address a place in a team. It is pending until a person who proves
// the address accepts or declines it, the team withdraws it, or it expires. Until it is
// accepted the address is free: other teams may invite it, add it, or have it already.
type Invitation struct {
	ID       InvitationID
	Email    string // as NormalizeEmail returns it
	FullName string `json:",omitempty"`
	Role     Role
	// By is the email of the member who invited; "" means the operator.
	By        string `json:",omitempty"`
	CreatedAt time.Time
	MailedAt  time.Time // last
}

const (
	// InvitationTime is how long after its last mail an invitation is pending.
	InvitationTime = 14 * 24 * time.Hour
	// InvitationMailedEvery is the least time between two mails of an invitation.
	InvitationMailedEvery = 24 * time.Hour
	// MaxInvitations is how many invitations the members of a team mail in a day. Those
	// of the operator do not count.
	MaxInvitations = 20
	// MaxPendingInvitations is how many invitations of a team are pending at a time.
	MaxPendingInvitations = 100
	// MaxStrangerMails is how many mails an address gets in a day that it has not asked
	// for: invitations of all teams and, before its first sign-in, all but one-time codes.
	MaxStrangerMails = 3
)

// Error texts of invitations.
const (
	TextInvitations        = "Too many invitations today. Try again tomorrow."
	TextPendingInvitations = "Too many invitations are pending. Withdraw some, or wait until they expire."
	TextInvited            = "This address has a pending invitation of the team"
	TextIsMember           = "This address is a member of the team"
	TextMailedToday        = "This invitation was mailed within the last day"
	TextInvitationNotFound = "Invitation not found"
)

// Ends returns when the invitation expires.
func (i *Invitation) Ends() time.Time { return i.MailedAt.Add(InvitationTime) }

// Expired reports whether the invitation is no longer pending at now.
func (i *Invitation) Expired(now time.Time) bool { return !now.Before(i.Ends()) }

// CheckMailAgain returns a Conflict when the invitation was mailed not long ago.
func (i *Invitation) CheckMailAgain(now time.Time) error {
	if now.Sub(i.MailedAt) < InvitationMailedEvery {
		return Errorf(Conflict, TextMailedToday)
	}
	return nil
}

// CheckInvite returns a Conflict when a team with these members and invitations may not
// invite the address at now. What other teams have does not count, so that the answer says
// nothing about the address.
func CheckInvite(members []Member, invitations []Invitation, email string, now time.Time) error {
	if slices.ContainsFunc(members, func(m Member) bool { return m.Email == email }) {
		return Errorf(Conflict, TextIsMember)
	}
	pending := 0
	for i := range invitations {
		if invitations[i].Expired(now) {
			continue
		}
		if invitations[i].Email == email {
			return Errorf(Conflict, TextInvited)
		}
		pending++
	}
	if pending >= MaxPendingInvitations {
		return Errorf(Conflict, TextPendingInvitations)
	}
	return nil
}

// SortInvitations sorts invitations by age, the oldest first.
func SortInvitations(invitations []Invitation) {
	slices.SortFunc(invitations, func(a, b Invitation) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// InvitationBlocks say whose invitations an address does not want. Only a person who
// proves the address hears of them.
type InvitationBlocks struct {
	All   bool     `json:"all,omitempty"`
	Teams []TeamID `json:"teams,omitempty"`
}

// MaxBlockedTeams bounds the teams that an address blocks one by one; the first gives way.
const MaxBlockedTeams = 100

// Refuses reports whether the address does not want invitations of a team.
func (b *InvitationBlocks) Refuses(team TeamID) bool { return b.All || slices.Contains(b.Teams, team) }

// Changed returns the blocks with a team, or without a team with all, blocked or allowed.
// Allowing all allows each team, too.
func (b InvitationBlocks) Changed(team TeamID, blocked bool) InvitationBlocks {
	if team == "" {
		if !blocked {
			return InvitationBlocks{}
		}
		return InvitationBlocks{All: true, Teams: b.Teams}
	}
	b.Teams = slices.DeleteFunc(slices.Clone(b.Teams), func(one TeamID) bool { return one == team })
	if blocked {
		b.Teams = append(b.Teams, team)
		b.Teams = b.Teams[max(0, len(b.Teams)-MaxBlockedTeams):]
	}
	return b
}

// Error texts of leaving a team.
const (
	TextLastAdmin  = "You are the only admin of the team. Make another member an admin first."
	TextLastMember = "You are the only member of the team. Confirm that nobody signs in to it any more."
)

// CheckLeave returns a Conflict when a member may not leave the team: the last admin while
// there are other members, and the last member unless closing confirms it.
func CheckLeave(members []Member, leaving MemberID, closing bool) error {
	others, admins := 0, 0
	for _, m := range members {
		if m.ID == leaving {
			continue
		}
		others++
		if m.Role == RoleAdmin {
			admins++
		}
	}
	switch i := slices.IndexFunc(members, func(m Member) bool { return m.ID == leaving }); {
	case others == 0 && !closing:
		return Errorf(Conflict, TextLastMember)
	case others > 0 && admins == 0 && i >= 0 && members[i].Role == RoleAdmin:
		return Errorf(Conflict, TextLastAdmin)
	}
	return nil
}
