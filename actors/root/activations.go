package root

import (
	linked "container/list"
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/watchpost"
)

// activation is a root actor in memory.
type activation struct {
	name string
	pid  *actor.PID
	turn *linked.Element // in Registry.unused; nil when it is stopping
	// calls counts the requests under way. Only an actor with none is passivated, so
	// that no request meets an actor that ends.
	calls int
	// uses counts the requests ever made: an answer that the actor is idle
	// holds only as long as no other came.
	uses       int
	born, used time.Time
	// stopping is set when the actor is stopped, stopped is closed when it has ended.
	stopping bool
	stopped  chan struct{}
	// leaving means that the actor ends with the last of its calls.
	leaving bool
	// cancel ends the work for which the name has no actor, see alone; nil of an actor.
	cancel context.CancelFunc
	run    Scheduling
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
	case <-ctx.Done():
	}
	a.run.Turn("ended")
	select {
	case <-a.stopped:
		return nil
	default:
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
	now := r.env.Clock.Now()
	a = r.active[name]
	switch {
	case a == nil:
		if !r.Serves(name) {
			return nil, false, &ElsewhereError{Team: watchpost.TeamID(name)}
		}
		if r.crashes.pauses(name, now) {
			return nil, false, watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
		}
		pid := r.spawnRoot(name)
		a = &activation{name: name, pid: pid, born: now, stopped: make(chan struct{}), run: r.env.Run}
		a.turn = r.unused.PushBack(a)
		r.active[name] = a
		r.env.metrics.active.Inc()
		if r.activated != nil {
			r.activated(r.placeOf(name))
		}
	case a.stopping:
		return a, false, nil
	}
	a.calls++
	a.uses++
	r.touch(a, now)
	return a, true, nil
}

// Tell sends a root actor a message that is not urgent, and does not wait.
func (r *Registry) Tell(name string, message any) {
	a, called, err := r.find(name)
	if err != nil || !called {
		return
	}
	r.env.System.Root.Send(a.pid, message)
	r.release(a)
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
	r.env.System.Root.Poison(a.pid)
}

// forget removes an actor that has ended and answers who still waits for it.
func (r *Registry) forget(name string, pid *actor.PID, how outcome) {
	r.mu.Lock()
	a := r.active[name]
	if a == nil || !a.pid.Equal(pid) {
		r.mu.Unlock()
		return
	}
	delete(r.active, name)
	r.retire(a)
	var pause time.Duration
	if !a.stopping && how.Why != Overtaken {
		pause = r.crashes.note(name, how, a.born, r.env.Clock.Now())
	}
	r.mu.Unlock()
	if pause > 0 {
		r.env.Log.Warn("actor is refused for a while", "actor", name, "for", pause, "store_failed", how.Why == storeFailed)
	}
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
	now := r.env.Clock.Now()
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
		uses := a.uses
		r.env.Run.Go("passivate "+a.name, func() { r.passivate(a, uses) })
	}
	r.crashes.forget(now)
	if r.closed {
		return
	}
	if earliest := now.Add(sweepEvery); resting < sweepAtOnce && next.Before(earliest) {
		next = earliest
	}
	r.sweeper = r.env.Clock.At(next, r.sweep)
}

// passivate asks an actor whether it may end, and ends it unless it was used since
// it was found unused: its answer may be older than that.
func (r *Registry) passivate(a *activation, uses int) {
	ctx, cancel := context.WithTimeout(context.Background(), passivateTimeout)
	defer cancel()
	idle, err := r.caller.ask(ctx, a.pid, CanPassivate{})
	r.mu.Lock()
	r.answered(a)
	ready := err == nil && idle == true && a.calls == 0 && a.uses == uses && !a.stopping
	r.touch(a, r.env.Clock.Now()) // asked again when it is unused for as long
	if ready {
		a.stopping = true
		r.retire(a)
		r.crashes.clear(a.name)
	}
	r.mu.Unlock()
	if ready {
		r.env.System.Root.Poison(a.pid)
	}
}

// passivateTimeout bounds the wait for an actor that is asked whether it is idle.
const passivateTimeout = 5 * time.Second
