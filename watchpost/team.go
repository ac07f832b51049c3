package watchpost

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/internal/text"
)

// Role is the role of a member in the team.
type Role string

// The roles. A team's first member is its first admin.
const (
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// ParseRole parses a role; "" is RoleMember.
func ParseRole(s string) (Role, error) {
	switch r := Role(strings.ToLower(strings.TrimSpace(s))); r {
	case "":
		return RoleMember, nil
	case RoleAdmin, RoleMember:
		return r, nil
	}
	return "", Errorf(Invalid, "Invalid 'role'")
}

// Member is a person of a team, identified by an email, and the owner of the
// sessions that work in the person's name (a user in the API).
type Member struct {
	ID        MemberID
	Email     string // as NormalizeEmail returns it
	FullName  string
	Role      Role
	CreatedAt time.Time
	// NeverSignedIn is set until the member signs in: until then no one has shown that
	// the mailbox is theirs and that they want mail of the team. Members from before it
	// was stored count as signed in.
	NeverSignedIn bool `json:",omitempty"`
	// Language is the code of the language of the mails to the member, of BCP 47; "": none
	// is known, and mails are in English.
	Language string `json:",omitempty"`
}

// Team is the owner of an API key, members, watchlists, posts and tasks
// (api.md#team).
type Team struct {
	ID        TeamID
	Name      string
	Plan      Plan // the current plan
	CreatedAt time.Time
	// PlanExpiresAt is when the plan becomes PlanFree; zero means never.
	PlanExpiresAt time.Time
	// KeepPosts is how long posts are kept; zero: as the service says.
	KeepPosts KeepDays
	// MemberLeftAt is when a member was removed who may still have the team's key,
	// KeyRotationAskedAt when an admin asked the operator for another one. They are zero
	// of a key that was made since.
	MemberLeftAt       time.Time
	KeyRotationAskedAt time.Time
	Members            []Member
	// Domains are the mail domains whose people join the team at their first sign-in by a
	// provider of identities.
	Domains []string
	// Voice says how the team writes, as CleanVoice returns it; drafts of comments and
	// messages keep to it.
	Voice string
}

// MaxVoice is the maximum number of characters of Team.Voice.
const MaxVoice = 2000

// CleanVoice returns the text for Team.Voice: trimmed, with line breaks of one kind and
// without other control characters (Invalid when it is too long).
func CleanVoice(s string) (string, error) {
	s = strings.TrimSpace(text.PlainLines(s))
	if utf8.RuneCountInString(s) > MaxVoice {
		return "", Errorf(Invalid, "Invalid 'voice': at most %d characters", MaxVoice)
	}
	return s, nil
}

// TeamPatch changes the fields of a team that are not nil. Domains are normalised, and
// Voice is as CleanVoice returns it.
type TeamPatch struct {
	Name          *string
	Plan          *Plan
	PlanExpiresAt *time.Time
	KeepPosts     *KeepDays
	Domains       *[]string
	Voice         *string
}

// Apply returns the changed team. A plan that is set without a date does not expire.
func (p *TeamPatch) Apply(t Team) Team {
	set(&t.Name, p.Name)
	if p.Plan != nil {
		t.Plan, t.PlanExpiresAt = *p.Plan, time.Time{}
	}
	set(&t.PlanExpiresAt, p.PlanExpiresAt)
	set(&t.KeepPosts, p.KeepPosts)
	set(&t.Domains, p.Domains)
	set(&t.Voice, p.Voice)
	return t
}

// Member returns the member with the given id.
func (t *Team) Member(id MemberID) (Member, bool) {
	for _, m := range t.Members {
		if m.ID == id {
			return m, true
		}
	}
	return Member{}, false
}

// MemberByEmail returns the member with the given email, in any case.
func (t *Team) MemberByEmail(email string) (Member, bool) {
	email, ok := NormalizeEmail(email)
	if !ok {
		return Member{}, false
	}
	for _, m := range t.Members {
		if m.Email == email {
			return m, true
		}
	}
	return Member{}, false
}

// ActingMember returns the member in whose name the service acts when a request
// names none: the oldest admin, at the same age the one with the smaller id. ok
// is false if the team has no admin.
func ActingMember(members []Member) (acting Member, ok bool) {
	for _, m := range members {
		if m.Role != RoleAdmin {
			continue
		}
		if !ok || cmp.Or(m.CreatedAt.Compare(acting.CreatedAt), cmp.Compare(m.ID, acting.ID)) < 0 {
			acting, ok = m, true
		}
	}
	return acting, ok
}

// DefaultTeamName returns the name of the team created for a person who belongs
// to no team: it contains the person's name, or else the mailbox.
func DefaultTeamName(fullName, email string) string {
	name := text.Clip(text.CollapseSpace(fullName), MaxName-len("'s Team"))
	if name == "" {
		name, _, _ = strings.Cut(email, "@")
	}
	return name + "'s Team"
}

// MaxEmail is the longest address that mail can be sent to, in bytes.
const MaxEmail = 254

// NormalizeEmail returns the canonical spelling of an address, which identifies
// a person: trimmed and in lower case. ok is false unless s is a plain address
// of ASCII characters. It rejects display names, comments, quoted mailboxes,
// address literals and line breaks, so the result is safe in a mail header.
func NormalizeEmail(s string) (email string, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if len(s) > MaxEmail {
		return "", false
	}
	mailbox, domain, found := strings.Cut(s, "@")
	if !found || !validMailbox(mailbox) || !validDomain(domain) {
		return "", false
	}
	return s, true
}

func validMailbox(s string) bool {
	const specials = "!#$%&'*+-/=?^_`{|}~"
	if s == "" || len(s) > 64 {
		return false
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for _, r := range atom {
			if !lowerAlphanumeric(r) && !strings.ContainsRune(specials, r) {
				return false
			}
		}
	}
	return true
}

func validDomain(s string) bool {
	labels := strings.Split(s, ".")
	if len(labels) < 2 && s != "localhost" {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, r := range label {
			if !lowerAlphanumeric(r) && r != '-' {
				return false
			}
		}
	}
	return true
}

func lowerAlphanumeric(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }

const (
	base62     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits     = "0123456789"
	crockford  = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	keyPrefix  = "wp_"
	keyLength  = 32
	slotLength = 3
	// scopedPrefix is that of keys with scopes.
	scopedPrefix = "wpk_"
	// sessionPrefix and webPrefix are those of the tokens of an extension and of a browser
	// in the dashboard.
	sessionPrefix = "wps_"
	webPrefix     = "wpw_"
	tokenLength   = 43
	otpLength     = 6
	codeLength    = 10
)

// NewAPIKey returns a new key of a team: a prefix that people and secret scanners
// recognize, the team's slot, and 172 random bits. Keys of earlier builds have random
// characters where the slot is.
func NewAPIKey(team TeamID) string {
	return keyPrefix + Slot(team) + randomString(base62, keyLength-slotLength)
}

// ValidAPIKey reports whether s has the form of a key.
func ValidAPIKey(s string) bool {
	random, ok := strings.CutPrefix(s, keyPrefix)
	return ok && len(random) == keyLength && strings.Trim(random, base62) == ""
}

// NewScopedKey returns a new key with scopes: a distinct prefix, the slot of the team
// and 190 random bits.
func NewScopedKey(team TeamID) string {
	return scopedPrefix + Slot(team) + randomString(base62, keyLength)
}

// ValidScopedKey reports whether s has the form of a key with scopes.
func ValidScopedKey(s string) bool {
	random, ok := strings.CutPrefix(s, scopedPrefix)
	return ok && len(random) == slotLength+keyLength && strings.Trim(random, base62) == ""
}

// NewSessionToken returns a new token of an extension's session: a distinct prefix, the
// slot of the team and 256 random bits. Tokens of earlier builds are 64 hexadecimal
// digits.
func NewSessionToken(team TeamID) string { return newToken(sessionPrefix, team) }

// NewWebToken returns a new secret of a browser in the dashboard, or of a link that
// becomes one, in the form of NewSessionToken.
func NewWebToken(team TeamID) string { return newToken(webPrefix, team) }

func newToken(prefix string, team TeamID) string {
	return prefix + Slot(team) + randomString(base62, tokenLength)
}

// Slot returns the slot of a team, three characters: one of 4,096 parts into which the
// ids of teams are divided evenly, by the first 12 bits of their SHA-256. It says where
// a team belongs without a look-up, and nothing else of the team.
func Slot(team TeamID) string {
	sum := sha256.Sum256([]byte(team))
	slot := int(sum[0])<<4 | int(sum[1])>>4
	const n = len(base62)
	return string([]byte{base62[slot/n/n], base62[slot/n%n], base62[slot%n]})
}

// NewOTP returns a one-time code of six digits, which proves access to a
// mailbox.
func NewOTP() string { return randomString(digits, otpLength) }

// ValidOTP reports whether s has the form of a one-time code.
func ValidOTP(s string) bool { return len(s) == otpLength && strings.Trim(s, digits) == "" }

// NewPairingCode returns a code with which an extension becomes a session: ten
// characters that are hard to confuse.
func NewPairingCode() string { return randomString(crockford, codeLength) }

// NormalizePairingCode returns a code in the form of NewPairingCode. It accepts
// any case, spaces and hyphens, and reads letters that look like digits as
// digits. Input that cannot be a code is returned unchanged and matches no
// code.
func NormalizePairingCode(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-' || r == '\t' || r == '\n' || r == '\r' || r == '\u00a0':
			return -1
		case 'a' <= r && r <= 'z':
			r -= 'a' - 'A'
		}
		switch r {
		case 'O':
			return '0'
		case 'I', 'L':
			return '1'
		}
		return r
	}, s)
}

