// Package actorstest lets tests live with the actors: a whole service without
// HTTP, on a real store whose failures are scripted, with sessions that speak
// the protocol line by line, under a clock that is set.
//
// Nothing here sleeps. What a test waits for is a frame, a reply, or the clock
// being set; Wait bounds each in real time, so that a test that waits in vain
// fails.
package actorstest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/actors"
	"watchpost/actors/stored"
	"watchpost/actors/vault"
	"watchpost/internal/testclock"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/faultstore"
	"watchpost/watchpost"
)

// Wait bounds, in real time, whatever a test waits for.
const Wait = 2 * time.Minute

// Start is when the clock of a World starts: a Wednesday morning.
var Start = time.Date(2030, 1, 9, 10, 0, 0, 0, time.UTC)

// Main runs the tests of a package that uses Worlds and fails when one of them
// leaves a goroutine behind.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m,
		// protoactor counts dead letters by the minute and cannot be stopped.
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}

// World is a service without HTTP.
type World struct {
	T     testing.TB
	Clock *testclock.Clock
	Mail  *Mailbox
	// Store and Registry are those of the present run; Restart and Crash
	// replace them.
	Store    *faultstore.Store
	Registry *actors.Registry
	Metrics  *actors.Metrics

	engine  persistence.Store
	run     *run
	runs    []*run
	watch   func(persistence.Space, *persistence.Batch)
	options actors.Options
	teams   int

	linksMu sync.Mutex
	links   []*actors.Link
}

// run is one life of the process.
type run struct {
	registry *actors.Registry
	store    *faultstore.Store
	clock    *runClock
	closed   bool
}

// Option changes how a World is made.
type Option func(*World)

// On uses a store that is already open and stays so.
func On(engine persistence.Store) Option { return func(w *World) { w.engine = engine } }

// Watching calls f with every batch that is durable, in every run.
func Watching(f func(persistence.Space, *persistence.Batch)) Option {
	return func(w *World) { w.watch = f }
}

// With changes the registry's options.
func With(change func(*actors.Options)) Option { return func(w *World) { change(&w.options) } }

