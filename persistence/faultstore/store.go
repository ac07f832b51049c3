// Package faultstore wraps a store in faults, scripted or drawn from a seed. The
// tests of the actors use it, and drills of the built service.
//
// All faults but Torn keep the contract of package persistence, so whatever uses a
// store must bear them. Torn breaks it, which package storetest must notice.
package faultstore

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"watchpost/persistence"
)

// ErrInjected is the error of a fault.
var ErrInjected = errors.New("injected store fault")

// Store is a real store whose commits can be held back and made to fail, and
// whose reads can be made to fail. What follows a failed commit of an epoch is
// fenced, and done is called in the order of submission.
type Store struct {
	engine persistence.Store

	mu          sync.Mutex
	spaces      map[persistence.Space]*flow
	blocked     bool
	held        []*commit
	failing     func(persistence.Space, *persistence.Batch) Fault
	losing      func(Read) bool
	watch       func(persistence.Space, *persistence.Batch)
	observe     func(Fault)
	dead        bool
	closed      bool
	fatal       bool  // the first failure is final
	failure     error // the final one
	failed      chan error
	pause       time.Duration
	activations map[persistence.Space]int
	submitted   int
	arrived     chan struct{}  // closed and renewed at each submission
	flying      sync.WaitGroup // commits that the engine has
	telling     sync.WaitGroup // goroutines that call done
}

// Fault says what becomes of a commit.
type Fault uint8

// The faults.
const (
	None     Fault = iota
	Before         // nothing is written, and it fails
	After          // it is written, and reported as failed
	Conflict       // nothing is written: an entry of the directory has changed
	Slow           // it is written, and reported later
	Full           // it and all that follow wait for room on the disk
	Torn           // a part is written first, then the whole: no batch any more
)

// String implements fmt.Stringer.
func (f Fault) String() string {
	return [...]string{"none", "error before", "error after", "conflict", "slow", "disk full", "torn"}[f]
}

// defaultPause is how late the answer of a Slow commit is, and how long a disk is
// Full.
const defaultPause = 2 * time.Millisecond

// flow is the order of one space's commits.
type flow struct {
	waiting []*commit
	calling bool
	failed  persistence.Epoch // batches of this epoch are fenced
}

// commit is a submitted batch.
type commit struct {
	space persistence.Space
	epoch persistence.Epoch
	batch *persistence.Batch
	done  func(error)
	fault Fault
	err   error
	ended bool
}

// New returns a store without faults.
func New(engine persistence.Store) *Store {
	return &Store{
		engine: engine, spaces: map[persistence.Space]*flow{}, activations: map[persistence.Space]int{}, arrived: make(chan struct{}),
		failed: make(chan error, 1), pause: defaultPause,
	}
}

// Fatal makes the first commit that fails the last one: from then on every commit
// and activation fails with its error, as with an engine that cannot know which writes
// are durable. Reads go on. Opening the engine again ends that.
func (s *Store) Fatal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fatal = true
}

// Failed receives the failure of a store that is Fatal.
func (s *Store) Failed() <-chan error { return s.failed }

// Pause sets how late the answer of a Slow commit is, and how long a disk is Full.
func (s *Store) Pause(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = d
}

// Observe calls f with each fault that happens to a commit. It is for wiring.
func (s *Store) Observe(f func(Fault)) { s.observe = f }

// Block holds back every commit from now on, until Release.
func (s *Store) Block() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocked = true
}

// Release lets go what Block held back.
func (s *Store) Release() {
	s.mu.Lock()
	held := s.held
	s.held, s.blocked = nil, false
	for _, c := range held {
		s.forward(c)
	}
	s.mu.Unlock()
}

// ReleaseOne lets go the oldest commit that Block holds back.
func (s *Store) ReleaseOne() {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.held[0]
	s.held = s.held[1:]
	s.forward(c)
}

// AwaitHeld returns when at least n commits are held back.
func (s *Store) AwaitHeld(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		held, arrived := len(s.held), s.arrived
		s.mu.Unlock()
		if held >= n {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Fail makes the nth commit from now (1: the next) of a space fail.
func (s *Store) Fail(space persistence.Space, nth int, fault Fault) {
	s.FailWhen(func(of persistence.Space, _ *persistence.Batch) Fault {
		if of != space {
			return None
		}
		return countdown(&nth, fault)
	})
}

// FailNth makes the nth commit from now fail, of whatever space; 0: none.
func (s *Store) FailNth(nth int, fault Fault) {
	s.FailWhen(func(persistence.Space, *persistence.Batch) Fault { return countdown(&nth, fault) })
}

// countdown returns the fault when n gets to zero.
func countdown(n *int, fault Fault) Fault {
	if *n--; *n == 0 {
		return fault
	}
	return None
}

// FailWhen asks f what becomes of each commit. nil ends that.
func (s *Store) FailWhen(f func(persistence.Space, *persistence.Batch) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = f
}

// Watch calls f with every batch that was written, before anybody hears of it.
// It is for wiring, before the store is used.
func (s *Store) Watch(f func(persistence.Space, *persistence.Batch)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = f
}

// Activations returns how often a space was activated in this run.
func (s *Store) Activations(space persistence.Space) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.activations[space]
}

// Submitted returns how many commits there were in this run.
func (s *Store) Submitted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submitted
}

