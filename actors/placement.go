package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// SignInPlace is the name under which a cluster places all shards of sign-in: one
// request asks a shard of the client and one of the address.
const SignInPlace = signInName

// placeOf returns the name under which a cluster places a root actor.
func placeOf(name string) string {
	if isSignIn(name) {
		return SignInPlace
	}
	return name
}

// serves reports whether this node serves a root actor.
func (r *Registry) serves(name string) bool {
	return r.placed == nil || r.placed(placeOf(name))
}

// ElsewhereError is the error of a request for a team that another node serves. The
// request was not processed.
type ElsewhereError struct {
	Team watchpost.TeamID
	// Accepted means that a one-time code is accepted and used up; FullName is the
	// name that was given with it.
	Accepted bool
	FullName string
}

// Error implements error.
func (e *ElsewhereError) Error() string { return fmt.Sprintf("team %s is on another node", e.Team) }

// passOver returns the error of a request to one of all teams, but for a team that
// another node serves, or that is gone.
func passOver(err error) error {
	var elsewhere *ElsewhereError
	if errors.As(err, &elsewhere) || err != nil && watchpost.KindOf(err) == watchpost.NotFound {
		return nil
	}
	return err
}

// Active counts the root actors in memory.
func (r *Registry) Active() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active)
}

// running reports whether a root actor is in memory and stays there.
func (r *Registry) running(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.active[name]
	return a != nil && !a.stopping
}

// Bounds of a release.
const (
	// releaseAtOnce is how many root actors leave together: a node that takes over
	// thousands loads them one after the other.
	releaseAtOnce = 16
	// answerTimeout is how long the end of a root actor waits for the answers to
	// requests under way.
	answerTimeout = 5 * time.Second
)

// Release ends the root actors that serves does not report, a few at a time, and
// returns when they have ended, with their last commits. Requests under way are
// answered first. It drops caches that another owner may make outdated; the others
// compare themselves with the snapshot that they are used for.
func (r *Registry) Release(ctx context.Context, serves func(name string) bool) error {
	r.mu.Lock()
	var leaving []*activation
	for _, a := range inOrder(r.active) {
		if !serves(placeOf(a.name)) {
			leaving = append(leaving, a)
		}
	}
	r.mu.Unlock()
	if err := r.end(ctx, leaving); err != nil {
		return err
	}
	r.env.changes.end(serves)
	return nil
}

// ReleaseName is Release for one name, which serves reports no more.
func (r *Registry) ReleaseName(ctx context.Context, name string) error {
	r.mu.Lock()
	var leaving []*activation
	if a := r.active[name]; a != nil {
		leaving = append(leaving, a)
	}
	if name == SignInPlace {
		for _, a := range inOrder(r.active) {
			if placeOf(a.name) == name {
				leaving = append(leaving, a)
			}
		}
	}
	r.mu.Unlock()
	if err := r.end(ctx, leaving); err != nil {
		return err
	}
	r.env.changes.end(func(other string) bool { return other != name })
	return nil
}

// end makes root actors leave, a few at a time, and returns when they have ended. Each
// waits for its answers by itself, so that a stuck request holds up its own only.
func (r *Registry) end(ctx context.Context, leaving []*activation) error {
	var few errgroup.Group
	few.SetLimit(releaseAtOnce)
	for _, a := range leaving {
		few.Go(func() error {
			r.env.run.Turn("end " + a.name)
			r.leave(a)
			return r.awaitEnd(ctx, a)
		})
	}
	if err := few.Wait(); err != nil {
		return err
	}
	r.env.finished.clear()
	return nil
}

// leave makes a root actor end when its calls are answered. A message that a child
// still handles would be lost with its end, and its caller would not know whether the
// request was carried out.
func (r *Registry) leave(a *activation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
	if a.stopping {
		return
	}
	a.stopping = true
	r.retire(a)
	if a.leaving = true; a.calls == 0 {
		r.poison(a)
	}
}

// awaitEnd waits until a root actor that leaves has ended. Calls that are not answered
// in time are given up.
func (r *Registry) awaitEnd(ctx context.Context, a *activation) error {
	bounded, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if a.ended(bounded) == nil {
		return nil
	}
	r.mu.Lock()
	if a.leaving {
		r.poison(a)
	}
	r.mu.Unlock()
	return a.ended(ctx)
}

// TeamOfToken returns the team of a session's token, or an Unauthenticated error.
func (r *Registry) TeamOfToken(ctx context.Context, token string) (watchpost.TeamID, error) {
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.store, teamspace.DirToken, r.env.keyring.Hash(teamspace.DirToken, token))
	if errors.Is(err, persistence.ErrNotFound) {
		return "", errToken()
	}
	return owner.Team, unavailable(err)
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
func (r *Registry) foundElsewhere(ctx context.Context, p Proof) error {
	id := watchpost.NewID(r.env.clock.Now())
	if !r.open || r.serves(id) {
		return nil
	}
	if team, err := r.teamOfDomain(ctx, p); err != nil || team != "" {
		return err // it is asked
	}
	_, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.store, teamspace.DirEmail, p.Email)
	if errors.Is(err, persistence.ErrNotFound) {
		return &ElsewhereError{Team: watchpost.TeamID(id), Accepted: true, FullName: p.FullName}
	}
	return unavailable(err)
}

// newTeamID returns an id for a new team of this node.
func (r *Registry) newTeamID() watchpost.TeamID {
	for range idAttempts {
		if id := watchpost.NewID(r.env.clock.Now()); r.serves(id) {
			return watchpost.TeamID(id)
		}
	}
	return watchpost.TeamID(watchpost.NewID(r.env.clock.Now()))
}
