package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
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
