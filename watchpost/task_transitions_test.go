package watchpost_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

var (
	allStates = []watchpost.TaskState{watchpost.TaskPending, watchpost.TaskLeased, watchpost.TaskActing, watchpost.TaskCompleted, watchpost.TaskFailed}
	allEvents = []watchpost.TaskEvent{watchpost.EventLease, watchpost.EventAct, watchpost.EventReturn, watchpost.EventComplete, watchpost.EventFail}
	allTypes  = []watchpost.TaskType{
		watchpost.TaskProfileFetch, watchpost.TaskCompanyFetch, watchpost.TaskProfilesPosts, watchpost.TaskCompanyPosts, watchpost.TaskProfilesSearch,
		watchpost.TaskLikePost, watchpost.TaskCommentPost, watchpost.TaskSendMessage, watchpost.TaskConnectionRequest, watchpost.TaskConnectionsFetch,
		watchpost.TaskKeywordScan, watchpost.TaskPeopleScan, watchpost.TaskCompanyScan, watchpost.TaskForumScan,
	}
	noon = time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)
)

// TestTaskTransitions checks every cell of the table, including the empty ones.
func TestTaskTransitions(t *testing.T) {
	t.Parallel()
	const none = watchpost.TaskState("")
	const p, l, a, c, f = watchpost.TaskPending, watchpost.TaskLeased, watchpost.TaskActing, watchpost.TaskCompleted, watchpost.TaskFailed
	want := map[watchpost.TaskState][]watchpost.TaskState{
		//   lease act   return complete fail
		p: {l, none, none, c, f},
		l: {none, a, p, c, f},
		a: {none, none, p, c, f},
		c: {none, none, none, none, none},
		f: {none, none, none, none, none},
	}
	for _, state := range allStates {
		for i, event := range allEvents {
			next, ok := state.Next(event)
			require.Equal(t, want[state][i], next, "%s, event %d", state, event)
			require.Equal(t, next != none, ok)
		}
		require.Equal(t, state == c || state == f, state.Final())
	}
	require.Equal(t, "pending", l.PublicStatus())
	require.Equal(t, "pending", a.PublicStatus())
	require.Equal(t, "completed", c.PublicStatus())
}

// in returns a write in a state.
func in(state watchpost.TaskState) watchpost.Task {
	t := watchpost.Task{Member: "m", ID: "t", Type: watchpost.TaskLikePost, State: watchpost.TaskPending, CreatedAt: noon}
	lease := watchpost.Lease{ID: "lease", Session: "s", Account: "a", Deadline: noon.Add(time.Minute)}
	switch state {
	case watchpost.TaskLeased:
		t, _ = t.WithLease(lease)
	case watchpost.TaskActing:
		t, _ = t.WithLease(lease)
		t, _ = t.Act("lease", noon)
	case watchpost.TaskCompleted:
		t, _ = t.Complete(json.RawMessage(`{}`), noon)
	case watchpost.TaskFailed:
		t, _ = t.Fail(watchpost.TaskFailure{Code: "x"}, noon)
	}
	return t
}

// TestMethodsFollowTheTable: each method applies its event where the table has
// one, and otherwise returns the task unchanged.
func TestMethodsFollowTheTable(t *testing.T) {
	t.Parallel()
	methods := []func(watchpost.Task) (watchpost.Task, bool){
		func(t watchpost.Task) (watchpost.Task, bool) {
			return t.WithLease(watchpost.Lease{ID: "new", Account: "a"})
		},
		func(t watchpost.Task) (watchpost.Task, bool) { return t.Act("lease", noon) },
		func(t watchpost.Task) (watchpost.Task, bool) { return t.Return(false) },
		func(t watchpost.Task) (watchpost.Task, bool) { return t.Complete(json.RawMessage(`1`), noon) },
		func(t watchpost.Task) (watchpost.Task, bool) { return t.Fail(watchpost.TaskFailure{Code: "y"}, noon) },
	}
	for _, state := range allStates {
		for i, event := range allEvents {
			before := in(state)
			require.Equal(t, state, before.State)
			after, ok := methods[i](before)
			next, allowed := state.Next(event)
			require.Equal(t, allowed, ok, "%s, event %d", state, event)
			if !ok {
				require.Equal(t, in(state), after)
				continue
			}
			require.Equal(t, next, after.State)
			require.Equal(t, in(state), before, "the receiver is not changed")
			require.Equal(t, after.State.Final(), !after.EndedAt.IsZero())
			require.Equal(t, after.State == watchpost.TaskLeased || after.State == watchpost.TaskActing, after.Lease != nil)
		}
	}
}

