package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestWaitingAfterRestart: a task that waits without an actor is shown, handed out,
// moved, ended and expired like any other.
func TestWaitingAfterRestart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]func(t *testing.T, w *actorstest.World, team *actorstest.Team, s *actorstest.Session, like watchpost.TaskID){
		"shown": func(t *testing.T, _ *actorstest.World, team *actorstest.Team, s *actorstest.Session, like watchpost.TaskID) {
			view := wantPending(t, team, like, watchpost.PendingExtensionOffline)
			require.JSONEq(t, likeOf, string(view.Input))
			s.Account.SignedIn = false
			s.Connect()
			wantPending(t, team, like, watchpost.PendingPaused)
		},
		"handed out": func(t *testing.T, w *actorstest.World, team *actorstest.Team, s *actorstest.Session, like watchpost.TaskID) {
			s.Connect()
			f := s.ExpectTask(like)
			require.JSONEq(t, likeOf, string(f.Input))
			w.Crash()
			s.Connect(protocol.JournalTask{Task: f.Task, Lease: f.Lease, State: protocol.StateReceived})
			s.Finish(f)
			require.Equal(t, watchpost.TaskCompleted, team.Status(t, like).State)
			require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionLike))
		},
		"asked for again": func(t *testing.T, _ *actorstest.World, team *actorstest.Team, _ *actorstest.Session, like watchpost.TaskID) {
			require.Equal(t, like, created(t, team, request(watchpost.TaskLikePost, likeOf)))
		},
		"expired while the team is in memory": func(t *testing.T, w *actorstest.World, team *actorstest.Team, _ *actorstest.Session, like watchpost.TaskID) {
			w.Advance(time.Hour)
			later := team.Create(t, watchpost.TaskSendMessage)
			latest := team.Create(t, watchpost.TaskSendMessage)
			w.Restart()
			wantPending(t, team, like, watchpost.PendingExtensionOffline)
			w.Advance(watchpost.TaskExpiry - time.Minute)
			wantFailure(t, team.Status(t, like), watchpost.FailExpired, true)
			wantPending(t, team, later, watchpost.PendingExtensionOffline)
			w.Advance(time.Minute)
			wantFailure(t, team.Status(t, later), watchpost.FailExpired, true)
			wantFailure(t, team.Status(t, latest), watchpost.FailExpired, true)
		},
		"of a member who is removed": func(t *testing.T, w *actorstest.World, team *actorstest.Team, _ *actorstest.Session, _ watchpost.TaskID) {
			joe := team.Member(t, "joe")
			of := created(t, team, actors.CreateTask{Type: watchpost.TaskLikePost, Email: &joe, Input: []byte(likeOf)})
			w.Restart()
			remove(t, team, joe)
			wantFailure(t, team.Status(t, of), watchpost.FailMemberRemoved, true)
		},
		"moved to the member's new account": func(t *testing.T, w *actorstest.World, team *actorstest.Team, s *actorstest.Session, like watchpost.TaskID) {
			signIn := actorstest.Account("jan")
			s.Account = signIn
			s.Connect()
			s.ExpectNone()
			s.Send(protocol.Frame{Type: protocol.TypeBind, Account: &signIn})
			s.Finish(s.ExpectTask(like))
			w.Restart()
			require.Equal(t, like, created(t, team, request(watchpost.TaskLikePost, likeOf)), "it is done by the new account")
		},
		"named by a session that never had it": func(t *testing.T, _ *actorstest.World, team *actorstest.Team, s *actorstest.Session, like watchpost.TaskID) {
			s.Account.SignedIn = false
			s.Connect()
			s.Send(protocol.Frame{Type: protocol.TypeActing, Task: string(like), Lease: "none"})
			require.Equal(t, string(like), s.Expect(protocol.TypeCancel).Task)
			wantPending(t, team, like, watchpost.PendingPaused)
		},
		"of which the record cannot be read at first": func(t *testing.T, w *actorstest.World, team *actorstest.Team, s *actorstest.Session, like watchpost.TaskID) {
			s.Account.SignedIn = false
			s.Connect()
			reads := 0
			w.Store.LoseReads(func(actorstest.Read) bool { reads++; return true })
			s.Account.SignedIn = true
			s.Heartbeat()
			require.Equal(t, "try again", s.ExpectClosed().Reason)
			require.Eventually(t, func() bool { return w.Gauge("watchpost_sessions_connected") == 0 }, actorstest.Wait, time.Millisecond)
			w.Store.LoseReads(nil)
			require.Positive(t, reads)
			w.Advance(time.Minute) // past the pause
			s.Connect()
			s.Finish(s.ExpectTask(like))
			require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionLike))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			s.Drop()
			like := created(t, team, request(watchpost.TaskLikePost, likeOf))
			w.Restart()
			c(t, w, team, s, like)
		})
	}
}

