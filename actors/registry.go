package actors

import (
	linked "container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.opentelemetry.io/otel/trace"

	"watchpost"
	"watchpost/internal/notify"
	"watchpost/internal/protocol"
	"watchpost/internal/tracing"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
)

// Options is what a Registry needs.
type Options struct {
	Store   persistence.Store
	Clock   watchpost.Clock
	Keyring *Keyring
	Mailer  Mailer
	Log     *slog.Logger
	Metrics *Metrics
	// Tracer records the leases of tasks whose request is traced; nil means none.
	Tracer trace.Tracer
	// NetworkURL is the origin of the network. It completes the addresses that
	// a session reports without one.
	NetworkURL string
	// PostCache bounds the memory for posts and their index that were read, in
	// bytes; 0 is postindex.DefaultCache.
	PostCache int
	// IdleAfter is how long a team without sessions stays in memory after the
	// last request, by the Clock; 0 is DefaultIdleAfter.
	IdleAfter time.Duration
	// RegistrationClosed means that only the operator and members add people: an
	// unknown address gets no code, and the answers do not say so.
	RegistrationClosed bool
	// KeepPosts is how long posts are kept in teams without a setting of their own;
	// zero: forever.
	KeepPosts watchpost.KeepDays
	// RestoredAt is when the store was restored from a backup; zero: never. What was
	// done between the backup and that moment is not known.
	RestoredAt time.Time
	// Notify delivers notifications; nil: one that reaches public addresses only.
	Notify *notify.Sender
	// Serves reports whether this node of a cluster serves a team, or SignInPlace;
	// nil means that it serves all.
	Serves func(name string) bool
	// Activated is called when a team, or a part of sign-in, is activated, with the name
	// for Serves. It must not block. Nil: never.
	Activated func(name string)
}

// DefaultIdleAfter is how long an unused team stays in memory.
const DefaultIdleAfter = 10 * time.Minute

// Registry is the one door to the actors: it finds or activates the actor that
// a request is for, and waits for the answer. One node holds all teams; a
// cluster places them by the same names.
type Registry struct {
	env    *environment
	caller *caller
	idle   time.Duration
	mailer Mailer
	placed func(name string) bool // Options.Serves
	// activated is Options.Activated.
	activated func(name string)
	open      bool // an unknown address may found a team

	mu     sync.Mutex
	active map[string]*activation
	// unused are the activations that are not resting, the longest unused first.
	unused  *linked.List
	crashes *crashes
	closed  bool
	sweeper watchpost.Timer
	ended   sync.Once
}

// environment is what every actor is given.
type environment struct {
	system *actor.ActorSystem
	// dispatcher runs the mailboxes.
	dispatcher  *poolDispatcher
	rules       *rules
	store       persistence.Store
	posts       *postindex.Index
	watchlists  *watchlistCache
	engagements *engagementCaches
	clock       watchpost.Clock
	restoredAt  time.Time // Options.RestoredAt
	keepPosts   watchpost.KeepDays
	keyring     *Keyring
	log         *slog.Logger
	metrics     *Metrics
	network     *url.URL // nil when not known
	tracer      trace.Tracer
	// finished holds final tasks for readers outside the mailboxes.
	finished *finishedTasks
	keys     *keyCache
	// presence holds the newest sign of life of the teams in memory, for
	// readers outside their mailboxes; each team alone writes its own.
	presence sync.Map // watchpost.TeamID → time.Time
	rooms    *teamRooms
	changes  *subscriptions
	// sends delivers notifications, in goroutines that end with the registry.
	sends *sends
	// stopped is called by a top actor when it has ended.
	// failed is false when the actor itself did not fail.
	stopped func(name string, self *actor.PID, failed bool)
	// ask sends a request to an actor from outside the mailboxes: timers of
	// the Clock use it to wait for the work that they started.
	ask func(ctx context.Context, target *actor.PID, request any) (any, error)
	// fail answers those who still wait for an actor that has ended.
	fail func(target string)
}

// activation is a top actor in memory.
type activation struct {
	name string
	pid  *actor.PID
	turn *linked.Element // in Registry.unused; nil when resting
	// calls counts the requests under way; only an actor with none is put to
	// rest, so that no request meets a closing door.
	calls int
	// uses counts the requests ever made: an answer that the actor is idle
	// holds only as long as no other came.
	uses int
	used time.Time
	// stopping is set when the actor is stopped, stopped is closed when it has ended.
	stopping bool
	stopped  chan struct{}
	// leaving means that the actor ends with the last of its calls.
	leaving bool
	// cancel ends the work for which the name has no actor, see alone; nil of an actor.
	cancel context.CancelFunc
}

