package storetest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// fenceTests: only the newest epoch writes, and a failure ends its epoch.
var fenceTests = map[string]func(t *testing.T, open Database){
	"EpochsRise":                   epochsRise,
	"OldEpochFails":                oldEpochFails,
	"OnlyActivatedEpochsWrite":     onlyActivatedEpochsWrite,
	"OneOfTwoWritersWins":          oneOfTwoWritersWins,
	"ActivationsAreUnique":         activationsAreUnique,
	"ActivateKeepsWhatWasDone":     activateKeepsWhatWasDone,
	"ConflictEndsTheEpoch":         conflictEndsTheEpoch,
	"TooLargeEndsTheEpoch":         tooLargeEndsTheEpoch,
	"FencedDoesNotEndTheNewEpoch":  fencedDoesNotEndTheNewEpoch,
	"FailuresSpareTheNeighbours":   failuresSpareTheNeighbours,
	"ManyFailedSpacesStayFenced":   manyFailedSpacesStayFenced,
	"CancelledActivateIsNoFailure": cancelledActivateIsNoFailure,
}

func conflicting() *persistence.Batch {
	b := puts("lost", "lost")
	b.CompareAndSet(persistence.DirectoryKey{Kind: "key", Name: "nobody has this"}, []byte("x"), []byte("y"))
	return b
}

func tooLarge() *persistence.Batch {
	b := puts("lost", "lost")
	b.Put([]byte("big"), make([]byte, persistence.MaxValue+1))
	return b
}

func epochsRise(t *testing.T, open Database) {
	s := opened(t, open)
	first := activate(t, s, "team")
	require.NotZero(t, first)
	second := activate(t, s, "team")
	require.Greater(t, second, first)
	require.NotZero(t, activate(t, s, "another"))
}

func oldEpochFails(t *testing.T, open Database) {
	s := opened(t, open)
	old := activate(t, s, "team")
	put(t, s, "team", old, "a", "old")
	epoch := activate(t, s, "team")
	require.ErrorIs(t, commit(t, s, "team", old, puts("a", "late")), persistence.ErrFenced)
	put(t, s, "team", epoch, "b", "new")
	holds(t, s, "team", "a", "old", "b", "new")
}

func onlyActivatedEpochsWrite(t *testing.T, open Database) {
	s := opened(t, open)
	for epoch := range persistence.Epoch(3) {
		require.ErrorIs(t, commit(t, s, "never activated", epoch, puts("a", "1")), persistence.ErrFenced)
	}
	epoch := activate(t, s, "team")
	require.ErrorIs(t, commit(t, s, "team", epoch+1, puts("a", "1")), persistence.ErrFenced)
	require.ErrorIs(t, commit(t, s, "team", 0, puts("a", "1")), persistence.ErrFenced)
	// The space's epoch did not fail either, so neither batch ends it.
	put(t, s, "team", epoch, "a", "2")
}

// oneOfTwoWritersWins: two activations at once, each writing as fast as it
// can. The stored batches are a prefix of the older writer's followed by all
// of the newer's.
func oneOfTwoWritersWins(t *testing.T, open Database) {
	s := opened(t, open)
	const batches = 200
	history := func(epoch persistence.Epoch) func(i int) *persistence.Batch {
		return func(i int) *persistence.Batch { return puts(fmt.Sprintf("%d/%04d", epoch, i), "x") }
	}
	var writers sync.WaitGroup
	old := activate(t, s, "team")
	var oldOutcomes []error
	writers.Go(func() { _, oldOutcomes = burst(s, "team", old, batches, history(old)) })
	epoch := activate(t, s, "team")
	_, outcomes := burst(s, "team", epoch, batches, history(epoch))
	writers.Wait()

	for _, err := range outcomes {
		require.NoError(t, err)
	}
	succeeded := 0
	for i, err := range oldOutcomes {
		if err == nil {
			require.Equal(t, succeeded, i, "a batch succeeded after one of its epoch had failed")
			succeeded++
			continue
		}
		require.ErrorIs(t, err, persistence.ErrFenced)
	}
	once(t, s, func(v persistence.View) {
		require.Len(t, scanned(t, v, "team", fmt.Sprintf("%d/", old), fmt.Sprintf("%d0", old)), succeeded)
		require.Len(t, scanned(t, v, "team", fmt.Sprintf("%d/", epoch), fmt.Sprintf("%d0", epoch)), batches)
	})
}

func activationsAreUnique(t *testing.T, open Database) {
	s := opened(t, open)
	const callers = 16
	epochs := make([]persistence.Epoch, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			epoch, err := s.Activate(context.Background(), "team")
			if err != nil {
				t.Error(err)
			}
			epochs[i] = epoch
		})
	}
	all.Wait()
	seen := map[persistence.Epoch]bool{}
	for _, epoch := range epochs {
		require.False(t, seen[epoch], "epoch %d was taken twice", epoch)
		seen[epoch] = true
	}
	require.Greater(t, activate(t, s, "team"), maximum(epochs))
}

