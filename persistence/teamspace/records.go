package teamspace

import (
	"encoding/json"
	"time"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TeamRecord is the team itself; members have records of their own.
type TeamRecord struct {
	ID        watchpost.TeamID `json:"id"`
	Name      string           `json:"name"`
	Plan      watchpost.Plan   `json:"plan"`
	CreatedAt time.Time        `json:"created_at"`
	SealedKey []byte           `json:"sealed_key"`
	KeyHash   string           `json:"key_hash"`
	// KeyAt is when the key was made; zero in records from before it was stored.
	KeyAt time.Time `json:"key_at,omitzero"`
	// MemberLeftAt and KeyRotationAskedAt are those of watchpost.Team.
	MemberLeftAt       time.Time `json:"member_left_at,omitzero"`
	KeyRotationAskedAt time.Time `json:"key_rotation_asked_at,omitzero"`
	// SignedInAt is when a person last signed in.
	SignedInAt time.Time `json:"signed_in_at,omitzero"`
	// Invited is how many invitations of members were mailed on the day InvitedOn.
	InvitedOn string `json:"invited_on,omitempty"`
	Invited   int    `json:"invited,omitempty"`
	// PlanExpiresAt is when the plan becomes free; zero: never.
	PlanExpiresAt time.Time `json:"plan_expires_at,omitzero"`
	// KeepPosts is how long posts are kept; zero: as the service says.
	KeepPosts watchpost.KeepDays `json:"keep_posts,omitempty"`
	// Voice is that of watchpost.Team.
	Voice string `json:"voice,omitempty"`
	// Consented is set when no member is left whom the rule of earlier builds added
	// without asking.
	Consented bool `json:"consented,omitempty"`
	// Deleting is set when the team is being deleted: no request is served, and the
	// rest of the space goes away.
	Deleting bool `json:"deleting,omitempty"`
}

// TeamEntry is the directory's line on a team.
type TeamEntry struct {
	Name      string         `json:"name"`
	Plan      watchpost.Plan `json:"plan"`
	CreatedAt time.Time      `json:"created_at"`

	PlanExpiresAt time.Time          `json:"plan_expires_at,omitzero"`
	KeepPosts     watchpost.KeepDays `json:"keep_posts,omitempty"`

	KeyRotationAskedAt time.Time `json:"key_rotation_asked_at,omitzero"`
}

// OwnerEntry says whose something is.
type OwnerEntry struct {
	Team    watchpost.TeamID    `json:"team"`
	Member  watchpost.MemberID  `json:"member,omitempty"`
	Session watchpost.SessionID `json:"session,omitempty"`
	Ends    time.Time           `json:"ends,omitzero"`
}

// ScopedKeyRecord is a key with scopes, and the keyed hash by which it is looked up.
type ScopedKeyRecord struct {
	Hash string              `json:"hash"`
	Key  watchpost.ScopedKey `json:"key"`
}

// ScopedKeyEntry has the owner and the rights of a key with scopes.
type ScopedKeyEntry struct {
	Team watchpost.TeamID    `json:"team"`
	Key  watchpost.ScopedKey `json:"key"`
}

// InvitationEntry tells an address of an invitation.
type InvitationEntry struct {
	Team watchpost.TeamID `json:"team"`
	By   string           `json:"by,omitempty"` // as in watchpost.Invitation
	Ends time.Time        `json:"ends"`
}

// MailEntry is a mail that waits for the mail server.
type MailEntry struct {
	// Sender is the process that sends it.
	Sender string    `json:"sender"`
	At     time.Time `json:"at"`
	Sealed []byte    `json:"sealed"`
}

// ClaimEntry says which member works with an account of the network.
type ClaimEntry struct {
	Team    watchpost.TeamID   `json:"team"`
	Member  watchpost.MemberID `json:"member"`
	HelloAt time.Time          `json:"hello_at"` // to the day
	// From is when the account's allowances begin to count for this claim; set
	// when it was taken over from another.
	From       time.Time `json:"from,omitzero"`
	FromWeekly time.Time `json:"from_weekly,omitzero"`
	// Ended is set when the member was removed or has no session any more.
	Ended bool `json:"ended,omitempty"`
	// ConfirmBy is when the claim is over unless it is confirmed; zero when it is, as
	// claims of earlier builds are.
	ConfirmBy time.Time `json:"confirm_by,omitzero"`
}

// SessionRecord is a paired session of a member.
type SessionRecord struct {
	ID        watchpost.SessionID `json:"id"`
	Member    watchpost.MemberID  `json:"member"`
	CreatedAt time.Time           `json:"created_at"`
	TokenHash string              `json:"token_hash"`
	// Account is the one that the session reported last.
	Account watchpost.AccountURN `json:"account,omitempty"`
	Slug    string               `json:"slug,omitempty"`
	// Version and Browser are what the last hello said of where it runs, SeenAt
	// is the last sign of it.
	Version string           `json:"version,omitempty"`
	Browser protocol.Browser `json:"browser,omitzero"`
	SeenAt  time.Time        `json:"seen_at,omitzero"`
	// Pace is how its member wants writes to be done; nil: as they come.
	Pace *watchpost.MemberPace `json:"pace,omitempty"`
}

// WebSessionRecord is a member's browser that is signed in to the dashboard, or
// a link that signs one in.
type WebSessionRecord struct {
	Member    watchpost.MemberID `json:"member"`
	CreatedAt time.Time          `json:"created_at,omitzero"`
	Ends      time.Time          `json:"ends"`
	Agent     string             `json:"agent,omitempty"`
	Link      bool               `json:"link,omitempty"`
}

// PasskeyRecord is a passkey of a member.
type PasskeyRecord struct {
	Member    watchpost.MemberID `json:"member"`
	Name      string             `json:"name"`
	CreatedAt time.Time          `json:"created_at"`
	UsedAt    time.Time          `json:"used_at,omitzero"`
	RefusedAt time.Time          `json:"refused_at,omitzero"`
	// The rest is passkey.Key.
	Credential []byte `json:"credential"`
	Public     []byte `json:"public"`
	Counter    uint32 `json:"counter,omitempty"`
	Synced     bool   `json:"synced,omitempty"`
}

// Passkey returns the passkey of an id without its key.
func (r *PasskeyRecord) Passkey(id watchpost.PasskeyID) watchpost.Passkey {
	return watchpost.Passkey{ID: id, Member: r.Member, Name: r.Name, CreatedAt: r.CreatedAt, UsedAt: r.UsedAt, RefusedAt: r.RefusedAt}
}

// BrowsersRecord has the browsers with which a member signed in, by hashes of their
// names, the one of the last sign-in last.
type BrowsersRecord struct {
	Known []string `json:"known"`
}

// ScanRecord is how far the scans of one entry have come.
type ScanRecord struct {
	FinishedAt time.Time `json:"finished_at"`
	// Newest is the publication time of the newest post seen by a scan that
	// was exhausted; zero before the first.
	Newest time.Time `json:"newest"`
}

// EffectRecord is the stored form of an effect in force.
type EffectRecord struct {
	Task watchpost.TaskID `json:"task"`
}

// FetchedRecord is the newest completed fetch of a profile or a company.
type FetchedRecord struct {
	Task watchpost.TaskID `json:"task"`
	At   time.Time        `json:"at"` // when it ended
}

// IdempotencyRecord is a reply that is kept for repetitions of its request.
type IdempotencyRecord struct {
	At    time.Time       `json:"at"`
	Hash  string          `json:"hash"`
	Kind  string          `json:"kind"` // of the reply: a name of keptReplies
	Reply json.RawMessage `json:"reply"`
}

// LedgerRecord is the stored part of an entry. Closed is set when the network
// itself refused more: nothing is handed out until the next period. Last is the last
// write, kept for members who want pauses between writes.
type LedgerRecord struct {
	Used   int                 `json:"used"`
	Closed bool                `json:"closed,omitempty"`
	Last   watchpost.LastWrite `json:"last,omitzero"`
}

// BindingRecord is the account that a member works as; without an account it
// says that the operator has taken it away.
type BindingRecord struct {
	Account watchpost.AccountURN `json:"account"`
	Slug    string               `json:"slug,omitempty"`
	Name    string               `json:"name,omitempty"`
	At      time.Time            `json:"at"`
	// Changes is how often the member has confirmed another account on the day ChangedOn.
	Changes   int       `json:"changes,omitempty"`
	ChangedOn time.Time `json:"changed_on,omitzero"`
}

// AccountRecord is an account that a member has claimed. It is shown while no
// session is connected, and names the claims that end with the member.
type AccountRecord struct {
	Member watchpost.MemberID `json:"member"`
	Slug   string             `json:"slug,omitempty"`
	Name   string             `json:"name,omitempty"`
	SeenOn time.Time          `json:"seen_on"` // the day
}

// EngagementFlags records the likes and comments on a post, for when the post is
// collected again.
type EngagementFlags struct {
	Liked     bool `json:"liked,omitempty"`
	Commented bool `json:"commented,omitempty"`
	// URN is that of the stored post; empty when it never was stored.
	URN string `json:"urn,omitempty"`
}

// PersonRecord names a person by a key of reference.ParseProfile.
type PersonRecord struct {
	Key string `json:"key"`
}

// PeopleProgress says how far the journal of an earlier build was searched for people:
// After is its last key that was read. Whole is set at its end.
type PeopleProgress struct {
	After []byte `json:"after,omitempty"`
	Whole bool   `json:"whole,omitempty"`
}

// KeyFingerprint says which master key opens the store. A fingerprint tells a key from
// others and says nothing else of it.
type KeyFingerprint struct {
	// Hash is the fingerprint of the first master key; RotatedHash after a rotation,
	// so that builds from before rotations refuse the store.
	Hash      string    `json:"hash"`
	CreatedAt time.Time `json:"created_at"`
	// Rotated is the master key after a rotation, with the key of the lookups, which
	// stays that of the first master key, sealed with it.
	Rotated *RotatedKey `json:"rotated,omitempty"`
	// Next is the same of a rotation under way.
	Next *RotatedKey `json:"next,omitempty"`
	// Retired are the fingerprints of keys that were rotated away.
	Retired []string `json:"retired,omitempty"`
}

// RotatedHash is no fingerprint.
const RotatedHash = "rotated"

// RotatedKey is a master key with the values that it must open.
type RotatedKey struct {
	Hash   string    `json:"hash"`
	Lookup []byte    `json:"lookup"`
	At     time.Time `json:"at"` // when its rotation began
}

// Current returns the fingerprint of the master key that opens the store alone, unless
// a rotation is under way.
func (k *KeyFingerprint) Current() string {
	if k.Rotated != nil {
		return k.Rotated.Hash
	}
	return k.Hash
}

// AddressRecord holds an email's attempts to sign in.
type AddressRecord struct {
	Hash     string      `json:"hash,omitempty"` // of the code in force; "": none
	Ends     time.Time   `json:"ends,omitzero"`
	Tries    int         `json:"tries,omitempty"` // wrong ones against this code
	FullName string      `json:"full_name,omitempty"`
	Mails    []time.Time `json:"mails,omitempty"` // of the last day
	WrongDay string      `json:"wrong_day,omitempty"`
	Wrong    int         `json:"wrong,omitempty"` // tries on WrongDay
	// Asked are the codes by the clients that asked for them.
	Asked []AskedCode `json:"asked,omitempty"`
	// Kept are the mails of the last day beyond those of everybody, which were kept for
	// clients that had signed in before.
	Kept []time.Time `json:"kept,omitempty"`
	// Failures are the last wrong codes, for the audit of the team.
	Failures []SignInFailure `json:"failures,omitempty"`
}

// AskedCode is a code that was mailed, bound to the nonce of the client that asked for it.
type AskedCode struct {
	Nonce    string    `json:"nonce"` // a hash of it
	Hash     string    `json:"hash"`  // of the code
	Ends     time.Time `json:"ends"`
	Tries    int       `json:"tries,omitempty"` // wrong ones with the nonce
	FullName string    `json:"full_name,omitempty"`
}

// SignInFailure is a wrong code, and the client that sent it.
type SignInFailure struct {
	At     time.Time `json:"at"`
	Client string    `json:"client"`
}

// ClientRecord holds the mails that a client caused in the last hour.
type ClientRecord struct {
	Mails []time.Time `json:"mails"`
}

// StoppedRecord says who stopped all rules of the team, and when; By is empty
// for the API.
type StoppedRecord struct {
	At time.Time          `json:"at"`
	By watchpost.MemberID `json:"by,omitempty"`
}

// Deletable is a kind of thing whose deletion can wait.
type Deletable string

// The kinds of things whose deletion can wait. The zero value is that of records of builds that
// knew no other kind.
const (
	DeletableWatchlist Deletable = ""
	DeletableRule      Deletable = "rule"
	DeletableTarget    Deletable = "target"
)

// DeletionRecord says when a thing is to be deleted, and who asked for it.
type DeletionRecord struct {
	Of Deletable        `json:"of,omitempty"`
	At time.Time        `json:"at"`
	By watchpost.Origin `json:"by,omitzero"`
}

// RefusedPost is a post that the rules for posts could not bear.
type RefusedPost struct {
	At      time.Time `json:"at"`
	Step    string    `json:"step"` // of the work on it
	URN     string    `json:"urn"`
	Reason  string    `json:"reason"`
	Content string    `json:"content"` // clipped
}

// TargetState is how a notification target stands.
type TargetState struct {
	// Current is the delivery that is being tried.
	Current *watchpost.Delivery `json:"current,omitempty"`
	// Paused says why nothing is delivered until a member resumes it.
	Paused string `json:"paused,omitempty"`
	// FailingSince is when the first of the attempts failed that failed in a row.
	FailingSince time.Time `json:"failing_since,omitzero"`
	DeliveredAt  time.Time `json:"delivered_at,omitzero"`
	Hour         time.Time `json:"hour,omitzero"`
	InHour       int       `json:"in_hour,omitempty"` // deliveries begun and sent at once in that hour
	Dropped      int       `json:"dropped,omitempty"` // posts beyond the bound of those that wait
	// Failed is the last test or repetition, if it failed and nothing was
	// delivered since.
	Failed *watchpost.Delivery `json:"failed,omitempty"`
	// Told is the last day that the alert has told of, or must not tell of.
	Told time.Time `json:"told,omitzero"`
	// Unjudged is when the first of the posts came that the alert has not judged.
	Unjudged time.Time `json:"unjudged,omitzero"`
}

// TriageRecord is the part of a member's triage that is not the marks.
type TriageRecord struct {
	DoneBefore time.Time `json:"done_before"`
	// AllDone is the last decision of the member, where all posts became done.
	AllDone *AllDone `json:"all_done,omitempty"`
}

// AllDone is a decision that can be taken back. The marks that it made meaningless are still
// stored: those of done posts, and of unread ones that were stored before Before.
type AllDone struct {
	WasDoneBefore time.Time `json:"was_done_before"`
	Before        time.Time `json:"before"`
	At            time.Time `json:"at"`
}

// TriageMark is a member's mark of a post.
type TriageMark struct {
	State    watchpost.TriageState `json:"state"`
	StoredAt time.Time             `json:"stored_at"`
}
