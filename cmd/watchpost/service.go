package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/sourcegraph/conc"
	"golang.org/x/crypto/acme/autocert"

	"watchpost/actors"
	"watchpost/actors/vault"
	httpapi "watchpost/http"
	"watchpost/http/edge"
	"watchpost/internal/cluster"
	"watchpost/internal/identity"
	"watchpost/internal/mail"
	"watchpost/internal/notify"
	"watchpost/internal/pictures"
	"watchpost/internal/testclock"
	"watchpost/internal/tracing"
	"watchpost/persistence/backup"
	"watchpost/persistence/format"
	"watchpost/watchpost"
)

// service is a running service, shared by serve and demo. It starts from the
// inside out, store first, and stops from the outside in.
type service struct {
	url      string
	opsURL   string
	clock    watchpost.Clock
	registry *actors.Registry
	node     *cluster.Node // nil without --cluster
	failed   chan error    // receives the error of a listener that failed

	provider    *identity.Provider // nil without --oidc-issuer
	tracing     *tracing.Tracing
	tls         *tls.Config       // nil without TLS
	certificate *certificate      // nil without --tls-cert
	acme        *autocert.Manager // nil without --acme-host
	config      *serveCommand
	keyring     *vault.Keyring
	log         *slog.Logger
	metrics     *prometheus.Registry
	store       *store
	testClock   *testclock.Clock // nil without --test-clock
	backups     *backups         // nil without --backup-to
	// closeMail stops the delivery of mail; nil before it starts.
	closeMail func(context.Context) error
	// endContact ends the signs of life to other nodes; nil without --cluster.
	endContact context.CancelFunc
	api        *httpapi.Server
	servers    []*http.Server // for clients
	peers      *peerServer    // for other nodes; nil without --cluster
	ready      atomic.Bool
	running    conc.WaitGroup
	// background is the context of work that no request waits for; it ends with stop.
	background    context.Context
	endBackground context.CancelFunc
}

// Time limits of a graceful stop.
const (
	drainTimeout  = 10 * time.Second // requests in flight and sessions
	actorsTimeout = 10 * time.Second
	mailTimeout   = 10 * time.Second
	spansTimeout  = 2 * time.Second
	// patience is the time after which stop logs the part that it waits for.
	patience      = time.Second
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	// readTimeout bounds the arrival of a whole request. It is longer than a
	// long poll, and does not apply to sockets.
	readTimeout = 90 * time.Second
	// writeTimeout bounds the handling of a request and sending its reply. Streams of
	// events and requests of operators replace it.
	writeTimeout   = time.Minute
	maxHeaderBytes = 32 << 10
	// stalledTimeout is how long an HTTP/2 client may leave sent data unread.
	// writeTimeout does not end its streams then: to end one is a frame, too.
	stalledTimeout = 30 * time.Second
	// maxStreams bounds the requests under way of one HTTP/2 connection.
	maxStreams      = 32
	listenersToFail = 3
	// handoverTimeout bounds the wait for the other nodes to take over the teams.
	handoverTimeout = 8 * time.Second
)

// startFaults makes a service of a build for drills fail; see faults.go.
var startFaults = func(*service) error { return nil }

// startService opens the store, starts the actors and listens.
func startService(ctx context.Context, c *serveCommand, log *slog.Logger) (*service, error) {
	if err := c.readSecrets(); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &service{config: c, log: log, metrics: prometheus.NewRegistry(), failed: make(chan error, listenersToFail)}
	s.background, s.endBackground = context.WithCancel(context.Background())
	s.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), buildInfo())
	faults := func(context.Context) error { return startFaults(s) }
	for _, step := range []func(context.Context) error{s.startTracing, s.startTLS, s.openStore, s.startClock, faults, s.startActors, s.listen} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, s.stop())
		}
	}
	s.ready.Store(true)
	go s.obtainCertificates() // a stop does not wait for the ACME server
	s.running.Go(s.resume)
	s.running.Go(s.reachProvider)
	s.running.Go(s.expire)
	s.running.Go(s.rotateMasterKey)
	s.running.Go(s.look)
	return s, nil
}

func (s *service) startTracing(ctx context.Context) (err error) {
	s.tracing, err = tracing.Open(ctx, s.config.OTLPEndpoint, "watchpost", version, s.log)
	return err
}

