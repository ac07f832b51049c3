package sim

import (
	"cmp"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"
)

// start is when the time of a life begins: a Wednesday morning.
var start = time.Date(2030, 1, 9, 10, 0, 0, 0, time.UTC)

// strategy is how the scheduler chooses among what could run.
type strategy int

const (
	anyOf     strategy = iota // each alike
	oldest                    // mostly the first of the list, which has been there longest
	byRank                    // by a rank that each keeps for a while: some are starved
	rankOften                 // the same, chosen twice as often as the others
	strategies
)

// scheduler decides what runs next. It runs in the test's goroutine; everything
// else runs while that waits in synctest.Wait, so that one thing runs at a time.
type scheduler struct {
	random *rand.Rand
	offset time.Duration // of the time of a life from that of the bubble
	by     strategy
	ranks  map[string]uint64

	mu     sync.Mutex
	parked []*parked
	boxes  []*mailbox
	timers []*timer
	made   int // counts the numbered items
	fault  string
	nodes  []*node

	// inMailbox is set while an actor handles a message; panicAt counts down the
	// looks at the clock until one of them panics, 0: none.
	inMailbox bool
	panicAt   int
	panicked  bool

	hash  hash.Hash64
	trace func(line string) // nil: only hashed
	steps int
	// names of goroutines, by their ids: several wait for a turn with the same words.
	names sync.Map
	// idle are goroutines that have nothing to do. They keep the stacks that they have
	// grown: a new goroutine for each message took a sixth of the time of a life.
	idle []chan func()
}

// parked is a goroutine that waits for its turn.
type parked struct {
	key  string
	node *node
	turn chan bool // false: it ends
}

// choice is something that could run next. Key is the same in each play of a life.
type choice struct {
	key string
	run func()
}

func newScheduler(seed uint64, trace func(string)) *scheduler {
	s := &scheduler{random: rand.New(rand.NewPCG(seed, 1)), ranks: map[string]uint64{}, hash: fnv.New64a(), trace: trace}
	s.offset = time.Until(start)
	s.by = strategy(s.random.IntN(int(strategies)))
	return s
}

func (s *scheduler) now() time.Time { return time.Now().Add(s.offset).UTC().Round(0) }

// note adds a step to the trace.
func (s *scheduler) note(kind, what string) {
	_, _ = s.hash.Write([]byte(kind))
	_, _ = s.hash.Write([]byte(what))
	if s.trace != nil {
		s.trace(fmt.Sprintf("%06d %s %s %s", s.steps, s.now().Format("02T15:04:05.000"), kind, what))
	}
}

// fail ends the life with a fault; the first one counts.
func (s *scheduler) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == "" {
		s.fault = fmt.Sprintf(format, args...)
	}
}

func (s *scheduler) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault != ""
}

// number returns a new number. The caller holds mu or is alone.
func (s *scheduler) number() int {
	s.made++
	return s.made
}

// spawn makes a goroutine of a node that begins when it is its turn.
func (s *scheduler) spawn(n *node, name string, f func()) (done *atomic.Bool) {
	s.mu.Lock()
	name = fmt.Sprintf("%s-%d", name, s.number())
	s.mu.Unlock()
	done = new(atomic.Bool)
	s.run(func() {
		defer done.Store(true)
		defer s.named(name)()
		n.Turn("begin")
		f()
	})
	return done
}

// run calls a function in a goroutine.
func (s *scheduler) run(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.idle) - 1; last >= 0 {
		s.idle[last] <- f
		s.idle = s.idle[:last]
		return
	}
	go s.work(f)
}

// work calls functions one after the other. One that ends its goroutine ends this one.
func (s *scheduler) work(f func()) {
	id, next := goroutine(), make(chan func(), 1)
	for f != nil {
		f()
		s.names.Delete(id)
		s.mu.Lock()
		s.idle = append(s.idle, next)
		s.mu.Unlock()
		f = <-next
	}
}

// dismiss ends the goroutines that have nothing to do.
func (s *scheduler) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, next := range s.idle {
		close(next)
	}
}

// named gives the goroutine a name until the returned function is called.
func (s *scheduler) named(name string) (forget func()) {
	id := goroutine()
	s.names.Store(id, name)
	return func() { s.names.Delete(id) }
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

// park lists the goroutine as one that waits for its turn.
func (s *scheduler) park(n *node, what string) *parked {
	name, _ := s.names.LoadOrStore(goroutine(), what)
	p := &parked{key: fmt.Sprintf("%d %s/%s", n.id, what, name), node: n, turn: make(chan bool)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parked = append(s.parked, p)
	return p
}

// choices lists what could run, in an order that follows from the seed alone.
func (s *scheduler) choices() []choice {
	var all []choice
	s.mu.Lock()
	slices.SortStableFunc(s.parked, func(a, b *parked) int { return cmp.Compare(a.key, b.key) })
	for _, p := range s.parked {
		all = append(all, choice{p.key, func() { s.resume(p) }})
	}
	slices.SortFunc(s.boxes, func(a, b *mailbox) int { return cmp.Compare(a.id, b.id) })
	for _, b := range s.boxes {
		if b.ready() && !b.node.dead {
			all = append(all, choice{b.key, func() {
				s.note("message", b.key+" "+b.seen())
				s.run(b.handle)
			}})
		}
	}
	for _, t := range s.timers {
		if !t.at.After(s.now()) && !t.node.dead {
			all = append(all, choice{t.key, func() { s.fire(t) }})
		}
	}
	s.mu.Unlock()
	for _, n := range s.nodes {
		if !n.dead {
			all = append(all, n.store.choices()...)
		}
	}
	return all
}

func (s *scheduler) resume(p *parked) {
	s.mu.Lock()
	s.parked = slices.DeleteFunc(s.parked, func(o *parked) bool { return o == p })
	s.mu.Unlock()
	s.note("turn", p.key)
	p.turn <- !p.node.dead
}

// pick chooses among what could run.
func (s *scheduler) pick(all []choice) choice {
	switch s.by {
	case oldest:
		if s.random.IntN(4) > 0 {
			return all[0]
		}
	case byRank, rankOften:
		if s.random.IntN(50) == 0 {
			break
		}
		return slices.MaxFunc(all, func(a, b choice) int { return cmp.Compare(s.rank(a.key), s.rank(b.key)) })
	}
	return all[s.random.IntN(len(all))]
}

// rank returns the rank of a choice, which changes now and then.
func (s *scheduler) rank(key string) uint64 {
	rank, known := s.ranks[key]
	if !known || s.random.IntN(300) == 0 {
		rank = s.random.Uint64()
		s.ranks[key] = rank
	}
	return rank
}

// step lets one thing run; false when nothing can before time passes.
func (s *scheduler) step(more func() []choice) bool {
	synctest.Wait()
	if s.failed() {
		return false
	}
	all := s.choices()
	if more != nil {
		all = append(all, more()...)
	}
	if len(all) == 0 {
		return false
	}
	s.steps++
	s.pick(all).run()
	return true
}

// sleep lets time pass until a moment, or until the first timer is due.
func (s *scheduler) sleep(until time.Time) {
	s.mu.Lock()
	for _, t := range s.timers {
		if !t.node.dead && t.at.Before(until) {
			until = t.at
		}
	}
	s.mu.Unlock()
	if d := until.Sub(s.now()); d > 0 {
		s.note("time", d.String())
		time.Sleep(d)
		synctest.Wait()
	}
}
