package watchpost

import "time"

// FreshSignIn is how old the sign-in of a browser may be for what must not be done from
// one that was left open: changes of the ways to sign in, and showing the team's key.
const FreshSignIn = 15 * time.Minute

// TextNotFresh is the error of a request that needs a fresh sign-in.
const TextNotFresh = "This needs a sign-in of the last 15 minutes. Sign in again."

// FreshlySignedIn reports whether a browser that signed in at a moment may do so at now.
func FreshlySignedIn(at, now time.Time) bool { return now.Sub(at) < FreshSignIn }