// Activate implements persistence.Store.
func (s *Store) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	s.mu.Lock()
	dead, failure := s.dead, s.failure
	s.activations[space]++
	s.mu.Unlock()
	if dead {
		return 0, persistence.ErrClosed
	}
	if failure != nil {
		return 0, failure
	}
	return s.engine.Activate(ctx, space)
}

// View implements persistence.Store.
func (s *Store) View(ctx context.Context) (persistence.View, error) {
	s.mu.Lock()
	dead := s.dead
	s.mu.Unlock()
	if dead {
		return nil, persistence.ErrClosed
	}
	if s.lost(Read{}) {
		return nil, ErrInjected
	}
	view, err := s.engine.View(ctx)
	if err != nil {
		return nil, err
	}
	return &lossyView{View: view, store: s}, nil
}

// Close implements persistence.Store. Held-back calls go on.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Release()
	s.flying.Wait()
	err := s.engine.Close()
	s.telling.Wait()
	return err
}

// Submit implements persistence.Store.
func (s *Store) Submit(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) {
	c := &commit{space: space, epoch: epoch, batch: batch, done: done}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submitted++
	f := s.spaces[space]
	if f == nil {
		f = &flow{}
		s.spaces[space] = f
	}
	f.waiting = append(f.waiting, c)
	close(s.arrived)
	s.arrived = make(chan struct{})
	if s.failing != nil {
		c.fault = s.failing(space, batch)
	}
	if s.observe != nil && c.fault != None {
		s.observe(c.fault)
	}
	if c.fault == Full && !s.blocked && !s.closed {
		s.blocked = true
		time.AfterFunc(s.pause, s.Release)
	}
	switch {
	case s.dead: // never heard of
	case s.blocked:
		s.held = append(s.held, c)
	default:
		s.forward(c)
	}
}

// forward hands a commit to the engine, or ends it as scripted.
func (s *Store) forward(c *commit) {
	f := s.spaces[c.space]
	switch {
	case s.failure != nil:
		s.end(c, s.failure)
	case f.failed == c.epoch && c.epoch != 0:
		s.end(c, cmp.Or(c.batch.Check(), persistence.ErrFenced))
	case c.fault == Before:
		s.fail(c, f)
		s.end(c, ErrInjected)
	case c.fault == Conflict:
		f.failed = c.epoch
		s.end(c, persistence.ErrConflict)
	default:
		switch c.fault {
		case After:
			s.fail(c, f)
		case Torn:
			part := &persistence.Batch{Writes: c.batch.Writes[:(len(c.batch.Writes)+1)/2]}
			s.engine.Submit(c.space, c.epoch, part, func(error) {})
		}
		s.flying.Add(1)
		s.engine.Submit(c.space, c.epoch, c.batch, func(err error) { s.written(c, err) })
	}
}

// fail notes that a commit fails, which ends its epoch or the store.
func (s *Store) fail(c *commit, f *flow) {
	f.failed = c.epoch
	if s.fatal {
		s.failure = ErrInjected
		s.failed <- ErrInjected
	}
}

// written takes the engine's result of a commit.
func (s *Store) written(c *commit, err error) {
	if s.watch != nil && err == nil {
		s.watch(c.space, c.batch)
	}
	if c.fault == After && err == nil {
		err = ErrInjected
	}
	if c.fault == Slow {
		time.AfterFunc(s.pause, func() {
			defer s.flying.Done()
			s.mu.Lock()
			defer s.mu.Unlock()
			s.end(c, err)
		})
		return
	}
	defer s.flying.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(c, err)
}

// end notes the outcome of a commit and reports, in order, those whose turn it is.
func (s *Store) end(c *commit, err error) {
	c.ended, c.err = true, err
	f := s.spaces[c.space]
	if !f.calling && !s.dead {
		f.calling = true
		s.telling.Go(func() { s.tell(f) })
	}
}

func (s *Store) tell(f *flow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(f.waiting) > 0 && f.waiting[0].ended && !s.dead {
		c := f.waiting[0]
		f.waiting = f.waiting[1:]
		s.mu.Unlock()
		c.done(c.err)
		s.mu.Lock()
	}
	f.calling = false
}
