package actors_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// plantTasks stores tasks of an earlier life of a team, some of them ended, and returns
// them newest first.
func plantTasks(w *actorstest.World, team *actorstest.Team, n int) (all []*watchpost.Task) {
	kinds := watchpost.JournalTypes()
	batch := persistence.Batch{}
	for i := range n {
		at := w.Now().Add(-time.Duration(n-i) * time.Minute)
		task := &watchpost.Task{
			ID: watchpost.TaskID(watchpost.NewID(at)), Type: kinds[i%len(kinds)], State: watchpost.TaskCompleted, CreatedAt: at, EndedAt: at.Add(time.Hour),
			Input: watchpost.ParseTaskInput(fmt.Appendf(nil, `{"number":"%d","text":"State failed"}`, i)), Output: []byte(`{}`),
		}
		if i%3 == 0 {
			task.State, task.Output, task.Failure = watchpost.TaskFailed, nil, &watchpost.TaskFailure{Code: "not_found", Message: `"State":"completed"`}
		}
		batch.Put(teamspace.Key(teamspace.KeyTask, task.ID), teamspace.Encode(task))
		batch.Put(teamspace.JournalKey(task.ID), teamspace.Encode(task.Journal()))
		all = append(all, task)
		if _, ops := batch.Size(); ops > persistence.MaxBatchOps-10 {
			w.Plant(persistence.Space(team.ID), &batch)
			batch = persistence.Batch{}
		}
	}
	w.Plant(persistence.Space(team.ID), &batch)
	slices.Reverse(all)
	return all
}

// TestListTasks compares the pages and counts of queries with a model, which is a list of
// all tasks.
func TestListTasks(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team, other := w.CreateTeam(t, watchpost.PlanUltimate), w.CreateTeam(t, watchpost.PlanUltimate)
	all := plantTasks(w, team, 700)
	plantTasks(w, other, 5)
	w.Restart()
	for range 5 {
		w.Advance(time.Second)
		id := team.Create(t, watchpost.TaskProfileFetch)
		all = slices.Insert(all, 0, &watchpost.Task{ID: id, Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending})
	}
	r := rand.New(rand.NewPCG(1, 2))
	kinds := watchpost.JournalTypes()
	for range 200 {
		q := watchpost.TaskQuery{Page: 1 + r.IntN(4), Size: 1 + r.IntN(100), Status: []string{"", "", "pending", "completed", "failed"}[r.IntN(5)]}
		for range r.IntN(3) {
			q.Types = append(q.Types, kinds[r.IntN(len(kinds))])
		}
		if r.IntN(3) == 0 {
			q.Since = all[r.IntN(len(all))].ID.CreatedAt()
		}
		for range []int{0, 0, 0, 5, 100}[r.IntN(5)] {
			q.IDs = append(q.IDs, all[r.IntN(len(all))].ID)
		}
		want := []watchpost.TaskID{}
		for _, task := range all {
			if q.Matches(task.ID, task.Type, task.State) {
				want = append(want, task.ID)
			}
		}
		page, err := w.Registry.Tasks(w.Context(), team.ID, q)
		require.NoError(t, err)
		require.Equal(t, len(want), page.Count, "%+v", q)
		from := min((q.Page-1)*q.Size, len(want))
		want = want[from:min(from+q.Size, len(want))]
		got := []watchpost.TaskID{}
		for _, view := range page.Tasks {
			got = append(got, view.ID)
			require.Equal(t, view.State == watchpost.TaskPending, view.Reason != "", "why it waits")
		}
		require.Equal(t, want, got, "%+v", q)
	}
	unknown, err := w.Registry.Tasks(w.Context(), team.ID, watchpost.TaskQuery{IDs: []watchpost.TaskID{"x", watchpost.TaskID(watchpost.NewID(w.Now()))}, Page: 1, Size: 5})
	require.NoError(t, err)
	require.Zero(t, unknown.Count)
}

// TestListTasksThatAreKept: tasks that are deleted because they ended long ago are not
// counted, although the journal has them; likes that were done stay.
func TestListTasksThatAreKept(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.KeepTasks = 100 }))
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	batch := persistence.Batch{}
	for i, kind := range []watchpost.TaskType{watchpost.TaskSendMessage, watchpost.TaskLikePost, watchpost.TaskSendMessage} {
		task := ended(w.Now().AddDate(0, 0, []int{-101, -101, -50}[i]))
		task.Type, task.Input = kind, watchpost.ParseTaskInput([]byte(`{"social_urn":"urn:network:activity:7"}`))
		batch.Put(teamspace.Key(teamspace.KeyTask, task.ID), teamspace.Encode(task))
		batch.Put(teamspace.JournalKey(task.ID), teamspace.Encode(task.Journal()))
	}
	w.Plant(persistence.Space(team.ID), &batch)
	w.Restart()
	for range 2 { // before the deletion and after
		page, err := w.Registry.Tasks(w.Context(), team.ID, watchpost.TaskQuery{Page: 1, Size: 10})
		require.NoError(t, err)
		require.Equal(t, 2, page.Count)
		require.Len(t, page.Tasks, 2)
		_, err = w.Registry.ExpireTasks(w.Context())
		require.NoError(t, err)
	}
}

