package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/internal/lives"
)

// mailbox is an actor's mailbox that handles one message at each turn.
type mailbox struct {
	*lives.Mailbox
	choice
	node *node
	id   int
	last string // the type of the message before
}

// Mailbox implements actors.Scheduling.
func (n *node) Mailbox() actor.Mailbox {
	s := n.life
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.number()
	b := &mailbox{node: n, id: id}
	b.Mailbox = lives.NewMailbox(&s.mu, b.list)
	handle := func(*worker) { b.handle() }
	b.choice = choice{fmt.Sprintf("%d mailbox %d", n.id, id), func() {
		s.note("message", b.key, " ", b.seen())
		s.run(handle)
	}}
	return b
}

// Dispatcher implements actors.Scheduling.
func (n *node) Dispatcher() actor.Dispatcher { return lives.Dispatcher{} }

// list adds the mailbox to those with messages, or removes it.
func (b *mailbox) list(has bool) {
	s := b.node.life
	if has {
		at, _ := slices.BinarySearchFunc(s.boxes, b.id, func(o *mailbox, id int) int { return cmp.Compare(o.id, id) })
		s.boxes = slices.Insert(s.boxes, at, b)
		return
	}
	s.boxes = slices.DeleteFunc(s.boxes, func(o *mailbox) bool { return o == b })
}

// seen names the type of the next message, and notes which one it follows.
func (b *mailbox) seen() string {
	next, _ := b.Next()
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
	_, system := b.Next()
	s.inMailbox = !system
	s.mu.Unlock()
	b.Handle(func() { s.inMailbox = false })
}
