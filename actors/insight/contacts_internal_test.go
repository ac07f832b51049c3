package insight

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestEarlierTasks notes what tasks tell that ended in an earlier build, in steps.
func TestEarlierTasks(t *testing.T) {
	t.Parallel()
	store, err := badger.Open(badger.Options{InMemory: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	const space, tasks = persistence.Space("team"), 500
	epoch, err := store.Activate(context.Background(), space)
	require.NoError(t, err)
	commit := func(batch *persistence.Batch) {
		require.NoError(t, persistence.Commit(context.Background(), store, space, epoch, batch))
	}
	view := func(read func(persistence.View)) {
		v, err := store.View(context.Background())
		require.NoError(t, err)
		defer v.Close()
		read(v)
	}
	batch, at := &persistence.Batch{}, time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)
	for i := range tasks {
		task := watchpost.Task{
			ID: watchpost.TaskID(watchpost.NewID(at.Add(time.Duration(i) * time.Second))), Type: watchpost.TaskSendMessage, State: watchpost.TaskCompleted,
			Input: watchpost.ParseTaskInput(json.RawMessage(fmt.Sprintf(`{"recipient_urn":"urn:network:member:%d"}`, i))), Output: json.RawMessage(`{"sent":true}`),
		}
		switch {
		case i == 0:
			task.Type, task.Output = watchpost.TaskProfileFetch, json.RawMessage(`{"profile_slug":"jane","profile_urn":"urn:network:member:7"}`)
		case i%2 == 0:
			task.State, task.Failure = watchpost.TaskFailed, &watchpost.TaskFailure{Code: "not_found"}
		}
		batch.Put(teamspace.Key(teamspace.KeyTask, task.ID), teamspace.Encode(task))
		batch.Put(teamspace.JournalKey(task.ID), teamspace.Encode(task.Journal()))
	}
	commit(batch)
	for steps, whole := 0, false; !whole; steps++ {
		require.Less(t, steps, 5)
		view(func(v persistence.View) {
			before, err := progress(v, space)
			require.NoError(t, err)
			if whole = before.Whole; whole {
				return
			}
			batch := &persistence.Batch{}
			require.NoError(t, NoteEarlier(v, space, batch))
			commit(batch)
		})
	}
	view(func(v persistence.View) {
		all, err := contacted(v, space)
		require.NoError(t, err)
		require.Len(t, all, tasks/2+1)
		require.True(t, all["profile/jane"], "the profile names the person of a message")
		contacts, err := contactsOf(v, space, []string{"profile/jane", "profile:2", "profile:9"})
		require.NoError(t, err)
		require.Equal(t, []Contact{{Contacted: true, Same: "profile:7"}, {}, {Contacted: true}}, contacts)
	})
}
