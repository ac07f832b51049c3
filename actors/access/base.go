package access

import (
	"context"

	"watchpost/actors/root"
	"watchpost/internal/passkey"
	"watchpost/watchpost"
)

// Options is what Mails and Browsing need.
type Options struct {
	Registry *root.Registry
	Env      *root.Environment
	Mailer   watchpost.Mailer
	Site     *passkey.Site // that passkeys are for; nil: there are none
	// CountMail counts what happened to a mail.
	CountMail func(event string)
}

// base is what the parts outside the mailboxes share: they ask teams, and read the store
// past them.
type base struct {
	*root.Registry
	env *root.Environment
}

// askTeam sends a request to a team and waits for its reply.
func askTeam[R any](ctx context.Context, b *base, team watchpost.TeamID, request root.Request[R]) (R, error) {
	return root.Ask(ctx, b.Registry, string(team), request)
}