func (s *service) openStore(ctx context.Context) error {
	if err := os.MkdirAll(s.config.Data, 0o700); err != nil {
		return err
	}
	var store *store
	var err error
	if s.config.Cluster {
		store, err = awaitDatabase(ctx, s.config.Store, s.log)
	} else {
		store, err = openStore(ctx, s.config.Data, s.config.Store, s.log, int64(s.config.MinFree)<<20)
	}
	if err != nil {
		return err
	}
	s.store = store
	if err := checkFinished(ctx, store); err != nil {
		return err
	}
	if err := format.Check(ctx, store, version, format.Steps); err != nil {
		return err
	}
	s.metrics.MustRegister(store.collector)
	return nil
}

func (s *service) startClock(ctx context.Context) error {
	s.clock = wallClock()
	if !s.config.TestClock {
		return nil
	}
	clock, err := openTestClock(ctx, s.store)
	if err != nil {
		return err
	}
	s.clock, s.testClock = clock, clock
	return nil
}

func (s *service) startActors(ctx context.Context) error {
	keyring, err := openKeyring(ctx, s.config, s.store, s.clock.Now(), s.log)
	if err != nil {
		return err
	}
	s.keyring = keyring
	metrics := actors.NewMetrics()
	var serves func(string) bool
	var activated func(string)
	sender, alive := "alone "+rand.Text(), func(string) bool { return false }
	if s.config.Cluster {
		if err := s.newNode(); err != nil {
			return err
		}
		serves, activated = s.node.Serves, s.node.Activated
		sender, alive = s.node.ID()+" "+rand.Text(), s.sends
	}
	shelf := mail.NewShelf(mail.ShelfOptions{Store: s.store, Keyring: keyring, Clock: s.clock, Sender: sender, Alive: alive})
	mailer, closeMail, err := startMailer(s.config, shelf, s.clock, metrics, s.log)
	if err != nil {
		return err
	}
	s.closeMail = closeMail
	s.metrics.MustRegister(metrics.Collectors()...)
	restoredAt, err := backup.RestoredAt(ctx, s.store)
	if err != nil {
		return err
	}
	if s.backups, err = openBackups(s.config, s.store, s.clock, keyring, s.log); err != nil {
		return err
	}
	if s.backups != nil {
		s.metrics.MustRegister(s.backups.metrics.made, s.backups.metrics.newest)
	}
	keepPosts, err := s.config.keepPosts()
	if err != nil {
		return err
	}
	keepTasks, err := s.config.keepTasks()
	if err != nil {
		return err
	}
	site, err := s.config.passkeys()
	if err != nil {
		return err
	}
	s.registry, err = actors.New(actors.Options{
		Passkeys:  site,
		KeepPosts: keepPosts, KeepTasks: keepTasks, RestoredAt: restoredAt, Serves: serves, Activated: activated, Store: s.store, Clock: s.clock, Keyring: keyring, Mailer: mailer, Log: s.log, Metrics: metrics, NetworkURL: s.config.NetworkURL,
		PostCache: s.config.PostCache << 20, RegistrationClosed: s.config.Registration == registrationOIDC || s.config.Registration == "closed", NoJoining: s.config.Registration == "closed",
		Notify: notify.New(notify.Options{Private: s.config.NotifyPrivate}), Tracer: s.tracing,
	})
	if err == nil && s.testClock != nil {
		s.testClock.BeforeAdvance(s.registry.BeforeAdvance)
	}
	return err
}

