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

	"watchpost/actors/vault"
	"watchpost/internal/notify"
	"watchpost/internal/passkey"
	"watchpost/internal/protocol"
	"watchpost/internal/tracing"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// Options is what a Registry needs.
type Options struct {
	Store   persistence.Store
	Clock   watchpost.Clock
	Keyring *vault.Keyring
	Mailer  watchpost.Mailer
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
	// NoJoining means that people of a team's domain do not join it by themselves.
	NoJoining bool
	// KeepPosts is how long posts are kept in teams without a setting of their own;
	// zero: forever.
	KeepPosts watchpost.KeepDays
	// KeepTasks is how long ended tasks are kept; zero: forever.
	KeepTasks watchpost.KeepDays
	// RestoredAt is when the store was restored from a backup; zero: never. What was
	// done between the backup and that moment is not known.
	RestoredAt time.Time
	// Notify delivers notifications; nil: one that reaches public addresses only.
	Notify *notify.Sender
	// Passkeys is the site that passkeys are for; nil: there are none.
	Passkeys *passkey.Site
	// Serves reports whether this node of a cluster serves a team, or SignInPlace;
	// nil means that it serves all.
	Serves func(name string) bool
	// Activated is called when a team, or a part of sign-in, is activated, with the name
	// for Serves. It must not block. Nil: never.
	Activated func(name string)
	// Scheduling is for simulations; nil: the Go scheduler's.
	Scheduling Scheduling
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
	mailer watchpost.Mailer
	placed func(name string) bool // Options.Serves
	// activated is Options.Activated.
	activated func(name string)
	open      bool // an unknown address may found a team
	joining   bool // people of a team's domain may join it

	mu     sync.Mutex
	active map[string]*activation
	// unused are the activations that are not stopping, the longest unused first.
	unused  *linked.List
	crashes *crashes
	closed  bool
	sweeper watchpost.Timer
	ended   sync.Once
}

// environment is what every actor is given.
type environment struct {
	system *actor.ActorSystem
	// pool runs the mailboxes, unless a simulation does.
	pool       *poolDispatcher
	run        Scheduling
	rules      *rules
	store      persistence.Store
	posts      *postindex.Index
	watchlists *watchlistCache
	clock      watchpost.Clock
	restoredAt time.Time // Options.RestoredAt
	keepPosts  watchpost.KeepDays
	keepTasks  watchpost.KeepDays
	keyring    *vault.Keyring
	passkeys   *passkey.Site // Options.Passkeys
	log        *slog.Logger
	metrics    *Metrics
	network    *url.URL // nil when not known
	tracer     trace.Tracer
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
	stopped func(name string, self *actor.PID, how outcome)
	// ask sends a request to an actor from outside the mailboxes: timers of
	// the Clock use it to wait for the work that they started.
	ask func(ctx context.Context, target *actor.PID, request any) (any, error)
	// fail answers those who still wait for an actor that has ended.
	fail func(target string)
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
	if o.Tracer == nil {
		o.Tracer = tracing.Off
	}
	system, pool := newSystem(o.Log, o.Metrics), newPoolDispatcher()
	if o.Scheduling == nil {
		o.Scheduling = freely{pool}
	}
	r := &Registry{
		caller: newCaller(system, o.Scheduling), idle: o.IdleAfter, mailer: o.Mailer, placed: o.Serves, activated: o.Activated, open: !o.RegistrationClosed, joining: !o.NoJoining,
		active: map[string]*activation{}, unused: linked.New(), crashes: newCrashes(),
	}
	r.env = &environment{
		store: o.Store, clock: o.Clock, keyring: o.Keyring, passkeys: o.Passkeys, log: o.Log, metrics: o.Metrics, tracer: o.Tracer,
		network: network, restoredAt: o.RestoredAt, keepPosts: o.KeepPosts, keepTasks: o.KeepTasks,
		system: system, pool: pool, run: o.Scheduling, posts: postindex.New(postindex.Options{CacheBytes: o.PostCache}),
		finished: newFinishedTasks(), keys: newKeyCache(), rooms: newTeamRooms(), changes: newSubscriptions(),
		watchlists: newWatchlistCache(), sends: newSends(o.Notify, o.Mailer, o.Scheduling),
		stopped: r.forget, ask: r.caller.ask, fail: r.caller.fail,
	}
	r.env.rules = newRules(r.env)
	if r.placed != nil {
		r.env.keys.life = keyLife
	}
	o.Metrics.dueScans.now = o.Clock.Now
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

// BeforeAdvance prepares for a clock that is set forward to target: sessions
// connected now keep their leases until then, and a lease time longer.
func (r *Registry) BeforeAdvance(target time.Time) {
	r.mu.Lock()
	var pids []*actor.PID
	for _, a := range inOrder(r.active) {
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
	for _, a := range inOrder(r.active) {
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
		r.env.run.Turn("close")
	}
	r.ended.Do(func() {
		r.env.sends.close()
		r.env.system.Shutdown()
		close(r.env.pool.stopped)
	})
	return nil
}
