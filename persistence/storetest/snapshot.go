package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// snapshotTests: a view sees whole batches: all that were answered before it
// was opened and none that came later.
var snapshotTests = map[string]func(t *testing.T, open Database){
	"SeesWhatIsDone":       seesWhatIsDone,
	"SeesItAtOnce":         seesItAtOnce,
	"DoesNotChange":        doesNotChange,
	"ExpectedKeys":         expectedKeys,
	"SeesWholeBatches":     seesWholeBatches,
	"SpansSpaces":          spansSpaces,
	"ReadsWithinAScan":     readsWithinAScan,
	"ManyAtOnce":           manyAtOnce,
	"CloseTwiceIsHarmless": closeTwiceIsHarmless,
}

func seesWhatIsDone(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	for i := range 100 {
		put(t, s, "team", epoch, "k", fmt.Sprint(i))
		once(t, s, func(v persistence.View) {
			value, err := v.Get("team", []byte("k"))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(i), string(value))
		})
	}
}

// seesItAtOnce: an answered batch is visible while the callbacks of other
// batches in its group still run.
func seesItAtOnce(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	for i := range 20 {
		first, seen := make(chan error, 1), make(chan struct{})
		last := make(chan error, 1)
		s.Submit("team", epoch, &persistence.Batch{}, func(error) {})
		s.Submit("team", epoch, puts("k", fmt.Sprint(i)), func(err error) { first <- err })
		s.Submit("team", epoch, puts("l", fmt.Sprint(i)), func(err error) {
			<-seen
			last <- err
		})
		require.NoError(t, <-first)
		once(t, s, func(v persistence.View) {
			value, err := v.Get("team", []byte("k"))
			close(seen)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(i), string(value))
		})
		require.NoError(t, <-last)
	}
}

func doesNotChange(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	entry := persistence.DirectoryKey{Kind: "key", Name: "k"}
	b := puts("changed", "1", "deleted", "1", "kept", "1")
	b.Set(entry, []byte("1"))
	require.NoError(t, commit(t, s, "team", epoch, b))
	v := viewed(t, s)

	b = puts("changed", "2", "added", "2")
	b.Delete([]byte("deleted"))
	b.Set(entry, []byte("2"))
	require.NoError(t, commit(t, s, "team", epoch, b))

	old := []pair{{"changed", "1"}, {"deleted", "1"}, {"kept", "1"}}
	require.Equal(t, old, scanned(t, v, "team", "", ""))
	_, err := v.Get("team", []byte("added"))
	require.ErrorIs(t, err, persistence.ErrNotFound)
	value, err := v.Lookup(entry)
	require.NoError(t, err)
	require.Equal(t, "1", string(value))
	require.NoError(t, v.ScanDirectory("key", "", func(_ string, value []byte) bool {
		require.Equal(t, "1", string(value))
		return true
	}))
	holds(t, s, "team", "added", "2", "changed", "2", "kept", "1")
}

// expectedKeys: a view returns the same for keys that its caller expects to need.
func expectedKeys(t *testing.T, open Database) {
	s := opened(t, open)
	epoch, other := activate(t, s, "team"), activate(t, s, "other")
	require.NoError(t, commit(t, s, "team", epoch, puts("changed", "1", "empty", "", "kept", "1")))
	put(t, s, "other", other, "changed", "other's")
	v, err := s.View(persistence.Expect(t.Context(), "team", "changed", "empty", "added", "changed"))
	require.NoError(t, err)
	defer v.Close()
	require.NoError(t, commit(t, s, "team", epoch, puts("changed", "2", "added", "2", "kept", "2")))

	for range 2 {
		for key, want := range map[string]string{"changed": "1", "empty": "", "kept": "1"} {
			value, err := v.Get("team", []byte(key))
			require.NoError(t, err, key)
			require.Equal(t, want, string(value), key)
			copy(value, "x") // it is the caller's
		}
		_, err := v.Get("team", []byte("added"))
		require.ErrorIs(t, err, persistence.ErrNotFound)
		value, err := v.Get("other", []byte("changed"))
		require.NoError(t, err)
		require.Equal(t, "other's", string(value))
	}
	require.Equal(t, []pair{{"changed", "1"}, {"empty", ""}, {"kept", "1"}}, scanned(t, v, "team", "", ""))
	v.Close()
	_, err = v.Get("team", []byte("changed"))
	require.Error(t, err, "a closed view")
}

