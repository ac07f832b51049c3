package actors

import (
	"watchpost/actors/access"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// What package access answers, by the names of the registry.
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

// Note implements access.Host.
func (h accessHost) Note(batch *persistence.Batch, kind watchpost.AuditKind, by watchpost.MemberID, subject string) {
	h.team.audit.note(batch, kind, by, subject)
}

const _ = uint(access.NoteOps - auditOps) // it allows for an entry

// SignedIn implements access.Host.
func (h accessHost) SignedIn(batch *persistence.Batch, member watchpost.MemberID, by string) {
	h.team.personSeen(batch)
	h.team.members.signedIn(batch, member)
	h.team.audit.note(batch, watchpost.AuditSignedIn, member, by)
}
