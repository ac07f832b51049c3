package storetest

import (
	"fmt"
	"sync"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// orderTests: batches of one space succeed and are answered in the order of
// their submission, each once.
var orderTests = map[string]func(t *testing.T, open Database){
	"AnswersInOrder":        answersInOrder,
	"LaterBatchWins":        laterBatchWins,
	"SubmitDoesNotWait":     submitDoesNotWait,
	"FailuresKeepTheirTurn": failuresKeepTheirTurn,
}

// burst submits n batches without waiting and returns the order of the answers
// and each batch's outcome.
func burst(s persistence.Store, space persistence.Space, epoch persistence.Epoch, n int, batch func(i int) *persistence.Batch) (order []int, outcomes []error) {
	var mu sync.Mutex
	var answered sync.WaitGroup
	outcomes = make([]error, n)
	answered.Add(n)
	for i := range n {
		s.Submit(space, epoch, batch(i), func(err error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
			outcomes[i] = err
			answered.Done()
		})
	}
	answered.Wait()
	return order, outcomes
}

func rising(n int) []int {
	r := make([]int, n)
	for i := range r {
		r[i] = i
	}
	return r
}

func answersInOrder(t *testing.T, open Database) {
	s := opened(t, open)
	var writers sync.WaitGroup
	for _, space := range []persistence.Space{"one", "two", "three"} {
		epoch := activate(t, s, space)
		writers.Go(func() {
			order, outcomes := burst(s, space, epoch, 300, func(i int) *persistence.Batch {
				return puts(fmt.Sprintf("%04d", i), "value")
			})
			for _, err := range outcomes {
				if err != nil {
					t.Errorf("%s: %v", space, err)
				}
			}
			if !equal(order, rising(300)) {
				t.Errorf("%s: answered in the order %v", space, order)
			}
		})
	}
	writers.Wait()
}

func equal(a, b []int) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func laterBatchWins(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	_, outcomes := burst(s, "team", epoch, 200, func(i int) *persistence.Batch {
		if i%2 == 1 {
			b := &persistence.Batch{}
			b.Delete([]byte("even"))
			b.Put([]byte("last"), fmt.Appendf(nil, "%d", i))
			return b
		}
		return puts("even", "here", "last", fmt.Sprint(i))
	})
	for _, err := range outcomes {
		require.NoError(t, err)
	}
	holds(t, s, "team", "last", "199")
}

// submitDoesNotWait: Submit returns while the callback of an earlier batch
// blocks, so an actor may submit regardless of pending answers.
func submitDoesNotWait(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	release, done := make(chan struct{}), make(chan error, 1)
	s.Submit("team", epoch, puts("a", "1"), func(error) { <-release })
	const more = 5000
	var answered sync.WaitGroup
	answered.Add(more)
	for range more {
		s.Submit("team", epoch, puts("a", "2"), func(error) { answered.Done() })
	}
	s.Submit("team", epoch, puts("a", "3"), func(err error) { done <- err })
	close(release)
	answered.Wait()
	require.NoError(t, <-done)
	holds(t, s, "team", "a", "3")
}

func failuresKeepTheirTurn(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	order, outcomes := burst(s, "team", epoch, 100, func(i int) *persistence.Batch {
		b := puts(fmt.Sprintf("%04d", i), "value")
		if i == 50 {
			b.CompareAndSet(persistence.DirectoryKey{Kind: "key", Name: "k"}, []byte("other"), nil)
		}
		return b
	})
	require.Equal(t, rising(100), order)
	for i, err := range outcomes {
		switch {
		case i < 50:
			require.NoError(t, err)
		case i == 50:
			require.ErrorIs(t, err, persistence.ErrConflict)
		default:
			require.ErrorIs(t, err, persistence.ErrFenced)
		}
	}
	once(t, s, func(v persistence.View) { require.Len(t, scanned(t, v, "team", "", ""), 50) })
}
