package ordered_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/ordered"
)

type element struct{ key, at int }

// TestHeapAgainstAList compares a heap with a list that is searched, after each random
// change: it has the same elements, the first one has the least key, and each knows
// its place.
func TestHeapAgainstAList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		h := ordered.New(func(a, b *element) bool { return a.key < b.key }, func(e *element) *int { return &e.at })
		var all []*element
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			key := rapid.IntRange(0, 20).Draw(r, "key")
			which := rapid.IntRange(0, max(0, len(all)-1)).Draw(r, "which")
			switch step := rapid.SampledFrom([]string{"add", "add", "remove", "change"}).Draw(r, "step"); {
			case len(all) == 0 || step == "add":
				all = append(all, &element{key: key})
				h.Add(all[len(all)-1])
			case step == "remove":
				h.Remove(all[which])
				all = slices.Delete(all, which, which+1)
			default:
				all[which].key = key
				h.Fix(all[which])
			}
			require.Equal(r, len(all), h.Len())
			for _, e := range all {
				require.Same(r, e, h.All()[e.at])
			}
			if len(all) > 0 {
				least := slices.MinFunc(all, func(a, b *element) int { return cmp.Compare(a.key, b.key) })
				require.Equal(r, least.key, h.First().key)
			}
		}
	})
}
