package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"watchpost/actors"
)

// node is one process of the service.
type node struct {
	life     *life
	id       int
	dead     bool
	registry *actors.Registry
	metrics  *actors.Metrics
	store    *store
	ctx      context.Context
	cancel   context.CancelFunc
}

// Go implements actors.Scheduling.
func (n *node) Go(what string, f func()) {
	n.life.run(func(w *worker) { n.begin(w, what, what, f) })
}

// begin calls f in a goroutine when it is its turn.
func (n *node) begin(w *worker, what, name string, f func()) {
	n.life.names.Store(w.id, name)
	n.await(n.life.park(n, what, name))
	f()
}

// Turn implements actors.Scheduling.
func (n *node) Turn(what string) {
	name, _ := n.life.names.LoadOrStore(goroutine(), what)
	n.await(n.life.park(n, what, name.(string)))
}

// await returns when it is the turn of the goroutine that is listed.
func (n *node) await(p *parked) {
	if !<-p.turn {
		runtime.Goexit()
	}
}

// boot starts the process in place of the one that ended.
func (l *life) boot() {
	l.mu.Lock()
	n := &node{life: l, id: l.number()}
	l.mu.Unlock()
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.store = newStore(n, l.disk)
	n.metrics = actors.NewMetrics()
	var err error
	n.registry, err = actors.New(actors.Options{
		Store: n.store, Clock: n, Keyring: l.keyring, Mailer: &mailer{n}, NetworkURL: "https://network.example",
		Log: slog.New(&logWatch{n}), Metrics: n.metrics, Scheduling: n, PostCache: 1 << 20, RestoredAt: l.restoredAt,
	})
	if err != nil {
		panic(err)
	}
	l.nodes, l.node = []*node{n}, n
	if len(l.teams) > 0 {
		l.client("resume", func(n *node) { l.resume(n) })
	}
}

// resume goes on with what an earlier process has left, as the service does when it has
// started.
func (l *life) resume(n *node) {
	for range 5 {
		err := errors.Join(n.registry.ResumeDeletions(n.ctx), n.registry.ResumeNotifications(n.ctx))
		if err == nil {
			return
		}
	}
}

// kill ends the process at once.
func (l *life) kill(n *node) {
	n.store.cut()
	n.dead = true
	n.cancel()
	l.mu.Lock()
	l.boxes = slices.DeleteFunc(l.boxes, func(b *mailbox) bool { return b.node == n })
	l.timers = slices.DeleteFunc(l.timers, func(t *timer) bool { return t.node == n })
	l.mu.Unlock()
	for b := range l.browsers() {
		if b.line != nil && b.line.node == n {
			b.drop()
		}
	}
	l.reap(n)
}

// reap ends the goroutines of a process that has ended, in an order that follows
// from the seed.
func (l *life) reap(n *node) {
	for {
		synctest.Wait()
		l.mu.Lock()
		i := slices.IndexFunc(l.parked, func(p *parked) bool { return p.node == n })
		if i < 0 {
			l.mu.Unlock()
			return
		}
		p := l.parked[i]
		l.parked = slices.Delete(l.parked, i, i+1)
		l.mu.Unlock()
		p.turn <- false
	}
}

// restart closes the process as an operator does, and starts the next.
func (l *life) restart() {
	n := l.node
	n.store.fullUntil = time.Time{} // with a full store it would be killed, as in a crash
	done := l.spawn(n, "close", func() {
		ctx, cancel := context.WithTimeout(n.ctx, time.Minute)
		defer cancel()
		if err := n.registry.Close(ctx); err != nil {
			l.fail("the registry does not close: %v", err)
		}
	})
	for l.runUntil(done.Load, time.Second) {
	}
	if !done.Load() {
		l.fail("the registry does not close")
	}
	if !n.store.idle() {
		l.fail("the registry is closed, and commits are on their way")
	}
	l.kill(n)
	l.boot()
}

// logWatch fails a life for what the log must not say.
type logWatch struct{ node *node }

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
	wrong := r.Message == "unexpected reply" || r.Message == "unknown message" ||
		r.Message == "actor failed" && !strings.Contains(text.String(), scriptedPanic)
	if wrong && !h.node.dead {
		h.node.life.fail("log: %s%s", r.Message, text.String())
	}
	return nil
}
