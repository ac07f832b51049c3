package actors_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// house is a world with one team and one connected session.
func house(t *testing.T, options ...actorstest.Option) (*actorstest.World, *actorstest.Team, *actorstest.Session) {
	t.Helper()
	w := actorstest.New(t, options...)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	return w, team, team.Session(t, "ada").Connect()
}

// must is actorstest.Must for requests whose reply does not matter.
func done(t *testing.T, team *actorstest.Team, request any) {
	t.Helper()
	actorstest.Must[any](t, team, request)
}

// wantFailure checks how a task failed.
func wantFailure(t *testing.T, view actors.TaskView, code string, retrySafe bool) {
	t.Helper()
	require.Equal(t, watchpost.TaskFailed, view.State)
	var output struct {
		Error     struct{ Code, Message string }
		RetrySafe *bool `json:"retry_safe"`
	}
	require.NoError(t, json.Unmarshal(view.Output, &output), "%s", view.Output)
	require.Equal(t, code, output.Error.Code, "%s", view.Output)
	require.NotNil(t, output.RetrySafe)
	require.Equal(t, retrySafe, *output.RetrySafe, "%s", view.Output)
	require.False(t, view.CompletedAt.IsZero())
	require.Empty(t, view.Reason)
}

func wantPending(t *testing.T, team *actorstest.Team, id watchpost.TaskID, reason watchpost.PendingReason) actors.TaskView {
	t.Helper()
	view := team.Status(t, id)
	require.Equal(t, "pending", view.State.PublicStatus(), "%s", view.Output)
	require.Equal(t, reason, view.Reason)
	require.Contains(t, []string{"", "null"}, string(view.Output))
	require.Zero(t, view.CompletedAt)
	return view
}

func TestTaskLife(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	before := w.Now()
	request := actorstest.NewTask(watchpost.TaskProfileFetch)
	id := actorstest.Must[actors.TaskCreated](t, team, request).ID
	frame := s.ExpectTask(id)
	require.Equal(t, "agent_profile_fetch", frame.TaskType)
	require.JSONEq(t, string(request.Input), string(frame.Input))
	require.Equal(t, 1, frame.Attempt)
	require.WithinDuration(t, before.Add(5*time.Minute), *frame.Deadline, actorstest.Wait)
	wantPending(t, team, id, watchpost.PendingRunning)
	s.Accept(frame)
	s.Result(frame, map[string]any{"name": "Ada", "unknown": 1})
	s.ExpectAck(frame)

	view := team.Status(t, id)
	require.Equal(t, watchpost.TaskCompleted, view.State)
	require.JSONEq(t, string(request.Input), string(view.Input))
	var output map[string]any
	require.NoError(t, json.Unmarshal(view.Output, &output))
	require.Equal(t, "Ada", output["name"])
	require.Equal(t, []any{}, output["skills"])
	require.NotContains(t, output, "unknown")
	require.False(t, view.CompletedAt.Before(view.CreatedAt))
	require.Equal(t, view, team.Status(t, id), "polling again returns the same")
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch))

	t.Run("the same after a restart and after a crash", func(t *testing.T) {
		w.Restart()
		require.Equal(t, view, team.Status(t, id))
		w.Crash()
		require.Equal(t, view, team.Status(t, id))
	})
	t.Run("not for another team, not for a malformed id", func(t *testing.T) {
		other := w.CreateTeam(t, watchpost.PlanFree)
		for _, bad := range []struct {
			team watchpost.TeamID
			id   watchpost.TaskID
		}{{other.ID, id}, {team.ID, "none"}, {team.ID, watchpost.TaskID(watchpost.NewID(w.Now()))}, {team.ID, id + "\x00"}} {
			_, err := w.Registry.TaskStatus(w.Context(), bad.team, bad.id)
			require.EqualError(t, err, "Agent task not found")
			require.Equal(t, watchpost.NotFound, watchpost.KindOf(err))
		}
	})
}