// seesWholeBatches: writers keep several keys equal, one of them in the
// directory; no view ever sees a difference.
func seesWholeBatches(t *testing.T, open Database) {
	s := opened(t, open)
	const writers, batches = 4, 150
	var running atomic.Int64
	var all sync.WaitGroup
	space := func(w int) persistence.Space { return persistence.Space(fmt.Sprintf("team %d", w)) }
	for w := range writers {
		epoch := activate(t, s, space(w))
		running.Add(1)
		all.Go(func() {
			defer running.Add(-1)
			_, outcomes := burst(s, space(w), epoch, batches, func(i int) *persistence.Batch {
				value := fmt.Sprint(i)
				b := puts("a", value, "m", value, "z", value)
				b.Set(persistence.DirectoryKey{Kind: "last", Name: string(space(w))}, []byte(value))
				return b
			})
			for _, err := range outcomes {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	check := func() {
		once(t, s, func(v persistence.View) {
			for w := range writers {
				got := scanned(t, v, space(w), "", "")
				if len(got) == 0 {
					continue
				}
				require.Len(t, got, 3)
				entry, err := v.Lookup(persistence.DirectoryKey{Kind: "last", Name: string(space(w))})
				require.NoError(t, err)
				require.Equal(t, []string{got[0].value, got[0].value, got[0].value},
					[]string{got[1].value, got[2].value, string(entry)})
			}
		})
	}
	for running.Load() > 0 {
		check()
	}
	all.Wait()
	check()
}

func spansSpaces(t *testing.T, open Database) {
	s := opened(t, open)
	one, two := activate(t, s, "one"), activate(t, s, "two")
	put(t, s, "one", one, "k", "1")
	v := viewed(t, s)
	put(t, s, "two", two, "k", "1")
	require.Empty(t, scanned(t, v, "two", "", ""))
	require.Len(t, scanned(t, v, "one", "", ""), 1)
}

// readsWithinAScan: yield may read the view again, for instance to follow an
// index to its record.
func readsWithinAScan(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, commit(t, s, "team", epoch, puts("i1", "r1", "i2", "r2", "r1", "one", "r2", "two")))
	v := viewed(t, s)
	var got []string
	require.NoError(t, v.Scan("team", []byte("i"), []byte("j"), func(_, value []byte) bool {
		record, err := v.Get("team", value)
		require.NoError(t, err)
		got = append(got, string(record))
		require.Len(t, scanned(t, v, "team", "r", ""), 2)
		return true
	}))
	require.Equal(t, []string{"one", "two"}, got)
}

func manyAtOnce(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	var views []persistence.View
	for i := range 50 {
		put(t, s, "team", epoch, "k", fmt.Sprint(i))
		v, err := s.View(context.Background())
		require.NoError(t, err)
		views = append(views, v)
	}
	// Closed out of order, each keeps its contents.
	for _, i := range []int{25, 0, 49, 1, 24} {
		value, err := views[i].Get("team", []byte("k"))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), string(value))
		views[i].Close()
		views[i] = nil
	}
	for i, v := range views {
		if v == nil {
			continue
		}
		value, err := v.Get("team", []byte("k"))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), string(value))
		v.Close()
	}
}

func closeTwiceIsHarmless(t *testing.T, open Database) {
	s := opened(t, open)
	v := viewed(t, s)
	v.Close()
	v.Close()
	_, err := v.Get("team", []byte("k"))
	require.Error(t, err)
	require.NotErrorIs(t, err, persistence.ErrNotFound)
}
