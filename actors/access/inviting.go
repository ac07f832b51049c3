package access

import (
	"cmp"
	"context"
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/mail/outgoing"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Choice is the team that a person with a proved address signs in to. The zero value
// is the team that the address belongs to or, if there is none, a new one.
type Choice struct {
	// Accept is the pending invitation that the person accepts; "": none.
	Accept watchpost.InvitationID
	// Asks means that the person has to be asked first when invitations are pending.
	Asks bool
	// JoinsOnly means that no new team is made.
	JoinsOnly bool
}

// ChoiceError is the error of a sign-in by a person who must choose a team first. A
// one-time code that was sent along can still be used. Its Kind is NotFound.
type ChoiceError struct{ Invitations []InvitationTo }

// Error implements error.
func (*ChoiceError) Error() string { return textNoTeam }

// Unwrap returns the error for clients that cannot choose.
func (*ChoiceError) Unwrap() error { return ErrNoTeam() }

// InvitationTo is a pending invitation as its address sees it.
type InvitationTo struct {
	ID       watchpost.InvitationID
	Team     watchpost.TeamID
	TeamName string
	By       string // as in watchpost.Invitation
	Ends     time.Time
}

// invitationsShown bounds the invitations that an address is shown, the oldest ones.
const invitationsShown = 100

// Inviting is what people are invited to, and decide about, from outside the mailboxes.
type Inviting struct {
	*base
	mails *Mails
}

// Invitations returns the pending invitations of an address that it does not block.
func (r *Inviting) Invitations(ctx context.Context, email string) ([]InvitationTo, error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	blocks, err := signin.Blocks(view, email)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	now := r.env.Clock.Now()
	var found []InvitationTo
	var teams []watchpost.TeamID
	err = teamspace.Invitations(view, email, func(id watchpost.InvitationID, e teamspace.InvitationEntry) bool {
		if now.Before(e.Ends) && !blocks.Refuses(e.Team) {
			found = append(found, InvitationTo{ID: id, Team: e.Team, By: e.By, Ends: e.Ends})
			teams = append(teams, e.Team)
		}
		return len(found) < invitationsShown
	})
	if err != nil {
		return nil, root.Unavailable(err)
	}
	names, err := teamNames(view, teams)
	var shown []InvitationTo
	for _, i := range found {
		if name, exists := names[i.Team]; exists { // otherwise the team is being deleted
			i.TeamName = name
			shown = append(shown, i)
		}
	}
	return shown, root.Unavailable(err)
}

// teamNames returns the names of those teams that exist.
func teamNames(view persistence.View, teams []watchpost.TeamID) (map[watchpost.TeamID]string, error) {
	names, ids := map[watchpost.TeamID]string{}, make([]string, len(teams))
	for i, id := range teams {
		ids[i] = string(id)
	}
	err := teamspace.LookupEach(view, teamspace.DirTeam, ids, func(id string, e teamspace.TeamEntry, _ []byte) {
		names[watchpost.TeamID(id)] = e.Name
	})
	return names, err
}

// MustChoose returns a *ChoiceError when the person that proved the address must choose a
// team first.
func (r *Inviting) MustChoose(ctx context.Context, email string, c Choice) error {
	if c.Accept != "" {
		return nil
	}
	// It reads both for each address, so that the time of the answer reveals nothing.
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirEmail, email)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return root.Unavailable(err)
	}
	invitations, err := r.Invitations(ctx, email)
	if err != nil {
		return err
	}
	if len(invitations) > 0 && (c.Asks || owner.Team == "" && (c.JoinsOnly || !r.open)) {
		return &ChoiceError{invitations}
	}
	return nil
}

// acceptInvitation signs a person in to the team of an invitation (NotFound, Conflict when
// the address belongs to a team, PlanLimit). In a cluster, the error is an ElsewhereError
// when another node serves the team.
func (r *Inviting) acceptInvitation(ctx context.Context, p Proof, id watchpost.InvitationID) (SignedIn, error) {
	entry, err := r.invitation(ctx, p.Email, id)
	if err != nil {
		return SignedIn{}, err
	}
	if !r.Serves(string(entry.Team)) {
		return SignedIn{}, &root.ElsewhereError{Team: entry.Team, Accepted: true, FullName: p.FullName}
	}
	return askTeam(ctx, r.base, entry.Team, AcceptInvitation{id, p})
}

// DeclineInvitation ends a pending invitation for a person with a proof of its address (NotFound).
// In a cluster, the error is as that of SignIn.
func (r *Inviting) DeclineInvitation(ctx context.Context, email string, id watchpost.InvitationID) error {
	entry, err := r.invitation(ctx, email, id)
	if err != nil {
		return err
	}
	if !r.Serves(string(entry.Team)) {
		return &root.ElsewhereError{Team: entry.Team, Accepted: true}
	}
	_, err = askTeam(ctx, r.base, entry.Team, declineInvitation{id, email})
	return err
}

