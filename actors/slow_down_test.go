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

// TestOneSlowDownPausesMinutes: a network that asks to slow down is left alone for two
// minutes with that kind of task, then for four, and never until midnight. Other kinds
// go on, and the first success ends it.
func TestOneSlowDownPausesMinutes(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	likes := []watchpost.TaskID{team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskLikePost)}
	for _, pause := range []time.Duration{2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
		frame := s.ExpectTask(likes[0])
		s.Act(frame)
		s.SlowDown(frame)
		s.ExpectAck(frame)
		s.ExpectNone()
		for _, id := range likes {
			require.WithinDuration(t, w.Now().Add(pause), wantPending(t, team, id, watchpost.PendingPaused).NotBefore, actorstest.Wait)
		}
		require.Zero(t, team.Used(t, s.Email, watchpost.ActionLike))
		s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch))) // other kinds go on
		w.Advance(pause + time.Second)
	}
	s.Finish(s.ExpectTask(likes[0]))
	s.Finish(s.ExpectTask(likes[1])) // at once
	require.Empty(t, presenceOf(t, team, team.Email).Pauses)

	again := s.ExpectTask(team.Create(t, watchpost.TaskLikePost))
	s.SlowDown(again)
	s.ExpectAck(again)
	s.ExpectNone()
	p := presenceOf(t, team, team.Email).Pauses
	require.Len(t, p, 1)
	require.Equal(t, actors.PauseNetworkLimit, p[0].Reason)
	require.Equal(t, watchpost.TaskLikePost, p[0].TaskType)
	require.WithinDuration(t, w.Now().Add(2*time.Minute), p[0].Until, actorstest.Wait) // it begins from the first wait
}

// TestSlowDownOfInvitations: it is not the network's weekly limit, so invitations are
// accepted and wait for minutes.
func TestSlowDownOfInvitations(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	first := team.Create(t, watchpost.TaskConnectionRequest)
	frame := s.ExpectTask(first)
	s.SlowDown(frame)
	s.ExpectAck(frame)
	second := team.Create(t, watchpost.TaskConnectionRequest)
	wantPending(t, team, second, watchpost.PendingPaused)
	w.Advance(2*time.Minute + time.Second)
	s.Finish(s.ExpectTask(first))
	s.Finish(s.ExpectTask(second))
}

// TestRetryNow: the status says that the member may have it tried again, and the task
// goes out when the member asks. What the network has named its limit of stays closed.
func TestRetryNow(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	closed := team.Create(t, watchpost.TaskLikePost)
	s.Error(s.ExpectTask(closed), protocol.CodeNetworkLimit, actorstest.Lie)
	s.Expect(protocol.TypeAck)
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	s.SlowDown(frame)
	s.ExpectAck(frame)
	w.Advance(2 * time.Second) // statuses of tasks come a second later
	status := s.ExpectStatus(func(f protocol.Frame) bool { return len(f.Blocked) == 2 })
	require.Equal(t, []string{string(watchpost.TaskProfileFetch)}, status.Blocked[0].TaskTypes)
	require.Equal(t, protocol.BlockedNetworkLimit, status.Blocked[0].Reason)
	require.True(t, status.Blocked[0].Retry)
	require.False(t, status.Blocked[1].Retry)

	s.Send(protocol.Frame{Type: protocol.TypeRetry})
	frame = s.ExpectTask(id)
	s.SlowDown(frame)
	s.ExpectAck(frame)
	s.ExpectNone()
	require.WithinDuration(t, w.Now().Add(4*time.Minute), wantPending(t, team, id, watchpost.PendingPaused).NotBefore, actorstest.Wait)
	require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, team, closed, watchpost.PendingDailyCap).NotBefore)
}
