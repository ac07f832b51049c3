package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestEveryTaskTypeHasAnEndpoint: each type of callers has one row, which is whole.
func TestEveryTaskTypeHasAnEndpoint(t *testing.T) {
	t.Parallel()
	rows := map[watchpost.TaskType]taskEndpoint{}
	for _, e := range taskEndpoints {
		rows[e.kind] = e
	}
	for _, kind := range watchpost.JournalTypes() {
		e, there := rows[kind]
		require.True(t, there, "%s lacks its row in taskEndpoints", kind)
		require.NotEmpty(t, e.path, "%s lacks its path", kind)
		require.NotEmpty(t, e.words, "%s lacks the words of its reply", kind)
		require.NotEmpty(t, e.of, "%s lacks what its input describes", kind)
		require.NotEmpty(t, e.detail, "%s lacks its detail in the document", kind)
		require.NotNil(t, e.add, "%s lacks taking", kind)
	}
	require.Len(t, watchpost.JournalTypes(), len(taskEndpoints))
}
