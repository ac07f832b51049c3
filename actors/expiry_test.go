package actors_test

import (
	"testing"
	"time"

	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// TestNeverBegunExpires checks that a task handed out and given back without
// touching the network counts as not begun, and expires.
func TestNeverBegunExpires(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	released := team.Create(t, watchpost.TaskLikePost)
	for range 2 {
		s.Release(s.ExpectTask(released))
		s.ExpectNone()
		w.Advance(2 * time.Minute)
	}
	s.Drop()
	w.Advance(leaseOver)

	signedOut, read := team.Create(t, watchpost.TaskSendMessage), team.Create(t, watchpost.TaskProfileFetch)
	s.Connect()
	frame := s.ExpectTask(released)
	s.Act(frame)
	s.Error(frame, "challenge", actorstest.Lie)
	s.ExpectAck(frame)
	s.ExpectNone()
	s.Drop()
	wantPending(t, team, signedOut, watchpost.PendingExtensionOffline)
	w.Crash()
	w.Advance(watchpost.TaskExpiry)
	for _, id := range []watchpost.TaskID{released, signedOut, read} {
		wantFailure(t, team.Status(t, id), "expired", true)
	}
}