// New starts the actors.
func New(o Options) (*Registry, error) {
	if o.Store == nil || o.Clock == nil || o.Keyring == nil || o.Mailer == nil {
		return nil, errors.New("actors: store, clock, keyring and mailer are required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.IdleAfter == 0 {
		o.IdleAfter = DefaultIdleAfter
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	var network *url.URL
	if o.NetworkURL != "" {
		var err error
		if network, err = url.Parse(o.NetworkURL); err != nil || network.Host == "" {
			return nil, fmt.Errorf("network URL %q: want an origin as https://example.com", o.NetworkURL)
		}
	}
	system := newSystem(o.Log, o.Metrics)
	r := &Registry{
		caller:  newCaller(system),
		idle:    o.IdleAfter,
		active:  map[string]*activation{},
		unused:  linked.New(),
		crashes: newCrashes(),
	}
	r.env = &environment{
		system: system, dispatcher: newPoolDispatcher(), finished: newFinishedTasks(), keys: newKeyCache(), rooms: newTeamRooms(), changes: newSubscriptions(), watchlists: newWatchlistCache(), engagements: newEngagementCaches(), store: o.Store, posts: postindex.New(postindex.Options{CacheBytes: o.PostCache}), clock: o.Clock, keyring: o.Keyring, log: o.Log, metrics: o.Metrics, network: network,
		stopped: r.forget, ask: r.caller.ask, fail: r.caller.fail,
	}
	r.env.rules, r.env.restoredAt = newRules(r.env), o.RestoredAt
	r.env.keepPosts = o.KeepPosts
	if r.env.tracer = o.Tracer; o.Tracer == nil {
		r.env.tracer = tracing.Off
	}
	r.env.sends = newSends(o.Notify, o.Mailer)
	o.Metrics.dueScans.now = o.Clock.Now
	r.mailer, r.placed, r.activated, r.open = o.Mailer, o.Serves, o.Activated, !o.RegistrationClosed
	if r.placed != nil {
		r.env.keys.life = keyLife
	}
	r.sweeper = o.Clock.At(o.Clock.Now().Add(sweepEvery), r.sweep)
	return r, nil
}

func ask[R any](ctx context.Context, r *Registry, name string, request any) (R, error) {
	reply, err := r.call(ctx, name, request)
	if err != nil {
		var none R
		return none, err
	}
	return typed[R](r, request, reply)
}

// typed returns the reply to a request as its type.
func typed[R any](r *Registry, request, reply any) (R, error) {
	v, ok := reply.(R)
	if !ok {
		r.env.log.Error("unexpected reply", "request", typeName(request), "reply", typeName(reply))
		return v, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal)
	}
	return v, nil
}

// call delivers a request to the actor of that name, activating it if needed.
func (r *Registry) call(ctx context.Context, name string, request any) (any, error) {
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

// acquire returns the activation for a request, which must release it.
func (r *Registry) acquire(ctx context.Context, name string) (*activation, error) {
	for {
		a, called, err := r.find(name)
		if err != nil {
			return nil, err
		}
		if called {
			return a, nil
		}
		if err := a.ended(ctx); err != nil {
			return nil, err
		}
	}
}

// ended waits until the actor has ended.
func (a *activation) ended(ctx context.Context) error {
	select {
	case <-a.stopped:
		return nil
	case <-ctx.Done():
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, ctx.Err())
	}
}

// find returns the activation of that name, counted as called unless it is
// stopping, and spawns it when there is none.
func (r *Registry) find(name string) (a *activation, called bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false, watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
	}
	now := r.env.clock.Now()
	a = r.active[name]
	switch {
	case a == nil:
		if !r.serves(name) {
			return nil, false, &ElsewhereError{Team: watchpost.TeamID(name)}
		}
		if r.crashes.pauses(name, now) {
			return nil, false, watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
		}
		pid := spawnRoot(r.env, name)
		a = &activation{name: name, pid: pid, stopped: make(chan struct{})}
		a.turn = r.unused.PushBack(a)
		r.active[name] = a
		r.env.metrics.active.Inc()
		if r.activated != nil {
			r.activated(placeOf(name))
		}
	case a.stopping:
		return a, false, nil
	}
	a.calls++
	a.uses++
	r.touch(a, now)
	return a, true, nil
}

// touch notes that an activation was used; the caller holds the lock.
func (r *Registry) touch(a *activation, now time.Time) {
	a.used = now
	if a.turn != nil {
		r.unused.MoveToBack(a.turn)
	}
}

