package actors

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.opentelemetry.io/otel/trace"

	"watchpost/actors/access"
	"watchpost/actors/cache"
	"watchpost/actors/intake"
	"watchpost/actors/notifications"
	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/actors/vault"
	"watchpost/internal/mail/outgoing"
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
	Mailer  outgoing.Mailer
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
	// RestoredAt is when the store was restored from a backup; zero: never. Actions
	// between the backup and that moment are not known.
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
	Scheduling root.Scheduling
}

// DefaultIdleAfter is how long an unused team stays in memory.
const DefaultIdleAfter = 10 * time.Minute

// Registry is the only way to the actors: it finds or activates the actor that
// a request is for, and waits for the answer. One node holds all teams; a
// cluster places them by the same names. Each subject has its methods and its
// dependencies.
type Registry struct {
	*base
	reading
	keyHolding
	upkeep
	admitting
	*inviting
	*signingIn
	*passkeyCeremonies
	*browsing
}

// base is the part that the subjects of a Registry share: it finds actors, and reads the
// store past them.
type base struct {
	*root.Registry
	env *environment
}

type (
	// keyHolding finds the owner of a key.
	keyHolding struct{ *base }
	// admitting lets members and their sessions in to a team.
	admitting struct {
		*base
		mails   *access.Mails
		signing *access.SigningIn
	}
	// inviting is what people are invited to, and decide about.
	inviting = access.Inviting
	// signingIn turns proofs of addresses into members.
	signingIn = access.SigningIn
	// passkeyCeremonies prove addresses by passkeys, and add and remove them.
	passkeyCeremonies = access.Ceremonies
	// browsing is the browsers that are signed in to the dashboard.
	browsing = access.Browsing
)

// newRegistry gives each subject its dependencies.
func newRegistry(d *base, o *Options) *Registry {
	r := &Registry{base: d, reading: newReading(d), keyHolding: keyHolding{d}, upkeep: upkeep{d}}
	parts := access.New(access.Options{
		Registry: d.Registry, Env: d.env.Environment, Mailer: o.Mailer, Site: o.Passkeys, Open: !o.RegistrationClosed, Joining: !o.NoJoining,
		CreateTeam: r.signUp, CountMail: o.Metrics.Mail,
	})
	r.admitting = admitting{d, parts.Mails, parts.SigningIn}
	r.inviting, r.signingIn, r.passkeyCeremonies, r.browsing = parts.Inviting, parts.SigningIn, parts.Ceremonies, parts.Browsing
	return r
}

// environment is what the actors of a team are given.
type environment struct {
	*root.Environment
	metrics    *Metrics
	posts      *postindex.Index
	watchlists *cache.Watchlists
	restoredAt time.Time // Options.RestoredAt
	keepPosts  watchpost.KeepDays
	keepTasks  watchpost.KeepDays
	passkeys   *passkey.Site // Options.Passkeys
	network    *url.URL      // nil when not known
	tracer     trace.Tracer
	// finished holds final tasks for readers outside the mailboxes.
	finished *finishedTasks
	keys     *cache.Keys
	// presence holds the newest sign of life of the teams in memory, for
	// readers outside their mailboxes; each team alone writes its own.
	presence sync.Map // watchpost.TeamID → time.Time
	rooms    *intake.TeamRooms
	beats    heartbeats
	// sends delivers notifications, in goroutines that end with the registry.
	sends *notifications.Sends
}

// rootActor is what a root actor and its components have in common here.
type rootActor struct {
	root.Actor
	env *environment
}

func newRootActor(env *environment, name string) rootActor {
	return rootActor{root.NewActor(env.Environment, name), env}
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
	env := &environment{
		metrics: o.Metrics, passkeys: o.Passkeys, tracer: o.Tracer, network: network, restoredAt: o.RestoredAt,
		keepPosts: o.KeepPosts, keepTasks: o.KeepTasks, posts: postindex.New(postindex.Options{CacheBytes: o.PostCache}),
		finished: newFinishedTasks(), keys: cache.NewKeys(), rooms: intake.NewTeamRooms(), watchlists: cache.NewWatchlists(),
	}
	d := &base{env: env}
	d.Registry, env.Environment = root.New(root.Options{
		Store: o.Store, Clock: o.Clock, Keyring: o.Keyring, Log: o.Log, Metrics: &o.Metrics.Metrics, New: env.newRoot,
		IdleAfter: o.IdleAfter, Serves: o.Serves, Together: root.Together{Name: SignInPlace, Has: signin.Has}, Activated: o.Activated,
		Released: env.finished.clear, AllEnded: func() { env.sends.Close() }, Scheduling: o.Scheduling,
	})
	origin := ""
	if o.Passkeys != nil {
		origin = o.Passkeys.Origin()
	}
	env.sends = notifications.NewSends(notifications.SendsOptions{
		Env: env.Environment, Sender: o.Notify, Mailer: o.Mailer, Posts: env.posts, Origin: origin, Tagging: env.watchlists.Of, Panicked: o.Metrics.CountPanic,
	})
	if o.Serves != nil {
		env.keys.Life = keyLife
	}
	o.Metrics.dueScans.now = o.Clock.Now
	return newRegistry(d, &o), nil
}

// newRoot makes the root actor of a name: a team, or a part of sign-in.
func (env *environment) newRoot(name string) actor.Actor {
	if signin.Has(name) {
		return signin.New(env.Environment, env.passkeys, name)
	}
	return newTeam(env, watchpost.TeamID(name))
}

// BeforeAdvance prepares for a clock that is set forward to target: sessions
// connected now keep their leases until then, and a lease time longer.
func (r *Registry) BeforeAdvance(target time.Time) {
	r.PrepareClock(target.Add(protocol.LeaseTime))
}
