package teamspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// chunkView has a text under each of its keys, and notes the bytes of each read.
type chunkView struct {
	persistence.View
	values map[string][]byte
	reads  []int
}

func (v *chunkView) GetAll(_ persistence.Space, keys [][]byte) ([][]byte, error) {
	values, size := make([][]byte, len(keys)), 0
	for i, k := range keys {
		values[i] = v.values[string(k)]
		size += len(values[i])
	}
	v.reads = append(v.reads, size)
	return values, nil
}

// TestLoadEach reads records in the order of the keys, many at a time when they are
// small and few when they are large, and says which one is missing.
func TestLoadEach(t *testing.T) {
	t.Parallel()
	for _, length := range []int{1, 1 << 10, 100 << 10, 700 << 10} {
		v := &chunkView{values: map[string][]byte{}}
		var keys [][]byte
		var want []string
		for i := range 1000 {
			text := fmt.Sprint(i) + strings.Repeat("x", length)
			if i >= 40 && length > 1<<16 {
				break
			}
			keys, want = append(keys, fmt.Append(nil, i)), append(want, text)
			v.values[fmt.Sprint(i)] = teamspace.Encode(text)
		}
		var got []string
		require.NoError(t, teamspace.LoadEach(v, "team", keys, func(text string) { got = append(got, text) }))
		require.Equal(t, want, got)
		require.LessOrEqual(t, len(v.reads), 40)
		for _, size := range v.reads[1:] {
			require.Less(t, size, 3<<20, "of records of %d bytes", length)
		}
		delete(v.values, "7")
		err := teamspace.LoadEach(v, "team", keys, func(string) {})
		require.ErrorIs(t, err, persistence.ErrNotFound)
		require.ErrorContains(t, err, `"7"`)
	}
	v := &chunkView{values: map[string][]byte{"broken": {9}}}
	require.ErrorIs(t, teamspace.LoadEach(v, "team", [][]byte{[]byte("broken")}, func(string) {}), teamspace.ErrRecord)
}