func TestExpires(t *testing.T) {
	t.Parallel()
	released := in(watchpost.TaskLeased)
	released, _ = released.Return(false)
	noAct := in(watchpost.TaskLeased)
	noAct, _ = noAct.LoseLease(noon)
	retried := func(kind watchpost.TaskType, code string, acted *bool) watchpost.Task {
		task, _ := watchpost.Task{Type: kind, State: watchpost.TaskPending, CreatedAt: noon}.WithLease(watchpost.Lease{ID: "l", Account: "a"})
		task, _ = task.Retry(watchpost.ClassifyError(kind, code, "", acted), noon)
		return task
	}
	lost, _ := watchpost.Task{Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending, CreatedAt: noon}.WithLease(watchpost.Lease{ID: "l"})
	lost, _ = lost.LoseLease(noon)
	sliced := watchpost.Task{Type: watchpost.TaskProfilesPosts, State: watchpost.TaskPending, CreatedAt: noon, Progress: watchpost.Progress{Done: 1}}
	paused := released
	paused.PausedSince = noon.Add(time.Hour)
	scan := watchpost.Task{Type: watchpost.TaskKeywordScan, State: watchpost.TaskPending, CreatedAt: noon}
	pausedScan := scan
	pausedScan.PausedSince = noon
	for name, c := range map[string]struct {
		task watchpost.Task
		at   time.Time // zero: never
		code string
		safe bool
	}{
		"pending":                    {in(watchpost.TaskPending), noon.AddDate(0, 0, 7), "expired", true},
		"leased":                     {in(watchpost.TaskLeased), time.Time{}, "", false},
		"released":                   {released, noon.AddDate(0, 0, 7), "expired", true},
		"a write never acting":       {noAct, noon.AddDate(0, 0, 7), "expired", true},
		"signed out before it":       {retried(watchpost.TaskLikePost, "signed_out", new(bool)), noon.AddDate(0, 0, 7), "expired", true},
		"read, signed out meanwhile": {retried(watchpost.TaskProfileFetch, "signed_out", truth()), time.Time{}, "", false},
		"read, nobody knows":         {retried(watchpost.TaskProfileFetch, "timeout", nil), time.Time{}, "", false},
		"read, lease lost":           {lost, time.Time{}, "", false},
		"one slice done":             {sliced, time.Time{}, "", false},
		"acting":                     {in(watchpost.TaskActing), noon.Add(24 * time.Hour), "outcome_unknown", false},
		"page not understood":        {paused, noon.Add(25 * time.Hour), "page_not_understood", true},
		"scan":                       {scan, time.Time{}, "", false},
		"scan, page not understood":  {pausedScan, noon.Add(24 * time.Hour), "page_not_understood", true},
		"completed":                  {in(watchpost.TaskCompleted), time.Time{}, "", false},
		"failed":                     {in(watchpost.TaskFailed), time.Time{}, "", false},
	} {
		at, ok := c.task.Expires()
		require.Equal(t, !c.at.IsZero(), ok, name)
		require.Equal(t, c.at, at, name)
		if !ok {
			_, ended := c.task.Expire(noon.AddDate(10, 0, 0))
			require.False(t, ended, name)
			continue
		}
		_, ended := c.task.Expire(c.at.Add(-1))
		require.False(t, ended, name)
		for _, late := range []time.Duration{0, 1, 1000 * time.Hour} {
			failed, ended := c.task.Expire(c.at.Add(late))
			require.True(t, ended, name)
			require.Equal(t, watchpost.TaskFailed, failed.State, name)
			require.Equal(t, c.at, failed.EndedAt, "%s: as of the moment when it was due", name)
			require.Equal(t, c.code, failed.Failure.Code, name)
			require.Equal(t, c.safe, failed.Failure.RetrySafe, name)
		}
	}
}

