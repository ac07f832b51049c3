package actors_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/journal"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
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
		sum, err := journal.VerifyAll(w.Context(), w.Store, func(_ watchpost.TeamID, problem string) { problems = append(problems, problem) })
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
		if r, ok := record.(journal.Record); ok {
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

// TestJournalDamage: an entry or record that is changed, removed, put back to an earlier
// content, or shown in another's place is found, each by its finding in the check.
func TestJournalDamage(t *testing.T) {
	t.Parallel()
	w, team, ada := house(t)
	like := created(t, team, request(watchpost.TaskLikePost, likeOf))
	ada.Finish(ada.ExpectTask(like))
	comment := created(t, team, request(watchpost.TaskCommentPost, `{"social_urn":"urn:network:post:1","comment_text":"well"}`))
	ada.Finish(ada.ExpectTask(comment))
	w.Crash()
	space := persistence.Space(team.ID)
	read := func(key []byte) []byte {
		view, err := w.Store.View(w.Context())
		require.NoError(t, err)
		defer view.Close()
		value, err := view.Get(space, key)
		require.NoError(t, err)
		return value
	}
	write := func(key, value []byte) {
		batch := &persistence.Batch{}
		batch.Put(key, value)
		if value == nil {
			batch = &persistence.Batch{}
			batch.Delete(key)
		}
		w.Plant(space, batch)
	}
	problems := func() (found []string) {
		_, err := journal.VerifyAll(w.Context(), w.Store, func(_ watchpost.TeamID, problem string) { found = append(found, problem) })
		require.NoError(t, err)
		return found
	}
	require.Empty(t, problems())
	entry := func(id watchpost.TaskID) (e watchpost.JournalEntry) {
		require.NoError(t, teamspace.Decode(read(teamspace.JournalKey(id)), &e))
		return e
	}
	last := entry(comment).Number
	record := func(number uint64, change func(*watchpost.JournalEntry)) []byte {
		var e watchpost.JournalEntry
		require.NoError(t, teamspace.Decode(read(teamspace.JournalChainKey(number)), &e))
		change(&e)
		return teamspace.Encode(e)
	}
	subject := func(e *watchpost.JournalEntry) { e.Subject = "another" }
	same := func(*watchpost.JournalEntry) {}
	for name, damage := range map[string]struct {
		key, value []byte
		want       string
	}{
		"changed entry":      {teamspace.JournalKey(like), teamspace.Encode(func() any { e := entry(like); e.Subject = "another"; return e }()), "is not that of the chain"},
		"removed entry":      {teamspace.JournalKey(like), nil, "is missing"},
		"entry of before":    {teamspace.JournalKey(comment), record(last-1, same), "is newer than the entry that is shown"},
		"entry of another":   {teamspace.JournalKey(like), read(teamspace.JournalKey(comment)), "is shown as that of another task"},
		"added entry":        {teamspace.JournalKey("00000000-0000-7000-8000-000000000001"), record(last, func(e *watchpost.JournalEntry) { e.ID, e.Number = "00000000-0000-7000-8000-000000000001", last+1 }), "is not that of the chain"},
		"changed record":     {teamspace.JournalChainKey(last - 1), record(last-1, subject), "was changed"},
		"changed newest":     {teamspace.JournalChainKey(last), record(last, subject), "is not that of the chain"},
		"removed record":     {teamspace.JournalChainKey(last - 1), nil, "is missing"},
		"removed newest":     {teamspace.JournalChainKey(last), nil, "is not that of the chain"},
		"removed first":      {teamspace.JournalChainKey(1), nil, "is missing"},
		"record of another":  {teamspace.JournalChainKey(2), record(1, same), "is missing"},
		"record in between":  {teamspace.JournalChainKey(2), record(2, func(e *watchpost.JournalEntry) { e.Before = "" }), "was changed"},
		"record that is new": {teamspace.JournalChainKey(last + 1), record(last, func(e *watchpost.JournalEntry) { e.Number, e.Before = last+1, "0" }), "was changed"},
	} {
		before := []byte(nil)
		if damage.value == nil || name != "added entry" && name != "record that is new" {
			before = read(damage.key)
		}
		write(damage.key, damage.value)
		found := problems()
		require.NotEmpty(t, found, name)
		require.Contains(t, found[0], damage.want, name)
		write(damage.key, before)
		require.Empty(t, problems(), name)
	}
}
