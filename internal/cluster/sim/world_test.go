package sim

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// world decides what runs next. It runs in the test's goroutine; everything else runs while
// that waits in synctest.Wait, so that one thing runs at a time.
type world struct {
	seed   uint64
	random *rand.Rand
	begun  time.Time

	mu     sync.Mutex
	parked []*parked  // in the order of their keys
	boxes  []*mailbox // those with messages, in the order of their ids
	timers []*timer
	posted []*message // not drawn yet
	mail   []*message // on their way
	seen   map[string]int
	made   int // counts the numbered items
	fault  string
	wake   chan struct{}

	hash  uint64
	trace func(line string) // nil: only hashed
	steps int
	story []string
	names sync.Map // of goroutines, by their ids

	slots   [maxNodes]*process // the processes of the nodes; nil before the first
	all     []*process
	db      *server
	network network
	clients []*client
	teams   []*team
	// followed is the life beside the model of two nodes; nil: it is not followed.
	followed *followed
	healing  bool // no fault begins any more
	metrics  met
}

// parked is a goroutine that waits for its turn.
type parked struct {
	key  string
	p    *process
	turn chan bool // false: it ends
}

// choice is something that could run next. Key is the same in each play of a life.
type choice struct {
	key string
	run func()
}

func newWorld(seed uint64, trace func(string)) *world {
	w := &world{seed: seed, random: rand.New(rand.NewPCG(seed, 1)), begun: time.Now(), trace: trace, hash: 14695981039346656037, wake: make(chan struct{}, 1), seen: map[string]int{}}
	w.db = newServer(w)
	return w
}

// now returns the time since the life began.
func (w *world) now() time.Duration { return time.Since(w.begun) }

// between draws a time.
func (w *world) between(from, to time.Duration) time.Duration {
	return from + time.Duration(w.random.Int64N(int64(to-from)))
}

// oneIn draws whether something happens that happens once in n times.
func (w *world) oneIn(n int) bool { return w.random.IntN(n) == 0 }

// note adds a step to the trace.
func (w *world) note(kind, what string) {
	for _, part := range []string{kind, what} {
		for i := range len(part) {
			w.hash = (w.hash ^ uint64(part[i])) * 1099511628211
		}
	}
	if w.trace != nil {
		w.trace(fmt.Sprintf("%06d %12s %s %s", w.steps, w.now(), kind, what))
	}
}

// tell adds a line to the story, and to the trace.
func (w *world) tell(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	w.story = append(w.story, fmt.Sprintf("%9.3f s  %s", w.now().Seconds(), line))
	w.note("story", line)
}

// fail ends the life with a fault; the first one counts.
func (w *world) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == "" {
		w.fault = fmt.Sprintf("after %s: ", w.now()) + fmt.Sprintf(format, args...)
	}
}

func (w *world) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault != ""
}

// number returns a new number.
func (w *world) number() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	return w.made
}

// alert wakes the scheduler when it waits for time to pass; the caller holds mu.
func (w *world) alert() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// goroutine returns the number of the goroutine.
func goroutine() (id uint64) {
	var buf [40]byte
	for _, c := range buf[len("goroutine "):runtime.Stack(buf[:], false)] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}

// name returns the name of the goroutine that calls it. One without a name is named
// after its creator and its first turn: those of two requests have two names.
func (w *world) name(turn string) string {
	id := goroutine()
	if name, known := w.names.Load(id); known {
		return name.(string)
	}
	stack := debug.Stack()
	_, after, _ := bytes.Cut(stack[bytes.LastIndex(stack, []byte("created by ")):], []byte(" in goroutine "))
	digits, _, _ := bytes.Cut(after, []byte("\n"))
	creator, _ := strconv.ParseUint(string(digits), 10, 64)
	by, _ := w.names.Load(creator)
	name := fmt.Sprint(turn, " of ", by)
	w.names.Store(id, name)
	return name
}

// spawn calls f in a goroutine of a process, when it is its turn.
func (w *world) spawn(p *process, name string, f func()) {
	go func() {
		w.names.Store(goroutine(), name)
		p.Turn("begin")
		f()
	}()
}

