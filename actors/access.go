package actors

import (
	"cmp"

	"watchpost/actors/access"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// The messages of package access and their answers, for callers of the registry.
type (
	// Browser is where a member signs in to the dashboard.
	Browser = access.Browser
	// WebSession is whose browser sends a request.
	WebSession = access.WebSession
	// WebSessionOpened carries the secret of a web session.
	WebSessionOpened = access.WebSessionOpened
	// WebSessionView is a web session as its member sees it.
	WebSessionView = access.WebSessionView
	// ListWebSessions asks for the web sessions of a member.
	ListWebSessions = access.ListWebSessions
	// EndWebSessions ends web sessions of a member.
	EndWebSessions = access.EndWebSessions
	// CreateSignInLink makes a link that signs a member in.
	CreateSignInLink = access.CreateSignInLink

	// Proof is how a person has shown that an address is theirs.
	Proof = access.Proof
	// SignedIn is who signed in.
	SignedIn = access.SignedIn
	// Choice is the team that a person with a proved address signs in to.
	Choice = access.Choice
	// ChoiceError is the error of a sign-in by a person who must choose a team first.
	ChoiceError = access.ChoiceError
	// BlockedTeam is a team whose invitations an address blocks.
	BlockedTeam = access.BlockedTeam
	// Consent is what an address that was proved decides about.
	Consent = access.Consent

	// InviteMember makes a pending invitation.
	InviteMember = access.InviteMember
	// WithdrawInvitation ends a pending invitation.
	WithdrawInvitation = access.WithdrawInvitation
	// InvitationTo is a pending invitation as its address sees it.
	InvitationTo = access.InvitationTo

	// PasskeyUse is the use of a passkey that proves an address.
	PasskeyUse = access.PasskeyUse
	// ListPasskeys asks for the passkeys of a member.
	ListPasskeys = access.ListPasskeys
	// RenamePasskey gives a member's passkey another name.
	RenamePasskey = access.RenamePasskey
)

// accessHost answers the components of package access for a team.
type accessHost struct{ team *team }

// Member implements access.Host.
func (h accessHost) Member(id watchpost.MemberID) (watchpost.Member, error) {
	m, known := h.team.members.byID(id)
	if !known {
		return m, errMember()
	}
	return m, nil
}

// MemberByEmail implements access.Host.
func (h accessHost) MemberByEmail(email string) (watchpost.Member, error) {
	return h.team.members.byEmail(email)
}

// Members implements access.Host.
func (h accessHost) Members() []watchpost.Member { return h.team.members.all() }

// Note implements access.Host.
func (h accessHost) Note(batch *persistence.Batch, kind watchpost.AuditKind, by watchpost.MemberID, subject string) {
	h.team.audit.note(batch, kind, by, subject)
}

const _ = uint(access.NoteOps - auditOps) // does not compile if an entry needs more

// NoteLanguage implements access.Host.
func (h accessHost) NoteLanguage(batch *persistence.Batch, member watchpost.MemberID, language string) {
	h.team.members.amend(batch, member, func(m *watchpost.Member) { m.Language = cmp.Or(m.Language, language) })
}

// SignedIn implements access.Host.
func (h accessHost) SignedIn(batch *persistence.Batch, member watchpost.MemberID, by string) {
	h.team.noteSignIn(batch, member, by)
}

// CountInvitation implements access.Host.
func (h accessHost) CountInvitation(batch *persistence.Batch) error {
	record := &h.team.record
	if day := watchpost.Daily.Key(h.team.env.Clock.Now()); record.InvitedOn != day {
		record.InvitedOn, record.Invited = day, 0
	}
	if record.Invited >= watchpost.MaxInvitations {
		return watchpost.Errorf(watchpost.InvitationCap, watchpost.TextInvitations)
	}
	record.Invited++
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(*record))
	return nil
}
