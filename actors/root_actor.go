package actors

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/poststore"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// rootActor is what the actors that own a space of the store have in common: a
// commit queue under an epoch of their own, answers behind commits, and an end in
// clean stop when their state and the store may differ.
type rootActor struct {
	env   *environment
	name  string
	space persistence.Space

	ctx     actor.Context // of the message at hand
	commits *commitQueue
	// broken is set when the actor's state and the store may differ;
	// from then on every request is refused.
	broken error
	// outcome is how it ends, unless it is asked to.
	outcome outcome
}

// commitFailed tells an actor that the store did not take a batch.
type commitFailed struct{ err error }

// Bounds in time of the store's work inside a mailbox, so that a slow database holds
// up a team for a while, not permanently.
const (
	activationTimeout = 30 * time.Second // takes the epoch and loads the state
	readTimeout       = 30 * time.Second // of one view
)

// reading bounds reads inside a mailbox.
func reading() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), readTimeout)
}

// view opens a view for reads inside a mailbox.
func (env *environment) view() (persistence.View, error) {
	ctx, cancel := reading()
	defer cancel()
	return env.store.View(ctx)
}

func newRootActor(env *environment, name string) rootActor {
	return rootActor{env: env, name: name, space: persistence.Space(name)}
}

// handle does the common part for all messages; it reports whether the
// message is left for the actor's own table.
func (t *rootActor) handle(c actor.Context, load func(persistence.View) error) bool {
	t.ctx = c
	switch m := c.Message().(type) {
	case *actor.Started:
		t.activate(load)
	case *actor.Stopped:
		t.stopped()
	case *actor.Stopping:
		// While the children end nothing more is begun: a child spawned now
		// would never be told to end.
		if t.broken == nil {
			t.broken = watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
		}
	case *actor.Restarting, *actor.Terminated:
	case commitFailed:
		t.fail(m.err)
	case poststore.Failed:
		t.fail(m.Err)
	default:
		if t.broken == nil {
			return true
		}
		t.refuse(m)
	}
	return false
}

// activate takes the space's next epoch, which fences any earlier activation,
// and loads the state.
func (t *rootActor) activate(load func(persistence.View) error) {
	ctx, cancel := context.WithTimeout(context.Background(), activationTimeout)
	defer cancel()
	epoch, err := t.env.store.Activate(ctx, t.space)
	if err != nil {
		t.fail(err)
		return
	}
	root, self, env, name := t.env.system.Root, t.ctx.Self(), t.env, t.name
	t.commits = &commitQueue{
		store: t.env.store, space: t.space, epoch: epoch,
		broken:  func(err error) { root.Send(self, commitFailed{err}) },
		changed: func(changes []Change) { env.changes.publish(name, changes) },
	}
	view, err := t.env.store.View(ctx)
	if err != nil {
		t.fail(err)
		return
	}
	defer view.Close()
	if err := load(view); err != nil {
		t.fail(err)
	}
	t.outcome.loaded = t.broken == nil
}

// stopped runs when the mailbox is done: waiting callers are answered when
// the last commit has landed.
func (t *rootActor) stopped() {
	name, self, stopped, how := t.name, t.ctx.Self(), t.env.stopped, t.outcome
	if t.commits == nil {
		stopped(name, self, how)
		return
	}
	t.commits.submit(nil, func(error) { stopped(name, self, how) })
}

// fail ends the actor. Requests that are already in the mailbox are refused
// rather than dropped.
func (t *rootActor) fail(err error) {
	if t.broken != nil {
		return
	}
	t.broken = watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	if t.commits != nil {
		t.commits.end(t.broken) // the decision that met the error is not written
	}
	t.outcome.why = endingOf(err)
	level := slog.LevelError
	if t.outcome.why == overtaken {
		level = slog.LevelInfo
	}
	t.env.metrics.lostCommits.Inc()
	t.env.log.Log(context.Background(), level, "actor reloads its state", "actor", t.name, "error", err)
	t.ctx.Poison(t.ctx.Self())
}

// endingOf says what an error of the store is to an actor.
func endingOf(err error) ending {
	switch {
	case errors.Is(err, persistence.ErrConflict), errors.Is(err, persistence.ErrFenced):
		return overtaken
	case errors.Is(err, persistence.ErrTooLarge), errors.Is(err, persistence.ErrDamaged), errors.Is(err, teamspace.ErrRecord):
		return crashed // it comes again
	}
	return storeFailed
}

// refuse answers a message that came after the actor broke.
func (t *rootActor) refuse(message any) {
	if m, ok := message.(waits); ok {
		m.Over(t.broken)
	}
	if t.ctx.Sender() != nil {
		t.ctx.Respond(errRefused)
	}
}

// commit submits a decision and answers the sender when it is durable. reply
// may be an error.
func (t *rootActor) commit(batch *persistence.Batch, reply any) {
	t.commits.submit(batch, replyTo(t.env, t.ctx.Sender(), reply))
}

// answer answers the sender behind everything that was decided before.
func (t *rootActor) answer(reply any, err error) {
	if err != nil {
		reply = err
	}
	t.commit(nil, reply)
}

// replyTo returns what answers sender with reply, or with the error of a lost
// commit; nil when no caller waits.
func replyTo(env *environment, sender *actor.PID, reply any) func(error) {
	if sender == nil {
		return nil
	}
	return func(err error) {
		if err != nil {
			reply = err
		}
		env.system.Root.Send(sender, reply)
	}
}

// timerTimeout bounds how long a timer holds up a clock that is set forward.
const timerTimeout = 10 * time.Second

// tell sends a message at a moment of the clock. A clock that is set forward
// goes on when the message was answered.
func (env *environment) tell(at time.Time, to *actor.PID, message any) watchpost.Timer {
	return env.clock.At(at, func() {
		ctx, cancel := context.WithTimeout(context.Background(), timerTimeout)
		defer cancel()
		if _, err := env.ask(ctx, to, message); err != nil {
			env.log.Debug("timer was not answered", "message", typeName(message), "error", err)
		}
	})
}

// spawn starts a child actor.
func (t *rootActor) spawn(child actor.Actor) *actor.PID {
	return t.ctx.Spawn(childOf(t.env, func() actor.Actor { return child }))
}
