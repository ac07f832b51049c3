package root

import (
	linked "container/list"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/vault"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// Options is what a Registry needs.
type Options struct {
	Store   persistence.Store
	Clock   watchpost.Clock
	Keyring *vault.Keyring
	Log     *slog.Logger
	Metrics *Metrics
	// New makes the root actor of a name.
	New func(name string) actor.Actor
	// IdleAfter is how long an unused root actor stays in memory, by the Clock.
	IdleAfter time.Duration
	// Serves reports whether this node of a cluster serves a root actor, by the name
	// under which it is placed; nil means that it serves all.
	Serves func(name string) bool
	// Together are root actors that are placed under one name.
	Together Together
	// Activated is called when a root actor is activated, with the name for Serves. It
	// must not block. Nil: never.
	Activated func(name string)
	// Released is called when root actors have ended because another node serves them;
	// nil: never.
	Released func()
	// AllEnded is called when the registry closes and all root actors have ended; nil:
	// never.
	AllEnded func()
	// Scheduling is for simulations; nil: the Go scheduler's.
	Scheduling Scheduling
}

// Registry finds or activates the root actor that a request is for, and waits for
// the answer.
type Registry struct {
	env     *Environment
	caller  *caller
	produce func(name string) actor.Actor
	idle    time.Duration
	// The functions of Options.
	placed             func(name string) bool
	together           Together
	activated          func(name string)
	released, allEnded func()
	// pool runs the mailboxes, unless a simulation does.
	pool *poolDispatcher

	mu     sync.Mutex
	active map[string]*activation
	// unused are the activations that are not stopping, the longest unused first.
	unused  *linked.List
	crashes *crashes
	closed  bool
	sweeper watchpost.Timer
	ended   sync.Once
}

// Environment is what every actor is given.
type Environment struct {
	System  *actor.ActorSystem
	Run     Scheduling
	rules   *rules
	Store   persistence.Store
	owned   persistence.Store // Store, whose epochs are for the spaces of this node
	Clock   watchpost.Clock
	Keyring *vault.Keyring
	Log     *slog.Logger
	metrics *Metrics
	changes *subscriptions
	// stopped is called by a root actor when it has ended.
	stopped func(name string, self *actor.PID, how outcome)
	// ask sends a request to an actor from outside the mailboxes: timers of
	// the Clock use it to wait for the work that they started.
	ask func(ctx context.Context, target *actor.PID, request any) (any, error)
	// answerAll answers those who still wait for an actor that has ended.
	answerAll func(target string)
}

// New starts the actor system, and returns what its actors are given.
func New(o Options) (*Registry, *Environment) {
	system, pool := newSystem(o.Log, o.Metrics), newPoolDispatcher()
	if o.Scheduling == nil {
		o.Scheduling = Freely{pool}
	}
	r := &Registry{
		caller: newCaller(system, o.Scheduling), produce: o.New, idle: o.IdleAfter, pool: pool,
		placed: o.Serves, together: o.Together, activated: o.Activated, released: o.Released, allEnded: o.AllEnded,
		active: map[string]*activation{}, unused: linked.New(), crashes: newCrashes(),
	}
	r.env = &Environment{
		System: system, Run: o.Scheduling, Store: o.Store, Clock: o.Clock, Keyring: o.Keyring, Log: o.Log, metrics: o.Metrics,
		changes: newSubscriptions(), stopped: r.forget, ask: r.caller.ask, answerAll: r.caller.fail,
	}
	r.env.owned = ownedStore{o.Store, r.Serves}
	r.env.rules = newRules(r.env)
	r.sweeper = o.Clock.At(o.Clock.Now().Add(sweepEvery), r.sweep)
	return r, r.env
}

// Call sends a request to a root actor and waits for its reply.
func Call[R any](ctx context.Context, r *Registry, name string, request any) (R, error) {
	reply, err := r.Deliver(ctx, name, request)
	if err != nil {
		var none R
		return none, err
	}
	return Reply[R](r, request, reply)
}

// Reply returns the reply to a request as its type.
func Reply[R any](r *Registry, request, reply any) (R, error) {
	v, ok := reply.(R)
	if !ok {
		r.env.Log.Error("unexpected reply", "request", TypeName(request), "reply", TypeName(reply))
		return v, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal)
	}
	return v, nil
}

// Deliver delivers a request to the actor of that name, activating it if needed.
func (r *Registry) Deliver(ctx context.Context, name string, request any) (any, error) {
	for {
		a, err := r.acquire(ctx, name)
		if err != nil {
			return nil, err
		}
		reply, err := r.caller.ask(ctx, a.pid, request)
		r.release(a)
		var known *watchpost.Error
		switch {
		case err == nil:
			return reply, nil
		case errors.Is(err, errNotDelivered), errors.Is(err, errRefused):
			// Not processed, and the actor ends: the next one is asked when the last
			// commits of this one have landed.
			if err := a.ended(ctx); err != nil {
				return nil, err
			}
		case errors.As(err, &known):
			return nil, known
		default:
			return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
		}
	}
}

// PrepareClock prepares all root actors for a clock that is set forward.
func (r *Registry) PrepareClock(until time.Time) {
	r.mu.Lock()
	var pids []*actor.PID
	for _, a := range ordered.ByKey(r.active) {
		if !a.stopping {
			pids = append(pids, a.pid)
		}
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), timerTimeout)
	defer cancel()
	for _, pid := range pids {
		if _, err := r.caller.ask(ctx, pid, ClockAdvances{until}); err != nil {
			r.env.Log.Debug("actor is not prepared for the clock", "actor", pid.Id, "error", err)
		}
	}
}

// Close refuses new requests, lets every actor finish its mailbox, and
// returns when all have ended or ctx ends.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.sweeper.Stop()
	var gone []chan struct{}
	for _, a := range ordered.ByKey(r.active) {
		if a.cancel != nil {
			a.cancel()
		}
		if !a.stopping {
			a.stopping = true
			r.retire(a)
			r.env.System.Root.Poison(a.pid)
		}
		gone = append(gone, a.stopped)
	}
	r.mu.Unlock()
	for _, g := range gone {
		select {
		case <-g:
		case <-ctx.Done():
		}
		r.env.Run.Turn("close")
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	r.ended.Do(func() {
		if r.allEnded != nil {
			r.allEnded()
		}
		r.env.System.Shutdown()
		close(r.pool.stopped)
	})
	return nil
}

// Unavailable makes a failed read of the store the Unavailable error that Ask
// returns for one: the caller may try again.
func Unavailable(err error) error {
	var known *watchpost.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
}
