package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// lifecycleTests: Close waits for pending batches and refuses later ones; an
// opening finds the stored data.
var lifecycleTests = map[string]func(t *testing.T, open Database){
	"CloseWaits":            closeWaits,
	"ClosedRefuses":         closedRefuses,
	"CloseDuringSubmits":    closeDuringSubmits,
	"CloseOfAnUnusedStore":  closeOfAnUnusedStore,
	"ReopenKeepsEverything": reopenKeepsEverything,
	"EpochsRiseOverReopen":  epochsRiseOverReopen,
}

func closeWaits(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	const batches = 300
	outcomes := make(chan error, batches)
	for i := range batches {
		s.Submit("team", epoch, puts(fmt.Sprintf("%03d", i), "v"), func(err error) { outcomes <- err })
	}
	require.NoError(t, s.Close())
	require.Len(t, outcomes, batches, "Close returned before all answers were given")
	for range batches {
		require.NoError(t, <-outcomes)
	}
	again := opened(t, open)
	once(t, again, func(v persistence.View) { require.Len(t, scanned(t, v, "team", "", ""), batches) })
}

func closedRefuses(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, s.Close())
	for range 3 {
		require.ErrorIs(t, commit(t, s, "team", epoch, puts("a", "1")), persistence.ErrClosed)
	}
	_, err := s.Activate(context.Background(), "team")
	require.ErrorIs(t, err, persistence.ErrClosed)
	_, err = s.View(context.Background())
	require.ErrorIs(t, err, persistence.ErrClosed)
	require.ErrorIs(t, s.Close(), persistence.ErrClosed)
	holds(t, opened(t, open), "team")
}

// closeDuringSubmits: every submission is answered once, in order, and every
// batch answered with nil is there afterwards.
func closeDuringSubmits(t *testing.T, open Database) {
	s := opened(t, open)
	const writers, batches = 4, 500
	started := make(chan struct{}, writers)
	var all sync.WaitGroup
	stored := make([]int, writers)
	space := func(w int) persistence.Space { return persistence.Space(fmt.Sprintf("team %d", w)) }
	for w := range writers {
		epoch := activate(t, s, space(w))
		all.Go(func() {
			order, outcomes := burst(s, space(w), epoch, batches, func(i int) *persistence.Batch {
				if i == batches/2 {
					started <- struct{}{}
				}
				return puts(fmt.Sprintf("%04d", i), "v")
			})
			if !equal(order, rising(batches)) {
				t.Errorf("answered in the order %v", order)
			}
			for i, err := range outcomes {
				switch {
				case err == nil && stored[w] == i:
					stored[w]++
				case !errors.Is(err, persistence.ErrClosed):
					t.Errorf("batch %d after %d stored ones: %v", i, stored[w], err)
				}
			}
		})
	}
	<-started
	require.NoError(t, s.Close())
	all.Wait()
	v := viewed(t, opened(t, open))
	for w := range writers {
		require.Len(t, scanned(t, v, space(w), "", ""), stored[w])
	}
}

func closeOfAnUnusedStore(t *testing.T, open Database) {
	for range 3 {
		require.NoError(t, open(t).Close())
	}
}

func reopenKeepsEverything(t *testing.T, open Database) {
	s := open(t)
	want := map[persistence.Space][]pair{}
	entry := persistence.DirectoryKey{Kind: "key", Name: "k"}
	for round := range 4 {
		for _, space := range []persistence.Space{"a", "ab", "b"} {
			epoch := activate(t, s, space)
			b := puts(fmt.Sprintf("%d", round), "", "round", fmt.Sprintf("%d", round))
			b.Set(entry, fmt.Appendf(nil, "%s %d", space, round))
			require.NoError(t, commit(t, s, space, epoch, b))
			want[space] = append(want[space], pair{fmt.Sprint(round), ""})
		}
		require.NoError(t, s.Close())
		s = open(t)
		once(t, s, func(v persistence.View) {
			for space, pairs := range want {
				all := append(append([]pair{}, pairs...), pair{"round", fmt.Sprint(round)})
				require.Equal(t, all, scanned(t, v, space, "", ""))
			}
			value, err := v.Lookup(entry)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("b %d", round), string(value))
		})
	}
	require.NoError(t, s.Close())
}

func epochsRiseOverReopen(t *testing.T, open Database) {
	s := open(t)
	old := activate(t, s, "team")
	require.NoError(t, s.Close())
	s = opened(t, open)
	epoch := activate(t, s, "team")
	require.Greater(t, epoch, old)
	require.ErrorIs(t, commit(t, s, "team", old, puts("a", "1")), persistence.ErrFenced)
	put(t, s, "team", epoch, "a", "2")
	holds(t, s, "team", "a", "2")
}
