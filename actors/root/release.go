package root

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"watchpost/internal/ordered"
	"watchpost/watchpost"
)

// Together are root actors that a cluster places under one name.
type Together struct {
	Name string
	Has  func(name string) bool
}

// placeOf returns the name under which a cluster places a root actor.
func (r *Registry) placeOf(name string) string {
	if r.together.Has != nil && r.together.Has(name) {
		return r.together.Name
	}
	return name
}

// Serves reports whether this node serves a root actor.
func (r *Registry) Serves(name string) bool {
	return r.placed == nil || r.placed(r.placeOf(name))
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

// Active counts the root actors in memory.
func (r *Registry) Active() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active)
}

// Running reports whether a root actor is in memory and stays there.
func (r *Registry) Running(name string) bool {
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
	for _, a := range ordered.ByKey(r.active) {
		if !serves(r.placeOf(a.name)) {
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
	if name == r.together.Name {
		for _, a := range ordered.ByKey(r.active) {
			if a.name != name && r.together.Has(a.name) {
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
			r.env.Run.Turn("end " + a.name)
			r.leave(a)
			return r.awaitEnd(ctx, a)
		})
	}
	if err := few.Wait(); err != nil {
		return err
	}
	if r.released != nil {
		r.released()
	}
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
