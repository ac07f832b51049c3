package signin

import (
	"context"
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/passkey"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Shards asks the shard of an address or a client.
type Shards struct{ Registry *root.Registry }

// OneTimeCode is a code as a client sends it.
type OneTimeCode struct {
	Email  string // normalised
	OTP    string
	Client string // in limits
	Nonce  string // of SendOTP; "": the client sends none
}

// TakeMail counts a mail for a client, and returns the moment that was counted; zero when
// the limit forbids the mail.
func (s Shards) TakeMail(ctx context.Context, client string) (time.Time, error) {
	taken, err := root.Call[mailTaken](ctx, s.Registry, shardOf(teamspace.KeyClient, client), takeMail{client})
	return taken.at, err
}

// ReturnMail takes back a mail that was counted at a moment and not sent.
func (s Shards) ReturnMail(ctx context.Context, client string, at time.Time) error {
	_, err := root.Call[root.Done](ctx, s.Registry, shardOf(teamspace.KeyClient, client), returnMail{client, at})
	return err
}

// NewCode returns a new code for an address, bound to the nonce of a client; "" when a
// limit of the address forbids it.
func (s Shards) NewCode(ctx context.Context, email, fullName, nonce string) (string, error) {
	made, err := root.Call[codeMade](ctx, s.Registry, shardOf(teamspace.KeyAddress, email), sendCode{email, fullName, nonce})
	return made.code, err
}

// TakeTry counts a try to sign in of a client (Unauthenticated beyond the limit).
func (s Shards) TakeTry(ctx context.Context, client string) error {
	_, err := root.Call[root.Done](ctx, s.Registry, shardOf(teamspace.KeyClient, client), takeTry{client})
	return err
}

// Verify checks a code (Unauthenticated), and uses it up unless it is kept. It returns the
// name that was given with it.
func (s Shards) Verify(ctx context.Context, code OneTimeCode, kept bool) (fullName string, err error) {
	accepted, err := root.Call[codeAccepted](ctx, s.Registry, shardOf(teamspace.KeyAddress, code.Email), verifyCode{code, kept})
	return accepted.fullName, err
}

// Begin returns the options for a sign-in by passkey, as JSON.
func (s Shards) Begin(ctx context.Context, client, nonce string) ([]byte, error) {
	begun, err := root.Call[signInBegun](ctx, s.Registry, shardOf(teamspace.KeyClient, client), beginSignIn{client, nonce})
	return begun.options, err
}

// Take takes the ceremony that the browser has begun, once (Unauthenticated).
func (s Shards) Take(ctx context.Context, client, nonce string) (passkey.Ceremony, error) {
	return root.Call[passkey.Ceremony](ctx, s.Registry, shardOf(teamspace.KeyClient, client), takeSignIn{client, nonce})
}

// Block blocks or allows the invitations of a team, or of all (""), for an address.
func (s Shards) Block(ctx context.Context, email string, team watchpost.TeamID, blocked bool) error {
	_, err := root.Call[root.Done](ctx, s.Registry, shardOf(teamspace.KeyAddress, email), blockInvitations{email, team, blocked})
	return err
}

// Blocks returns what an address blocks.
func Blocks(view persistence.View, email string) (watchpost.InvitationBlocks, error) {
	return stored[watchpost.InvitationBlocks](view, teamspace.KeyBlocks, email)
}

// Failures returns the wrong codes for an address.
func Failures(view persistence.View, email string) ([]teamspace.SignInFailure, error) {
	a, err := stored[teamspace.AddressRecord](view, teamspace.KeyAddress, email)
	return a.Failures, err
}

// stored returns a record of an address, past the shard's actor; empty when there is none.
func stored[R any](view persistence.View, kind, email string) (R, error) {
	r, err := teamspace.Load[R](view, persistence.Space(shardOf(teamspace.KeyAddress, email)), teamspace.Key(kind, email))
	if errors.Is(err, persistence.ErrNotFound) {
		err = nil
	}
	return r, err
}