// TestNothingBeforeDurable holds every commit back: no answer, no frame and no
// poll may leave that depends on one.
func TestNothingBeforeDurable(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.Store.Block()
	created := make(chan watchpost.TaskID, 1)
	go func() {
		reply, _ := actorstest.Try[actors.TaskCreated](team, actorstest.NewTask(watchpost.TaskProfileFetch))
		created <- reply.ID
	}()
	require.NoError(t, w.Store.AwaitHeld(w.Context(), 1), "create and hand-out together")
	polled := make(chan error, 1)
	go func() {
		_, err := actorstest.Try[actors.TeamView](team, actors.GetTeam{})
		polled <- err
	}()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := w.Registry.TaskStatus(ctx, team.ID, watchpost.TaskID(watchpost.NewID(w.Now())))
	require.Equal(t, watchpost.Unavailable, watchpost.KindOf(err), "a poll waits behind the commits too")
	require.Empty(t, created)
	require.Empty(t, polled)
	require.True(t, s.Open())
	s.ExpectQuiet()
	w.Store.Release()
	id := <-created
	require.NotEmpty(t, id)
	require.NoError(t, <-polled)
	frame := s.ExpectTask(id)

	t.Run("the result is acknowledged when it is durable", func(t *testing.T) {
		w.Store.Block()
		s.Result(frame, map[string]any{})
		require.NoError(t, w.Store.AwaitHeld(w.Context(), 1))
		s.ExpectQuiet()
		w.Store.Release()
		s.ExpectAck(frame)
	})
	t.Run("go leaves when acting is durable", func(t *testing.T) {
		id := team.Create(t, watchpost.TaskLikePost)
		frame := s.ExpectTask(id)
		w.Store.Block()
		s.Send(protocol.Frame{Type: protocol.TypeActing, Task: frame.Task, Lease: frame.Lease})
		require.NoError(t, w.Store.AwaitHeld(w.Context(), 1))
		s.ExpectQuiet()
		w.Store.Release()
		s.Expect(protocol.TypeGo)
	})
}

// TestDebitIsDurableBeforeTheFrame looks into the store at the moment when the frame
// arrives.
func TestDebitIsDurableBeforeTheFrame(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	s.ExpectTask(id)
	w.Crash() // changes that are not durable are lost
	require.NoError(t, s.Hello())
	s.Expect(protocol.TypeWelcome)
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch))
}

func TestCommitFailure(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		fault actorstest.Fault
	}{{"nothing written", actorstest.Before}, {"written, and not known", actorstest.After}} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			kept := team.Create(t, watchpost.TaskProfileFetch)
			frame := s.ExpectTask(kept)
			s.Accept(frame)
			activated := w.Store.Activations(persistence.Space(team.ID))

			w.Store.Fail(persistence.Space(team.ID), 1, fault.fault)
			actorstest.Fails(t, team, watchpost.Unavailable, actorstest.NewTask(watchpost.TaskProfileFetch))
			require.Equal(t, actorstest.Closed{Code: 1013, Reason: "try again"}, s.ExpectClosed())
			require.Eventually(t, func() bool { return w.Gauge("watchpost_sessions_connected") == 0 }, actorstest.Wait, time.Millisecond)

			t.Run("it rests for a moment, then loads what is stored", func(t *testing.T) {
				w.Advance(time.Minute)
				wantPending(t, team, kept, watchpost.PendingRunning)
				require.Equal(t, activated+1, w.Store.Activations(persistence.Space(team.ID)))
			})
			t.Run("the session goes on", func(t *testing.T) {
				s.Connect(actorstest.Listed(frame, protocol.StateDone))
				s.Result(frame, map[string]any{})
				s.ExpectAck(frame)
				require.Equal(t, watchpost.TaskCompleted, team.Status(t, kept).State)
				if fault.fault == actorstest.After { // the refused request was carried out
					s.Expect(protocol.TypeTask)
				}
				s.ExpectNone()
			})
		})
	}
}

// TestCrashPause checks that the pause of a team that crashes repeatedly grows to
// some 20 s, and that it ends.
func TestCrashPause(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	space := persistence.Space(team.ID)
	last := time.Duration(0)
	for i := range 14 {
		w.PanicIn("actors.(*tasks).newTask")
		actorstest.Fails(t, team, watchpost.Internal, actorstest.NewTask(watchpost.TaskProfileFetch))
		w.AwaitPassivated()
		if i > 9 { // the first pauses are over before one can look
			activated := w.Store.Activations(space)
			actorstest.Fails(t, team, watchpost.Unavailable, actors.GetTeam{})
			require.Equal(t, activated, w.Store.Activations(space), "refused without waking it")
		}
		var paused time.Duration
		for step := 10 * time.Millisecond; ; step *= 2 {
			w.Advance(step)
			paused += step
			if _, err := actorstest.Try[actors.TeamView](team, actors.GetTeam{}); err == nil {
				break
			}
		}
		require.GreaterOrEqual(t, 2*paused+time.Second, last)
		require.Less(t, paused, time.Minute)
		last = paused
	}
	require.Greater(t, last, 8*time.Second)
}

