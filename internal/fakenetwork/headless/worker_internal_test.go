package headless

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestEveryTaskTypeIsDone: each type of the table has an implementation, a read or
// a write as the table says.
func TestEveryTaskTypeIsDone(t *testing.T) {
	t.Parallel()
	for _, kind := range watchpost.TaskTypes() {
		require.Equal(t, kind.Writes(), writers[kind] != nil, "%s lacks its row in writers, or has one too many", kind)
		require.Equal(t, !kind.Writes(), readers[kind] != nil, "%s lacks its row in readers, or has one too many", kind)
	}
	require.Len(t, watchpost.TaskTypes(), len(readers)+len(writers))
}
