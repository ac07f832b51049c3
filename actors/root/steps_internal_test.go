package root

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
)

// TestStepsFitTheStore: many long records, as the comments of rules that are stopped,
// take more batches, and the store accepts each of them.
func TestStepsFitTheStore(t *testing.T) {
	t.Parallel()
	st := &Steps{}
	const records, length = 600, 5 << 10
	for i := range records {
		batch := st.Room(2)
		batch.Delete(fmt.Appendf(nil, "open %d", i))
		batch.Put(fmt.Appendf(nil, "ended %d", i), make([]byte, length))
	}
	writes := 0
	for _, batch := range st.Batches {
		require.NoError(t, batch.Check())
		writes += len(batch.Writes)
	}
	require.Equal(t, 2*records, writes)
	require.Less(t, len(st.Batches), 2*records*length/persistence.MaxBatchBytes+2)
}
