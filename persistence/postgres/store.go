// Package postgres implements persistence.Store on PostgreSQL 15 or later.
//
// One goroutine, the committer, sends all batches that wait as one statement,
// which checks each space's epoch under a row lock in the same transaction (see
// statements.go). No transaction that writes spans two round trips, so a client
// that vanishes keeps no lock. Views are
// read-only transactions at isolation level repeatable read, from a bounded
// pool.
//
// A fault of the database fails the batches under way, whose outcome is then
// unknown, and ends their epochs. Their writers activate the spaces again and
// load the stored state: an activation waits for the row lock of a statement
// that is still running. The store itself keeps working and reconnects.
package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/storemetrics"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// Options are the database and settings of a store.
type Options struct {
	// URL is a connection string of libpq's form: postgres://user@host/database.
	// pool_max_conns bounds the open views; it is 16 by default.
	URL string
	// Logger receives the loss and the return of the database; nil is
	// slog.Default.
	Logger *slog.Logger
	// BeforeMigration is called before tables of an earlier version are changed, with the
	// connection that does so; its error is that of Open. Nil: nothing is asked.
	BeforeMigration func(ctx context.Context, conn *pgx.Conn) error
}

// Store implements persistence.Store.
type Store struct {
	log       *slog.Logger
	commits   *pgxpool.Pool // of the committer, activations and the probe
	views     *pgxpool.Pool
	committer *committer
	metrics   *storemetrics.Metrics
	fault     atomic.Pointer[error] // nil while the database answers

	mu     sync.Mutex
	closed bool
	open   map[*view]struct{}

	stop    context.CancelFunc // ends the probe
	running sync.WaitGroup
}

var _ persistence.Store = (*Store)(nil)

// Open connects to the database and brings its tables up to date.
func Open(ctx context.Context, options Options) (*Store, error) {
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	commits, views, err := configure(options.URL)
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, commits.ConnConfig, options.BeforeMigration); err != nil {
		return nil, err
	}
	s := &Store{log: options.Logger, open: map[*view]struct{}{}}
	if s.commits, err = pgxpool.NewWithConfig(ctx, commits); err != nil {
		return nil, wrap("connect", err)
	}
	if s.views, err = pgxpool.NewWithConfig(ctx, views); err != nil {
		s.commits.Close()
		return nil, wrap("connect", err)
	}
	s.committer = newCommitter(s)
	s.metrics = newMetrics(s)
	probing, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.probe(probing) })
	return s, nil
}

// Activate implements persistence.Store. When ctx ends first, the epoch may
// have been taken anyway.
func (s *Store) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if !validSpace(space) {
		return 0, persistence.ErrTooLarge
	}
	ctx, cancel := context.WithTimeout(ctx, statementPatience)
	defer cancel()
	var epoch int64
	err := untilDone(ctx, func() error { return s.commits.QueryRow(ctx, activateSQL, []byte(space)).Scan(&epoch) })
	s.metrics.Activated(err)
	if err != nil {
		return 0, s.failure("activate", err)
	}
	s.committer.activated(space, persistence.Epoch(epoch))
	return persistence.Epoch(epoch), nil
}

// Submit implements persistence.Store. done is called on a goroutine of the
// store, never on the caller's.
func (s *Store) Submit(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) {
	s.committer.push(newRequest(space, epoch, batch, done))
}

// Close implements persistence.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return persistence.ErrClosed
	}
	s.closed = true
	open := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	s.committer.close()
	s.stop()
	s.running.Wait()
	if len(open) > 0 {
		s.log.Warn("closing the store: reads of open views fail from now on", "views", len(open))
		for _, v := range open {
			v.Close()
		}
	}
	s.views.Close()
	s.commits.Close()
	return nil
}

// failure returns the error of an operation that met a closed store or a fault
// of the database.
func (s *Store) failure(op string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return persistence.ErrClosed
	}
	return wrap(op, err)
}

// probeEvery is the time between two probes of the database.
const probeEvery = time.Second

// probe keeps Fault up to date.
func (s *Store) probe(ctx context.Context) {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := s.ping(ctx)
		if ctx.Err() != nil {
			return
		}
		switch before := s.fault.Load(); {
		case err == nil && before != nil:
			s.fault.Store(nil)
			s.log.Info("the database answers again")
		case err != nil:
			s.fault.Store(&err)
			if before == nil {
				s.log.Error("the database does not answer: requests fail until it does", "error", err)
			}
		}
	}
}

func (s *Store) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingPatience)
	defer cancel()
	return s.commits.Ping(ctx)
}

// Fault returns why the database did not answer the last probe; nil when it
// did.
func (s *Store) Fault() error {
	if err := s.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// Collector returns the store's metrics; their names begin with
// watchpost_store_.
func (s *Store) Collector() prometheus.Collector { return s.metrics }

func validSpace(space persistence.Space) bool {
	return len(space) > 0 && len(space) <= persistence.MaxSpace
}

func wrap(op string, err error) error { return fmt.Errorf("persistence/postgres: %s: %w", op, err) }