func TestPanicsAreSurvived(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"actors.(*team).onRequireExtension", "actors.(*tasks).onCreateTask"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			kept := team.Create(t, watchpost.TaskProfileFetch)
			frame := s.ExpectTask(kept)
			w.PanicIn(where)
			var request any = actors.RequireExtension{}
			if where == "actors.(*tasks).onCreateTask" {
				request = actorstest.NewTask(watchpost.TaskLikePost)
			}
			actorstest.Fails(t, team, watchpost.Internal, request)
			s.ExpectClosed()
			w.Advance(time.Second)
			s.Connect(actorstest.Listed(frame, protocol.StateReceived))
			s.Finish(frame)
			require.Equal(t, watchpost.TaskCompleted, team.Status(t, kept).State)
			done(t, team, actors.RequireExtension{})
		})
	}
	t.Run("task", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		frame := s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch))
		w.PanicIn("actors.(*task).complete")
		s.Result(frame, map[string]any{})
		s.ExpectClosed()
		w.Advance(time.Second)
		s.Connect(actorstest.Listed(frame, protocol.StateReceived))
		s.Finish(frame)
	})
	t.Run("session's team while it waits for the poll", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id := team.Create(t, watchpost.TaskProfileFetch)
		s.ExpectTask(id)
		w.PanicIn("actors.(*tasks).onTaskStatus")
		_, err := w.Registry.TaskStatus(w.Context(), team.ID, id)
		require.Equal(t, watchpost.Internal, watchpost.KindOf(err))
		w.Advance(time.Second)
		wantPending(t, team, id, watchpost.PendingRunning)
	})
	t.Run("sign-in", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		w.PanicIn("signin.(*shard).onSend")
		err := w.Registry.SendOTP(w.Context(), "eve@example.com", "", "192.0.2.1", "", "")
		require.Error(t, err)
		require.Equal(t, watchpost.Internal, watchpost.KindOf(err))
		w.Advance(time.Second)
		require.NoError(t, w.Registry.SendOTP(w.Context(), "eve@example.com", "", "192.0.2.1", "", ""))
		require.NotEmpty(t, w.Mail.Code("eve@example.com"))
	})
	t.Run("watchlist", func(t *testing.T) {
		t.Parallel()
		w, team, _ := house(t)
		list := keywordWatchlist(t, team, "go")
		w.PanicIn("actors.(*watchlist).onUpdate")
		name := "other"
		actorstest.Fails(t, team, watchpost.Internal, actors.UpdateWatchlist{Type: watchpost.KeywordWatchlist, ID: list.ID, Patch: watchpost.WatchlistPatch{Name: &name}})
		w.Advance(time.Second)
		got := actorstest.Must[actors.WatchlistView](t, team, actors.GetWatchlist{Type: watchpost.KeywordWatchlist, ID: list.ID})
		require.NotEqual(t, name, got.Watchlist.Name)
		changed := actorstest.Must[actors.WatchlistView](t, team, actors.UpdateWatchlist{Type: watchpost.KeywordWatchlist, ID: list.ID, Patch: watchpost.WatchlistPatch{Name: &name}})
		require.Equal(t, name, changed.Watchlist.Name)
	})
	t.Run("post store", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		list := keywordWatchlist(t, team, "go")
		scan := s.Expect(protocol.TypeTask)
		w.PanicIn("poststore.(*PostStore).ingest")
		s.Part(scan, 0, post(w, "1", "go is fine"))
		s.ExpectClosed()
		w.Advance(time.Second)
		s.Connect(actorstest.Listed(scan, protocol.StateReceived))
		s.Part(scan, 0, post(w, "1", "go is fine"))
		s.ExpectAck(scan)
		require.Len(t, team.Posts(t, list.ID), 1)
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	w.Store.Block()
	replies := make(chan error, 10)
	for range cap(replies) {
		go func() {
			_, err := actorstest.Try[actors.TaskCreated](team, actorstest.NewTask(watchpost.TaskProfileFetch))
			replies <- err
		}()
	}
	require.NoError(t, w.Store.AwaitHeld(w.Context(), cap(replies)))
	s.Result(scan, protocol.PostsOutput{Exhausted: actorstest.Truth, Posts: []protocol.Post{post(w, "1", "go")}})
	closed := make(chan error, 1)
	go func() { closed <- w.Registry.Close(w.Context()) }()
	w.Store.Release()
	require.NoError(t, <-closed)
	for range cap(replies) {
		require.NoError(t, <-replies, "what was asked before is answered")
	}
	actorstest.Fails(t, team, watchpost.Unavailable, actors.GetTeam{})
	require.Equal(t, 1013, s.ExpectClosed().Code)
	require.NoError(t, w.Registry.Close(w.Context()), "closing twice is no error")
	_ = list
}