// ValidPairingCode reports whether a normalized code has the form of one.
func ValidPairingCode(s string) bool {
	return len(s) == codeLength && strings.Trim(s, crockford) == ""
}

// randomString returns n uniformly distributed characters. It discards bytes
// beyond the last whole multiple of the alphabet's size.
func randomString(alphabet string, n int) string {
	fair := 256 - 256%len(alphabet)
	out := make([]byte, 0, n)
	buf := make([]byte, 2*n)
	for {
		if _, err := rand.Read(buf); err != nil {
			panic(err) // the runtime aborts before this can happen
		}
		for _, b := range buf {
			if int(b) >= fair {
				continue
			}
			if out = append(out, alphabet[int(b)%len(alphabet)]); len(out) == n {
				return string(out)
			}
		}
	}
}

// SortMembers sorts members in the order in which they joined.
func SortMembers(members []Member) {
	slices.SortFunc(members, func(a, b Member) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// SessionKept is how long an unused session is kept.
const SessionKept = 90 * 24 * time.Hour

// MaxSessions is the maximum number of sessions of a member. A further session
// replaces the one unused for the longest time.
const MaxSessions = 100

// SessionEnds reports whether a session last used at seen has expired at now.
func SessionEnds(seen, now time.Time) bool { return now.Sub(seen) >= SessionKept }
