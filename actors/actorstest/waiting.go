package actorstest

import (
	"context"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// verifyWaiting looks whether what an activation would believe of the waiting tasks is
// what their records say, whatever has happened.
func (w *World) verifyWaiting() {
	view, err := w.engine.View(context.Background())
	require.NoError(w.T, err)
	defer view.Close()
	require.NoError(w.T, view.Spaces(func(space persistence.Space) bool {
		require.NoError(w.T, teamspace.LoadAll(view, space, teamspace.KeyWaiting, func(id string, noted teamspace.WaitingRecord) {
			debits, err := teamspace.Load[[]watchpost.Debit](view, space, teamspace.Key(teamspace.KeyOpen, id))
			require.NoError(w.T, err, "task %s is noted as waiting, and is not open", id)
			require.Nil(w.T, debits, "task %s is noted as waiting, and was leased", id)
			task, err := teamspace.Load[watchpost.Task](view, space, teamspace.Key(teamspace.KeyTask, id))
			require.NoError(w.T, err)
			waiting, ok := teamspace.WaitingOf(&task)
			require.True(w.T, ok, "task %s does not wait: %s", id, task.State)
			require.Equal(w.T, waiting, noted, "task %s", id)
		}))
		return true
	}))
}
