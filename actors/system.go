package actors

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
)

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
		// A decision that reaches no team was not submitted: whoever waits for
		// it is told, as for any other that was lost.
		if d, ok := letter.Message.(decided); ok && d.then != nil {
			d.then(watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable))
		}
	})
	return system
}

// warmDispatcher runs mailboxes on goroutines that it keeps: a new one for
// every burst of messages would grow its stack anew each time, which is a
// quarter of what a small request costs.
type warmDispatcher struct {
	work    chan func()
	stopped chan struct{}
	idle    atomic.Int32
}

// maxIdleWorkers bounds the goroutines that wait for a mailbox to run.
const maxIdleWorkers = 64

func newDispatcherPool() *warmDispatcher {
	return &warmDispatcher{work: make(chan func()), stopped: make(chan struct{})}
}

// Schedule implements actor.Dispatcher.
func (d *warmDispatcher) Schedule(run func()) {
	select {
	case d.work <- run:
	default:
		go d.serve(run)
	}
}

// Throughput implements actor.Dispatcher: after so many messages a mailbox
// lets others go first.
func (d *warmDispatcher) Throughput() int { return 300 }

func (d *warmDispatcher) serve(run func()) {
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

// spawnTop starts the actor of that name: a team, or one of the few others.
func spawnTop(env *environment, name string) *actor.PID {
	var props *actor.Props
	if isSignIn(name) {
		props = propsOf(env, func() actor.Actor { return newSignIn(env, name) })
	} else {
		props = propsOf(env, func() actor.Actor { return newTeam(env, watchpost.TeamID(name)) })
	}
	root := env.system.Root.Copy().WithGuardian(stopOnFailure)
	// The process registry wants names that were never used before: an ended
	// actor's mailbox may still be draining under the old one.
	return root.SpawnPrefix(props, name)
}

// propsOf gives an actor the project's rules: its children's failures go up,
// and a request that met a panic is answered before they do.
func propsOf(env *environment, produce func() actor.Actor) *actor.Props {
	return actor.PropsFromProducer(produce,
		actor.WithSupervisor(escalateOnFailure),
		actor.WithDispatcher(env.dispatcher),
		actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(c actor.ReceiverContext, envelope *actor.MessageEnvelope) {
				defer answerPanic(env, c, envelope)
				next(c, envelope)
			}
		}))
}

// childOf is propsOf for an actor below a top actor. What was sent to it behind
// its end, a timer's message above all, is answered when it has ended: a clock
// that is set forward would wait for it in vain.
func childOf(env *environment, produce func() actor.Actor) *actor.Props {
	return propsOf(env, produce).Configure(actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(c actor.ReceiverContext, envelope *actor.MessageEnvelope) {
			next(c, envelope)
			if _, ended := envelope.Message.(*actor.Stopped); ended {
				env.fail(c.Self().Id)
			}
		}
	}))
}

func answerPanic(env *environment, c actor.ReceiverContext, envelope *actor.MessageEnvelope) {
	reason := recover()
	if reason == nil {
		return
	}
	env.metrics.panics.Inc()
	env.log.Error("actor failed", "actor", typeName(c.Actor()), "message", typeName(envelope.Message),
		"reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
	if envelope.Sender != nil {
		env.system.Root.Send(envelope.Sender, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal))
	}
	panic(reason) // to the supervisor
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// areYouIdle asks a top actor whether it may be put to rest; answered by bool.
type areYouIdle struct{}
