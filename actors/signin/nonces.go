package signin

import (
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"watchpost/actors/vault"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Codes bound to clients. A client that asks for a code has a nonce, and a try with the
// nonce meets only the code that was mailed for it: wrong tries of others, and codes that
// they ask for, change nothing. A try without a nonce meets the newest code, within the
// limits of the address.

// NewNonce returns a nonce for a client without one.
func NewNonce() string { return watchpost.NewSecret(26) }

// signedInBefore reports whether the nonce has the seal of a client that signed in to the
// address.
func signedInBefore(k *vault.Keyring, email, nonce string) bool {
	bare, seal, sealed := strings.Cut(nonce, ".")
	return sealed && subtle.ConstantTimeCompare([]byte(seal), []byte(k.Hash("signed in "+email, bare))) == 1
}

// SealNonce marks the nonce of a client as that of one that signed in to the address.
func SealNonce(k *vault.Keyring, email, nonce string) string {
	bare, _, _ := strings.Cut(nonce, ".")
	return bare + "." + k.Hash("signed in "+email, bare)
}

func (s *shard) nonceHash(email, nonce string) string {
	bare, _, _ := strings.Cut(nonce, ".")
	return s.Env.Keyring.Hash("nonce "+email, bare)
}

// bind binds the newest code of an address to the nonce of its client, in place of the
// one before, and forgets those that are over.
func (s *shard) bind(a *teamspace.AddressRecord, m sendCode, now time.Time) {
	nonce := s.nonceHash(m.email, m.nonce)
	a.Asked = slices.DeleteFunc(slices.Clone(a.Asked), func(one teamspace.AskedCode) bool {
		return one.Nonce == nonce || !now.Before(one.Ends)
	})
	if m.nonce != "" {
		a.Asked = append(a.Asked, teamspace.AskedCode{Nonce: nonce, Hash: a.Hash, Ends: a.Ends, FullName: a.FullName})
	}
}

// asked returns the place of the code that is bound to the nonce of a try; -1: none is.
func (s *shard) asked(a *teamspace.AddressRecord, m verifyCode, now time.Time) int {
	if m.Nonce == "" {
		return -1
	}
	nonce := s.nonceHash(m.Email, m.Nonce)
	return slices.IndexFunc(a.Asked, func(one teamspace.AskedCode) bool { return one.Nonce == nonce && now.Before(one.Ends) })
}

// verifyAsked decides about a try with the nonce of the code at place i.
func (s *shard) verifyAsked(a *teamspace.AddressRecord, batch *persistence.Batch, m verifyCode, i int) error {
	one := &a.Asked[i]
	hash := s.hash(m.Email, m.OTP)
	if one.Tries < otpTries && subtle.ConstantTimeCompare([]byte(hash), []byte(one.Hash)) == 1 {
		return s.accept(a, batch, m, hash, one.FullName)
	}
	if one.Tries < otpTries {
		one.Tries++
		noteFailure(a, m.Client, s.Env.Clock.Now())
		s.putAddress(batch, m.Email, a)
	}
	s.Commit(batch, ErrOTP())
	return nil
}

// accept answers a right code and uses it up, by its hash, unless it is kept.
func (s *shard) accept(a *teamspace.AddressRecord, batch *persistence.Batch, m verifyCode, hash, fullName string) error {
	if !m.kept {
		if err := s.forgetInvitations(batch, m.Email); err != nil {
			return err
		}
		if a.Hash == hash {
			a.Hash = ""
		}
		a.Asked = slices.DeleteFunc(slices.Clone(a.Asked), func(one teamspace.AskedCode) bool { return one.Hash == hash })
		s.putAddress(batch, m.Email, a)
	}
	s.Commit(batch, codeAccepted{fullName})
	return nil
}
