package actors

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/persistence"
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
	team.sessions["s"] = &sessionState{}
	open := team.track(&task)
	team.debitNewDay(clock.now)
	lease := team.reserve(assignment{task: task.ID, kind: task.Type, worker: &worker{session: "s", account: account}}, clock.now)

	clock.now = midnight.Add(time.Millisecond)
	team.debitNewDay(clock.now)
	handed, ok := task.Hand(lease)
	require.True(t, ok)
	team.onTaskChange(&persistence.Batch{}, &taskChange{task: handed, event: taskLeased})
	limit := watchpost.Allowance{Action: watchpost.ActionProfileFetch, Period: watchpost.Daily}
	require.Equal(t, 1, team.ledger.used(account, limit, wednesday))
	require.Equal(t, 1, team.ledger.used(account, limit, midnight))
	require.Len(t, open.debits, 2)

	batch := &persistence.Batch{}
	team.onTaskChange(batch, &taskChange{task: handed, event: taskActs, refund: 1})
	require.Zero(t, team.ledger.used(account, limit, wednesday), "given back to the days that were debited")
	require.Zero(t, team.ledger.used(account, limit, midnight))
	require.False(t, batch.Empty())
}

// fixedClock stands where it is set.
type fixedClock struct {
	watchpost.Clock
	now time.Time
}

// Now implements watchpost.Clock.
func (c *fixedClock) Now() time.Time { return c.now }