// TestTaskSurvivesStorage: a stored task is equal when it is read again.
func TestTaskSurvivesStorage(t *testing.T) {
	t.Parallel()
	for _, state := range allStates {
		task := in(state)
		task.Failure = nil
		if state == watchpost.TaskFailed {
			task, _ = in(watchpost.TaskPending).Fail(watchpost.TaskFailure{Code: "c<>&\"", Message: "mé\n", RetrySafe: true}, noon)
		}
		stored, err := json.Marshal(task)
		require.NoError(t, err)
		var loaded watchpost.Task
		require.NoError(t, json.Unmarshal(stored, &loaded))
		if len(task.Output) == 0 {
			loaded.Output = nil
		}
		if task.Input.JSON() == nil {
			loaded.Input = watchpost.TaskInput{}
		}
		require.Equal(t, task, loaded)
	}
	shown, err := json.Marshal(watchpost.TaskFailure{Code: "expired", Message: "m", RetrySafe: true})
	require.NoError(t, err)
	require.JSONEq(t, `{"error":{"code":"expired","message":"m"},"retry_safe":true}`, string(shown))
	var f watchpost.TaskFailure
	require.Error(t, json.Unmarshal([]byte(`7`), &f))
}

// TestAnyHistory plays random events: a final task never changes, attempts only
// grow, and a task has a lease exactly while it is leased or acting.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		task := watchpost.Task{Type: rapid.SampledFrom(allTypes).Draw(r, "type"), State: watchpost.TaskPending, CreatedAt: noon}
		now := noon
		var final *watchpost.Task
		for range rapid.IntRange(1, 40).Draw(r, "events") {
			now = now.Add(time.Duration(rapid.IntRange(0, 30).Draw(r, "hours")) * time.Hour)
			before := task
			var ok bool
			switch rapid.IntRange(0, 6).Draw(r, "event") {
			case 0:
				task, ok = task.WithLease(watchpost.Lease{ID: "l", Session: "s", Account: "a"})
			case 1:
				task, ok = task.Act("l", now)
			case 2:
				task, ok = task.Return(rapid.Bool().Draw(r, "lost"))
			case 3:
				task, ok = task.LoseLease(now)
			case 4:
				task, ok = task.Complete(json.RawMessage(`{}`), now)
			case 5:
				task, ok = task.Fail(watchpost.TaskFailure{Code: "x"}, now)
			case 6:
				task, ok = task.Expire(now)
			}
			if final != nil {
				require.Equal(r, *final, task)
			} else if !ok {
				require.Equal(r, before, task)
			}
			require.GreaterOrEqual(r, task.Attempts, before.Attempts)
			require.LessOrEqual(r, task.Lost, task.Attempts)
			require.Equal(r, task.State == watchpost.TaskLeased || task.State == watchpost.TaskActing, task.Lease != nil)
			require.False(r, task.State == watchpost.TaskActing && !task.Type.Writes())
			if final == nil && task.State.Final() {
				copied := task
				final = &copied
			}
		}
	})
}

