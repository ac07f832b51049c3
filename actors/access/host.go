package access

import (
	"watchpost/persistence"
	"watchpost/watchpost"
)

// Host is the team of the components, which calls them in its mailbox.
type Host interface {
	// Member returns the member with an id (NotFound `User not found`).
	Member(id watchpost.MemberID) (watchpost.Member, error)
	// MemberByEmail returns the member with a normalised address (NotFound `User not
	// found`).
	MemberByEmail(email string) (watchpost.Member, error)
	// Members returns the members of the team. The caller does not change them.
	Members() []watchpost.Member
	// CountInvitation counts an invitation that a member mails (InvitationCap).
	CountInvitation(batch *persistence.Batch) error
	// Note adds an entry to the audit, in NoteOps operations. by is who proved it with the
	// request; "": the member of the request, if any.
	Note(batch *persistence.Batch, kind watchpost.AuditKind, by watchpost.MemberID, subject string)
	// NoteLanguage stores the code of the language of a browser that a member signs in with,
	// in one operation, unless a language is stored for the member.
	NoteLanguage(batch *persistence.Batch, member watchpost.MemberID, language string)
	// SignedIn notes that a member has signed in, in SignedInOps operations. by is what
	// showed who it is.
	SignedIn(batch *persistence.Batch, member watchpost.MemberID, by string)
}

// Operations that the Host adds to a batch at most.
const (
	NoteOps     = 2
	SignedInOps = 2 + NoteOps
)

// What a member signed in by, for the audit.
const (
	ByCode = "one-time code"
	byLink = "sign-in link"
	// byPasskey begins what names a passkey.
	byPasskey = "passkey "
)
