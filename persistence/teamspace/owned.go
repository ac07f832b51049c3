package teamspace

import (
	"bytes"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// OwnerPrefixes are the keys whose records own an entry of the directory.
var OwnerPrefixes = []string{KeyMember, KeyInvitation, KeyDomain, KeySession, KeyPairing, KeyWebSession, KeyPasskey, KeyWatchlist, KeyList, KeyAccount, KeyEndedClaim, KeyScopedKey}

// Owned returns the entry of the directory that a record of a team's space owns: both
// are written and removed in one batch, so that a caller that removes every record of a
// space finds every entry. ok is false for the other records. An entry may have changed
// hands since: it names its owner.
func Owned(key, value []byte) (entry persistence.DirectoryKey, ok bool, err error) {
	kind, name := "", string(key[1:])
	switch string(key[:1]) {
	case KeyMember:
		var member watchpost.Member
		err = Decode(value, &member)
		kind, name = DirEmail, member.Email
	case KeyInvitation:
		var invitation watchpost.Invitation
		err = Decode(value, &invitation)
		kind, name = DirInvitation, InvitationName(invitation.Email, invitation.ID)
	case KeySession:
		var session SessionRecord
		err = Decode(value, &session)
		kind, name = DirToken, session.TokenHash
	case KeyPairing:
		kind, name = DirPairing, name[min(len(name), pairingEndLen):]
	case KeyWebSession:
		var session WebSessionRecord
		err = Decode(value, &session)
		kind = session.Kind()
	case KeyDomain:
		kind = DirDomain
	case KeyPasskey:
		kind = DirPasskey
	case KeyWatchlist:
		kind = DirWatchlist
	case KeyList:
		kind = DirList
	case KeyScopedKey[:1]:
		if bytes.HasPrefix(key, []byte(KeyScopedKey)) {
			var scoped ScopedKeyRecord
			err = Decode(value, &scoped)
			kind, name = DirScopedKey, scoped.Hash
		}
	case KeyAccount, KeyEndedClaim:
		kind = DirAccount
	}
	return persistence.DirectoryKey{Kind: kind, Name: name}, kind != "" && name != "", err
}

// Kind returns the kind of the directory that has the entry of a record.
func (r *WebSessionRecord) Kind() string {
	if r.Link {
		return DirSignInLink
	}
	return DirWebSession
}