// invitation returns the entry of an invitation of an address (NotFound).
func (r *Inviting) invitation(ctx context.Context, email string, id watchpost.InvitationID) (teamspace.InvitationEntry, error) {
	if !watchpost.ValidID(string(id)) {
		return teamspace.InvitationEntry{}, errInvitation()
	}
	entry, err := teamspace.Read[teamspace.InvitationEntry](ctx, r.env.Store, teamspace.DirInvitation, teamspace.InvitationName(email, id))
	if errors.Is(err, persistence.ErrNotFound) {
		return entry, errInvitation()
	}
	return entry, root.Unavailable(err)
}

// BlockInvitations blocks or allows the invitations of a team, or of all ("") for an
// address that was proved. The teams do not hear of it.
func (r *Inviting) BlockInvitations(ctx context.Context, email string, team watchpost.TeamID, blocked bool) error {
	return r.shards.Block(ctx, email, team, blocked)
}

// Consent is what an address that was proved decides about.
type Consent struct {
	TeamName    string // of the team that the address belongs to; "": none
	Founds      bool   // it may make a team
	Invitations []InvitationTo
	// All invitations are blocked, or those of Blocked.
	All     bool
	Blocked []BlockedTeam
}

// BlockedTeam is a team whose invitations an address blocks. It has no name if it does not
// exist any more.
type BlockedTeam struct {
	ID   watchpost.TeamID
	Name string
}

// Consent returns what an address that was proved decides about.
func (r *Inviting) Consent(ctx context.Context, email string) (c Consent, err error) {
	if c.Invitations, err = r.Invitations(ctx, email); err != nil {
		return c, err
	}
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return c, root.Unavailable(err)
	}
	defer view.Close()
	blocks, err := signin.Blocks(view, email)
	if err != nil {
		return c, root.Unavailable(err)
	}
	owner, err := teamspace.Lookup[teamspace.OwnerEntry](view, teamspace.DirEmail, email)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return c, root.Unavailable(err)
	}
	names, err := teamNames(view, append(blocks.Teams, owner.Team))
	c.TeamName, c.Founds, c.All = names[owner.Team], owner.Team == "" && r.open, blocks.All
	for _, id := range blocks.Teams {
		c.Blocked = append(c.Blocked, BlockedTeam{id, names[id]})
	}
	return c, root.Unavailable(err)
}

// Invite makes a pending invitation and mails it (see InviteMember), in the language that is
// stored for the address, else in that of the member who invites. Neither the answer nor its
// time says anything about the address: a mail that the address blocks is stored without a
// recipient instead.
func (r *Inviting) Invite(ctx context.Context, team watchpost.TeamID, m InviteMember) (watchpost.Invitation, error) {
	i, err := askTeam(ctx, r.base, team, m)
	if err != nil {
		return i, err
	}
	return i, r.mailInvitation(ctx, team, i, m.By, m.Language)
}

// MailInvitation mails a pending invitation again (NotFound, Conflict, InvitationCap). by
// and language are as in InviteMember.
func (r *Inviting) MailInvitation(ctx context.Context, team watchpost.TeamID, id watchpost.InvitationID, by watchpost.MemberID, language string) (watchpost.Invitation, error) {
	i, err := askTeam(ctx, r.base, team, mailInvitation{id, by})
	if err != nil {
		return i, err
	}
	return i, r.mailInvitation(ctx, team, i, by, language)
}

func (r *Inviting) mailInvitation(ctx context.Context, team watchpost.TeamID, i watchpost.Invitation, by watchpost.MemberID, language string) error {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return root.Unavailable(err)
	}
	defer view.Close()
	blocks, err := signin.Blocks(view, i.Email)
	if err != nil {
		return root.Unavailable(err)
	}
	names, err := teamNames(view, []watchpost.TeamID{team})
	if err != nil {
		return root.Unavailable(err)
	}
	known, err := languageOf(view, i.Email)
	if err != nil {
		return root.Unavailable(err)
	}
	inviter, err := memberOf(view, team, by)
	if err != nil {
		return root.Unavailable(err)
	}
	to := outgoing.Recipient{Address: i.Email, Language: cmp.Or(known, inviter.Language, language)}
	blocked := team
	if !blocks.Refuses(team) {
		blocked = ""
	}
	origin := "" // not that of a request, which a member may have made up
	if r.site != nil {
		origin = r.site.Origin()
	}
	r.mails.mailStranger(ctx, outgoing.Invitation(to, i.By, names[team], origin, i.Ends()), blocked)
	return nil
}

// languageOf returns the code of the language that is stored for an address; "": none. It
// reads as much for each address, so that its time does not tell whether one belongs to a team.
func languageOf(view persistence.View, email string) (string, error) {
	owner, err := teamspace.Lookup[teamspace.OwnerEntry](view, teamspace.DirEmail, email)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return "", err
	}
	member, err := memberOf(view, owner.Team, owner.Member)
	return member.Language, err
}

// memberOf returns a member of a team; zero when there is none.
func memberOf(view persistence.View, team watchpost.TeamID, id watchpost.MemberID) (watchpost.Member, error) {
	member, err := teamspace.Load[watchpost.Member](view, persistence.Space(team), teamspace.Key(teamspace.KeyMember, id))
	if errors.Is(err, persistence.ErrNotFound) {
		err = nil
	}
	return member, err
}
