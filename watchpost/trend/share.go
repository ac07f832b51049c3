package trend

import (
	"cmp"
	"slices"
)

// Shares returns the percentage of each count in their sum: whole numbers that add up to
// 100, or only zeros without a sum. Each is rounded down; the points that are left go to
// those with the largest remainders, of equal ones to the first.
func Shares(counts []int) []int {
	shares, whole := make([]int, len(counts)), sum(counts)
	if whole == 0 {
		return shares
	}
	left, byRemainder := 100, make([]int, len(counts))
	for i, n := range counts {
		byRemainder[i], shares[i] = i, 100*n/whole
		left -= shares[i]
	}
	slices.SortStableFunc(byRemainder, func(a, b int) int { return cmp.Compare(100*counts[b]%whole, 100*counts[a]%whole) })
	for _, i := range byRemainder[:left] {
		shares[i]++
	}
	return shares
}
