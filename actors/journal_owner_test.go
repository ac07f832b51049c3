package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestJournalKeepsItsWrite checks that only a session that signs in again with
// the journal of an acting write can report how it ended.
func TestJournalKeepsItsWrite(t *testing.T) {
	t.Parallel()
	// again signs in to a new session with the journal of an old one.
	again := func(t *testing.T, team *actorstest.Team, old *actorstest.Session, frame protocol.Frame) *actorstest.Session {
		t.Helper()
		done(t, team, actors.Revoke{Session: old.ID})
		s := team.Session(t, "ada")
		s.Journal = old.Journal
		return s.Connect(actorstest.Listed(frame, protocol.StateDone))
	}
	t.Run("in time", func(t *testing.T) {
		t.Parallel()
		w, team, old := house(t)
		id := team.Create(t, watchpost.TaskSendMessage)
		frame := old.ExpectTask(id)
		old.Act(frame)
		stranger := team.SessionOf(t, team.Member(t, "bob"), "bob").Connect()
		stranger.Result(frame, map[string]any{})
		stranger.ExpectAck(frame)
		wantPending(t, team, id, watchpost.PendingRunning)
		s := again(t, team, old, frame)
		w.Crash()
		s.Connect(actorstest.Listed(frame, protocol.StateDone))
		s.Result(frame, map[string]any{"sent": true})
		s.ExpectAck(frame)
		require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
	})
	t.Run("too late", func(t *testing.T) {
		t.Parallel()
		w, team, old := house(t)
		id := team.Create(t, watchpost.TaskSendMessage)
		frame := old.ExpectTask(id)
		old.Act(frame)
		w.Advance(24*time.Hour + time.Minute)
		wantFailure(t, team.Status(t, id), "outcome_unknown", false)
		s := again(t, team, old, frame)
		s.Error(frame, "timeout", actorstest.Lie)
		s.ExpectAck(frame)
		require.Contains(t, string(team.Status(t, id).Output), `"resolved":{"acted":false,`)
	})
	t.Run("what did not act is nobody's", func(t *testing.T) {
		t.Parallel()
		_, team, old := house(t)
		id := team.Create(t, watchpost.TaskSendMessage)
		frame := old.ExpectTask(id)
		s := again(t, team, old, frame)
		s.Result(frame, map[string]any{"sent": true})
		s.ExpectAck(frame)
		wantPending(t, team, id, watchpost.PendingRunning)
	})
}
