// Package badger implements persistence.Store on Badger, an embedded
// log-structured database, for a service that runs on one node.
//
// One goroutine, the committer, does all writes: see committer. Views are
// Badger's read transactions at the newest durable version: see snapshots.
// keys.go describes the layout on disk.
//
// After a disk failure the store stops writing permanently: every later batch
// and activation fails with the same error, while views still show the durable
// state. The process must reopen the store.
package badger

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"watchpost/persistence"
	"watchpost/persistence/storemetrics"

	"github.com/prometheus/client_golang/prometheus"
)

// Store implements persistence.Store.
type Store struct {
	db        *database
	options   Options
	queue     *queue
	snapshots *snapshots
	views     openViews
	idle      chan struct{} // see view.end
	metrics   *storemetrics.Metrics
	disk      *disk // nil in memory
	failed    <-chan error
	writing   sync.Mutex    // see committer
	committed chan struct{} // closed when the committer has ended
	closing   chan struct{} // closed to end the committer's wait for room
	stop      chan struct{} // closed to stop the background goroutines
	running   sync.WaitGroup
}

var _ persistence.Store = (*Store)(nil)

// Open opens the store of a folder, creates a missing one and repairs the
// leftovers of a crash. It returns ErrInUse when the folder is open already, and
// persistence.ErrDamaged, with the folder unchanged, when acknowledged records of
// all spaces may be lost. When some spaces have lost records, Activate and the
// reads of these return persistence.ErrDamaged.
func Open(options Options) (*Store, error) {
	options = options.withDefaults()
	d, err := openDatabase(options)
	if err != nil {
		return nil, err
	}
	s := &Store{
		db:        d,
		options:   options,
		queue:     newQueue(),
		committed: make(chan struct{}),
		closing:   make(chan struct{}),
		stop:      make(chan struct{}),
		views:     openViews{all: map[*view]struct{}{}},
		idle:      make(chan struct{}, 1),
	}
	s.metrics = newMetrics(s.queue, func() int { return s.snapshots.count() })
	c := newCommitter(d.DB, s.queue, s.metrics, &s.writing, options.epochLimit)
	c.acknowledged = d.acknowledged
	s.snapshots, s.failed = c.snapshots, c.failed
	if options.ReadOnly {
		c.failure = errReadOnly
	}
	if !options.InMemory {
		s.disk = newDisk(options)
	}
	onDisk := s.disk != nil && !options.ReadOnly
	if onDisk {
		s.disk.opened()
		s.metrics.Add(s.disk.collectors()...)
		c.disk, c.closing = s.disk, s.closing
	}
	go func() {
		defer close(s.committed)
		c.run()
	}()
	if onDisk {
		s.running.Go(s.collectGarbage)
		s.running.Go(func() { s.disk.watch(s.stop) })
	}
	return s, nil
}

// Activate implements persistence.Store. When ctx ends first, the epoch may
// have been taken anyway.
func (s *Store) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	if err := errors.Join(ctx.Err(), s.db.damage.of(space)); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	r := newActivation(space, func(err error) { done <- err })
	s.queue.push(r)
	select {
	case err := <-done:
		if err != nil {
			return 0, err
		}
		return r.epoch, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Submit implements persistence.Store. done is called on a goroutine of the
// store, never on the caller's.
func (s *Store) Submit(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) {
	s.queue.push(newRequest(space, epoch, batch, done))
}

// Close implements persistence.Store.
func (s *Store) Close() error {
	if !s.queue.close() {
		return persistence.ErrClosed
	}
	close(s.closing)
	<-s.committed
	close(s.stop)
	s.running.Wait()
	// The files are unmapped below, so no read may follow.
	if views := s.views.close(); len(views) > 0 {
		s.options.Logger.Warn("closing the store: reads of open views fail from now on", "views", len(views))
		for _, v := range views {
			v.refuseReads()
		}
	}
	if err := errors.Join(s.closeDatabase(), s.db.release()); err != nil {
		return fmt.Errorf("persistence/badger: close: %w", err)
	}
	return nil
}

func (s *Store) closeDatabase() error {
	if s.disk == nil {
		return s.db.Close()
	}
	return s.disk.closes(s.db.DB)
}

// Failed receives the error that stopped all writing. The process should exit
// then and be restarted.
func (s *Store) Failed() <-chan error { return s.failed }

// Collector returns the store's metrics; their names begin with
// watchpost_store_.
func (s *Store) Collector() prometheus.Collector { return s.metrics }
