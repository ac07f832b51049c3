package actors

import (
	"context"
	"errors"
	"time"

	"watchpost/actors/cache"
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

// newTeamID returns an id for a new team of this node.
func (r *admitting) newTeamID() watchpost.TeamID {
	for range idAttempts {
		if id := watchpost.NewID(r.env.Clock.Now()); r.Serves(id) {
			return watchpost.TeamID(id)
		}
	}
	return watchpost.TeamID(watchpost.NewID(r.env.Clock.Now()))
}

var errInvalidKey = watchpost.Errorf(watchpost.Unauthenticated, "Invalid API Key")

// HolderOf returns the team that a key belongs to and, unless it is the team's key, what
// it may do (Unauthenticated, with the holder if the key has ended; api.md#authentication).
func (r *keyHolding) HolderOf(ctx context.Context, key string) (cache.Holder, error) {
	digest := cache.DigestOf(key)
	of, known, drops := r.env.keys.Find(digest)
	if !known {
		began := r.env.keys.Now()
		var err error
		if of, err = r.lookUp(ctx, key); err != nil {
			return cache.Holder{}, err
		}
		r.env.keys.Remember(digest, of, began, drops)
	}
	return unexpired(of, r.env.Clock.Now())
}

// HolderNow is HolderOf, and asks the store when another node, which serves the team or
// has served it until now, may have changed the key.
func (r *keyHolding) HolderNow(ctx context.Context, key string) (cache.Holder, error) {
	if r.env.keys.Life == 0 {
		return r.HolderOf(ctx, key)
	}
	of, err := r.lookUp(ctx, key)
	if err != nil {
		return cache.Holder{}, err
	}
	return unexpired(of, r.env.Clock.Now())
}

func unexpired(of cache.Holder, now time.Time) (cache.Holder, error) {
	if of.Key.Expired(now) {
		return of, errInvalidKey
	}
	return of, nil
}

// AwaitKeyChange returns a channel that is closed when a key of a team that this node
// serves was replaced, changed or deleted. The caller calls done when it stops waiting.
func (r *keyHolding) AwaitKeyChange(team watchpost.TeamID) (changed <-chan struct{}, done func()) {
	return r.env.keys.Watch(team)
}

// lookUp reads the directory's entry of a key.
func (r *keyHolding) lookUp(ctx context.Context, key string) (of cache.Holder, err error) {
	hash := r.env.Keyring.Hash
	switch {
	case watchpost.ValidAPIKey(key):
		var owner teamspace.OwnerEntry
		owner, err = teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirKey, hash(teamspace.DirKey, key))
		of.Team = owner.Team
	case watchpost.ValidScopedKey(key):
		var entry teamspace.ScopedKeyEntry
		entry, err = teamspace.Read[teamspace.ScopedKeyEntry](ctx, r.env.Store, teamspace.DirScopedKey, hash(teamspace.DirScopedKey, key))
		of.Team, of.Key = entry.Team, &entry.Key
	default:
		return of, errInvalidKey
	}
	if errors.Is(err, persistence.ErrNotFound) {
		return of, errInvalidKey
	}
	if err != nil {
		return of, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return of, nil
}
