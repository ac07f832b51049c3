package actors_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// ended is a completed task of a team, as an earlier life of it has stored it.
func ended(at time.Time) *watchpost.Task {
	return &watchpost.Task{
		ID: watchpost.TaskID(watchpost.NewID(at)), Type: watchpost.TaskSendMessage, State: watchpost.TaskCompleted, CreatedAt: at, EndedAt: at.Add(time.Hour),
	}
}

// TestKeepTasks: ended tasks go with the debits that they kept, from the store and from
// memory; open ones and young ones stay, and so does the journal. A pass that a fault
// ends goes on with the next one, and a team without such tasks is not activated.
func TestKeepTasks(t *testing.T) {
	t.Parallel()
	var activated sync.Map
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) {
		o.KeepTasks, o.Activated = 100, func(name string) { activated.Store(name, true) }
	}))
	team, other := w.CreateTeam(t, watchpost.PlanUltimate), w.CreateTeam(t, watchpost.PlanUltimate)
	open := team.Create(t, watchpost.TaskSendMessage)
	batch, space := persistence.Batch{}, persistence.Space(team.ID)
	const old = 450
	var first watchpost.TaskID
	for i := range old + 1 {
		task := ended(w.Now().AddDate(0, 0, -101))
		if i == old { // created long ago, and ended lately
			task.EndedAt = w.Now().AddDate(0, 0, -99)
		}
		first = task.ID
		batch.Put(teamspace.Key(teamspace.KeyTask, task.ID), teamspace.Encode(task))
		batch.Put(teamspace.Key(teamspace.KeyDebits, task.ID), teamspace.Encode([]watchpost.Debit{}))
		batch.Put(teamspace.JournalKey(task.ID), teamspace.Encode(task.Journal()))
	}
	w.Plant(space, &batch)
	w.Restart()
	activated.Clear()

	w.Store.Fail(space, 2, actorstest.Before)
	n, err := w.Registry.ExpireTasks(w.Context())
	require.Error(t, err)
	left := len(storedKeys(t, w, team, teamspace.KeyTask))
	require.Equal(t, old+2-n, left)
	require.Positive(t, n)
	require.Eventually(t, func() bool {
		again, err := w.Registry.ExpireTasks(w.Context())
		n += again
		if err != nil {
			w.Advance(time.Second) // an actor that has failed waits
		}
		return err == nil
	}, actorstest.Wait, time.Millisecond)
	require.Equal(t, old, n)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyTask), 2)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyDebits), 1)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyJournal), old+2)
	require.Equal(t, watchpost.TaskPending, team.Status(t, open).State)
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, first).State)
	_, loaded := activated.Load(string(other.ID))
	require.False(t, loaded)
}
