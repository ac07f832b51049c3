package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

func TestSignedOutPauses(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	s.Error(s.ExpectTask(id), "signed_out", actorstest.Lie)
	s.Expect(protocol.TypeAck)
	s.ExpectNone()
	require.Zero(t, wantPending(t, team, id, watchpost.PendingPaused).NotBefore, "not known")
	w.Advance(3 * time.Hour)
	s.ExpectNone()
	s.Account.SignedIn = false
	s.Heartbeat()
	s.ExpectNone()
	wantPending(t, team, id, watchpost.PendingPaused)
	s.Account.SignedIn = true
	s.Heartbeat()
	s.Finish(s.ExpectTask(id))
}

// TestPendingReasons: the reason is that of the session that is closest to
// doing the task.
func TestPendingReasons(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.SessionOf(t, team.Member(t, "bob"), "bob")
	a.Drop()
	id := team.Create(t, watchpost.TaskProfileFetch)
	wantPending(t, team, id, watchpost.PendingExtensionOffline)

	b.Account.SignedIn = false
	b.Connect()
	require.Zero(t, wantPending(t, team, id, watchpost.PendingPaused).NotBefore)
	invitation := team.Create(t, watchpost.TaskConnectionRequest)
	wantPending(t, team, invitation, watchpost.PendingExtensionOffline) // it is the admin's to send

	b.Account.SignedIn = true
	b.Heartbeat()
	b.Error(b.ExpectTask(id), "network_limit", actorstest.Lie)
	b.Expect(protocol.TypeAck)
	b.ExpectNone()
	require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, team, id, watchpost.PendingDailyCap).NotBefore)

	a.Connect() // free, and with all its allowance
	first := a.ExpectTask(id)
	wantPending(t, team, id, watchpost.PendingRunning)
	next := team.Create(t, watchpost.TaskProfileFetch)
	wantPending(t, team, next, watchpost.PendingQueued)
	a.Finish(first)
	a.Error(a.ExpectTask(invitation), "network_limit", actorstest.Lie)
	a.Expect(protocol.TypeAck)
	a.ExpectTask(next)
	require.Equal(t, watchpost.Weekly.Reset(w.Now()), wantPending(t, team, invitation, watchpost.PendingWeeklyCap).NotBefore)
}

func TestNetworkLimitClosesUntilReset(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	likes := []watchpost.TaskID{team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskLikePost)}
	frame := s.ExpectTask(likes[0])
	s.Act(frame)
	s.Error(frame, "network_limit", actorstest.Lie)
	s.ExpectAck(frame)
	s.ExpectNone()
	for range 2 {
		for _, id := range likes {
			require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, team, id, watchpost.PendingDailyCap).NotBefore)
		}
		w.Crash()
		s.Connect()
		s.ExpectNone()
	}
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
	w.SetClock(watchpost.Daily.Reset(w.Now()))
	for _, id := range likes {
		s.Finish(s.ExpectTask(id))
	}
}

// TestPageNotUnderstood: the type is paused for the account, a probe goes out
// every 15 minutes, and after a day the task fails.
func TestPageNotUnderstood(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	ids := fetches(t, team, 2)
	at := w.Now()
	frame := s.ExpectTask(ids[0])
	s.Error(frame, "page_not_understood", actorstest.Lie)
	s.ExpectAck(frame)
	s.ExpectNone()
	for _, id := range ids {
		require.WithinDuration(t, at.Add(15*time.Minute), wantPending(t, team, id, watchpost.PendingPaused).NotBefore, actorstest.Wait)
	}
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskCompanyFetch))) // other types go on

	probes := 1
	for elapsed := time.Duration(0); elapsed < 24*time.Hour-20*time.Minute; elapsed += 15*time.Minute + time.Second {
		w.Advance(15*time.Minute + time.Second)
		frame := s.ExpectTask(ids[0])
		s.Error(frame, "page_not_understood", actorstest.Lie)
		s.ExpectAck(frame)
		s.ExpectNone() // one probe, not the other task
		probes++
	}
	require.Greater(t, probes, 90)
	wantPending(t, team, ids[0], watchpost.PendingPaused)
	w.SetClock(at.Add(24*time.Hour + actorstest.Wait))
	view := team.Status(t, ids[0])
	wantFailure(t, view, "page_not_understood", true)
	require.WithinDuration(t, at.Add(24*time.Hour), view.CompletedAt, actorstest.Wait)
	require.Equal(t, "pending", team.Status(t, ids[1]).State.PublicStatus(), "it was never tried")
	w.Advance(16 * time.Minute)
	s.Finish(s.ExpectTask(ids[1])) // the page is understood again
}
