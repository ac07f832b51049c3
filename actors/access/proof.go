package access

import "watchpost/watchpost"

// Proof is how a person has shown that an address is theirs.
type Proof struct {
	Email    string // normalised
	FullName string // as the person gave it; "": not known
	By       string // what showed it, for the audit; "": a one-time code
	Passkey  PasskeyUse
	// Provider means that a provider of identities says so: an unknown address joins the
	// team of its domain.
	Provider bool
}

// SignedIn is who signed in.
type SignedIn struct {
	Team   watchpost.Team
	Member watchpost.Member
	APIKey string
}
