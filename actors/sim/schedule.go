package sim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"
	"strings"
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
	parked []*parked  // in the order of their keys
	boxes  []*mailbox // those with messages, in the order of their ids
	timers []*timer
	made   int // counts the numbered items
	fault  string
	nodes  []*node

	// inMailbox is set while an actor handles a message; panicAt counts down the
	// looks at the clock until one of them panics, 0: none.
	inMailbox bool
	panicAt   int
	panicked  bool

	hash  digest
	trace func(line string) // nil: only hashed
	steps int
	all   []choice // the room for those of a step
	// names of goroutines, by their ids: several wait for a turn with the same words.
	names sync.Map
	// idle are goroutines that have nothing to do. They keep the stacks that they have
	// grown: a new goroutine for each message took a sixth of the time of a life.
	idle []*worker
}

// worker is a goroutine that calls functions one after the other.
type worker struct {
	id   uint64
	next chan func(*worker)
}

// parked is a goroutine that waits for its turn.
type parked struct {
	choice
	node *node
	turn chan bool // false: it ends
}

// choice is something that could run next. Key is the same in each play of a life.
type choice struct {
	key string
	run func()
}

// digest is an FNV-1a hash of 64 bits.
type digest uint64

const noDigest digest = 14695981039346656037

func addTo[B string | []byte](d digest, what B) digest {
	for i := range len(what) {
		d = (d ^ digest(what[i])) * 1099511628211
	}
	return d
}

func newScheduler(seed uint64, trace func(string)) *scheduler {
	s := &scheduler{random: rand.New(rand.NewPCG(seed, 1)), ranks: map[string]uint64{}, hash: noDigest, trace: trace}
	s.offset = time.Until(start)
	s.by = strategy(s.random.IntN(int(strategies)))
	return s
}

func (s *scheduler) now() time.Time { return time.Now().Add(s.offset).UTC().Round(0) }

// note adds a step to the trace, in words.
func (s *scheduler) note(kind string, words ...string) {
	s.hash = addTo(s.hash, kind)
	for _, word := range words {
		s.hash = addTo(s.hash, word)
	}
	if s.trace != nil {
		s.trace(fmt.Sprintf("%06d %s %s %s", s.steps, s.now().Format("02T15:04:05.000"), kind, strings.Join(words, "")))
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
	s.run(func(w *worker) {
		defer done.Store(true)
		n.begin(w, "begin", name, f)
	})
	return done
}

// run calls a function in a goroutine.
func (s *scheduler) run(f func(*worker)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.idle) - 1; last >= 0 {
		s.idle[last].next <- f
		s.idle = s.idle[:last]
		return
	}
	go s.work(f)
}

// work calls functions one after the other. One that ends its goroutine ends this one.
func (s *scheduler) work(f func(*worker)) {
	w := &worker{goroutine(), make(chan func(*worker), 1)}
	for f != nil {
		f(w)
		s.names.Delete(w.id)
		s.mu.Lock()
		s.idle = append(s.idle, w)
		s.mu.Unlock()
		f = <-w.next
	}
}

// dismiss ends the goroutines that have nothing to do.
func (s *scheduler) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.idle {
		close(w.next)
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

// park lists a goroutine, by its name, as one that waits for its turn.
func (s *scheduler) park(n *node, what, name string) *parked {
	p := &parked{node: n, turn: make(chan bool)}
	p.choice = choice{fmt.Sprintf("%d %s/%s", n.id, what, name), func() { s.resume(p) }}
	s.mu.Lock()
	defer s.mu.Unlock()
	after := sort.Search(len(s.parked), func(i int) bool { return s.parked[i].key > p.key })
	s.parked = slices.Insert(s.parked, after, p)
	return p
}

// choices lists what could run, in an order that follows from the seed alone. The list
// holds until the next call.
func (s *scheduler) choices() []choice {
	all := s.all[:0]
	s.mu.Lock()
	for _, p := range s.parked {
		all = append(all, p.choice)
	}
	for _, b := range s.boxes {
		if b.Ready() && !b.node.dead {
			all = append(all, b.choice)
		}
	}
	now := s.now()
	for _, t := range s.timers {
		if !t.at.After(now) && !t.node.dead {
			all = append(all, t.choice)
		}
	}
	s.mu.Unlock()
	for _, n := range s.nodes {
		if !n.dead {
			all = n.store.choices(all)
		}
	}
	return all
}

func (s *scheduler) resume(p *parked) {
	s.mu.Lock()
	at := slices.Index(s.parked, p)
	s.parked = slices.Delete(s.parked, at, at+1)
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

// step lets one thing run, when nothing runs; false when nothing can before time passes.
// more adds what else could run.
func (s *scheduler) step(more func([]choice) []choice) bool {
	if s.failed() {
		return false
	}
	s.all = more(s.choices())
	if len(s.all) == 0 {
		return false
	}
	s.steps++
	s.pick(s.all).run()
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