// park lists a goroutine, by its name, as one that waits for its turn.
func (w *world) park(p *process, what, name string) *parked {
	k := &parked{key: fmt.Sprintf("%d %s/%s", p.id, what, name), p: p, turn: make(chan bool)}
	w.mu.Lock()
	defer w.mu.Unlock()
	after := sort.Search(len(w.parked), func(i int) bool { return w.parked[i].key > k.key })
	w.parked = slices.Insert(w.parked, after, k)
	w.alert()
	return k
}

// resume lets a goroutine go on.
func (w *world) resume(k *parked) {
	w.mu.Lock()
	at := slices.Index(w.parked, k)
	w.parked = slices.Delete(w.parked, at, at+1)
	w.mu.Unlock()
	w.note("turn", k.key)
	k.turn <- !k.p.dead.Load()
}

// choices lists what could run now, in an order that follows from the seed alone, and when
// something else can at the earliest.
func (w *world) choices() (all []choice, next time.Duration) {
	w.drawPosted()
	now := w.now()
	next = forever
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.parked {
		if !k.p.paused(now, &next) {
			all = append(all, choice{k.key, func() { w.resume(k) }})
		}
	}
	for _, b := range w.boxes {
		if b.Ready() && !b.p.paused(now, &next) {
			all = append(all, choice{b.key, b.next})
		}
	}
	for _, t := range w.timers {
		switch {
		case t.at > now:
			next = min(next, t.at)
		case !t.p.paused(now, &next):
			all = append(all, choice{t.key, t.fire})
		}
	}
	for _, m := range w.mail {
		switch {
		case m.at > now:
			next = min(next, m.at)
		case m.to >= maxNodes || w.slots[m.to] == nil || !w.slots[m.to].paused(now, &next):
			all = append(all, choice{m.key, func() { w.deliver(m) }})
		}
	}
	return all, next
}

const forever = time.Duration(1<<63 - 1)

// runUntil lets things run until a time, or until a condition holds.
func (w *world) runUntil(end time.Duration, over func() bool) {
	for !w.failed() {
		synctest.Wait()
		w.check()
		if w.failed() || over != nil && over() {
			return
		}
		select {
		case <-w.wake:
		default:
		}
		all, next := w.choices()
		if len(all) > 0 {
			w.steps++
			all[w.random.IntN(len(all))].run()
			continue
		}
		now := w.now()
		if now >= end {
			return
		}
		timer := time.NewTimer(min(next, end) - now)
		select {
		case <-timer.C:
		case <-w.wake:
		}
		timer.Stop()
	}
}

// message is on its way between two parties.
type message struct {
	key      string
	from, to int
	at       time.Duration
	arrive   func()
	// lost tells that it does not arrive, later; nil: no one wants to know.
	lost func()
	// twice means that it may arrive twice.
	twice bool
}

// send puts a message on its way. Its key tells it from all others that are sent before the
// next step.
func (w *world) send(m *message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[m.key]++
	m.key = fmt.Sprintf("%s #%d", m.key, w.seen[m.key])
	w.posted = append(w.posted, m)
	w.alert()
}

// after calls f in the scheduler after a time.
func (w *world) after(d time.Duration, key string, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mail = append(w.mail, &message{key: key, from: clientParty, to: clientParty, at: w.now() + d, arrive: f})
}

// drawPosted draws what happens to the messages that were sent in the last step.
func (w *world) drawPosted() {
	w.mu.Lock()
	posted := w.posted
	w.posted = nil
	w.mu.Unlock()
	slices.SortFunc(posted, func(a, b *message) int { return strings.Compare(a.key, b.key) })
	for _, m := range posted {
		w.network.draw(w, m)
	}
}

// deliver takes a message to its receiver.
func (w *world) deliver(m *message) {
	w.mu.Lock()
	at := slices.Index(w.mail, m)
	w.mail = slices.Delete(w.mail, at, at+1)
	w.mu.Unlock()
	w.note("message", m.key)
	m.arrive()
}

// insert keeps the boxes in the order of their ids.
func (w *world) insert(b *mailbox) {
	at, _ := slices.BinarySearchFunc(w.boxes, b.id, func(o *mailbox, id int) int { return cmp.Compare(o.id, id) })
	w.boxes = slices.Insert(w.boxes, at, b)
	w.alert()
}
