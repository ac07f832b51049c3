package faultstore

import (
	"context"

	"watchpost/persistence"
)

// Cut ends the run's use of the store: nothing more is written, and no caller
// gets the result of a pending write. When it returns the engine has ended
// everything submitted to it.
func (s *Store) Cut() {
	s.mu.Lock()
	s.dead = true
	s.held = nil
	s.mu.Unlock()
	s.flying.Wait()
}

// Drain fails the pending commits: the store is gone.
func (s *Store) Drain() {
	s.mu.Lock()
	s.blocked, s.failing, s.losing = false, nil, nil
	held := s.held
	s.held = nil
	for _, c := range held {
		s.forward(c)
	}
	if !s.dead {
		s.mu.Unlock()
		return
	}
	s.dead = false
	for _, f := range s.spaces {
		f.failed = ^persistence.Epoch(0)
		for _, c := range f.waiting {
			if !c.ended {
				c.ended, c.err = true, persistence.ErrClosed
			}
		}
		if !f.calling {
			f.calling = true
			s.telling.Go(func() { s.tell(f) })
		}
	}
	s.engine = gone{}
	s.mu.Unlock()
}

// gone is the engine of a run that is over.
type gone struct{}

// Activate implements persistence.Store.
func (gone) Activate(context.Context, persistence.Space) (persistence.Epoch, error) {
	return 0, persistence.ErrClosed
}

// Submit implements persistence.Store.
func (gone) Submit(_ persistence.Space, _ persistence.Epoch, _ *persistence.Batch, done func(error)) {
	go done(persistence.ErrClosed)
}

// View implements persistence.Store.
func (gone) View(context.Context) (persistence.View, error) { return nil, persistence.ErrClosed }

// Close implements persistence.Store.
func (gone) Close() error { return nil }
