package sim

import (
	"sync"
	"testing"

	"watchpost/actors/actorstest"
	"watchpost/internal/lives"
	"watchpost/persistence"
	"watchpost/persistence/storetest"
)

func TestMain(m *testing.M) { actorstest.Main(m) }

// operations is the number of operations of a life.
const operations = 80

// simulation returns the lives, and counts of everything that they meet.
func simulation() (s lives.Simulation, met seen) {
	var last Result
	met = seen{}
	return lives.Simulation{
		Lives: 10, // with the race detector; make test plays more without it
		Twice: func(seed uint64) bool { return seed <= 300 || seed%10 == 0 },
		Play: func(t *testing.T, seed uint64, trace func(string)) lives.Life {
			last = Play(t, seed, operations, trace)
			met.add(last.seen)
			return lives.Life{Hash: last.Hash, Steps: last.Steps, Span: last.Span, Fault: last.Fault}
		},
		Failure: func(t *testing.T, trace func(string)) string { return Shorten(t, last, 200, trace).String() },
	}, met
}

// TestLives plays lives: see package lives.
func TestLives(t *testing.T) {
	s, met := simulation()
	s.Run(t)
	t.Log("what the lives have met:\n" + met.String())
}

// TestOtherProcess: another process plays the same life.
func TestOtherProcess(t *testing.T) { lives.OtherProcess(t) }

// TestFault plays lives until one fails: package planted runs it with a fault.
func TestFault(t *testing.T) {
	s, _ := simulation()
	s.Find(t)
}

// TestStore runs the suite of all engines on the simulated store, whose steps follow at
// once.
func TestStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Database {
		d := newDisk()
		return func(testing.TB) persistence.Store { return &eager{store: newStore(&node{}, d)} }
	})
}

// eager is a simulated store without a scheduler.
type eager struct {
	*store
	mu   sync.Mutex
	last chan struct{} // closed when the calls before have returned
}

// Submit implements persistence.Store.
func (e *eager) Submit(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.store.Submit(space, epoch, batch, done)
	e.apply(space)
	before, over := e.last, make(chan struct{})
	e.last = over
	go func() {
		if before != nil {
			<-before
		}
		e.tell(space)
		close(over)
	}()
}

// Close implements persistence.Store.
func (e *eager) Close() error {
	e.mu.Lock()
	err, last := e.store.Close(), e.last
	e.mu.Unlock()
	if last != nil {
		<-last
	}
	return err
}
