package watchpost

import (
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/internal/text"
)

// FreshSignIn is how old the sign-in of a browser may be for an action that must not be
// done from one that was left open: a change of the ways to sign in, or showing the
// team's key.
const FreshSignIn = 15 * time.Minute

// TextNotFresh is the error of a request that needs a fresh sign-in.
const TextNotFresh = "This needs a sign-in of the last 15 minutes. Sign in again."

// FreshlySignedIn reports whether a browser that signed in at a moment may do so at now.
func FreshlySignedIn(at, now time.Time) bool { return now.Sub(at) < FreshSignIn }

// MaxDomains is how many mail domains the operator gives a team at most.
const MaxDomains = 20

// NormalizeDomain returns the canonical spelling of a mail domain; ok is false unless s is
// one.
func NormalizeDomain(s string) (domain string, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	return s, strings.Contains(s, ".") && len(s) < MaxEmail && validDomain(s)
}

// DomainOf returns the domain of a normalised address. Those below it are others.
func DomainOf(email string) string {
	_, domain, _ := strings.Cut(email, "@")
	return domain
}

// PasskeyID names a passkey.
type PasskeyID string

// Passkey is a key in a device or password manager of a member, which signs the member in
// without a code.
type Passkey struct {
	ID        PasskeyID
	Member    MemberID
	Name      string
	CreatedAt time.Time
	UsedAt    time.Time // zero: never
	// RefusedAt is when a sign-in was last refused because the key may have been
	// copied; zero: never.
	RefusedAt time.Time
}

// MaxPasskeys is how many passkeys a member has at most.
const MaxPasskeys = 10

// CheckPasskeys returns a Conflict unless a member with n passkeys may add one.
func CheckPasskeys(n int) error {
	if n >= MaxPasskeys {
		return Errorf(Conflict, "You have %d passkeys. Remove one to add another.", n)
	}
	return nil
}

// maxPasskeyName bounds the name of a passkey in characters.
const maxPasskeyName = 60

// PasskeyName returns the name that a member gives a passkey (Invalid).
func PasskeyName(s string) (string, error) {
	s = text.CollapseSpace(s)
	if text.IsBlank(s) || text.HasControl(s) || utf8.RuneCountInString(s) > maxPasskeyName {
		return "", Errorf(Invalid, "Enter a name of at most %d characters.", maxPasskeyName)
	}
	return s, nil
}

// PasskeyCounts reports whether a use of a passkey comes after those before. Each use
// counts on, where the device counts at all: a repeated count means that there are two
// keys, and one is a copy.
func PasskeyCounts(before, now uint32) bool { return now > before || now == 0 && before == 0 }
