package root

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Actor is what the actors that own a space of the store have in common: a
// commit queue under an epoch of their own, answers behind commits, and an end in
// clean stop when their state and the store may differ. Its components share it.
type Actor struct {
	Env   *Environment
	Name  string
	Space persistence.Space

	Context actor.Context // of the message at hand
	Commits *commitQueue
	// Broken is set when the actor's state and the store may differ;
	// from then on every request is refused.
	Broken error
	// Outcome is how it ends, unless it is asked to.
	Outcome outcome
}

// commitFailed tells an actor that the store did not take a batch.
type commitFailed struct{ err error }

// Bounds in time of the store's work inside a mailbox, so that a slow database holds
// up a team for a while, not permanently.
const (
	ActivationTimeout = 30 * time.Second // takes the epoch and loads the state
	readTimeout       = 30 * time.Second // of one view
)

// Reading bounds reads inside a mailbox.
func Reading() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), readTimeout)
}

// View opens a view for reads inside a mailbox.
func (env *Environment) View() (persistence.View, error) {
	ctx, cancel := Reading()
	defer cancel()
	return env.Store.View(ctx)
}

// NewActor returns an actor of that name, whose space has the same name.
func NewActor(env *Environment, name string) Actor {
	return Actor{Env: env, Name: name, Space: persistence.Space(name)}
}

// Handle does the common part for all messages; it reports whether the
// message is left for the actor's own table.
func (t *Actor) Handle(c actor.Context, load func(persistence.View) error) bool {
	t.Context = c
	switch m := c.Message().(type) {
	case *actor.Started:
		t.activate(load)
	case *actor.Stopped:
		t.stopped()
	case *actor.Stopping:
		// While the children end nothing more is begun: a child spawned now
		// would never be told to end.
		if t.Broken == nil {
			t.Broken = watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
		}
	case *actor.Restarting, *actor.Terminated:
	case commitFailed:
		t.Fail(m.err)
	default:
		if t.Broken == nil {
			return true
		}
		t.Refuse(m)
	}
	return false
}

// activate takes the space's next epoch, which fences any earlier activation,
// and loads the state. It ends the actor when the node lost the space meanwhile.
func (t *Actor) activate(load func(persistence.View) error) {
	ctx, cancel := context.WithTimeout(context.Background(), ActivationTimeout)
	defer cancel()
	epoch, err := t.Env.owned.Activate(ctx, t.Space)
	if err != nil {
		t.Fail(err)
		return
	}
	root, self, env, name := t.Env.System.Root, t.Context.Self(), t.Env, t.Name
	t.Commits = &commitQueue{
		store: t.Env.Store, space: t.Space, epoch: epoch,
		broken:  func(err error) { root.Send(self, commitFailed{err}) },
		changed: func(changes []Change) { env.changes.publish(name, changes) },
	}
	view, err := t.Env.Store.View(ctx)
	if err != nil {
		t.Fail(err)
		return
	}
	defer view.Close()
	if err := load(view); err != nil {
		t.Fail(err)
	}
	t.Outcome.loaded = t.Broken == nil
}

// stopped runs when the mailbox is done: waiting callers are answered when
// the last commit has landed.
func (t *Actor) stopped() {
	name, self, stopped, how := t.Name, t.Context.Self(), t.Env.stopped, t.Outcome
	if t.Commits == nil {
		stopped(name, self, how)
		return
	}
	t.Commits.Submit(nil, func(error) { stopped(name, self, how) })
}

// Fail ends the actor. Requests that are already in the mailbox are refused
// rather than dropped.
func (t *Actor) Fail(err error) {
	if t.Broken != nil {
		return
	}
	t.Broken = watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	if t.Commits != nil {
		t.Commits.End(t.Broken) // the decision that met the error is not written
	}
	t.Outcome.Why = endingOf(err)
	level := slog.LevelError
	if t.Outcome.Why == Overtaken {
		level = slog.LevelInfo
	}
	t.Env.metrics.lostCommits.Inc()
	t.Env.Log.Log(context.Background(), level, "actor reloads its state", "actor", t.Name, "error", err)
	t.Context.Poison(t.Context.Self())
}

// endingOf says what an error of the store is to an actor.
func endingOf(err error) ending {
	switch {
	case errors.Is(err, persistence.ErrConflict), errors.Is(err, persistence.ErrFenced):
		return Overtaken
	case errors.Is(err, persistence.ErrTooLarge), errors.Is(err, persistence.ErrDamaged), errors.Is(err, teamspace.ErrRecord):
		return crashed // it comes again
	}
	return storeFailed
}

// Refuse answers a message that came after the actor broke.
func (t *Actor) Refuse(message any) {
	if m, ok := message.(waits); ok {
		m.Over(t.Broken)
	}
	if t.Context.Sender() != nil {
		t.Context.Respond(errRefused)
	}
}

// Commit submits a decision and answers the sender when it is durable. reply
// may be an error.
func (t *Actor) Commit(batch *persistence.Batch, reply any) {
	t.Commits.Submit(batch, t.Env.ReplyTo(t.Context.Sender(), reply))
}

// Answer answers the sender behind everything that was decided before.
func (t *Actor) Answer(reply any, err error) {
	if err != nil {
		reply = err
	}
	t.Commit(nil, reply)
}

// Publish tells the readers who follow the actor's changes of one that no batch writes.
func (t *Actor) Publish(c Change) { t.Env.changes.publish(t.Name, []Change{c}) }

// ReplyTo returns what answers sender with reply, or with the error of a lost
// commit; nil when no caller waits.
func (env *Environment) ReplyTo(sender *actor.PID, reply any) func(error) {
	if sender == nil {
		return nil
	}
	return func(err error) {
		if err != nil {
			reply = err
		}
		env.System.Root.Send(sender, reply)
	}
}

// timerTimeout bounds how long a timer holds up a clock that is set forward.
const timerTimeout = 10 * time.Second

// TellAt sends a message at a moment of the clock. A clock that is set forward
// goes on when the message was answered.
func (env *Environment) TellAt(at time.Time, to *actor.PID, message any) watchpost.Timer {
	return env.Clock.At(at, func() {
		ctx, cancel := context.WithTimeout(context.Background(), timerTimeout)
		defer cancel()
		if _, err := env.ask(ctx, to, message); err != nil {
			env.Log.Debug("timer was not answered", "message", TypeName(message), "error", err)
		}
	})
}

// Spawn starts a child actor.
func (t *Actor) Spawn(child actor.Actor) *actor.PID {
	return t.Context.Spawn(childOf(t.Env, func() actor.Actor { return child }))
}
