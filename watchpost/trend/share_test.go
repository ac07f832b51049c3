package trend_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost/trend"
)

func TestShares(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ counts, want []int }{
		"no group":                {nil, []int{}},
		"no posts":                {[]int{0, 0}, []int{0, 0}},
		"one":                     {[]int{7, 0}, []int{100, 0}},
		"equal ones":              {[]int{1, 1, 1}, []int{34, 33, 33}},
		"the largest remainder":   {[]int{1, 12, 1}, []int{7, 86, 7}},
		"a larger one, no larger": {[]int{5, 5, 190}, []int{3, 2, 95}},
	} {
		require.Equal(t, c.want, trend.Shares(c.counts), name)
	}
}

// TestSharesAddUp: shares add up, none is a point away from the exact one, and more posts
// never have the smaller share.
func TestSharesAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		highest := rapid.SampledFrom([]int{1, 3, 100, 1_000_000}).Draw(t, "highest")
		counts := rapid.SliceOfN(rapid.IntRange(0, highest), 1, 101).Draw(t, "counts")
		whole, added := 0, 0
		for _, n := range counts {
			whole += n
		}
		shares := trend.Shares(counts)
		require.Len(t, shares, len(counts))
		for i, share := range shares {
			added += share
			require.Less(t, max(100*counts[i]-share*whole, share*whole-100*counts[i]), max(whole, 1), "%d of %d", counts[i], whole)
			for k := range counts {
				require.False(t, counts[k] > counts[i] && shares[k] < share)
			}
		}
		if whole == 0 {
			require.Zero(t, added)
		} else {
			require.Equal(t, 100, added)
		}
	})
}
