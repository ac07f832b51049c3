package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// membersCommand manages the members of a team.
type membersCommand struct {
	List           membersList     `cmd:"" help:"List the members of a team."`
	Add            membersAdd      `cmd:"" help:"Add a member at once, or with --invite ask an address."`
	Invitations    membersInvited  `cmd:"" help:"List the pending invitations of a team."`
	Withdraw       membersWithdraw `cmd:"" help:"Withdraw a pending invitation."`
	SetRole        membersSetRole  `cmd:"" help:"Change the role of a member."`
	Remove         membersRemove   `cmd:"" help:"Remove a member; ends sessions, account claims and waiting writes."`
	ReleaseAccount membersRelease  `cmd:"" help:"Release the network account that a member works as."`
}

type membersList struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run lists the members of a team.
func (c *membersList) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "list the members of team "+c.Team, http.MethodGet, teamPath(c.Team, "members"), nil,
		func(team shownTeam) error { return listMembers(team.Members) })
}

type membersAdd struct {
	Team     string `arg:"" help:"Id of the team."`
	Email    string `arg:"" help:"Email of the member."`
	Role     string `default:"member" help:"Role: admin or member."`
	FullName string `help:"Name of the member."`
	Invite   bool   `help:"Ask the address: it is no member before the person accepts at a sign-in."`
}

// Run adds a member and prints its id, or that of the invitation.
func (c *membersAdd) Run(ctx context.Context, t *teamCommand) error {
	body := map[string]any{"email": c.Email, "role": c.Role, "full_name": c.FullName, "invite": c.Invite}
	return show(ctx, &t.Admin, "add "+c.Email, http.MethodPost, teamPath(c.Team, "members"), body, func(m shownMember) error {
		_, err := fmt.Println(m.ID)
		return err
	})
}

type membersInvited struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run lists the pending invitations of a team.
func (c *membersInvited) Run(ctx context.Context, t *teamCommand) error {
	type invitation struct {
		ID, Email, Role string
		By              string    `json:"invited_by"`
		Expires         time.Time `json:"expires_at"`
	}
	type invitations struct{ Invitations []invitation }
	return show(ctx, &t.Admin, "list the invitations of team "+c.Team, http.MethodGet, teamPath(c.Team, "invitations"), nil, func(list invitations) error {
		rows := make([][]string, len(list.Invitations))
		for i, one := range list.Invitations {
			rows[i] = []string{one.ID, one.Role, one.Expires.Format(time.RFC3339), one.Email, one.By}
		}
		return table("INVITATION ROLE EXPIRES EMAIL BY", rows)
	})
}

type membersWithdraw struct {
	Team       string `arg:"" help:"Id of the team."`
	Invitation string `arg:"" help:"Id of the invitation."`
}

// Run withdraws a pending invitation.
func (c *membersWithdraw) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "withdraw invitation "+c.Invitation, http.MethodDelete, teamPath(c.Team, "invitations", c.Invitation), nil, ignore)
}

type membersSetRole struct {
	Team   string `arg:"" help:"Id of the team."`
	Member string `arg:"" help:"Id of the member."`
	Role   string `arg:"" help:"Role: admin or member."`
}

// Run changes the role of a member.
func (c *membersSetRole) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "change the role of member "+c.Member, http.MethodPatch, teamPath(c.Team, "members", c.Member), map[string]string{"role": c.Role}, ignore)
}

type membersRemove struct {
	Team   string `arg:"" help:"Id of the team."`
	Member string `arg:"" help:"Id of the member."`
}

// Run removes a member.
func (c *membersRemove) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "remove member "+c.Member, http.MethodDelete, teamPath(c.Team, "members", c.Member), nil, ignore)
}

type membersRelease struct {
	Team   string `arg:"" help:"Id of the team."`
	Member string `arg:"" help:"Id of the member."`
}

// Run releases the account of a member.
func (c *membersRelease) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "release the account of member "+c.Member, http.MethodDelete, teamPath(c.Team, "members", c.Member, "account"), nil, ignore)
}

// sessionsOfTeam manages the sessions of a team.
type sessionsOfTeam struct {
	List   sessionsList   `cmd:"" help:"List the sessions of a team."`
	Create sessionsCreate `cmd:"" help:"Create a session for a member and print its token."`
	Revoke sessionsRevoke `cmd:"" help:"Revoke a session."`
}

type sessionsList struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run lists the sessions of a team.
func (c *sessionsList) Run(ctx context.Context, t *teamCommand) error {
	type session struct {
		ID, Email, Account string
		Connected          bool
		LastSeen           time.Time `json:"last_seen_at"`
	}
	type sessions struct{ Sessions []session }
	return show(ctx, &t.Admin, "list the sessions of team "+c.Team, http.MethodGet, teamPath(c.Team, "sessions"), nil, func(list sessions) error {
		rows := make([][]string, len(list.Sessions))
		for i, s := range list.Sessions {
			rows[i] = []string{s.ID, fmt.Sprint(s.Connected), s.LastSeen.Format(time.RFC3339), s.Email, s.Account}
		}
		return table("SESSION CONNECTED SEEN EMAIL ACCOUNT", rows)
	})
}

type sessionsCreate struct {
	Team  string `arg:"" help:"Id of the team."`
	Email string `arg:"" help:"Email of the member."`
}

// Run creates a session and prints its token.
func (c *sessionsCreate) Run(ctx context.Context, t *teamCommand) error {
	type opened struct {
		Token string `json:"session_token"`
	}
	return show(ctx, &t.Admin, "create a session for "+c.Email, http.MethodPost, teamPath(c.Team, "sessions"), map[string]string{"email": c.Email}, func(reply opened) error {
		_, err := fmt.Println(reply.Token)
		return err
	})
}

type sessionsRevoke struct {
	Team    string `arg:"" help:"Id of the team."`
	Session string `arg:"" help:"Id of the session."`
}

// Run revokes a session.
func (c *sessionsRevoke) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "revoke session "+c.Session, http.MethodDelete, teamPath(c.Team, "sessions", c.Session), nil, ignore)
}