func (s *service) listen(ctx context.Context) error {
	interpreter, drafts, err := s.config.Interpreter.open(s.log)
	if err != nil {
		return err
	}
	operators, err := s.config.operators()
	if err != nil {
		return err
	}
	if s.provider, err = s.config.provider(s.clock); err != nil {
		return err
	}
	o := httpapi.Options{
		Provider: s.provider, ProviderDomains: s.config.OIDC.domains(),
		Registry: s.registry, Clock: s.clock, Log: s.log, AccessLog: s.config.AccessLog, Metrics: s.metrics, Version: version,
		AdminToken: s.config.AdminToken, Operators: operators, MetricsToken: s.config.MetricsToken, SeparateOps: s.config.OpsListen != "", TrustedProxies: s.config.TrustedProxy,
		Insecure: s.config.Insecure, ExtensionOrigins: s.config.ExtensionOrigin, ExtensionFile: s.config.ExtensionFile, ExtensionUpdates: s.config.ExtensionUpdate,
		MaxSessions: s.config.maxSessions(debug.SetMemoryLimit(-1)), Ready: s.isReady, Writable: s.store.writable, Interpreter: interpreter, Drafts: drafts,
	}
	if s.testClock != nil {
		o.TestClock = s.testClock
	}
	o.Doctor = s.examine
	if !s.config.NoImages {
		if o.Pictures, err = pictures.New(pictures.Options{Private: s.config.NotifyPrivate, Now: s.clock.Now, Metrics: s.metrics}); err != nil {
			return err
		}
	}
	if s.config.OTLPEndpoint != "" {
		o.Tracer = s.tracing
	}
	if s.backups != nil {
		o.Backup = s.backups.create
	}
	var peers *tls.Config
	if s.node != nil {
		var client *tls.Config
		if peers, client, err = s.peerTLS(); err != nil {
			return err
		}
		o.Cluster = &edge.Cluster{Node: s.node, TLS: client}
	}
	api, err := httpapi.New(o)
	if err != nil {
		return err
	}
	s.api = api
	if s.node != nil {
		if err := s.joinCluster(ctx, peers); err != nil {
			return err
		}
	}
	if s.url, err = s.serve(s.config.Listen, api.Handler()); err != nil {
		return err
	}
	if s.config.OpsListen != "" {
		s.opsURL, err = s.serve(s.config.OpsListen, api.OpsHandler())
	}
	return err
}

func (s *service) isReady() error {
	if !s.ready.Load() {
		return errors.New("this service starts or stops")
	}
	if s.node != nil {
		return s.node.Ready()
	}
	return nil
}

// stop ends the service gracefully: it reports not ready, serves until proxies have
// seen that and the other nodes have its teams, asks sessions to come back later,
// finishes requests in flight, drains the actors and closes the store. It logs the part
// that it waits for.
func (s *service) stop() error {
	served := s.ready.Swap(false)
	unseen := time.After(s.config.DrainTime)
	s.endBackground()
	var failures []error
	end := func(what string, f func() error) {
		waiting := time.AfterFunc(patience, func() { s.log.Warn("still stopping; Ctrl-C again ends it at once", "waits_for", what) })
		defer waiting.Stop()
		if err := f(); err != nil {
			failures = append(failures, fmt.Errorf("stop, waiting for %s: %w", what, err))
		}
	}
	if s.node != nil {
		end("the other nodes to take over the teams", func() error {
			if err := within(handoverTimeout, s.node.Drain)(); err != nil {
				s.log.Warn("leaving before the other nodes are ready: they take over when this one has left", "error", err)
			}
			return nil
		})
	}
	if s.node != nil && served {
		end("proxies to send to the other nodes", func() error { <-unseen; return nil })
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if s.api != nil {
		end("sessions", func() error { return s.api.CloseSessions(ctx) })
	}
	for _, server := range s.servers {
		end("requests in flight", func() error { return server.Shutdown(ctx) })
	}
	if s.endContact != nil { // not before: the others take a silent member for a fault
		s.endContact()
	}
	if s.peers != nil {
		s.peers.unused.close()
		end("requests of other nodes", func() error { return s.peers.Shutdown(ctx) })
	}
	s.running.Wait()
	if s.registry != nil {
		end("the teams' last commits", within(actorsTimeout, s.registry.Close))
	}
	if s.closeMail != nil {
		end("mails under way", within(mailTimeout, s.closeMail))
	}
	if s.node != nil {
		end("the end of the membership", within(actorsTimeout, s.node.Close))
	}
	if s.testClock != nil {
		s.testClock.Close()
	}
	end("the last spans", within(spansTimeout, s.tracing.Close))
	if s.store != nil {
		end("the store", s.store.Close)
	}
	return errors.Join(failures...)
}

// within returns a function that runs f with a time limit.
func within(d time.Duration, f func(context.Context) error) func() error {
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		return f(ctx)
	}
}
