package access

import (
	"context"

	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/passkey"
	"watchpost/watchpost"
)

// Options is what the parts outside the mailboxes need.
type Options struct {
	Registry *root.Registry
	Env      *root.Environment
	Mailer   outgoing.Mailer
	Site     *passkey.Site // that passkeys are for; nil: there are none
	Open     bool          // an unknown address may make a team
	Joining  bool          // people of a team's domain may join it
	// CreateTeam makes a team for a person who signs in with that.
	CreateTeam func(ctx context.Context, p Proof) (SignedIn, error)
	// CountMail counts what happened to a mail.
	CountMail func(event string)
}

// Parts are what asks the actors from outside the mailboxes, by subjects.
type Parts struct {
	Mails      *Mails
	Inviting   *Inviting
	SigningIn  *SigningIn
	Ceremonies *Ceremonies
	Browsing   *Browsing
}

// New gives each part its dependencies.
func New(o Options) Parts {
	b := &base{o.Registry, o.Env, signin.Shards{Registry: o.Registry}, o.Site, o.Open}
	mails := &Mails{b, o.Mailer, o.CountMail}
	inviting := &Inviting{b, mails}
	return Parts{mails, inviting, &SigningIn{b, mails, inviting, o.Joining, o.CreateTeam}, &Ceremonies{b, mails}, &Browsing{b, mails}}
}

// base is what the parts share: they ask teams and shards of sign-in, and read the store
// past them.
type base struct {
	*root.Registry
	env    *root.Environment
	shards signin.Shards
	site   *passkey.Site
	open   bool
}

// askTeam sends a request to a team and waits for its reply.
func askTeam[R any](ctx context.Context, b *base, team watchpost.TeamID, request root.Request[R]) (R, error) {
	return root.Ask(ctx, b.Registry, string(team), request)
}