// BenchmarkListTasks is a page of a team with 100,000 tasks.
func BenchmarkListTasks(b *testing.B) {
	w := actorstest.New(b)
	team := w.CreateTeam(b, watchpost.PlanUltimate)
	plantTasks(w, team, 100_000)
	w.Restart()
	for _, q := range []watchpost.TaskQuery{{}, {Status: "failed"}, {Status: "pending"}, {Types: []watchpost.TaskType{watchpost.TaskLikePost}}, {Since: w.Now().Add(-time.Hour)}} {
		b.Run(fmt.Sprint(q.Status, q.Types, q.Since.IsZero()), func(b *testing.B) {
			q.Page, q.Size = 1, 20
			for b.Loop() {
				_, err := w.Registry.Tasks(w.Context(), team.ID, q)
				require.NoError(b, err)
			}
		})
	}
}

// TestCancelWaiting: tasks without an actor are cancelled too, also after a restart, and
// a cancelled task stays so after a crash.
func TestCancelWaiting(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	message, profile := team.Create(t, watchpost.TaskSendMessage), team.Create(t, watchpost.TaskProfileFetch)
	w.Restart()
	view := actorstest.Must[actors.TaskView](t, team, actors.CancelTask{ID: message})
	require.Equal(t, watchpost.TaskFailed, view.State)
	require.JSONEq(t, `{"error":{"code":"cancelled","message":"it was cancelled before it was begun"},"retry_safe":true}`, string(view.Output))
	w.Crash()
	require.Equal(t, view, team.Status(t, message))
	require.Equal(t, view, actorstest.Must[actors.TaskView](t, team, actors.CancelTask{ID: message}))
	s := team.Session(t, "founder").Connect()
	s.Finish(s.ExpectTask(profile))
	s.ExpectQuiet()
	actorstest.Fails(t, team, watchpost.Conflict, actors.CancelTask{ID: profile})
}

// TestCancelGivesBackToBothDays: a write that was held over midnight has been debited to
// two days.
func TestCancelGivesBackToBothDays(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	s := team.Session(t, "founder").Connect()
	midnight := watchpost.Daily.Reset(w.Now())
	w.SetClock(midnight.Add(-30 * time.Second))
	s.Heartbeat()
	id := team.Create(t, watchpost.TaskSendMessage)
	frame := s.ExpectTask(id)
	require.Equal(t, 1, team.Used(t, team.Email, watchpost.ActionMessage))
	w.SetClock(midnight.Add(time.Second))
	s.Heartbeat(frame)
	s.ExpectNone()
	require.Equal(t, 1, team.Used(t, team.Email, watchpost.ActionMessage), "the lease goes on in the new day")
	actorstest.Must[actors.TaskView](t, team, actors.CancelTask{ID: id})
	require.Equal(t, string(id), s.Expect("cancel").Task)
	require.Zero(t, team.Used(t, team.Email, watchpost.ActionMessage))
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	days := 0
	require.NoError(t, teamspace.LoadAll(view, persistence.Space(team.ID), teamspace.KeyLedger, func(key string, record teamspace.LedgerRecord) {
		require.Zero(t, record.Used, "%q", key)
		days++
	}))
	require.Equal(t, 2, days)
}

// TestCancelOffered: a hand-out that is under way loses or wins against a cancellation,
// and the session is free afterwards either way.
func TestCancelOffered(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	s := team.Session(t, "founder").Connect()
	for range 30 {
		made := make(chan watchpost.TaskID, 1)
		go func() { made <- team.Create(t, watchpost.TaskSendMessage) }()
		id := <-made
		_, err := actorstest.Try[actors.TaskView](team, actors.CancelTask{ID: id})
		require.NoError(t, err)
		require.Equal(t, watchpost.TaskFailed, team.Status(t, id).State)
		require.Zero(t, team.Used(t, team.Email, watchpost.ActionMessage))
	}
	id := team.Create(t, watchpost.TaskProfileFetch)
	for { // whatever was sent and called off before
		if f := s.Next(); f.Type == "task" && f.Task == string(id) {
			s.Finish(f)
			break
		}
	}
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
}
