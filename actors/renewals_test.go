package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestRenewalsEnd checks that heartbeats do not keep a task indefinitely in a
// session that makes no progress; a write in acting has its 24 hours.
func TestRenewalsEnd(t *testing.T) {
	t.Parallel()
	for _, kind := range []watchpost.TaskType{watchpost.TaskProfileFetch, watchpost.TaskSendMessage} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			id := team.Create(t, kind)
			frame := s.ExpectTask(id)
			s.Accept(frame)
			for w.Now().Before(frame.Deadline.Add(watchpost.RunMargin)) {
				require.Equal(t, watchpost.PendingRunning, team.Status(t, id).Reason, "after %s", w.Now().Sub(*frame.Deadline))
				w.Advance(4 * time.Minute)
				s.Heartbeat(frame)
				s.ExpectNone()
			}
			w.Advance(4 * time.Minute)
			s.Expect(protocol.TypeCancel)
			again := s.ExpectTask(id)
			require.Equal(t, 2, again.Attempt)
			s.Finish(again)
		})
	}
	t.Run("acting", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id := team.Create(t, watchpost.TaskSendMessage)
		frame := s.ExpectTask(id)
		s.Act(frame)
		for range 3 {
			w.Advance(7 * time.Hour)
			s.Heartbeat(frame)
			s.ExpectNone()
		}
		s.Result(frame, map[string]any{})
		s.ExpectAck(frame)
		require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
	})
}
