package faultstore_test

import (
	"log/slog"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/faultstore"
	"watchpost/persistence/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tornVariable makes TestTornConformance run the suite on a store that tears.
const tornVariable = "WATCHPOST_TORN"

// conformance runs the suite on Badger in a fault store.
func conformance(t *testing.T, mix faultstore.Mix) {
	storetest.Run(t, func(t testing.TB) storetest.Database {
		dir := t.TempDir()
		return func(t testing.TB) persistence.Store {
			engine, err := badger.Open(badger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
			require.NoError(t, err)
			s := faultstore.New(engine)
			s.Play(mix, 1)
			return s
		}
	})
}

// TestConformance: late answers and a disk that is full for a while keep the
// contract.
func TestConformance(t *testing.T) {
	conformance(t, faultstore.Mix{Slow: 20, Full: 200})
}

// TestTornConformance fails: a store that tears its batches does not pass the
// suite. TestSuiteFindsTornBatches runs it.
func TestTornConformance(t *testing.T) {
	if os.Getenv(tornVariable) == "" {
		return
	}
	conformance(t, faultstore.Mix{Torn: 1})
}

// TestSuiteFindsTornBatches: a store that writes a part of a batch first fails
// those tests of the suite that a part breaks.
func TestSuiteFindsTornBatches(t *testing.T) {
	t.Parallel()
	run := exec.Command(os.Args[0], "-test.run", "^TestTornConformance$/^(Atomic|Fence)$/^(NothingOfAFailedOne|ConflictEndsTheEpoch|TooLargeEndsTheEpoch)$")
	run.Env = append(os.Environ(), tornVariable+"=1")
	out, err := run.CombinedOutput()
	require.Error(t, err)
	for _, name := range []string{"Atomic/NothingOfAFailedOne", "Fence/ConflictEndsTheEpoch", "Fence/TooLargeEndsTheEpoch"} {
		require.Contains(t, string(out), "--- FAIL: TestTornConformance/"+name+" ")
	}
}

func put(t *testing.T, s *faultstore.Store, epoch persistence.Epoch, key string) error {
	t.Helper()
	b := &persistence.Batch{}
	b.Put([]byte(key), []byte("1"))
	return persistence.Commit(t.Context(), s, "team", epoch, b)
}

func has(t *testing.T, s persistence.Store, key string) bool {
	t.Helper()
	view, err := s.View(t.Context())
	require.NoError(t, err)
	defer view.Close()
	_, err = view.Get("team", []byte(key))
	return err == nil
}

// TestFatal: after a write that failed nothing is written until the engine is
// opened again, which shows what the failed write did.
func TestFatal(t *testing.T) {
	t.Parallel()
	for _, fault := range []faultstore.Fault{faultstore.Before, faultstore.After} {
		options := badger.Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)}
		engine, err := badger.Open(options)
		require.NoError(t, err)
		s := faultstore.New(engine)
		s.Fatal()
		epoch, err := s.Activate(t.Context(), "team")
		require.NoError(t, err)
		require.NoError(t, put(t, s, epoch, "good"))
		s.Fail("team", 1, fault)
		require.ErrorIs(t, put(t, s, epoch, "failed"), faultstore.ErrInjected)
		require.ErrorIs(t, put(t, s, epoch, "later"), faultstore.ErrInjected)
		require.ErrorIs(t, <-s.Failed(), faultstore.ErrInjected)
		_, err = s.Activate(t.Context(), "team")
		require.ErrorIs(t, err, faultstore.ErrInjected)
		require.True(t, has(t, s, "good"), "reads go on")
		require.NoError(t, s.Close())

		engine, err = badger.Open(options)
		require.NoError(t, err)
		require.True(t, has(t, engine, "good"))
		require.Equal(t, fault == faultstore.After, has(t, engine, "failed"))
		require.False(t, has(t, engine, "later"))
		require.NoError(t, engine.Close())
	}
}

// TestPlayIsSeeded: a seed gives each space the same faults in every run.
func TestPlayIsSeeded(t *testing.T) {
	t.Parallel()
	story := func(seed uint64, neighbour bool) (faults []faultstore.Fault) {
		engine, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		s := faultstore.New(engine)
		defer func() { require.NoError(t, s.Close()) }()
		last := faultstore.None
		s.Observe(func(f faultstore.Fault) { last = f })
		s.Play(faultstore.Mix{Before: 5, After: 5, Conflict: 5, Slow: 5}, seed)
		for i := range 60 {
			if neighbour {
				_ = persistence.Commit(t.Context(), s, "another", 1, &persistence.Batch{})
			}
			last = faultstore.None
			_ = put(t, s, persistence.Epoch(i), "key")
			faults = append(faults, last)
		}
		return faults
	}
	first := story(7, false)
	require.Equal(t, first, story(7, true))
	require.NotEqual(t, first, story(8, false))
	for _, f := range []faultstore.Fault{faultstore.None, faultstore.Before, faultstore.After, faultstore.Conflict, faultstore.Slow} {
		require.Contains(t, first, f)
	}
}
