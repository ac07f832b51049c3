package sim

import (
	"fmt"
	"slices"
	"time"

	"watchpost/watchpost"
)

// timer is a pending call of a node's clock.
type timer struct {
	choice
	node *node
	at   time.Time
	call func()
	over bool
}

// scriptedPanic is the reason of a panic that the life planned.
const scriptedPanic = "a panic that the life planned"

// Now implements watchpost.Clock. It is where a planned panic happens: each actor
// looks at the clock now and then.
func (n *node) Now() time.Time {
	s := n.life
	s.mu.Lock()
	if s.inMailbox && s.panicAt > 0 {
		if s.panicAt--; s.panicAt == 0 {
			s.panicked = true
			s.mu.Unlock()
			panic(scriptedPanic)
		}
	}
	s.mu.Unlock()
	return s.now()
}

// At implements watchpost.Clock.
func (n *node) At(at time.Time, call func()) watchpost.Timer {
	s := n.life
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &timer{node: n, at: at, call: call}
	t.choice = choice{fmt.Sprintf("%d timer %d", n.id, s.number()), func() { s.fire(t) }}
	s.timers = append(s.timers, t)
	return t
}

// Stop implements watchpost.Timer.
func (t *timer) Stop() bool {
	s := t.node.life
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.over {
		return false
	}
	t.over = true
	s.timers = slices.DeleteFunc(s.timers, func(o *timer) bool { return o == t })
	return true
}

func (s *scheduler) fire(t *timer) {
	s.mu.Lock()
	t.over = true
	s.timers = slices.DeleteFunc(s.timers, func(o *timer) bool { return o == t })
	s.mu.Unlock()
	s.note("timer", t.key)
	s.run(func(w *worker) {
		s.names.Store(w.id, t.key)
		t.call()
	})
}
