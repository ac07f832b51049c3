package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

func TestWriteLife(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskCommentPost)
	frame := s.ExpectTask(id)
	s.Accept(frame)
	s.Act(frame)
	s.Act(frame) // asked again it says the same
	wantPending(t, team, id, watchpost.PendingRunning)
	s.Drop()
	w.Advance(time.Hour) // no lease runs out on what acts
	wantPending(t, team, id, watchpost.PendingRunning)
	s.Connect(actorstest.Listed(frame, protocol.StateActing))
	s.Result(frame, map[string]any{"commented": true, "comment_urn": "urn:comment:1"})
	s.ExpectAck(frame)
	require.JSONEq(t, `{"commented":true,"comment_urn":"urn:comment:1"}`, string(team.Status(t, id).Output))
}

// TestWriteLostBeforeActing: not done, so it is handed out again, but only to
// a session of the same account.
func TestWriteLostBeforeActing(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	other := team.SessionOf(t, team.Member(t, "bob"), "bob")
	twin := team.Session(t, "ada")
	id := team.Create(t, watchpost.TaskLikePost)
	frame := s.ExpectTask(id)
	s.Drop()
	w.Advance(leaseOver)
	other.Connect()
	other.ExpectNone()
	wantPending(t, team, id, watchpost.PendingExtensionOffline)
	w.Crash()
	other.Connect()
	other.ExpectNone()
	twin.Connect()
	again := twin.ExpectTask(id)
	require.Equal(t, 2, again.Attempt)

	t.Run("the first may not act any more", func(t *testing.T) {
		s.Connect(actorstest.Listed(frame, protocol.StateReceived))
		s.Expect(protocol.TypeCancel)
		s.Send(protocol.Frame{Type: protocol.TypeActing, Task: frame.Task, Lease: frame.Lease})
		s.Expect(protocol.TypeCancel)
	})
	t.Run("never fails for lost leases", func(t *testing.T) {
		s.Drop()
		other.Drop()
		for range 4 {
			twin.Drop()
			w.Advance(leaseOver)
			twin.Connect()
			again = twin.ExpectTask(id)
		}
		twin.Finish(again)
		require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
	})
}

// TestActingBelongsToItsJournal: no hello without it proves anything; after a
// day the truth will not come.
func TestActingBelongsToItsJournal(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*actorstest.World, *actorstest.Session, protocol.Frame){
		"gone":                   func(_ *actorstest.World, s *actorstest.Session, _ protocol.Frame) { s.Drop() },
		"hello without the task": func(_ *actorstest.World, s *actorstest.Session, _ protocol.Frame) { s.Drop(); s.Connect() },
		"hello, another journal": func(_ *actorstest.World, s *actorstest.Session, _ protocol.Frame) {
			s.Drop()
			s.Journal = "new"
			s.Connect()
		},
		"restart of the service": func(w *actorstest.World, s *actorstest.Session, _ protocol.Frame) { w.Restart(); s.Connect() },
		"crash of the service":   func(w *actorstest.World, s *actorstest.Session, _ protocol.Frame) { w.Crash(); s.Connect() },
		"hello that says received": func(_ *actorstest.World, s *actorstest.Session, f protocol.Frame) {
			s.Drop()
			s.Connect(actorstest.Listed(f, protocol.StateReceived))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			id := team.Create(t, watchpost.TaskSendMessage)
			frame := s.ExpectTask(id)
			s.Act(frame)
			at := w.Now()
			meanwhile(w, s, frame)
			if name != "gone" {
				s.ExpectNone()
			}
			w.SetClock(at.Add(24*time.Hour - 2*time.Second))
			wantPending(t, team, id, watchpost.PendingRunning)
			w.SetClock(at.Add(24*time.Hour + time.Second))
			view := team.Status(t, id)
			wantFailure(t, view, "outcome_unknown", false)
			require.WithinDuration(t, at.Add(24*time.Hour), view.CompletedAt, 2*time.Second)

			t.Run("a truth that comes later does not change the status", func(t *testing.T) {
				s.Connect(actorstest.Listed(frame, protocol.StateDone))
				s.Result(frame, map[string]any{"sent": true})
				s.ExpectAck(frame)
				wantFailure(t, team.Status(t, id), "outcome_unknown", false)
			})
		})
	}
	t.Run("the session takes other work meanwhile", func(t *testing.T) {
		t.Parallel()
		_, team, s := house(t)
		frame := s.ExpectTask(team.Create(t, watchpost.TaskSendMessage))
		s.Act(frame)
		s.Drop()
		s.Journal = "new"
		s.Connect()
		s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
	})
	t.Run("expired while nobody looked", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id := team.Create(t, watchpost.TaskSendMessage)
		s.Act(s.ExpectTask(id))
		at := w.Now()
		w.Crash() // the team is not in memory when the day is over
		w.Advance(72 * time.Hour)
		view := team.Status(t, id)
		wantFailure(t, view, "outcome_unknown", false)
		require.WithinDuration(t, at.Add(24*time.Hour), view.CompletedAt, 2*time.Second)
	})
}
