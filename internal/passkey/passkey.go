// Package passkey makes the options of the two ceremonies of passkeys (WebAuthn), adding
// a key and signing in by it, and checks what browsers answer. It keeps nothing: the
// caller keeps a ceremony until its answer comes, and uses it once.
package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// CeremonyTime is how long a browser has to answer.
const CeremonyTime = 5 * time.Minute

// Site is the service as browsers know it: passkeys are bound to its host name.
type Site struct {
	auth   *webauthn.WebAuthn
	origin string
}

// New returns the site at an origin, which browsers let have passkeys: https with a host
// name, or http with localhost.
func New(origin string) (*Site, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	host := u.Hostname()
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	switch _, address := netip.ParseAddr(host); {
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return nil, fmt.Errorf("%s: browsers have passkeys for https, or for http://localhost, only", origin)
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: want a scheme, a host and perhaps a port, without a path", origin)
	case host == "" || address == nil:
		return nil, fmt.Errorf("%s: browsers have passkeys for a host name, not for an address", origin)
	}
	origin = u.Scheme + "://" + u.Host
	required := true
	auth, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Watchpost", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		// A passkey stands for a person without an address or a code: it must be
		// found by the browser itself, and its holder be verified.
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: &required, UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: webauthn.TimeoutConfig{Timeout: CeremonyTime}, Registration: webauthn.TimeoutConfig{Timeout: CeremonyTime}},
		// Password managers say more than they were asked; nothing of it is used.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", origin, err)
	}
	return &Site{auth: auth, origin: origin}, nil
}

// Origin is the address of the site without a path.
func (s *Site) Origin() string { return s.origin }

// Ceremony is the part of the options that the check of the answer needs.
type Ceremony struct{ session webauthn.SessionData }

// Key is the public part of a passkey.
type Key struct {
	ID, Public []byte
	// Counter is how often the key was used, as its device says; 0 of those that do
	// not count.
	Counter uint32
	// Synced means that the key can be copied to other devices of its holder. It never
	// changes.
	Synced bool
}

// maxPublic bounds a public key in bytes; those of the largest algorithms have 2.6 KiB.
const maxPublic = 4 << 10

// user is a person for webauthn.
type user struct {
	id, name string
	keys     []Key
}

// WebAuthnID implements webauthn.User.
func (u *user) WebAuthnID() []byte { return []byte(u.id) }

// WebAuthnName implements webauthn.User.
func (u *user) WebAuthnName() string { return u.name }

// WebAuthnDisplayName implements webauthn.User.
func (u *user) WebAuthnDisplayName() string { return u.name }

// WebAuthnCredentials implements webauthn.User.
func (u *user) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, len(u.keys))
	for i, k := range u.keys {
		all[i] = webauthn.Credential{
			ID: k.ID, PublicKey: k.Public, Flags: webauthn.CredentialFlags{BackupEligible: k.Synced}, Authenticator: webauthn.Authenticator{SignCount: k.Counter},
		}
	}
	return all
}

// Create returns the options for a new passkey of a person, as JSON. A device that has
// one of the keys makes no other.
func (s *Site) Create(id, name string, keys []Key) ([]byte, Ceremony, error) {
	u := &user{id, name, keys}
	var exclude []protocol.CredentialDescriptor
	for _, c := range u.WebAuthnCredentials() {
		exclude = append(exclude, c.Descriptor())
	}
	creation, session, err := s.auth.BeginRegistration(u, webauthn.WithExclusions(exclude))
	if err != nil {
		return nil, Ceremony{}, err
	}
	options, err := json.Marshal(creation)
	return options, Ceremony{*session}, err
}

// Created returns the key of an answer to Create for the same person.
func (s *Site) Created(id string, c Ceremony, answer []byte) (Key, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Key{}, explained(err)
	}
	made, err := s.auth.CreateCredential(&user{id: id}, c.session, parsed)
	if err != nil {
		return Key{}, explained(err)
	}
	if len(made.PublicKey) > maxPublic {
		return Key{}, fmt.Errorf("a public key of %d bytes", len(made.PublicKey))
	}
	return Key{ID: made.ID, Public: made.PublicKey, Counter: made.Authenticator.SignCount, Synced: made.Flags.BackupEligible}, nil
}

// Request returns the options for a sign-in by any passkey of the site, as JSON.
func (s *Site) Request() ([]byte, Ceremony, error) {
	assertion, session, err := s.auth.BeginDiscoverableLogin()
	if err != nil {
		return nil, Ceremony{}, err
	}
	options, err := json.Marshal(assertion)
	return options, Ceremony{*session}, err
}

// Used checks an answer to Request and returns how often the key was used, as it says.
// The caller decides about the counter. find returns the key of an id and whose it is.
func (s *Site) Used(c Ceremony, answer []byte, find func(key []byte) (k Key, owner string, err error)) (counter uint32, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return 0, explained(err)
	}
	_, _, err = s.auth.ValidatePasskeyLogin(func(id, _ []byte) (webauthn.User, error) {
		k, owner, err := find(id)
		return &user{id: owner, keys: []Key{k}}, err
	}, c.session, parsed)
	return parsed.Response.AuthenticatorData.Counter, explained(err)
}

// explained adds the details that webauthn keeps out of its texts.
func explained(err error) error {
	var e *protocol.Error
	if errors.As(err, &e) && e.DevInfo != "" {
		return fmt.Errorf("%w (%s)", err, e.DevInfo)
	}
	return err
}