// TestWaitingBesideAnOlderNode: a node of the release before works on tasks and leaves
// their WaitingRecord as it was. The next activation does not believe it.
func TestWaitingBesideAnOlderNode(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	s.Drop()
	const messages = watchpost.TaskSendMessage
	leased, released, ended := team.Create(t, messages), team.Create(t, messages), team.Create(t, messages)
	moved := created(t, team, request(watchpost.TaskLikePost, likeOf))
	require.Len(t, storedKeys(t, w, team, teamspace.KeyWaiting), 4)

	space, batch := persistence.Space(team.ID), &persistence.Batch{}
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	load := func(id watchpost.TaskID) watchpost.Task {
		task, err := teamspace.Load[watchpost.Task](view, space, teamspace.Key(teamspace.KeyTask, id))
		require.NoError(t, err)
		return task
	}
	put := func(task watchpost.Task, ok bool) {
		require.True(t, ok)
		batch.Put(teamspace.Key(teamspace.KeyTask, task.ID), teamspace.Encode(task))
	}
	lease := watchpost.Lease{ID: "lease", Session: s.ID, Account: s.URN(), Deadline: watchpost.Deadline(w.Now()), Units: 1}
	put(load(leased).WithLease(lease))
	debit := watchpost.Debit{Account: s.URN(), Action: watchpost.ActionMessage, Period: watchpost.Daily.Key(w.Now()), Attempt: 1, Units: 1}
	batch.Put(teamspace.Key(teamspace.KeyOpen, leased), teamspace.Encode([]watchpost.Debit{debit}))
	given, _ := load(released).WithLease(lease)
	put(given.Release(w.Now()))
	batch.Put(teamspace.Key(teamspace.KeyOpen, released), teamspace.Encode([]watchpost.Debit{})) // refunded
	put(load(ended).Fail(watchpost.TaskFailure{Code: watchpost.FailExpired}, w.Now()))
	batch.Delete(teamspace.Key(teamspace.KeyOpen, ended))
	like := load(moved)
	before, _ := like.Effect()
	like, ok := like.Move()
	put(like, ok)
	after, _ := like.Effect()
	batch.Delete(teamspace.EffectKey(before))
	batch.Put(teamspace.EffectKey(after), teamspace.Encode(teamspace.EffectRecord{Task: moved}))
	w.Plant(space, batch)
	w.Crash()

	wantPending(t, team, leased, watchpost.PendingRunning)
	wantPending(t, team, released, watchpost.PendingExtensionOffline)
	wantFailure(t, team.Status(t, ended), watchpost.FailExpired, false)
	require.Equal(t, []string{teamspace.KeyWaiting + string(moved)}, storedKeys(t, w, team, teamspace.KeyWaiting))
	s.Connect(protocol.JournalTask{Task: string(leased), Lease: "lease", State: protocol.StateReceived})
	f := protocol.Frame{Task: string(leased), Lease: "lease"}
	s.Act(f)
	s.Result(f, map[string]bool{"sent": true})
	s.ExpectAck(f)
	s.Finish(s.ExpectTask(moved))
	w.Restart()
	require.Equal(t, moved, created(t, team, request(watchpost.TaskLikePost, likeOf)), "its effect bears the name of the account")
	w.Advance(time.Hour)
	s.Connect()
	s.Finish(s.ExpectTask(released))
}
