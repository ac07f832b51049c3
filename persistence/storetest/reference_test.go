package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"watchpost/persistence"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestReference runs the suite on the simplest possible engine, which shows
// that the suite tests only the contract.
func TestReference(t *testing.T) {
	Run(t, func(testing.TB) Database {
		disk := &disk{
			model:  model{spaces: map[persistence.Space]map[string]string{}, directory: map[persistence.DirectoryKey]string{}},
			epochs: map[persistence.Space]persistence.Epoch{},
			failed: map[persistence.Space]bool{},
		}
		return func(testing.TB) persistence.Store {
			s := &reference{disk: disk}
			s.idle.L = &s.mu
			return s
		}
	})
}

// disk is the durable part of a reference store.
type disk struct {
	model
	epochs map[persistence.Space]persistence.Epoch
	failed map[persistence.Space]bool
}

// reference applies a batch at submission and answers on a goroutine that runs
// while answers are pending.
type reference struct {
	mu        sync.Mutex
	idle      sync.Cond
	disk      *disk
	answers   []func()
	answering bool
	closed    bool
}

func (s *reference) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case s.closed:
		return 0, persistence.ErrClosed
	case len(space) == 0 || len(space) > persistence.MaxSpace:
		return 0, persistence.ErrTooLarge
	}
	s.disk.epochs[space]++
	s.disk.failed[space] = false
	return s.disk.epochs[space], nil
}

func (s *reference) Submit(space persistence.Space, epoch persistence.Epoch, b *persistence.Batch, done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.outcome(space, epoch, b)
	s.answers = append(s.answers, func() { done(err) })
	if !s.answering {
		s.answering = true
		go s.answer()
	}
}

func (s *reference) outcome(space persistence.Space, epoch persistence.Epoch, b *persistence.Batch) error {
	if s.closed {
		return persistence.ErrClosed
	}
	if len(space) == 0 || len(space) > persistence.MaxSpace {
		return persistence.ErrTooLarge
	}
	current := epoch != 0 && epoch == s.disk.epochs[space] && !s.disk.failed[space]
	err := b.Check()
	switch {
	case err != nil:
	case !current:
		err = persistence.ErrFenced
	default:
		if s.disk.spaces[space] == nil {
			s.disk.spaces[space] = map[string]string{}
		}
		err = s.disk.apply(space, b)
	}
	if err != nil && current {
		s.disk.failed[space] = true
	}
	return err
}

func (s *reference) answer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.answers) > 0 {
		answers := s.answers
		s.answers = nil
		s.mu.Unlock()
		for _, answer := range answers {
			answer()
		}
		s.mu.Lock()
	}
	s.answering = false
	s.idle.Broadcast()
}

func (s *reference) View(ctx context.Context) (persistence.View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if s.closed {
		return nil, persistence.ErrClosed
	}
	return &referenceView{model: s.disk.clone()}, nil
}

func (s *reference) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return persistence.ErrClosed
	}
	s.closed = true
	for s.answering {
		s.idle.Wait()
	}
	return nil
}

type referenceView struct {
	model
	closed bool
}

func (v *referenceView) Close() { v.closed = true }

func (v *referenceView) Get(space persistence.Space, key []byte) ([]byte, error) {
	value, ok := v.spaces[space][string(key)]
	return v.found(value, ok)
}

func (v *referenceView) GetAll(space persistence.Space, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, err := v.Get(space, key)
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

func (v *referenceView) Lookup(key persistence.DirectoryKey) ([]byte, error) {
	value, ok := v.directory[key]
	return v.found(value, ok)
}

func (v *referenceView) LookupAll(kind string, names []string) ([][]byte, error) {
	values := make([][]byte, len(names))
	for i, name := range names {
		value, err := v.Lookup(persistence.DirectoryKey{Kind: kind, Name: name})
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

func (v *referenceView) found(value string, ok bool) ([]byte, error) {
	if v.closed {
		return nil, persistence.ErrClosed
	}
	if !ok {
		return nil, persistence.ErrNotFound
	}
	return []byte(value), nil
}

func (v *referenceView) Scan(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	return each(v.between(space, string(from), string(to)), yield)
}

func each(pairs []pair, yield func(key, value []byte) bool) error {
	for _, p := range pairs {
		if !yield([]byte(p.key), []byte(p.value)) {
			break
		}
	}
	return nil
}

func (v *referenceView) Spaces(yield func(persistence.Space) bool) error {
	for _, space := range slices.Sorted(maps.Keys(v.spaces)) {
		if !yield(space) {
			break
		}
	}
	return nil
}

func (v *referenceView) Kinds() ([]string, error) {
	kinds := map[string]bool{}
	for key := range v.directory {
		kinds[key.Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds)), nil
}

func (v *referenceView) ScanDirectory(kind, from string, yield func(name string, value []byte) bool) error {
	names := map[string]string{}
	for key, value := range v.directory {
		if key.Kind == kind && key.Name >= from {
			names[key.Name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !yield(name, []byte(names[name])) {
			break
		}
	}
	return nil
}
