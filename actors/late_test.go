package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// TestLateRelease: who did not begin gives the debit back, although the lease
// was over before it said so.
func TestLateRelease(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	first := s.ExpectTask(id)
	s.Drop()
	w.Advance(leaseOver)
	s.Connect(actorstest.Listed(first, protocol.StateReceived))
	var second protocol.Frame
	for _, f := range []protocol.Frame{s.Next(), s.Next()} {
		if f.Type == protocol.TypeTask {
			second = f
		}
	}
	require.Equal(t, string(id), second.Task)
	require.Equal(t, 2, team.Used(t, s.Email, watchpost.ActionProfileFetch))
	for range 2 {
		s.Release(first)
		s.ExpectNone()
		require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch))
	}
	s.Finish(second)
	s.Release(first)
	s.ExpectNone()
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch))
	w.Crash()
	s.Connect()
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch))
}

// TestReturnedToARemovedMember: a write that its session gives back while its
// member is being removed fails like those that waited.
func TestReturnedToARemovedMember(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskLikePost)
	frame := s.ExpectTask(id)
	s.Act(frame)
	reached, release := w.HoldIn("actors.(*task).onError")
	s.Error(frame, "signed_out", actorstest.Lie)
	<-reached
	remove(t, team, team.Email)
	release()
	require.Eventually(t, func() bool { return team.Status(t, id).State.Final() }, actorstest.Wait, time.Millisecond)
	wantFailure(t, team.Status(t, id), "member_removed", true)
}

// TestTruthWhoseCommitWasNotHeard: the store has it, and the service could not know. What
// polls are answered from does not keep the answer of before.
func TestTruthWhoseCommitWasNotHeard(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id, frame := unknown(t, w, team, s, actorstest.NewTask(watchpost.TaskSendMessage))
	s.Connect(actorstest.Listed(frame, protocol.StateDone))
	w.Store.Fail(persistence.Space(team.ID), 1, actorstest.After)
	s.Result(frame, map[string]any{})
	require.Equal(t, actorstest.Closed{Code: 1013, Reason: "try again"}, s.ExpectClosed())
	w.Advance(time.Minute)
	s.Connect(actorstest.Listed(frame, protocol.StateDone))
	s.Result(frame, map[string]any{})
	s.ExpectAck(frame)
	require.Contains(t, string(team.Status(t, id).Output), `"resolved":{"acted":true,`)
}

// TestSecondGo: a session asks before each time that it touches the network. It may for as
// long as the service counts with it, which is not shortly before the write has failed.
func TestSecondGo(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskSendMessage)
	frame := s.ExpectTask(id)
	s.Act(frame)
	s.Act(frame)
	w.Advance(watchpost.ActingLimit - watchpost.ActTime - time.Second)
	s.Connect(actorstest.Listed(frame, protocol.StateActing))
	s.Act(frame)
	w.Advance(time.Second)
	s.Send(protocol.Frame{Type: protocol.TypeActing, Task: frame.Task, Lease: frame.Lease})
	require.Equal(t, string(id), s.Expect(protocol.TypeCancel).Task)
	wantPending(t, team, id, watchpost.PendingRunning)
}
