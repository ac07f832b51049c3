package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/postgres/postgrestest"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

const patience = time.Minute

// await polls a condition that another goroutine or process makes true.
func await(t testing.TB, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatal("not in time: " + what)
		}
	}
}

func stored(t testing.TB, s *Store, space persistence.Space, key string) string {
	t.Helper()
	v, err := s.View(t.Context())
	require.NoError(t, err)
	defer v.Close()
	value, err := v.Get(space, []byte(key))
	require.NoError(t, err)
	return string(value)
}

func put(s *Store, space persistence.Space, epoch persistence.Epoch, key, value string) error {
	b := &persistence.Batch{}
	b.Put([]byte(key), []byte(value))
	return persistence.Commit(context.Background(), s, space, epoch, b)
}

// writer counts in a space as a team does: after a failed commit it activates
// the space again and continues from the stored count.
type writer struct {
	space        persistence.Space
	acknowledged atomic.Int64
	lost, reload int
}

func (w *writer) run(s *Store, stop <-chan struct{}) error {
	next := int64(1)
	for {
		epoch, at, err := w.load(s, stop)
		if err != nil {
			return err
		}
		if at < w.acknowledged.Load() {
			return fmt.Errorf("%s: %d was acknowledged, %d is stored", w.space, w.acknowledged.Load(), at)
		}
		if at > next {
			return fmt.Errorf("%s: %d is stored, only %d was sent", w.space, at, next)
		}
		for next = at + 1; ; next++ {
			select {
			case <-stop:
				return nil
			default:
			}
			if err := put(s, w.space, epoch, "n", strconv.FormatInt(next, 10)); err != nil {
				w.lost++
				break
			}
			w.acknowledged.Store(next)
		}
		// The same epoch must not write after the failure.
		if err := put(s, w.space, epoch, "n", "-1"); !errors.Is(err, persistence.ErrFenced) {
			return fmt.Errorf("%s: a commit after a failed one: %w", w.space, err)
		}
		w.reload++
	}
}

// load retries until the database is back.
func (w *writer) load(s *Store, stop <-chan struct{}) (persistence.Epoch, int64, error) {
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		epoch, n, err := w.tryLoad(s)
		if err == nil {
			return epoch, n, nil
		}
		select {
		case <-retry.C:
		case <-stop:
			return 0, 0, err
		}
	}
}

func (w *writer) tryLoad(s *Store) (persistence.Epoch, int64, error) {
	ctx := context.Background()
	epoch, err := s.Activate(ctx, w.space)
	if err != nil {
		return 0, 0, err
	}
	v, err := s.View(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer v.Close()
	value, err := v.Get(w.space, []byte("n"))
	if errors.Is(err, persistence.ErrNotFound) {
		return epoch, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	return epoch, n, err
}

// TestLossOfTheDatabase stops and crashes the server under load. Nothing
// acknowledged is lost, the writers go on, and Fault tells of the loss.
func TestLossOfTheDatabase(t *testing.T) {
	own, err := postgrestest.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.Close()) })
	s := mustOpen(t, newDatabase(t, own))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	before, err := s.View(t.Context())
	require.NoError(t, err)
	t.Cleanup(before.Close)

	writers := make([]writer, 8)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range writers {
		writers[i].space = persistence.Space(fmt.Sprintf("team %d", i))
		all.Go(func() {
			if err := writers[i].run(s, stop); err != nil {
				t.Error(err)
			}
		})
	}
	more := func() {
		t.Helper()
		for i := range writers {
			from := writers[i].acknowledged.Load()
			await(t, "a writer goes on", func() bool { return writers[i].acknowledged.Load() > from+5 })
		}
	}
	more()
	for _, end := range []func() error{own.Stop, own.Crash} {
		require.NoError(t, s.Fault())
		require.NoError(t, end())
		await(t, "the fault is seen", func() bool { return s.Fault() != nil })
		_, err := s.View(t.Context())
		require.Error(t, err)
		require.NoError(t, own.Run())
		await(t, "the fault has ended", func() bool { return s.Fault() == nil })
		more()
	}
	close(stop)
	all.Wait()
	for i := range writers {
		require.NotZero(t, writers[i].reload)
		require.Equal(t, strconv.FormatInt(writers[i].acknowledged.Load(), 10), stored(t, s, writers[i].space, "n"))
	}
	_, err = before.Get("team 0", []byte("n"))
	require.Error(t, err, "a view survived the loss of its transaction")
	require.NotErrorIs(t, err, persistence.ErrNotFound)
}

// TestActivationWaitsForACommitUnderWay: a commit that was sent before an
// activation is read after it, or refused.
func TestActivationWaitsForACommitUnderWay(t *testing.T) {
	s := mustOpen(t, newDatabase(t, server))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ctx := t.Context()
	epoch, err := s.Activate(ctx, "team")
	require.NoError(t, err)

	// Another session holds the row of a key, so the commit waits after its
	// check of the epoch.
	require.NoError(t, put(s, "team", epoch, "n", "0"))
	blocker, err := s.views.Acquire(ctx)
	require.NoError(t, err)
	t.Cleanup(blocker.Release) // the store's Close waits for it
	_, err = blocker.Exec(ctx, "BEGIN; UPDATE pair SET value = value")
	require.NoError(t, err)
	committed := make(chan error, 1)
	b := &persistence.Batch{}
	b.Put([]byte("n"), []byte("1"))
	s.Submit("team", epoch, b, func(err error) { committed <- err })
	waiting := func(sessions int) func() bool {
		return func() bool {
			var n int
			err := s.commits.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
			return err == nil && n == sessions
		}
	}
	await(t, "the commit waits", waiting(1))
	activated := make(chan error, 1)
	go func() {
		_, err := s.Activate(context.Background(), "team")
		activated <- err
	}()
	await(t, "the activation waits", waiting(2))
	_, err = blocker.Exec(ctx, "COMMIT")
	require.NoError(t, err)
	require.NoError(t, <-committed)
	require.NoError(t, <-activated)
	require.Equal(t, "1", stored(t, s, "team", "n"))
}

