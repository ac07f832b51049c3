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

// TestLoadEach reads records in the order of the keys, many at a time and never more than
// 32 MiB, also where small ones are followed by the largest, and says which one is missing.
func TestLoadEach(t *testing.T) {
	t.Parallel()
	for name, length := range map[string]func(i int) int{
		"small":            func(int) int { return 1 },
		"small, then huge": func(i int) int { return 1 + i/500*(persistence.MaxValue-100) },
	} {
		v := &chunkView{values: map[string][]byte{}}
		var keys [][]byte
		var want []string
		huge := strings.Repeat("x", persistence.MaxValue)
		for i := range 600 {
			text := fmt.Sprint(i) + huge[:length(i)]
			keys, want = append(keys, fmt.Append(nil, i)), append(want, text)
			v.values[fmt.Sprint(i)] = teamspace.Encode(text)
		}
		var got []string
		require.NoError(t, teamspace.LoadEach(v, "team", keys, func(text string) { got = append(got, text) }))
		require.Equal(t, want, got)
		require.LessOrEqual(t, len(v.reads), 15, name)
		for _, size := range v.reads {
			require.LessOrEqual(t, size, 32<<20, name)
		}
		delete(v.values, "7")
		err := teamspace.LoadEach(v, "team", keys, func(string) {})
		require.ErrorIs(t, err, persistence.ErrNotFound)
		require.ErrorContains(t, err, `"7"`)
	}
	v := &chunkView{values: map[string][]byte{"broken": {9}}}
	require.ErrorIs(t, teamspace.LoadEach(v, "team", [][]byte{[]byte("broken")}, func(string) {}), teamspace.ErrRecord)
}
