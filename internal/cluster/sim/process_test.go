package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/prometheus/client_golang/prometheus"

	"watchpost/actors/root"
	"watchpost/http/edge"
	"watchpost/http/endpoint"
	"watchpost/internal/cluster"
	"watchpost/internal/lives"
	"watchpost/watchpost"
)

// Parties of the network: the nodes, the database, and the clients.
const (
	maxNodes    = 5
	database    = maxNodes
	clientParty = maxNodes + 1
	parties     = maxNodes + 2
)

// process is one process of a node. It is the machine, the clock and the scheduling of
// what runs in it.
type process struct {
	w    *world
	id   int // of all processes of the life
	slot int // its node
	name string
	dead atomic.Bool // timers read it at any time
	// frozen is until when nothing of it runs.
	frozen time.Duration
	// boot is the time of its machine when the life began.
	boot time.Duration
	// old is a build that reads all rows with each renewal and knows no handover of one name.
	old      bool
	joined   bool
	stopping bool          // an operator stops it
	stopped  bool          // it has left
	troubled time.Duration // until when it may not answer clients

	ctx      context.Context
	cancel   context.CancelFunc
	node     *cluster.Node
	registry *root.Registry
	// registryEnv is what the actors of the registry are given.
	registryEnv *root.Environment
	edge        *edge.Edge
	link        *link
	serving     []*exchange
	handler     http.Handler // of clients
	peers       http.Handler
}

func address(slot int) string { return fmt.Sprintf("%c:1", 'a'+slot) }

// boot starts a process of a node.
func (w *world) boot(slot int) {
	p := &process{w: w, id: w.number(), slot: slot, name: address(slot), boot: w.between(time.Second, 1000*time.Hour), old: w.oneIn(4)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.link = newLink(p)
	w.slots[slot] = p
	w.all = append(w.all, p)
	log := slog.New(&logWatch{p})
	p.node = cluster.New(cluster.Options{
		Database: p.link, Machine: p, ID: p.name, Build: "sim", Log: log,
		Release:     func(ctx context.Context, keeps func(string) bool) error { return p.registry.Release(ctx, keeps) },
		ReleaseName: func(ctx context.Context, name string) error { return p.registry.ReleaseName(ctx, name) },
		Reached:     func(ctx context.Context, others []string) error { return p.edge.Reached(ctx, others) },
		Transient:   func(error) bool { return true },
		Teams:       func() int { return p.registry.Active() },
	})
	metrics := root.NewMetrics()
	p.registry, p.registryEnv = root.New(root.Options{
		Store: store{p.link}, Clock: p, Log: log, Metrics: &metrics, IdleAfter: time.Hour, Scheduling: p,
		New:    func(name string) actor.Actor { return newTeamActor(p, name) },
		Serves: p.node.Serves, Activated: p.node.Activated,
	})
	p.serve(log)
	w.tell("%s starts (process %d, old %v)", p.name, p.id, p.old)
	w.spawn(p, "join", func() {
		switch err := p.node.Join(p.ctx); {
		case p.dead.Load(): // killed meanwhile
			return
		case err != nil:
			w.fail("%s does not join: %v", p.name, err)
			return
		}
		p.joined = true
		p.edge.KeepContact(p.ctx)
	})
	w.spawn(p, "failed", func() {
		select {
		case err := <-p.node.Failed():
			p.Turn("failed")
			w.fail("%s ends: %v", p.name, err)
		case <-p.ctx.Done():
		}
	})
}

// serve makes the handlers of the process: the edge, and the routes of teams.
func (p *process) serve(log *slog.Logger) {
	registry := prometheus.NewRegistry()
	server, err := endpoint.New(endpoint.Options{Clock: p, Log: log, Metrics: registry, Insecure: true, Writable: func() error { return nil }})
	if err != nil {
		panic(err)
	}
	forwarded, err := edge.NewForwarded(registry)
	if err != nil {
		panic(err)
	}
	p.edge = edge.New(server, edge.Cluster{Node: placed{p.node, p}, Transport: &transport{p}}, nil, forwarded, p.ctx.Done())
	server.Owners = p.edge
	p.routes(server)
	p.handler, p.peers = server.PlainHandler(server.API), p.edge.PeerHandler()
}

// placed is the node for the edge: what waits for a change of a place goes on when it is
// its turn.
type placed struct {
	*cluster.Node
	p *process
}

// StepOut implements edge.Node.
func (n placed) StepOut() {
	n.p.tell("Node.StepOut")
	n.Node.StepOut()
}

// Place implements edge.Node.
func (n placed) Place(name string) (cluster.Place, <-chan struct{}) {
	n.p.Turn("place " + name)
	return n.Node.Place(name)
}

// Others implements edge.Node.
func (n placed) Others() []string {
	n.p.Turn("others")
	return n.Node.Others()
}

// paused reports whether nothing of the process may run, and when it may if that is before
// next.
func (p *process) paused(now time.Duration, next *time.Duration) bool {
	if p.frozen > now {
		*next = min(*next, p.frozen)
		return true
	}
	return false
}

// SinceBoot implements cluster.Machine.
func (p *process) SinceBoot() time.Duration { return p.w.now() + p.boot }

// Turn implements cluster.Machine and root.Scheduling.
func (p *process) Turn(what string) {
	if p.dead.Load() {
		runtime.Goexit()
	}
	if !<-p.w.park(p, what, p.w.name(what)).turn {
		runtime.Goexit()
	}
}

// Go implements root.Scheduling.
func (p *process) Go(what string, f func()) { p.w.spawn(p, what, f) }

// Now implements watchpost.Clock.
func (p *process) Now() time.Time { return time.Now().UTC().Round(0) }

// timer is a pending call of a process's clock.
type timer struct {
	key  string
	p    *process
	at   time.Duration
	call func()
}

// At implements watchpost.Clock.
func (p *process) At(at time.Time, call func()) watchpost.Timer {
	w := p.w
	t := &timer{key: fmt.Sprintf("%d timer %d", p.id, w.number()), p: p, at: at.Sub(w.begun), call: call}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timers = append(w.timers, t)
	return t
}

// Stop implements watchpost.Timer.
func (t *timer) Stop() bool {
	w := t.p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.timers)
	w.timers = slices.DeleteFunc(w.timers, func(o *timer) bool { return o == t })
	return len(w.timers) < n
}

