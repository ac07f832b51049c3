package actors_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence/backup"
	"watchpost/watchpost"
)

// kept are the files of a backup in memory.
type kept struct {
	mu    sync.Mutex
	files map[string][]byte
}

// Put implements backup.Files.
func (k *kept) Put(_ context.Context, name string, content []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.files[name] = content
	return nil
}

// Get implements backup.Files.
func (k *kept) Get(_ context.Context, name string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if content, ok := k.files[name]; ok {
		return content, nil
	}
	return nil, backup.ErrFileNotFound
}

// List implements backup.Files.
func (k *kept) List(context.Context, string) (names []string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.files {
		names = append(names, name)
	}
	return names, nil
}

// TestRestoredToAnOlderState: after a restore, writes made since the backup are not made
// again, and no account passes an allowance in the day and the week of the restore,
// whether the backup knows the account or not. From the next day on all goes on.
func TestRestoredToAnOlderState(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	joe := team.Member(t, "joe")
	late := team.SessionOf(t, joe, "joe") // not connected yet: its account is not known
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	bring(s, scan)
	actorstest.Must[actors.RuleView](t, team, actors.CreateRule{Rule: watchpost.NewRule(list.ID, watchpost.ActionLike, w.Now())})
	acts := team.Create(t, watchpost.TaskSendMessage)
	frame := s.ExpectTask(acts)
	s.Accept(frame)
	s.Act(frame)
	waits := team.Create(t, watchpost.TaskSendMessage)

	files := &kept{files: map[string][]byte{}}
	_, err := backup.Create(w.Context(), w.Store, files, backup.Options{Now: w.Now(), Seal: func([]byte) string { return "" }})
	require.NoError(t, err)

	// Both are done after the backup, and a second account works up to its limit.
	s.Result(frame, map[string]any{})
	s.ExpectAck(frame)
	s.Finish(s.ExpectTask(waits))
	late.Connect()
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, waits).State)

	after := restoredWorld(t, files, w)
	again := &actorstest.Team{W: after, ID: team.ID, Key: team.Key, Email: team.Email}
	reconnect := func(old *actorstest.Session) *actorstest.Session {
		s := &actorstest.Session{T: t, Team: again, Email: old.Email, Token: old.Token, Account: old.Account, Journal: old.Journal}
		return s.Connect()
	}
	s, late = reconnect(s), reconnect(late)
	for _, id := range []watchpost.TaskID{acts, waits} {
		wantFailure(t, again.Status(t, id), watchpost.FailOutcomeUnknown, false)
	}
	fresh := again.Create(t, watchpost.TaskSendMessage)
	wantPending(t, again, fresh, watchpost.PendingDailyCap)
	for _, email := range []string{team.Email, joe} {
		require.Equal(t, []actors.PauseReason{actors.PauseNewClaim, actors.PauseNewClaim}, paused(t, again, email))
	}
	s.ExpectNone()
	late.ExpectNone()

	// The rules stay stopped until they are let go on, and only the restore stops
	// them.
	require.True(t, rulesOf(t, again).Stopped)
	done(t, again, actors.StopRules{Stop: false})
	after.Restart()
	require.False(t, rulesOf(t, again).Stopped)

	s = reconnect(s)
	s.ExpectNone()
	after.Advance(14 * time.Hour)                           // past midnight
	untilTask := func(id watchpost.TaskID) protocol.Frame { // the watchlist is scanned as well
		for {
			f := s.Expect(protocol.TypeTask)
			if f.Task == string(id) {
				return f
			}
			require.False(t, f.Restored)
			bring(s, f)
		}
	}
	f := untilTask(fresh)
	require.True(t, f.Restored, "its session looks for it on the page")
	s.Accept(f)
	notBegun := false
	s.Error(f, protocol.CodeOutcomeUnknown, &notBegun) // and finds it
	s.ExpectAck(f)
	wantFailure(t, again.Status(t, fresh), watchpost.FailOutcomeUnknown, false)
	require.Zero(t, again.Used(t, team.Email, watchpost.ActionMessage))
	after.Advance(7 * 24 * time.Hour)
	s = reconnect(s)
	later := again.Create(t, watchpost.TaskSendMessage)
	f = untilTask(later)
	require.False(t, f.Restored)
	s.Finish(f)
	require.Equal(t, watchpost.TaskCompleted, again.Status(t, later).State)
	wantFailure(t, again.Status(t, waits), watchpost.FailOutcomeUnknown, false)
}

// TestRestoredRulesStartNothing: an action that a restored team has waiting, and whose
// turn has come, does not begin before the rules are stopped.
func TestRestoredRulesStartNothing(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionLike, nil)
	endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"))
	s.Finish(s.Expect(protocol.TypeTask))
	require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 1 }, actorstest.Wait, time.Millisecond)
	files := &kept{files: map[string][]byte{}}
	_, err := backup.Create(w.Context(), w.Store, files, backup.Options{Now: w.Now(), Seal: func([]byte) string { return "" }})
	require.NoError(t, err)

	after := restoredWorld(t, files, w)
	after.Advance(time.Hour) // past the pause of the account
	again := &actorstest.Team{W: after, ID: team.ID, Key: team.Key, Email: team.Email}
	require.True(t, rulesOf(t, again).Stopped)
	require.ElementsMatch(t, []watchpost.RuleActionState{watchpost.RuleDone, watchpost.RuleWithdrawn}, journalOf(t, again))
	page, err := after.Registry.Journal(after.Context(), team.ID, watchpost.JournalQuery{}, "", 10)
	require.NoError(t, err)
	require.Len(t, page.Entries, 1, "the like of before")
}

// restoredWorld is a World on a store that was restored from a backup.
func restoredWorld(t *testing.T, files *kept, old *actorstest.World) *actorstest.World {
	t.Helper()
	name, m, err := backup.Open(t.Context(), files, "", backup.Keys{})
	require.NoError(t, err)
	engine := actorstest.Engine(t)
	now := old.Now()
	require.NoError(t, backup.Restore(t.Context(), files, name, m, nil, engine, func() (time.Time, error) { return now, nil }))
	at, err := backup.RestoredAt(t.Context(), engine)
	require.NoError(t, err)
	w := actorstest.New(t, actorstest.On(engine), actorstest.With(func(o *actors.Options) { o.RestoredAt = at }))
	w.SetClock(now)
	return w
}

// TestRestoredBeforeAReset: what a session was allowed before the restore may be done when
// the day has ended, and nobody knows of it then. The account waits for the next reset.
func TestRestoredBeforeAReset(t *testing.T) {
	t.Parallel()
	midnight := watchpost.Daily.Reset(actorstest.Start)
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.RestoredAt = midnight.Add(-watchpost.ActTime) }))
	w.SetClock(midnight)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	s := team.Session(t, "ada").Connect()
	id := team.Create(t, watchpost.TaskProfileFetch)
	wantPending(t, team, id, watchpost.PendingDailyCap)
	s.ExpectNone()
	w.SetClock(watchpost.Daily.Reset(midnight))
	s.Connect()
	s.ExpectTask(id)
}
