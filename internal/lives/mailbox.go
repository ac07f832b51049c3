package lives

import (
	"reflect"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// Mailbox is an actor's mailbox whose scheduler says when the next message is handled. A
// message is handled to its end before the next one.
type Mailbox struct {
	mu           sync.Locker // of the scheduler
	list         func(has bool)
	listed, busy bool
	suspended    bool
	user, system []any
	invoker      actor.MessageInvoker
}

// NewMailbox returns a mailbox. It calls list, under the lock of the scheduler, when it has
// messages and when it has none any more.
func NewMailbox(mu sync.Locker, list func(has bool)) *Mailbox { return &Mailbox{mu: mu, list: list} }

func (b *Mailbox) post(to *[]any, message any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*to = append(*to, message)
	if !b.listed {
		b.listed = true
		b.list(true)
	}
}

// PostUserMessage implements actor.Mailbox.
func (b *Mailbox) PostUserMessage(message any) { b.post(&b.user, message) }

// PostSystemMessage implements actor.Mailbox.
func (b *Mailbox) PostSystemMessage(message any) { b.post(&b.system, message) }

// RegisterHandlers implements actor.Mailbox.
func (b *Mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	b.invoker = invoker
}

// Start implements actor.Mailbox.
func (b *Mailbox) Start() {}

// UserMessageCount implements actor.Mailbox.
func (b *Mailbox) UserMessageCount() int { return len(b.user) }

// Ready reports whether a message may be handled. The caller holds the lock.
func (b *Mailbox) Ready() bool {
	return !b.busy && (len(b.system) > 0 || !b.suspended && len(b.user) > 0)
}

// Next names the type of the next message, and says whether it is one of the system.
func (b *Mailbox) Next() (name string, system bool) {
	if len(b.system) > 0 {
		return "system " + reflect.TypeOf(b.system[0]).String(), true
	}
	return reflect.TypeOf(actor.UnwrapEnvelopeMessage(b.user[0])).String(), false
}

// Handle has the actor handle the next message. It calls done, under the lock, when it has.
func (b *Mailbox) Handle(done func()) {
	b.mu.Lock()
	b.busy = true
	from, system := &b.user, len(b.system) > 0
	if system {
		from = &b.system
	}
	message := (*from)[0]
	*from = (*from)[1:]
	b.mu.Unlock()
	defer func() {
		if reason := recover(); reason != nil {
			b.invoker.EscalateFailure(reason, message)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.busy = false
		if len(b.user) == 0 && len(b.system) == 0 {
			b.listed = false
			b.list(false)
		}
		done()
	}()
	switch message.(type) {
	case *actor.SuspendMailbox:
		b.suspended = true
	case *actor.ResumeMailbox:
		b.suspended = false
	default:
		if system {
			b.invoker.InvokeSystemMessage(message)
		} else {
			b.invoker.InvokeUserMessage(message)
		}
	}
}

// Dispatcher is the dispatcher of such mailboxes: their scheduler runs them itself.
type Dispatcher struct{}

// Schedule implements actor.Dispatcher.
func (Dispatcher) Schedule(func()) { panic("the scheduler runs the mailboxes") }

// Throughput implements actor.Dispatcher.
func (Dispatcher) Throughput() int { return 1 }
