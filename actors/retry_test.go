package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestRetryWaits: a task that failed on the network without acting is not
// handed out before its NotBefore, a crash in between or not, and says so.
// Other tasks pass it meanwhile.
func TestRetryWaits(t *testing.T) {
	t.Parallel()
	for _, kind := range []watchpost.TaskType{watchpost.TaskSendMessage, watchpost.TaskProfileFetch} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			id := team.Create(t, kind)
			frame := s.ExpectTask(id)
			if kind.Writes() {
				s.Act(frame)
			}
			s.Error(frame, protocol.CodeTimeout, actorstest.Lie)
			s.ExpectAck(frame)
			s.ExpectNone()
			view := wantPending(t, team, id, watchpost.PendingRetry)
			require.WithinRange(t, view.NotBefore, w.Now().Add(20*time.Second), w.Now().Add(37*time.Second))

			s.Finish(s.ExpectTask(team.Create(t, kind))) // passes it
			s.Heartbeat()                                // no sign of life cuts the wait short
			s.ExpectNone()
			w.Crash()
			s.Connect()
			s.ExpectNone()
			require.Equal(t, view.NotBefore, wantPending(t, team, id, watchpost.PendingRetry).NotBefore, "it is stored")
			w.SetClock(view.NotBefore.Add(-5 * time.Second))
			s.ExpectNone()
			w.SetClock(view.NotBefore)
			again := s.ExpectTask(id)
			require.Equal(t, 2, again.Attempt)
			s.Finish(again)
		})
	}
}

// TestRetriesEnd: a write that never acts is handed out eight times, a read
// three times, each after a longer wait.
func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	for kind, attempts := range map[watchpost.TaskType]int{watchpost.TaskSendMessage: 8, watchpost.TaskProfileFetch: 3} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			id := team.Create(t, kind)
			var waited time.Duration
			for attempt := 1; attempt <= attempts; attempt++ {
				frame := s.ExpectTask(id)
				require.Equal(t, attempt, frame.Attempt)
				if kind.Writes() {
					s.Act(frame)
				}
				s.Error(frame, protocol.CodeTimeout, actorstest.Lie)
				s.ExpectAck(frame)
				s.ExpectNone()
				require.Zero(t, team.Used(t, s.Email, kind.Action()), "given back")
				if attempt == attempts {
					break
				}
				view := wantPending(t, team, id, watchpost.PendingRetry)
				wait := view.NotBefore.Sub(w.Now())
				require.Greater(t, wait, waited)
				waited = wait
				w.SetClock(view.NotBefore)
			}
			wantFailure(t, team.Status(t, id), "no_answer", true)
		})
	}
}

// TestReleasedAgainAndAgain: a task that its session keeps giving back neither
// pauses the account nor keeps other tasks from it.
func TestReleasedAgainAndAgain(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	stubborn := team.Create(t, watchpost.TaskSendMessage)
	for range 5 {
		s.Release(s.ExpectTask(stubborn))
		s.ExpectNone()
		view := wantPending(t, team, stubborn, watchpost.PendingRetry)
		for range 3 {
			s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskSendMessage)))
		}
		w.SetClock(view.NotBefore)
	}
}

// TestReleasesEverything: a session that can begin nothing is not handed the
// whole queue: after three it gets the next task at its next sign of life.
func TestReleasesEverything(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	var last watchpost.TaskID
	for range 10 {
		last = team.Create(t, watchpost.TaskProfileFetch)
	}
	for range 3 {
		s.Release(s.Expect(protocol.TypeTask))
	}
	s.ExpectNone()
	wantPending(t, team, last, watchpost.PendingPaused)
	s.Heartbeat()
	s.Release(s.Expect(protocol.TypeTask))
	s.ExpectNone()
	s.Heartbeat()
	s.Finish(s.Expect(protocol.TypeTask)) // and from then on as ever
	s.Finish(s.Expect(protocol.TypeTask))
}