func (t *timer) fire() {
	t.Stop()
	t.p.w.note("timer", t.key)
	t.p.w.spawn(t.p, t.key, t.call)
}

// kill ends the process at once.
func (p *process) kill() {
	w := p.w
	p.dead.Store(true)
	w.mu.Lock()
	w.boxes = slices.DeleteFunc(w.boxes, func(b *mailbox) bool { return b.p == p })
	w.timers = slices.DeleteFunc(w.timers, func(t *timer) bool { return t.p == p })
	ended := slices.Clone(w.parked)
	w.parked = slices.DeleteFunc(w.parked, func(k *parked) bool { return k.p == p })
	w.mu.Unlock()
	for _, k := range ended {
		if k.p == p {
			k.turn <- false
		}
	}
	p.hangUp()
	p.cancel()
	go func() { _ = p.node.Close(context.Background()) }() // it ends the goroutines that wait for others
	p.link.ended()
}

// stop ends the process as an operator does: it drains, and leaves.
func (p *process) stop() {
	p.w.spawn(p, "stop", func() {
		ctx, cancel := context.WithTimeout(p.ctx, 20*time.Second)
		defer cancel()
		err := p.node.Drain(ctx)
		p.Turn("drained")
		if err == nil {
			p.gaveUp()
		}
		p.tell("Node.Close")
		err = errors.Join(err, p.node.Close(ctx)) // the service leaves, whether the others have its teams or not
		p.Turn("closed")
		p.w.note("stopped", fmt.Sprint(p.id, err))
		p.stopped = true
		p.hangUp()
	})
}

// mailbox is an actor's mailbox that handles one message at each turn.
type mailbox struct {
	*lives.Mailbox
	key string
	p   *process
	id  int
}

// Mailbox implements root.Scheduling.
func (p *process) Mailbox() actor.Mailbox {
	id := p.w.number()
	b := &mailbox{key: fmt.Sprintf("%d mailbox %d", p.id, id), p: p, id: id}
	b.Mailbox = lives.NewMailbox(&p.w.mu, b.list)
	return b
}

// Dispatcher implements root.Scheduling.
func (p *process) Dispatcher() actor.Dispatcher { return lives.Dispatcher{} }

// list adds the mailbox to those with messages, or removes it.
func (b *mailbox) list(has bool) {
	w := b.p.w
	switch {
	case !has:
		w.boxes = slices.DeleteFunc(w.boxes, func(o *mailbox) bool { return o == b })
	case !b.p.dead.Load():
		w.insert(b)
	}
}

// next has the actor handle the next message.
func (b *mailbox) next() {
	w := b.p.w
	w.note("mailbox", b.key)
	go func() {
		w.names.Store(goroutine(), b.key)
		b.Handle(w.alert)
	}()
}

// logWatch fails a life for what the log must not say, and adds the rest to the trace.
type logWatch struct{ p *process }

// Enabled implements slog.Handler.
func (h *logWatch) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements slog.Handler.
func (h *logWatch) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *logWatch) WithGroup(string) slog.Handler { return h }

// Handle implements slog.Handler.
func (h *logWatch) Handle(_ context.Context, r slog.Record) error {
	var text strings.Builder
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
		return true
	})
	if wrong := r.Message == "unexpected reply" || r.Message == "unknown message" || r.Message == "actor failed" || r.Message == "panic"; wrong && !h.p.dead.Load() {
		h.p.w.fail("log: %s%s", r.Message, text.String())
	}
	if h.p.w.trace != nil && !h.p.dead.Load() {
		h.p.w.trace(fmt.Sprintf("       %s says: %s%s", h.p.name, r.Message, text.String()))
	}
	return nil
}