// retire notes that an activation is stopping or has ended; the caller holds the
// lock.
func (r *Registry) retire(a *activation) {
	if a.turn != nil {
		r.unused.Remove(a.turn)
		a.turn = nil
	}
}

func (r *Registry) release(a *activation) {
	r.mu.Lock()
	r.answered(a)
	r.mu.Unlock()
}

// answered notes the end of a call; the caller holds the lock.
func (r *Registry) answered(a *activation) {
	if a.calls--; a.calls == 0 && a.leaving {
		r.poison(a)
	}
}

// poison tells a stopping actor to end; the caller holds the lock.
func (r *Registry) poison(a *activation) {
	a.leaving = false
	r.env.system.Root.Poison(a.pid)
}

// forget removes an actor that has ended and answers who still waits for it.
func (r *Registry) forget(name string, pid *actor.PID, failed bool) {
	r.mu.Lock()
	a := r.active[name]
	if a == nil || !a.pid.Equal(pid) {
		r.mu.Unlock()
		return
	}
	delete(r.active, name)
	r.retire(a)
	if !a.stopping && failed {
		r.crashes.note(name, r.env.clock.Now())
	}
	r.mu.Unlock()
	close(a.stopped)
	r.env.metrics.active.Dec()
	r.caller.fail(pid.Id)
}

// The sweeper looks for unused actors when the first may be unused for long
// enough, but not more often than sweepEvery. It passivates sweepAtOnce at a
// time, with sweepPause between: ending a million actors at once would hold up
// the others' answers for seconds.
const (
	sweepEvery  = time.Minute
	sweepAtOnce = 500
	sweepPause  = time.Second
)

// sweep passivates actors that were not used for a while. It holds the lock
// over those only: the longest unused come first.
func (r *Registry) sweep() {
	now := r.env.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	next, resting := now.Add(r.idle), 0
	for e := r.unused.Front(); e != nil; {
		a := e.Value.(*activation)
		e = e.Next()
		if due := a.used.Add(r.idle); due.After(now) {
			next = due
			break
		}
		if resting == sweepAtOnce {
			next = now.Add(sweepPause)
			break
		}
		if a.calls > 0 {
			r.touch(a, now) // it is in use
			continue
		}
		resting++
		a.calls++ // keeps it while it is asked
		r.touch(a, now)
		go r.passivate(a, a.uses)
	}
	r.crashes.forget(now)
	if r.closed {
		return
	}
	if earliest := now.Add(sweepEvery); resting < sweepAtOnce && next.Before(earliest) {
		next = earliest
	}
	r.sweeper = r.env.clock.At(next, r.sweep)
}

// passivate asks an actor whether it may end, and ends it unless it was used since
// it was found unused: its answer may be older than that.
func (r *Registry) passivate(a *activation, uses int) {
	ctx, cancel := context.WithTimeout(context.Background(), passivateTimeout)
	defer cancel()
	idle, err := r.caller.ask(ctx, a.pid, canPassivate{})
	r.mu.Lock()
	r.answered(a)
	ready := err == nil && idle == true && a.calls == 0 && a.uses == uses && !a.stopping
	r.touch(a, r.env.clock.Now()) // asked again when it is unused for as long
	if ready {
		a.stopping = true
		r.retire(a)
		r.crashes.clear(a.name)
	}
	r.mu.Unlock()
	if ready {
		r.env.system.Root.Poison(a.pid)
	}
}

// passivateTimeout bounds the wait for an actor that is asked whether it is idle.
const passivateTimeout = 5 * time.Second

// BeforeAdvance prepares for a clock that is set forward to target: sessions
// connected now keep their leases until then, and a lease time longer.
func (r *Registry) BeforeAdvance(target time.Time) {
	r.mu.Lock()
	var pids []*actor.PID
	for _, a := range r.active {
		if !a.stopping {
			pids = append(pids, a.pid)
		}
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), timerTimeout)
	defer cancel()
	for _, pid := range pids {
		if _, err := r.caller.ask(ctx, pid, renewLeases{until: target.Add(protocol.LeaseTime)}); err != nil {
			r.env.log.Debug("leases not renewed", "actor", pid.Id, "error", err)
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
	for _, a := range r.active {
		if a.cancel != nil {
			a.cancel()
		}
		if !a.stopping {
			a.stopping = true
			r.retire(a)
			r.env.system.Root.Poison(a.pid)
		}
		gone = append(gone, a.stopped)
	}
	r.mu.Unlock()
	for _, g := range gone {
		select {
		case <-g:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.ended.Do(func() {
		r.env.sends.close()
		r.env.system.Shutdown()
		close(r.env.dispatcher.stopped)
	})
	return nil
}
