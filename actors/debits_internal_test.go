package actors

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// TestHandOutOverMidnight: a task that was offered just before a reset and
// taken just after it costs a unit of both days, like any other that is out at
// the reset.
func TestHandOutOverMidnight(t *testing.T) {
	t.Parallel()
	midnight := watchpost.Daily.Reset(wednesday)
	clock := &fixedClock{now: midnight.Add(-time.Millisecond)}
	team := newTeam(&environment{clock: clock}, "team")
	const account = watchpost.AccountURN("urn:a")
	task := watchpost.Task{ID: "task", Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending}
	team.sessions.byID["s"] = &sessionState{}
	open := team.tasks.track(&task)
	team.tasks.debitNewDay(clock.now)
	lease := team.tasks.reserve(assignment{task: task.ID, kind: task.Type, worker: &worker{session: "s", account: account}}, clock.now)

	clock.now = midnight.Add(time.Millisecond)
	team.tasks.debitNewDay(clock.now)
	handed, ok := task.WithLease(lease)
	require.True(t, ok)
	team.tasks.onTaskChange(&persistence.Batch{}, &taskChange{task: handed, event: taskLeased})
	limit := watchpost.Allowance{Action: watchpost.ActionProfileFetch, Period: watchpost.Daily}
	require.Equal(t, 1, team.sessions.ledger.used(account, limit, wednesday))
	require.Equal(t, 1, team.sessions.ledger.used(account, limit, midnight))
	require.Len(t, open.debits, 2)

	batch := &persistence.Batch{}
	team.tasks.onTaskChange(batch, &taskChange{task: handed, event: taskActs, refund: 1})
	require.Zero(t, team.sessions.ledger.used(account, limit, wednesday), "given back to the days that were debited")
	require.Zero(t, team.sessions.ledger.used(account, limit, midnight))
	require.False(t, batch.Empty())
}

// fixedClock stands where it is set.
type fixedClock struct {
	watchpost.Clock
	now time.Time
}

// Now implements watchpost.Clock.
func (c *fixedClock) Now() time.Time { return c.now }

// TestManyTasksOutAtMidnight: more tasks than one batch can carry over are
// debited to the new day in several batches that the store accepts.
func TestManyTasksOutAtMidnight(t *testing.T) {
	t.Parallel()
	const many, accounts = 1200, 40
	midnight := watchpost.Daily.Reset(wednesday)
	clock := &fixedClock{now: midnight.Add(-time.Hour)}
	team := newTeam(&environment{clock: clock}, "team")
	store := &recordingStore{}
	team.commits = &commitQueue{store: store}
	team.tasks.debitNewDay(clock.now)
	limit := watchpost.Allowance{Action: watchpost.ActionProfileFetch, Period: watchpost.Daily}
	account := func(i int) watchpost.AccountURN { return watchpost.AccountURN(fmt.Sprint("urn:", i%accounts)) }
	before := &persistence.Batch{}
	for i := range many {
		id := watchpost.TaskID(fmt.Sprint("task-", i))
		open := &openTask{kind: watchpost.TaskProfileFetch}
		open.reserved = watchpost.Debit{Account: account(i), Action: limit.Action, Period: limit.Period.Key(clock.now)}
		team.tasks.debit(before, open, 1)
		team.tasks.hold(id, open, watchpost.SessionID(fmt.Sprint("session-", i)))
	}

	clock.now = midnight
	team.tasks.debitNewDay(clock.now)
	require.Greater(t, len(store.batches), 1)
	opened := 0
	for _, batch := range store.batches {
		require.NoError(t, batch.Check())
		for _, write := range batch.Writes {
			if strings.HasPrefix(string(write.Key), teamspace.KeyOpen) {
				opened++
			}
		}
	}
	require.Equal(t, many, opened)
	for i := range accounts {
		require.Equal(t, many/accounts, team.sessions.ledger.used(account(i), limit, midnight.Add(-time.Hour)))
		require.Equal(t, many/accounts, team.sessions.ledger.used(account(i), limit, midnight))
	}
}

// recordingStore keeps the submitted batches and reports them as durable.
type recordingStore struct {
	persistence.Store
	batches []*persistence.Batch
}

// Submit implements persistence.Store.
func (s *recordingStore) Submit(_ persistence.Space, _ persistence.Epoch, batch *persistence.Batch, done func(error)) {
	s.batches = append(s.batches, batch)
	done(nil)
}

// TestOpenTasksAreBounded: at the bound a client's task is refused until one
// has ended. Scans count.
func TestOpenTasksAreBounded(t *testing.T) {
	t.Parallel()
	team := newTeam(&environment{clock: &fixedClock{now: wednesday}}, "team")
	for i := range maxOpenTasks - 1 {
		team.tasks.open[watchpost.TaskID(strconv.Itoa(i))] = &openTask{}
	}
	require.NoError(t, team.tasks.checkRoom())
	team.tasks.open["scan"] = &openTask{scan: true}
	require.Equal(t, watchpost.Unavailable, watchpost.KindOf(team.tasks.checkRoom()))
	delete(team.tasks.open, "0")
	require.NoError(t, team.tasks.checkRoom())
}