func maximum(epochs []persistence.Epoch) (most persistence.Epoch) {
	for _, epoch := range epochs {
		most = max(most, epoch)
	}
	return most
}

func activateKeepsWhatWasDone(t *testing.T, open Database) {
	s := opened(t, open)
	old := activate(t, s, "team")
	done := make(chan error, 1)
	s.Submit("team", old, puts("a", "1"), func(err error) { done <- err })
	activate(t, s, "team")
	// Submitted before the activation: it may be stored, and then completely.
	if err := <-done; err != nil {
		require.ErrorIs(t, err, persistence.ErrFenced)
		holds(t, s, "team")
		return
	}
	holds(t, s, "team", "a", "1")
}

func failureEndsTheEpoch(t *testing.T, open Database, failing *persistence.Batch, want error) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	put(t, s, "team", epoch, "before", "1")
	require.ErrorIs(t, commit(t, s, "team", epoch, failing), want)
	for range 3 {
		require.ErrorIs(t, commit(t, s, "team", epoch, puts("after", "1")), persistence.ErrFenced)
	}
	holds(t, s, "team", "before", "1")

	next := activate(t, s, "team")
	require.Greater(t, next, epoch)
	require.ErrorIs(t, commit(t, s, "team", epoch, puts("after", "1")), persistence.ErrFenced)
	put(t, s, "team", next, "next", "1")
	holds(t, s, "team", "before", "1", "next", "1")
}

func conflictEndsTheEpoch(t *testing.T, open Database) {
	failureEndsTheEpoch(t, open, conflicting(), persistence.ErrConflict)
}

func tooLargeEndsTheEpoch(t *testing.T, open Database) {
	failureEndsTheEpoch(t, open, tooLarge(), persistence.ErrTooLarge)
}

func fencedDoesNotEndTheNewEpoch(t *testing.T, open Database) {
	s := opened(t, open)
	old := activate(t, s, "team")
	epoch := activate(t, s, "team")
	require.ErrorIs(t, commit(t, s, "team", old, conflicting()), persistence.ErrFenced)
	require.ErrorIs(t, commit(t, s, "team", old, tooLarge()), persistence.ErrTooLarge)
	put(t, s, "team", epoch, "a", "1")
}

// failuresSpareTheNeighbours: failing batches between batches of other spaces,
// probably in one group with them.
func failuresSpareTheNeighbours(t *testing.T, open Database) {
	s := opened(t, open)
	good, bad := activate(t, s, "good"), activate(t, s, "bad")
	failing := []func() *persistence.Batch{conflicting, tooLarge}
	var answered sync.WaitGroup
	outcomes := make([]error, 100)
	for i := range outcomes {
		answered.Add(2)
		s.Submit("bad", bad, failing[i%2](), func(error) { answered.Done() })
		s.Submit("good", good, puts(fmt.Sprintf("%03d", i), "1"), func(err error) {
			outcomes[i] = err
			answered.Done()
		})
	}
	answered.Wait()
	for _, err := range outcomes {
		require.NoError(t, err)
	}
	holds(t, s, "bad")
	once(t, s, func(v persistence.View) { require.Len(t, scanned(t, v, "good", "", ""), len(outcomes)) })
}

// manyFailedSpacesStayFenced: an engine with a bounded cache of spaces must
// not forget a failed one.
func manyFailedSpacesStayFenced(t *testing.T, open Database) {
	s := opened(t, open)
	const spaces = 300
	epochs := make([]persistence.Epoch, spaces)
	name := func(i int) persistence.Space { return persistence.Space(fmt.Sprintf("team %d", i)) }
	each := func(f func(i int)) {
		var all sync.WaitGroup
		for i := range spaces {
			all.Go(func() { f(i) })
		}
		all.Wait()
	}
	each(func(i int) {
		var err error
		if epochs[i], err = s.Activate(context.Background(), name(i)); err != nil {
			t.Error(err)
		}
	})
	expect := func(b func() *persistence.Batch, want error) {
		outcomes := make([]error, spaces)
		each(func(i int) { outcomes[i] = persistence.Commit(context.Background(), s, name(i), epochs[i], b()) })
		for _, err := range outcomes {
			require.ErrorIs(t, err, want)
		}
	}
	expect(conflicting, persistence.ErrConflict)
	expect(func() *persistence.Batch { return puts("a", "1") }, persistence.ErrFenced)
}

func cancelledActivateIsNoFailure(t *testing.T, open Database) {
	s := opened(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Activate(ctx, "team")
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.View(ctx)
	require.ErrorIs(t, err, context.Canceled)
	epoch := activate(t, s, "team")
	put(t, s, "team", epoch, "a", string(bytes.Repeat([]byte("x"), 10)))
}
