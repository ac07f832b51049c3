package root

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	cmap "github.com/orcaman/concurrent-map"

	"watchpost/watchpost"
)

// waits is a message with a function that waits for a commit.
type waits interface{ Over(err error) }

// missed is a message with something to do when its receiver has gone.
type missed interface {
	Missed(system *actor.RootContext, receiver *actor.PID)
}

// The library's table of actors has 1,024 maps, and its maps have 32 parts with a lock
// each unless told otherwise: 66,000 objects and 2.9 MB for an empty table. One lock for
// each of 1,024 maps is enough.
func init() { cmap.SHARD_COUNT = 1 }

// newSystem makes the actor system: logs through slog, dead letters counted.
func newSystem(log *slog.Logger, metrics *Metrics) *actor.ActorSystem {
	quiet := slog.New(levelFilter{Handler: log.Handler(), level: slog.LevelWarn})
	system := actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }),
		actor.WithDeadLetterRequestLogging(false),
		actor.WithDeadLetterThrottleCount(1),
		actor.WithDeadLetterThrottleInterval(time.Minute),
	)
	system.EventStream.Subscribe(func(event any) {
		letter, ok := event.(*actor.DeadLetterEvent)
		if !ok {
			return
		}
		metrics.deadLetters.Inc()
		switch m := letter.Message.(type) {
		case waits:
			// What reaches no team is not submitted, or not announced: the waiting
			// caller gets the error of a lost decision.
			m.Over(watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable))
		case missed:
			m.Missed(system.Root, letter.PID)
		}
	})
	return system
}

// poolDispatcher runs mailboxes on goroutines that it keeps: a new one for
// every burst of messages would grow its stack each time, which is a
// quarter of what a small request costs.
type poolDispatcher struct {
	work    chan func()
	stopped chan struct{}
	idle    atomic.Int32
}

// maxIdleWorkers bounds the goroutines that wait for a mailbox to run.
const maxIdleWorkers = 64

func newPoolDispatcher() *poolDispatcher {
	return &poolDispatcher{work: make(chan func()), stopped: make(chan struct{})}
}

// Schedule implements actor.Dispatcher.
func (d *poolDispatcher) Schedule(run func()) {
	select {
	case d.work <- run:
	default:
		go d.serve(run)
	}
}

// Throughput implements actor.Dispatcher: after that number of messages a mailbox
// lets others go first.
func (d *poolDispatcher) Throughput() int { return 300 }

func (d *poolDispatcher) serve(run func()) {
	for {
		run()
		if d.idle.Add(1) > maxIdleWorkers {
			d.idle.Add(-1)
			return
		}
		select {
		case run = <-d.work:
			d.idle.Add(-1)
		case <-d.stopped:
			return
		}
	}
}

// Failures are not survived by the actor that failed: a child hands its
// failure up, the top actor ends, and the next request activates it from the
// store.
var (
	stopOnFailure     = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	escalateOnFailure = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.EscalateDirective })
)

// spawnRoot starts a root actor.
func (r *Registry) spawnRoot(name string) *actor.PID {
	env, produce := r.env, r.produce
	root := env.System.Root.Copy().WithGuardian(stopOnFailure)
	// The process registry wants names that were never used before: an ended
	// actor's mailbox may still be draining under the old one.
	return root.SpawnPrefix(PropsOf(env, func() actor.Actor { return produce(name) }), name)
}

// rules are the project's rules for actors, made once: there are several actors
// for each session.
type rules struct {
	// every actor: failures of its children go up, and a request that met a
	// panic is answered before they do.
	every *actor.Props
	// child is for an actor below a root actor. Messages sent to it behind
	// its end, above all a timer's, are answered when it has ended: a
	// clock that is set forward would wait for it in vain.
	child *actor.Props
}

func newRules(env *Environment) *rules {
	every := []actor.PropsOption{
		actor.WithSupervisor(escalateOnFailure),
		actor.WithDispatcher(env.Run.Dispatcher()),
		actor.WithMailbox(env.Run.Mailbox),
		actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(c actor.ReceiverContext, envelope *actor.MessageEnvelope) {
				defer answerPanic(env, c, envelope)
				next(c, envelope)
			}
		}),
	}
	child := slices.Concat(every, []actor.PropsOption{actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(c actor.ReceiverContext, envelope *actor.MessageEnvelope) {
			next(c, envelope)
			if _, ended := envelope.Message.(*actor.Stopped); ended {
				env.answerAll(c.Self().Id)
			}
		}
	})})
	return &rules{every: actor.PropsFromProducer(nil, every...), child: actor.PropsFromProducer(nil, child...)}
}

// PropsOf gives an actor the rules of every actor.
func PropsOf(env *Environment, produce func() actor.Actor) *actor.Props {
	return withProducer(env.rules.every, produce)
}

// childOf gives an actor the rules of one below a top actor.
func childOf(env *Environment, produce func() actor.Actor) *actor.Props {
	return withProducer(env.rules.child, produce)
}

// withProducer returns the same rules for another actor. They share what the
// rules refer to, which Props.Clone would copy.
func withProducer(rules *actor.Props, produce func() actor.Actor) *actor.Props {
	props := *rules
	return props.Configure(actor.WithProducer(produce))
}

func answerPanic(env *Environment, c actor.ReceiverContext, envelope *actor.MessageEnvelope) {
	reason := recover()
	if reason == nil {
		return
	}
	env.metrics.panics.Inc()
	env.Log.Error("actor failed", "actor", TypeName(c.Actor()), "message", TypeName(envelope.Message),
		"reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
	if envelope.Sender != nil {
		env.System.Root.Send(envelope.Sender, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal))
	}
	panic(reason) // to the supervisor
}

// TypeName names the type of a message or an actor in logs.
func TypeName(v any) string { return fmt.Sprintf("%T", v) }

// ClockAdvances prepares a root actor for a clock that is set forward; answered by
// Done.
type ClockAdvances struct{ Until time.Time }

// CanPassivate asks a root actor whether it can be passivated; answered by bool.
type CanPassivate struct{}
