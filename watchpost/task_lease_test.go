package watchpost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestLeases(t *testing.T) {
	t.Parallel()
	task := in(watchpost.TaskLeased)
	require.Equal(t, 1, task.Lease.Attempt)
	require.Equal(t, watchpost.AccountURN("a"), task.Account, "a write stays with its first account")
	_, ok := task.Act("other", noon)
	require.False(t, ok)
	_, given := task.FindLease("s", "", "lease")
	require.True(t, given)
	_, given = task.FindLease("other", "", "lease")
	require.False(t, given)
	_, given = task.FindLease("s", "", "")
	require.False(t, given)

	t.Run("a write in acting belongs to its journal", func(t *testing.T) {
		t.Parallel()
		task, _ := watchpost.Task{Type: watchpost.TaskLikePost, State: watchpost.TaskPending}.WithLease(watchpost.Lease{ID: "l", Session: "s", Account: "a", Journal: "j"})
		unnamed, _ := watchpost.Task{Type: watchpost.TaskLikePost, State: watchpost.TaskPending}.WithLease(watchpost.Lease{ID: "l", Session: "s", Account: "a"})
		unnamed, _ = unnamed.Act("l", noon)
		_, given := unnamed.FindLease("other", "", "l")
		require.False(t, given, "no journal is nobody's")
		for range 2 {
			for _, who := range []struct {
				session        watchpost.SessionID
				journal, lease string
				given          bool
			}{
				{"s", "j", "l", true}, {"s", "", "l", true}, {"s", "other", "l", true},
				{"other", "j", "l", task.State == watchpost.TaskActing}, {"other", "other", "l", false}, {"other", "", "l", false},
				{"other", "j", "wrong", false}, {"s", "j", "wrong", false},
			} {
				_, given := task.FindLease(who.session, who.journal, who.lease)
				require.Equal(t, who.given, given, "%s: %+v", task.State, who)
			}
			task, _ = task.Act("l", noon)
		}
		task, _ = task.Expire(noon.Add(watchpost.ActingLimit))
		_, given = task.FindLease("other", "j", "l")
		require.True(t, given, "the truth may come late")
	})

	read := watchpost.Task{Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending}
	read, _ = read.WithLease(watchpost.Lease{ID: "l", Session: "s", Account: "a"})
	require.Empty(t, read.Account, "a read belongs to no account")
	_, ok = read.Act("l", noon)
	require.False(t, ok, "reads do not act")

	t.Run("past leases are remembered, the last sixteen", func(t *testing.T) {
		task := in(watchpost.TaskPending)
		for i := range 20 {
			task, ok = task.WithLease(watchpost.Lease{ID: fmt.Sprint(i), Session: "s", Account: "a"})
			require.True(t, ok)
			before := task.Past
			shared := append([]watchpost.Lease(nil), before...)
			task, ok = task.Return(true)
			require.True(t, ok)
			require.Equal(t, shared, before, "what was shared is not written to")
		}
		require.Len(t, task.Past, 16)
		require.Equal(t, 20, task.Attempts)
		require.Equal(t, 20, task.Lost)
		_, given := task.FindLease("s", "", "3")
		require.False(t, given)
		past, given := task.FindLease("s", "", "4")
		require.True(t, given)
		require.Equal(t, 5, past.Attempt)
	})
}

func TestLoseLease(t *testing.T) {
	t.Parallel()
	for _, kind := range allTypes {
		task := watchpost.Task{Type: kind, State: watchpost.TaskPending}
		for lost := 1; lost <= 5; lost++ {
			var ok bool
			task, ok = task.WithLease(watchpost.Lease{ID: "l", Account: "a"})
			require.True(t, ok)
			task, ok = task.LoseLease(noon)
			require.True(t, ok)
			if lost == watchpost.MaxReadAttempts && !kind.Writes() {
				require.Equal(t, watchpost.TaskFailed, task.State, kind)
				require.Equal(t, watchpost.FailNoAnswer, task.Failure.Code)
				require.True(t, task.Failure.RetrySafe)
				break
			}
			require.Equal(t, watchpost.TaskPending, task.State, kind)
		}
	}
	for _, state := range allStates {
		_, ok := in(state).LoseLease(noon)
		require.Equal(t, state == watchpost.TaskLeased, ok, "%s: a write in acting stays with its journal", state)
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2030, 1, 10, 0, 0, 0, 0, time.UTC)
	for now, want := range map[time.Time]time.Time{
		noon:                           noon.Add(5 * time.Minute),
		midnight.Add(-5 * time.Minute): midnight,
		midnight.Add(-time.Minute):     midnight,
		midnight.Add(-1):               midnight,
		midnight:                       midnight.Add(5 * time.Minute),
		midnight.Add(-6 * time.Minute): midnight.Add(-time.Minute),
		midnight.Add(-time.Hour).In(time.FixedZone("east", 5*3600)):    midnight.Add(-55 * time.Minute),
		midnight.Add(-time.Minute).In(time.FixedZone("west", -8*3600)): midnight,
	} {
		require.True(t, want.Equal(watchpost.Deadline(now)), "%s: %s", now, watchpost.Deadline(now))
	}
}