// TestViewsAreBounded: a View waits while too many are open, until one is
// closed or its context ends.
func TestViewsAreBounded(t *testing.T) {
	s := mustOpen(t, newDatabase(t, server)+"&pool_max_conns=2")
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	var open []persistence.View
	for range 2 {
		v, err := s.View(t.Context())
		require.NoError(t, err)
		open = append(open, v)
	}
	ended, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.View(ended)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	opened := make(chan error, 1)
	go func() {
		v, err := s.View(context.Background())
		if err == nil {
			v.Close()
		}
		opened <- err
	}()
	open[0].Close()
	require.NoError(t, <-opened)
	open[1].Close()
	// 3 kinds of metrics for each of 2 pools, and the counter of waits.
	require.Equal(t, 8, testutil.CollectAndCount(s.Collector(), "watchpost_store_pool_used", "watchpost_store_pool_size",
		"watchpost_store_pool_limit", "watchpost_store_pool_wait_seconds_total"))
}

// TestOpenRefuses: servers that cannot keep the contract, and a database that a
// later version has changed.
func TestOpenRefuses(t *testing.T) {
	ctx := t.Context()
	url := newDatabase(t, server)
	refused := func(url, why string) {
		t.Helper()
		s, err := Open(ctx, Options{URL: url})
		if err == nil {
			require.NoError(t, s.Close())
		}
		require.ErrorContains(t, err, why)
	}
	refused(url+"&synchronous_commit=off", "synchronous_commit is off")
	refused("postgres://ada:secret@127.0.0.1:1/none", "connect")
	s := mustOpen(t, url)
	_, err := s.commits.Exec(ctx, "UPDATE watchpost_schema_version SET version = version + 1")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	refused(url, "outside the valid versions")

	_, err = Open(ctx, Options{URL: "postgres://ada:secret@127.0.0.1:1/none"})
	require.NotContains(t, err.Error(), "secret")
}

// TestReadsOfAViewEndWithItsDeadline opens a view under a deadline: reads after it
// fail, and the store goes on.
func TestReadsOfAViewEndWithItsDeadline(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, newDatabase(t, server))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	epoch, err := s.Activate(t.Context(), "a")
	require.NoError(t, err)
	require.NoError(t, put(s, "a", epoch, "k", "v"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	v, err := s.View(ctx)
	require.NoError(t, err)
	v.(*view).deadline = time.Now()
	_, err = v.Get("a", []byte("k"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	v.Close()
	require.Equal(t, "v", stored(t, s, "a", "k"))
}

// TestVictims: a statement that the database takes back for the sake of others is sent
// again. Databases of the family that are spread over several servers do that often.
func TestVictims(t *testing.T) {
	for _, code := range []string{"40001", "40P01"} {
		t.Run(code, func(t *testing.T) {
			s := mustOpen(t, newDatabase(t, server))
			defer func() { require.NoError(t, s.Close()) }()
			// A number of a sequence stays taken when its transaction is taken back.
			for _, sql := range []string{
				"CREATE SEQUENCE tried",
				"CREATE FUNCTION chosen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
					"IF nextval('tried') % 3 > 0 THEN RAISE EXCEPTION 'chosen as the victim' USING ERRCODE = '" + code + "'; END IF; RETURN NEW; END $$",
				"CREATE TRIGGER victims BEFORE INSERT OR UPDATE ON space FOR EACH ROW EXECUTE FUNCTION chosen()",
				"CREATE TRIGGER victims BEFORE INSERT OR UPDATE ON pair FOR EACH ROW EXECUTE FUNCTION chosen()",
				"CREATE TRIGGER victims BEFORE INSERT OR UPDATE ON directory FOR EACH ROW EXECUTE FUNCTION chosen()",
			} {
				_, err := s.commits.Exec(t.Context(), sql)
				require.NoError(t, err)
			}
			epoch, err := s.Activate(t.Context(), "team")
			require.NoError(t, err)
			require.NoError(t, put(s, "team", epoch, "k", "1"))
			require.Equal(t, "1", stored(t, s, "team", "k"))

			b := &persistence.Batch{}
			b.Set(persistence.DirectoryKey{Kind: "key", Name: "k"}, []byte("1"))
			require.NoError(t, persistence.Commit(t.Context(), s, "team", epoch, b))

			b = &persistence.Batch{}
			b.CompareAndSet(persistence.DirectoryKey{Kind: "key", Name: "k"}, []byte("2"), []byte("3"))
			require.ErrorIs(t, persistence.Commit(t.Context(), s, "team", epoch, b), persistence.ErrConflict)
			require.ErrorIs(t, put(s, "team", epoch, "k", "2"), persistence.ErrFenced, "a conflict ends the epoch")
		})
	}
}
