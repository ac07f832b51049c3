package watchpost

import (
	"strings"
	"time"
)

// FreshSignIn is how old the sign-in of a browser may be for what must not be done from
// one that was left open: changes of the ways to sign in, and showing the team's key.
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
