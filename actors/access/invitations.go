package access

import (
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// InviteMember makes a pending invitation (Conflict, InvitationCap); answered by
// watchpost.Invitation. Nothing is asked about the address outside of the team.
type InviteMember struct {
	Email    string // normalised
	FullName string
	Role     watchpost.Role
	By       watchpost.MemberID // "": the operator, whose invitations are not counted
	// Language is the code of the language of the page that asks. It counts where none is
	// stored for the address, nor for the member who invites.
	Language string
}

func (InviteMember) AnsweredWith(watchpost.Invitation) {}

// mailInvitation notes that a pending invitation is mailed again, which begins its time
// again (NotFound, Conflict, InvitationCap); answered by watchpost.Invitation.
type mailInvitation struct {
	id watchpost.InvitationID
	by watchpost.MemberID // as in InviteMember
}

func (mailInvitation) AnsweredWith(watchpost.Invitation) {}

// WithdrawInvitation ends a pending invitation (NotFound); answered by Done.
type WithdrawInvitation struct{ Invitation watchpost.InvitationID }

func (WithdrawInvitation) AnsweredWith(root.Done) {}

// AcceptInvitation turns a pending invitation into a signed-in member, for the person
// that proved its address (NotFound, Conflict when the address belongs to a team,
// PlanLimit); answered by SignedIn. The team decides about it.
type AcceptInvitation struct {
	ID    watchpost.InvitationID
	Proof Proof
}

func (AcceptInvitation) AnsweredWith(SignedIn) {}

// declineInvitation ends a pending invitation for the person that proved its address
// (NotFound); answered by Done.
type declineInvitation struct {
	id    watchpost.InvitationID
	email string
}

func (declineInvitation) AnsweredWith(root.Done) {}

// Invitations is the component of a team that owns its invitations. Each has an entry in
// the directory, by which its address finds it.
type Invitations struct {
	*root.Actor
	host Host
	byID map[watchpost.InvitationID]watchpost.Invitation
}

// NewInvitations returns the component of a team, which runs in the team's actor.
func NewInvitations(a *root.Actor, host Host) *Invitations {
	return &Invitations{Actor: a, host: host, byID: map[watchpost.InvitationID]watchpost.Invitation{}}
}

// Load reads the invitations.
func (is *Invitations) Load(view persistence.View) error {
	return teamspace.LoadAll(view, is.Space, teamspace.KeyInvitation, func(_ string, i watchpost.Invitation) { is.byID[i.ID] = i })
}

// Receive handles a message, and reports whether it is one of the component's.
func (is *Invitations) Receive(message any) bool {
	switch m := message.(type) {
	case InviteMember:
		is.onInvite(m)
	case mailInvitation:
		is.onMail(m)
	case WithdrawInvitation:
		is.onWithdraw(m)
	case declineInvitation:
		is.onDecline(m)
	default:
		return false
	}
	return true
}

// All returns the pending invitations, the oldest first.
func (is *Invitations) All(now time.Time) []watchpost.Invitation {
	pending := make([]watchpost.Invitation, 0, len(is.byID))
	for _, i := range is.byID {
		if !i.Expired(now) {
			pending = append(pending, i)
		}
	}
	watchpost.SortInvitations(pending)
	return pending
}

// pending returns the invitation with an id (NotFound).
func (is *Invitations) pending(id watchpost.InvitationID) (watchpost.Invitation, error) {
	i, known := is.byID[id]
	if !known || i.Expired(is.Env.Clock.Now()) {
		return i, errInvitation()
	}
	return i, nil
}

// Of returns the pending invitation of an address (NotFound).
func (is *Invitations) Of(id watchpost.InvitationID, email string) (watchpost.Invitation, error) {
	i, err := is.pending(id)
	if err != nil || i.Email != email {
		return i, errInvitation()
	}
	return i, nil
}

func errInvitation() error {
	return watchpost.Errorf(watchpost.NotFound, watchpost.TextInvitationNotFound)
}

func (is *Invitations) onInvite(m InviteMember) {
	now := is.Env.Clock.Now()
	if err := watchpost.CheckInvite(is.host.Members(), is.All(now), m.Email, now); err != nil {
		is.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	if err := is.count(batch, m.By); err != nil {
		is.Answer(nil, err)
		return
	}
	is.forget(batch, now)
	by, _ := is.host.Member(m.By)
	i := watchpost.Invitation{
		ID: watchpost.InvitationID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName, Role: m.Role, By: by.Email, CreatedAt: now, MailedAt: now,
	}
	is.Put(batch, i)
	is.host.Note(batch, watchpost.AuditMemberInvited, m.By, i.Email+", "+string(i.Role))
	is.Commit(batch, i)
}

func (is *Invitations) onMail(m mailInvitation) {
	now := is.Env.Clock.Now()
	i, err := is.pending(m.id)
	if err == nil {
		err = i.CheckMailAgain(now)
	}
	batch := &persistence.Batch{}
	if err == nil {
		err = is.count(batch, m.by)
	}
	if err != nil {
		is.Answer(nil, err)
		return
	}
	i.MailedAt = now
	is.Put(batch, i)
	is.host.Note(batch, watchpost.AuditMailedAgain, m.by, i.Email)
	is.Commit(batch, i)
}

func (is *Invitations) onWithdraw(m WithdrawInvitation) {
	i, err := is.pending(m.Invitation)
	if err != nil {
		is.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	is.Drop(batch, i)
	is.host.Note(batch, watchpost.AuditWithdrawn, "", i.Email)
	is.Commit(batch, root.Done{})
}

func (is *Invitations) onDecline(m declineInvitation) {
	i, err := is.Of(m.id, m.email)
	if err != nil {
		is.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	is.Drop(batch, i)
	is.host.Note(batch, watchpost.AuditDeclined, "", i.Email)
	is.Commit(batch, root.Done{})
}

// count counts a mail of an invitation by a member (InvitationCap). One of an invitation
// that is withdrawn counts, too: it was sent.
func (is *Invitations) count(batch *persistence.Batch, by watchpost.MemberID) error {
	if by == "" {
		return nil
	}
	return is.host.CountInvitation(batch)
}

// Put stores an invitation with the entry that its address finds.
func (is *Invitations) Put(batch *persistence.Batch, i watchpost.Invitation) {
	is.byID[i.ID] = i
	batch.Put(teamspace.Key(teamspace.KeyInvitation, i.ID), teamspace.Encode(i))
	batch.Set(invitationEntry(&i), teamspace.Encode(teamspace.InvitationEntry{Team: watchpost.TeamID(is.Name), By: i.By, Ends: i.Ends()}))
}

// Drop ends an invitation.
func (is *Invitations) Drop(batch *persistence.Batch, i watchpost.Invitation) {
	delete(is.byID, i.ID)
	batch.Delete(teamspace.Key(teamspace.KeyInvitation, i.ID))
	batch.Set(invitationEntry(&i), nil)
}

// DropOf ends the invitation of an address that is a member now.
func (is *Invitations) DropOf(batch *persistence.Batch, email string) {
	for _, i := range ordered.ByKey(is.byID) {
		if i.Email == email {
			is.Drop(batch, i)
		}
	}
}

// forget drops expired records.
func (is *Invitations) forget(batch *persistence.Batch, now time.Time) {
	for _, i := range ordered.ByKey(is.byID) {
		if i.Expired(now) {
			is.Drop(batch, i)
		}
	}
}

func invitationEntry(i *watchpost.Invitation) persistence.DirectoryKey {
	return persistence.DirectoryKey{Kind: teamspace.DirInvitation, Name: teamspace.InvitationName(i.Email, i.ID)}
}
