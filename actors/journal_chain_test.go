package actors_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// TestJournalChain: each change of an entry is a record of the chain, in one batch with
// it and through a crash; a later change of an entry or record is found.
func TestJournalChain(t *testing.T) {
	t.Parallel()
	w, team, ada := house(t)
	like := created(t, team, request(watchpost.TaskLikePost, likeOf))
	ada.Finish(ada.ExpectTask(like))
	w.Crash()
	fetch := created(t, team, request(watchpost.TaskProfileFetch, `{"profile_slug":"jane"}`))
	verify := func() (problems []string, records int) {
		sum, err := actors.VerifyJournals(w.Context(), w.Store, func(_ watchpost.TeamID, problem string) { problems = append(problems, problem) })
		require.NoError(t, err)
		require.Len(t, problems, sum.Problems)
		var running []string
		one, err := w.Registry.VerifyJournal(w.Context(), team.ID, func(problem string) { running = append(running, problem) })
		require.NoError(t, err)
		require.Equal(t, sum, one)
		require.Equal(t, problems, running)
		return problems, sum.Records
	}
	problems, records := verify()
	require.Empty(t, problems)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyJournalChain), records)
	page, err := w.Registry.Journal(w.Context(), team.ID, watchpost.JournalQuery{}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []watchpost.TaskID{fetch, like}, []watchpost.TaskID{page.Entries[0].ID, page.Entries[1].ID})
	require.EqualValues(t, records, page.Entries[0].Number)
	require.Equal(t, page.Entries[1].Hash, page.Entries[0].Before, "the like has ended before")
	require.Greater(t, records, 2, "the like has one for its beginning, and one for its end")

	var exported int
	require.NoError(t, w.Registry.ExportTeam(w.Context(), team.ID, func(record any) error {
		if r, ok := record.(actors.JournalRecord); ok {
			exported++
			require.Equal(t, r.Hash, watchpost.JournalHash(r.Record))
			require.True(t, json.Valid(r.Record))
		}
		return nil
	}))
	require.Equal(t, records, exported)

	// Changes past the service.
	space := persistence.Space(team.ID)
	epoch, err := w.Store.Activate(w.Context(), space)
	require.NoError(t, err)
	write := func(key, value []byte) {
		batch := &persistence.Batch{}
		batch.Put(key, value)
		done := make(chan error, 1)
		w.Store.Submit(space, epoch, batch, func(err error) { done <- err })
		require.NoError(t, <-done)
	}
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	load := func(key []byte) watchpost.JournalEntry {
		e, err := teamspace.Load[watchpost.JournalEntry](view, space, key)
		require.NoError(t, err)
		return e
	}
	entry, first := load(teamspace.JournalKey(like)), load(teamspace.JournalChainKey(1))
	view.Close()
	forged := entry
	forged.Account = "urn:network:member:somebody-else"
	write(teamspace.JournalKey(like), teamspace.Encode(forged))
	problems, _ = verify()
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "is not that of the chain")
	write(teamspace.JournalKey(like), teamspace.Encode(entry))
	first.Subject = "something else"
	write(teamspace.JournalChainKey(1), teamspace.Encode(first))
	problems, _ = verify()
	require.Equal(t, []string{"journal: record 1 was changed"}, problems)
}