// TestRetryDelay: 30 s, doubled with each retry up to an hour, ±20 %. Tasks
// that failed together get different delays.
func TestRetryDelay(t *testing.T) {
	t.Parallel()
	apart := map[time.Duration]bool{}
	for i := range 200 {
		id := watchpost.TaskID(fmt.Sprintf("task-%d", i))
		want := 30 * time.Second
		for n := 1; n <= 100; n++ {
			delay := watchpost.RetryDelay(id, n)
			require.GreaterOrEqual(t, delay, want*8/10, "%s %d", id, n)
			require.LessOrEqual(t, delay, want*12/10, "%s %d", id, n)
			require.Equal(t, delay, watchpost.RetryDelay(id, n), "the same after a restart")
			want = min(2*want, time.Hour)
		}
		apart[watchpost.RetryDelay(id, 1)] = true
	}
	require.Greater(t, len(apart), 100)
}

func TestMoveAndRejournal(t *testing.T) {
	waits := watchpost.Task{ID: "t", Type: watchpost.TaskLikePost, State: watchpost.TaskPending, Member: "m", Account: "urn:a"}
	moved, ok := waits.Move()
	require.True(t, ok)
	require.Empty(t, moved.Account)
	_, ok = moved.Move()
	require.False(t, ok, "moved already")
	read := watchpost.Task{ID: "t", Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending, Account: "urn:a"}
	_, ok = read.Move()
	require.False(t, ok, "in nobody's name")

	leased, ok := waits.WithLease(watchpost.Lease{ID: "l", Session: "s", Account: "urn:a", Journal: "old"})
	require.True(t, ok)
	_, ok = leased.Move()
	require.False(t, ok, "handed out")
	next, ok := leased.SetJournal("new")
	require.True(t, ok)
	require.Equal(t, "new", next.Lease.Journal)
	require.Equal(t, "old", leased.Lease.Journal, "a value of its own")
	_, ok = next.SetJournal("new")
	require.False(t, ok)
	acting, ok := next.Act("l", time.Unix(0, 0))
	require.True(t, ok)
	_, ok = acting.SetJournal("newer")
	require.False(t, ok, "what acts stays with its journal")
	returned, _ := leased.Return(false)
	_, ok = returned.Move()
	require.False(t, ok, "it was handed out before")
}

// TestTasksOfRulesDoNotWaitAgain: whatever takes such a task back ends it. It did not
// act, and its rule decides again.
func TestTasksOfRulesDoNotWaitAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 7, 9, 0, 0, 0, time.UTC)
	task := watchpost.Task{ID: "t", Type: watchpost.TaskLikePost, State: watchpost.TaskPending, Asked: watchpost.Asker{Kind: watchpost.AskedByRule, ID: "rule"}}
	leased, ok := task.WithLease(watchpost.Lease{ID: "l"})
	require.True(t, ok)
	acting, ok := leased.Act("l", now)
	require.True(t, ok)
	didNot := false
	for name, back := range map[string]func() (watchpost.Task, bool){
		"lost":     func() (watchpost.Task, bool) { return leased.LoseLease(now) },
		"released": func() (watchpost.Task, bool) { return leased.Release(now) },
		"failed": func() (watchpost.Task, bool) {
			return leased.Retry(watchpost.ClassifyError(task.Type, "timeout", "", &didNot), now)
		},
		"did not act": func() (watchpost.Task, bool) {
			return acting.Retry(watchpost.ClassifyError(task.Type, "network_limit", "", &didNot), now)
		},
	} {
		next, ok := back()
		require.True(t, ok, name)
		require.Equal(t, watchpost.TaskFailed, next.State, name)
		require.Equal(t, watchpost.FailRulePostponed, next.Failure.Code, name)
		require.True(t, next.Failure.RetrySafe, name)
	}
	task.Asked.Kind = watchpost.AskedByKey
	leased, _ = task.WithLease(watchpost.Lease{ID: "l"})
	next, ok := leased.Release(now)
	require.True(t, ok)
	require.Equal(t, watchpost.TaskPending, next.State)
}
