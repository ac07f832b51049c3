package actors

import (
	"context"
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// SignInPlace is the name under which a cluster places all shards of sign-in: one
// request asks a shard of the client and one of the address.
const SignInPlace = signin.Name

// TeamOfToken returns the team of a session's token, or an Unauthenticated error.
func (r *reading) TeamOfToken(ctx context.Context, token string) (watchpost.TeamID, error) {
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirToken, r.env.Keyring.Hash(teamspace.DirToken, token))
	if errors.Is(err, persistence.ErrNotFound) {
		return "", errToken()
	}
	return owner.Team, root.Unavailable(err)
}

// keyLife is how long a node of a cluster remembers a key: another node may have
// replaced it.
const keyLife = time.Second

// idAttempts bounds the search for the id of a new team that this node serves. Of
// 100 nodes, one in 20,000 searches fails; the team is then created elsewhere
// than where it is served, which costs its owner one more activation.
const idAttempts = 1000

// foundElsewhere returns an ElsewhereError for a person without a team whose new
// team goes to another node: all sign-ins come to one.
func (r *signingIn) foundElsewhere(ctx context.Context, p Proof) error {
	id := watchpost.NewID(r.env.Clock.Now())
	if !r.open || r.Serves(id) {
		return nil
	}
	if team, err := r.teamOfDomain(ctx, p); err != nil || team != "" {
		return err // it is asked
	}
	_, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirEmail, p.Email)
	if errors.Is(err, persistence.ErrNotFound) {
		return &root.ElsewhereError{Team: watchpost.TeamID(id), Accepted: true, FullName: p.FullName}
	}
	return root.Unavailable(err)
}

// newTeamID returns an id for a new team of this node.
func (r *signingIn) newTeamID() watchpost.TeamID {
	for range idAttempts {
		if id := watchpost.NewID(r.env.Clock.Now()); r.Serves(id) {
			return watchpost.TeamID(id)
		}
	}
	return watchpost.TeamID(watchpost.NewID(r.env.Clock.Now()))
}