// New makes a World that ends with the test.
func New(t testing.TB, options ...Option) *World {
	t.Helper()
	keyring, err := vault.NewKeyring(bytes.Repeat([]byte{7}, vault.MasterKeySize))
	require.NoError(t, err)
	w := &World{T: t, Mail: &Mailbox{}}
	w.Clock = testclock.New(Start.Sub(watchpost.SystemClock{}.Now()), nil, func(target time.Time) {
		w.Registry.BeforeAdvance(target)
	})
	w.options = actors.Options{Keyring: keyring, Mailer: w.Mail, NetworkURL: "https://network.example", Log: slog.New(slog.DiscardHandler)}
	if os.Getenv("WATCHPOST_TEST_LOG") != "" {
		w.options.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	for _, o := range options {
		o(w)
	}
	if w.engine == nil {
		w.engine = open(t)
		t.Cleanup(func() { require.NoError(t, w.engine.Close()) })
	}
	w.begin()
	t.Cleanup(w.End)
	return w
}

// open opens the real engine in memory.
func open(t testing.TB) persistence.Store {
	t.Helper()
	s, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return s
}

// Engine opens a store in memory that several Worlds may use one after the
// other; it is closed with the test.
func Engine(t testing.TB) persistence.Store {
	t.Helper()
	s := open(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func (w *World) begin() {
	r := &run{store: faultstore.New(w.engine), clock: &runClock{Clock: w.Clock}}
	r.store.Watch(w.watch)
	o := w.options
	o.Store, o.Clock, o.Metrics = r.store, r.clock, actors.NewMetrics()
	registry, err := actors.New(o)
	require.NoError(w.T, err)
	r.registry = registry
	w.run, w.Store, w.Registry, w.Metrics = r, r.store, registry, o.Metrics
	w.runs = append(w.runs, r)
}

// keep notes a connection that End closes. Sessions may connect at once.
func (w *World) keep(l *actors.Link) {
	w.linksMu.Lock()
	defer w.linksMu.Unlock()
	w.links = append(w.links, l)
}

// End ends the World; it comes by itself with the end of the test.
func (w *World) End() {
	w.linksMu.Lock()
	defer w.linksMu.Unlock()
	for _, l := range w.links {
		l.Close()
	}
	for _, r := range w.runs {
		r.store.Drain()
		w.close(r)
	}
	w.links, w.runs = nil, nil // a test may have hundreds of Worlds
	w.Clock.Close()
	w.verify()
	w.verifyDirectory()
	w.verifyWaiting()
}

// verify looks whether posts and their index agree, whatever has happened.
func (w *World) verify() {
	_, err := stored.VerifyPosts(context.Background(), w.engine, stored.Repairing{}, func(team watchpost.TeamID, problem string) {
		w.T.Errorf("team %s: %s", team, problem)
	})
	if err != nil {
		w.T.Errorf("the posts cannot be verified: %v", err)
	}
}

func (w *World) close(r *run) {
	if r.closed {
		return
	}
	r.closed = true
	ctx, cancel := context.WithTimeout(context.Background(), Wait)
	defer cancel()
	if err := r.registry.Close(ctx); err != nil {
		w.T.Errorf("registry does not close: %v", err)
	}
}

// Restart stops the process cleanly and starts it again.
func (w *World) Restart() {
	w.T.Helper()
	w.close(w.run)
	w.begin()
}

// Crash kills the process at any point and starts it
// again: submitted batches are in the store or lost, and no caller
// hears of it.
func (w *World) Crash() {
	w.T.Helper()
	w.run.clock.dead.Store(true)
	w.run.store.Cut()
	w.begin()
}

// Advance sets the clock forward; what became due is done when it returns.
func (w *World) Advance(d time.Duration) {
	w.T.Helper()
	require.NoError(w.T, w.Clock.Advance(d))
}

// SetClock sets the clock to a moment. The clock runs, so on a busy machine it may have
// got there by itself.
func (w *World) SetClock(to time.Time) {
	w.T.Helper()
	if err := w.Clock.Set(to); !errors.Is(err, watchpost.ErrClockBackwards) || w.Now().Sub(to) > Wait {
		require.NoError(w.T, err)
	}
}

// Now is the clock's present moment.
func (w *World) Now() time.Time { return w.Clock.Now() }

// PanicIn makes the next call of the clock's Now from below that function
// panic: a bug in that actor. The name is as in a stack trace, without the
// import path: "actors.(*task).onFrame".
func (w *World) PanicIn(function string) { w.run.clock.panicIn(function) }

// HoldIn makes the next call of the clock's Now from below that function wait
// until release is called: an actor that is slow there. reached is closed when
// it waits. The name is as for PanicIn.
func (w *World) HoldIn(function string) (reached <-chan struct{}, release func()) {
	w.T.Helper()
	reached, release = w.run.clock.holdIn(function)
	w.T.Cleanup(release)
	return reached, release
}

// AwaitPassivated returns when no team is in memory.
func (w *World) AwaitPassivated() {
	w.T.Helper()
	require.Eventually(w.T, func() bool { return w.Gauge("watchpost_teams_active") == 0 }, Wait, time.Millisecond)
}

// Context bounds a request.
func (w *World) Context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Wait)
	w.T.Cleanup(cancel)
	return ctx
}

// Plant commits a batch to a space as another build would have before: whatever
// works with the space is fenced by it, so that Crash is to follow.
func (w *World) Plant(space persistence.Space, batch *persistence.Batch) {
	w.T.Helper()
	epoch, err := w.engine.Activate(w.Context(), space)
	require.NoError(w.T, err)
	committed := make(chan error, 1)
	w.engine.Submit(space, epoch, batch, func(err error) { committed <- err })
	require.NoError(w.T, <-committed)
}
