package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// TestJournal records who asked for what, in whose name and how it ended, and
// lists the open tasks with why they wait.
func TestJournal(t *testing.T) {
	t.Parallel()
	w, team, ada := house(t)
	asker := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members[0].ID
	byMember := root.WithOrigin(w.Context(), watchpost.Origin{Member: asker})
	made, err := actors.Ask(byMember, w.Registry, team.ID, request(watchpost.TaskLikePost, likeOf))
	require.NoError(t, err)
	liked := made.ID
	journal := func(q watchpost.JournalQuery, cursor string, limit int) actors.JournalPage {
		t.Helper()
		page, err := w.Registry.Journal(w.Context(), team.ID, q, cursor, limit)
		require.NoError(t, err)
		return page
	}
	only := journal(watchpost.JournalQuery{}, "", 10).Entries
	require.Len(t, only, 1)
	require.Equal(t, watchpost.TaskPending, only[0].State)
	require.Equal(t, []any{watchpost.AskedByMember, string(asker)}, []any{only[0].Way, only[0].Asked})
	require.Equal(t, aPost, only[0].Subject)
	frame := ada.ExpectTask(liked)
	ada.Accept(frame)
	page, err := w.Registry.OpenTasks(w.Context(), team.ID, true, 10)
	require.NoError(t, err)
	require.Len(t, page.Tasks, 1)
	require.Equal(t, watchpost.PendingRunning, page.Tasks[0].Reason)
	require.Equal(t, page.Tasks[0].Member, page.Tasks[0].Holder)
	ada.Act(frame)
	yes := false
	ada.Error(frame, "not_found", &yes)
	ada.ExpectAck(frame)
	done := journal(watchpost.JournalQuery{}, "", 10).Entries[0]
	require.Equal(t, watchpost.TaskFailed, done.State)
	require.Equal(t, "not_found", done.Code)
	require.Equal(t, ada.URN(), done.Account)
	require.False(t, done.EndedAt.IsZero())

	ada.Drop()
	ids := []watchpost.TaskID{liked}
	for range 3 {
		w.Advance(time.Second)
		ids = append(ids, created(t, team, request(watchpost.TaskProfileFetch, `{"profile_slug":"jane \"State\":\"failed\""}`)))
	}
	page, err = w.Registry.OpenTasks(w.Context(), team.ID, false, 2)
	require.NoError(t, err)
	require.Len(t, page.Tasks, 2)
	require.Equal(t, 3, page.Counts[watchpost.PendingExtensionOffline])
	require.Equal(t, ids[1], page.Tasks[0].ID, "the oldest first")

	first := journal(watchpost.JournalQuery{}, "", 3)
	require.Len(t, first.Entries, 3)
	require.Equal(t, ids[3], first.Entries[0].ID, "the newest first")
	require.Equal(t, ids[1], watchpost.TaskID(first.Next))
	second := journal(watchpost.JournalQuery{}, first.Next, 3)
	require.Len(t, second.Entries, 1)
	require.Empty(t, second.Next)
	for _, q := range []watchpost.JournalQuery{
		{State: watchpost.TaskFailed}, {Type: watchpost.TaskLikePost}, {Way: watchpost.AskedByMember}, {Member: done.Member},
	} {
		found := journal(q, "", 10).Entries
		require.Len(t, found, 1, "%+v", q)
		require.Equal(t, liked, found[0].ID)
	}
	require.Empty(t, journal(watchpost.JournalQuery{To: done.At}, "", 10).Entries)
	_, err = w.Registry.Journal(w.Context(), team.ID, watchpost.JournalQuery{}, "nothing", 1)
	require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	w.Crash()
	require.Len(t, journal(watchpost.JournalQuery{}, "", 10).Entries, 4)
}
