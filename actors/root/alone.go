package root

import (
	"context"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// Alone does something with a space while it has no actor: the requests under way are
// answered first, and later ones wait. do activates the space in the store that it gets.
// When the space moves to another node, or the service stops, ctx of do ends.
func (r *Registry) Alone(ctx context.Context, name string, do func(context.Context, persistence.Store) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a, err := r.reserve(ctx, name, cancel)
	if err != nil {
		return err
	}
	defer func() {
		r.mu.Lock()
		delete(r.active, a.name)
		r.mu.Unlock()
		close(a.stopped)
	}()
	return do(ctx, r.env.owned)
}

// reserve ends the actor of a name, and returns an activation without one that keeps
// others from being activated.
func (r *Registry) reserve(ctx context.Context, name string, cancel context.CancelFunc) (*activation, error) {
	for {
		r.mu.Lock()
		a := r.active[name]
		switch {
		case a == nil && r.closed:
			r.mu.Unlock()
			return nil, watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
		case a == nil && !r.Serves(name):
			r.mu.Unlock()
			return nil, &ElsewhereError{Team: watchpost.TeamID(name)}
		case a == nil:
			a = &activation{name: name, pid: &actor.PID{}, stopping: true, stopped: make(chan struct{}), cancel: cancel, run: r.env.Run}
			r.active[name] = a
			r.mu.Unlock()
			return a, nil
		}
		r.mu.Unlock()
		var err error
		if a.cancel != nil {
			err = a.ended(ctx) // another has reserved it
		} else {
			err = r.end(ctx, []*activation{a})
		}
		if err != nil {
			return nil, err
		}
	}
}
