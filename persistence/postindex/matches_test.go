package postindex

import (
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawPostings draws the posts of a term as a segment has them: few or many, on
// either side of smallSet, scattered or in a row.
func drawPostings(t *rapid.T, posts int) *roaring.Bitmap {
	n := rapid.SampledFrom([]int{1, 40, smallSet - 1, smallSet, smallSet + 1, 3 * smallSet}).Draw(t, "posts")
	step := rapid.SampledFrom([]int{1, 2, posts / n}).Draw(t, "step")
	first := rapid.IntRange(0, posts-1).Draw(t, "first")
	var docNums []uint16
	for i := range n {
		docNums = append(docNums, uint16((first+i*step)%posts))
	}
	slices.Sort(docNums)
	value, err := encodePostings(slices.Compact(docNums))
	require.NoError(t, err)
	set, err := decodePostings(value, posts)
	require.NoError(t, err)
	return set
}

// TestMatches compares counts and lists of matching posts with roaring, for sets
// of every kind.
func TestMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		posts := rapid.SampledFrom([]int{3*smallSet + 7, maxSegment}).Draw(t, "all")
		f := &matches{reader: &segment{info: segmentInfo{posts: posts}}}
		want := roaring.New()
		want.AddRange(0, uint64(posts))
		for range rapid.IntRange(0, 3).Draw(t, "conditions") {
			var anyOf []*roaring.Bitmap
			for range rapid.IntRange(1, 4).Draw(t, "sets") {
				anyOf = append(anyOf, drawPostings(t, posts))
			}
			f.conditions = append(f.conditions, anyOf)
			want.And(roaring.FastOr(anyOf...))
		}
		if rapid.Bool().Draw(t, "some are deleted") {
			f.deleted = drawPostings(t, posts)
			want.AndNot(f.deleted)
		}
		require.Equal(t, int(want.GetCardinality()), f.countAll())
		docNums := roaring.New()
		for docNum := range f.docNums() {
			docNums.AddInt(docNum)
		}
		require.True(t, want.Equals(docNums))
	})
}
