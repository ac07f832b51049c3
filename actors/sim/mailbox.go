package sim

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/asynkron/protoactor-go/actor"
)

// mailbox is an actor's mailbox that handles one message at each turn.
type mailbox struct {
	choice
	node         *node
	id           int
	listed, busy bool
	suspended    bool
	user, system []any
	invoker      actor.MessageInvoker
	last         string // the type of the message before
}

// Mailbox implements actors.Scheduling.
func (n *node) Mailbox() actor.Mailbox {
	s := n.life
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.number()
	b := &mailbox{node: n, id: id}
	handle := func(*worker) { b.handle() }
	b.choice = choice{fmt.Sprintf("%d mailbox %d", n.id, id), func() {
		s.note("message", b.key, " ", b.seen())
		s.run(handle)
	}}
	return b
}

// Dispatcher implements actors.Scheduling: the scheduler runs the mailboxes itself.
func (n *node) Dispatcher() actor.Dispatcher { return noDispatcher{} }

type noDispatcher struct{}

// Schedule implements actor.Dispatcher.
func (noDispatcher) Schedule(func()) { panic("the scheduler runs the mailboxes") }

// Throughput implements actor.Dispatcher.
func (noDispatcher) Throughput() int { return 1 }

func (b *mailbox) post(to *[]any, message any) {
	s := b.node.life
	s.mu.Lock()
	defer s.mu.Unlock()
	*to = append(*to, message)
	if !b.listed {
		b.listed = true
		at, _ := slices.BinarySearchFunc(s.boxes, b.id, func(o *mailbox, id int) int { return cmp.Compare(o.id, id) })
		s.boxes = slices.Insert(s.boxes, at, b)
	}
}

// PostUserMessage implements actor.Mailbox.
func (b *mailbox) PostUserMessage(message any) { b.post(&b.user, message) }

// PostSystemMessage implements actor.Mailbox.
func (b *mailbox) PostSystemMessage(message any) { b.post(&b.system, message) }

// RegisterHandlers implements actor.Mailbox.
func (b *mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	b.invoker = invoker
}

// Start implements actor.Mailbox.
func (b *mailbox) Start() {}

// UserMessageCount implements actor.Mailbox.
func (b *mailbox) UserMessageCount() int { return len(b.user) }

func (b *mailbox) ready() bool {
	return !b.busy && (len(b.system) > 0 || !b.suspended && len(b.user) > 0)
}

// next names the type of the next message.
func (b *mailbox) next() string {
	if len(b.system) > 0 {
		return "system " + reflect.TypeOf(b.system[0]).String()
	}
	return reflect.TypeOf(actor.UnwrapEnvelopeMessage(b.user[0])).String()
}

// seen is next, and notes which type it follows.
func (b *mailbox) seen() string {
	next := b.next()
	if b.last != "" {
		b.node.life.seen[event{b.last, next}]++
	}
	b.last = next
	return next
}

// handle hands the next message to the actor.
func (b *mailbox) handle() {
	s := b.node.life
	s.mu.Lock()
	b.busy = true
	from := &b.user
	system := len(b.system) > 0
	if system {
		from = &b.system
	}
	message := (*from)[0]
	*from = (*from)[1:]
	s.inMailbox = !system
	s.mu.Unlock()
	defer func() {
		if reason := recover(); reason != nil {
			b.invoker.EscalateFailure(reason, message)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		b.busy, s.inMailbox = false, false
		if len(b.user) == 0 && len(b.system) == 0 {
			b.listed = false
			s.boxes = slices.DeleteFunc(s.boxes, func(o *mailbox) bool { return o == b })
		}
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
