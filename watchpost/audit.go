package watchpost

import "time"

// AuditKind says what an entry of a team's audit is about.
type AuditKind string

// The kinds: who got in, and who changed who may.
const (
	AuditTeamCreated     AuditKind = "team_created"
	AuditTeamChanged     AuditKind = "team_changed" // name, plan or its end
	AuditDomainsChanged  AuditKind = "domains_changed"
	AuditVoiceChanged    AuditKind = "voice_changed" // how the team writes
	AuditExported        AuditKind = "exported"
	AuditSignedIn        AuditKind = "signed_in"
	AuditSignInFailed    AuditKind = "sign_in_failed" // a wrong one-time code
	AuditSignedOut       AuditKind = "signed_out"
	AuditLinkMade        AuditKind = "sign_in_link_made"
	AuditPasskeyAdded    AuditKind = "passkey_added"
	AuditPasskeyRemoved  AuditKind = "passkey_removed"
	AuditPasskeyRefused  AuditKind = "passkey_refused" // it may have been copied
	AuditKeyRevealed     AuditKind = "key_revealed"
	AuditKeyRotated      AuditKind = "key_rotated"
	AuditRotationAsked   AuditKind = "key_rotation_asked"
	AuditScopedKeyMade   AuditKind = "scoped_key_made"
	AuditScopedKeyChange AuditKind = "scoped_key_changed"
	AuditScopedKeyDelete AuditKind = "scoped_key_deleted"
	AuditMemberAdded     AuditKind = "member_added"
	AuditMemberInvited   AuditKind = "member_invited"
	AuditMailedAgain     AuditKind = "invitation_mailed_again"
	AuditWithdrawn       AuditKind = "invitation_withdrawn"
	AuditAccepted        AuditKind = "invitation_accepted"
	AuditDeclined        AuditKind = "invitation_declined"
	AuditRoleChanged     AuditKind = "role_changed"
	AuditMemberRemoved   AuditKind = "member_removed"
	AuditMemberLeft      AuditKind = "member_left"
	AuditPairingCode     AuditKind = "pairing_code_made"
	AuditSessionOpened   AuditKind = "session_opened" // of the extension
	AuditSessionEnded    AuditKind = "session_ended"
	AuditAccountReleased AuditKind = "account_released"
	AuditTargetMade      AuditKind = "target_made" // of notifications
	AuditTargetChanged   AuditKind = "target_changed"
	AuditTargetDeleted   AuditKind = "target_deleted"
	AuditRuleMade        AuditKind = "rule_made"
	AuditRuleChanged     AuditKind = "rule_changed"
	AuditRuleDeleted     AuditKind = "rule_deleted"
	AuditRulesStopped    AuditKind = "rules_stopped"
	AuditRulesResumed    AuditKind = "rules_resumed"
)

// Origin says where a request comes from. The zero value is the service itself.
type Origin struct {
	Operator bool `json:",omitempty"` // by the admin API
	// Name is that of the operator, "" for the token of all of them, or of the key with
	// scopes.
	Name string `json:",omitempty"`
	Key  bool   `json:",omitempty"` // a change by a key, of any owner
	// KeyID is that of a key with scopes; empty: the team's key.
	KeyID  KeyID    `json:",omitempty"`
	Member MemberID `json:",omitempty"` // who is signed in, or proved it with the request
	// Client is the address; of IPv6 addresses, the network of 64 bits.
	Client string `json:",omitempty"`
}

// AuditEntry is a sign-in or a change of who may do what in a team.
type AuditEntry struct {
	At   time.Time
	Kind AuditKind
	By   Origin
	// Email is that of By.Member at the time.
	Email string `json:",omitempty"`
	// Subject is the person or object of the change: an email, a role, the name of a
	// rule.
	Subject string `json:",omitempty"`
}

// MaxAuditEntries is how many entries a team keeps, the newest ones.
const MaxAuditEntries = 1000

// KeyUse is the last use of a key that was noted.
type KeyUse struct {
	At     time.Time
	Client string // as in Origin
}
