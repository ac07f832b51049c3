package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// crowdedNode is a number of sessions at which idle ones send heartbeats at the longest
// interval.
const crowdedNode = 30_000

// every wants a status that asks for heartbeats at an interval.
func every(d time.Duration) func(protocol.Frame) bool {
	return func(f protocol.Frame) bool { return f.HeartbeatS == int(d/time.Second) }
}

// onCrowdedNode fills the node, and tells a session its interval.
func onCrowdedNode(t *testing.T, w *actorstest.World, s *actorstest.Session) {
	t.Helper()
	w.Registry.CountSessions(crowdedNode)
	w.Advance(2 * time.Second) // a status comes at most once a second
	s.Heartbeat()
	s.ExpectStatus(every(watchpost.LongHeartbeat))
}

// TestIntervalFollowsTheNode: a session learns a new interval with its next heartbeat,
// once, and a new connection with its first status.
func TestIntervalFollowsTheNode(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	s.ExpectStatus(every(0))
	w.Advance(2 * time.Second) // what else changed has been told
	w.Registry.CountSessions(crowdedNode)
	w.Advance(2 * time.Second)
	s.ExpectNoStatus("not before the session sends something: all would get one at once")
	s.Heartbeat()
	s.ExpectStatus(every(watchpost.LongHeartbeat))
	require.InDelta(t, 120, w.Gauge("watchpost_session_heartbeat_seconds"), 0)
	w.Advance(2 * time.Minute)
	s.Heartbeat()
	s.ExpectNoStatus("it knows")

	next := team.Session(t, "ada").Connect() // with the welcome that earlier builds obey
	next.ExpectStatus(every(watchpost.LongHeartbeat))
	next.Drop()

	w.Registry.CountSessions(-crowdedNode)
	w.Advance(2 * time.Minute)
	s.Heartbeat()
	s.ExpectStatus(every(watchpost.ShortHeartbeat))
	w.Advance(20 * time.Second)
	s.Heartbeat()
	s.ExpectNoStatus("it knows")
}

// TestIntervalWithoutASessionActor: a session whose account another member has claimed, or
// that is signed out before it ever was signed in, learns it too.
func TestIntervalWithoutASessionActor(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	other := team.SessionOf(t, team.Member(t, "bob"), "ada").Connect()
	onCrowdedNode(t, w, other)
}

// TestLeasesOfALongInterval: a lease lasts as long as before. One that is renewed while
// the task runs survives, and one of a browser that is gone does not: another session gets
// the task, and the first one, when it comes back, has to forget it.
func TestLeasesOfALongInterval(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	onCrowdedNode(t, w, s)
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	s.Accept(frame)
	for range 9 {
		w.Advance(watchpost.ShortHeartbeat)
		s.Heartbeat(frame)
		s.ExpectNone()
		wantPending(t, team, id, watchpost.PendingRunning)
	}
	s.Drop()
	w.Advance(protocol.LeaseTime - 2*time.Second)
	wantPending(t, team, id, watchpost.PendingRunning)
	w.Advance(3 * time.Second)
	wantPending(t, team, id, watchpost.PendingExtensionOffline)

	heir := team.Session(t, "ada").Connect()
	again := heir.ExpectTask(id)
	require.Equal(t, 2, again.Attempt)
	s.Connect(actorstest.Listed(frame, protocol.StateReceived))
	require.Equal(t, string(id), s.Expect(protocol.TypeCancel).Task)
	s.ExpectNone()
	heir.Finish(again)
	heir.ExpectNone()
}

// TestShortIntervalWhileAReportDecides: a session that is stopped and has a task waiting
// is asked for its next report soon, which lets it go on.
func TestShortIntervalWhileAReportDecides(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	onCrowdedNode(t, w, s)
	id := team.Create(t, watchpost.TaskProfileFetch)
	s.Error(s.ExpectTask(id), protocol.CodeSignedOut, actorstest.Lie)
	s.Expect(protocol.TypeAck)
	w.Advance(2 * time.Second)
	s.ExpectStatus(every(watchpost.ShortHeartbeat))
	w.Advance(3 * time.Minute) // the pause before a task is tried again
	s.ExpectNone()
	s.Heartbeat()
	s.Finish(s.ExpectTask(id))
	w.Advance(2 * time.Second)
	s.Heartbeat()
	s.ExpectStatus(every(watchpost.LongHeartbeat))
}

// TestShortIntervalAtTheEndOfTheWindow in which the extension counts as active.
func TestShortIntervalAtTheEndOfTheWindow(t *testing.T) {
	t.Parallel()
	w, _, s := house(t)
	s.Account.SignedIn = false
	onCrowdedNode(t, w, s)
	w.Advance(47*time.Hour + 30*time.Minute)
	s.Heartbeat()
	s.ExpectStatus(every(watchpost.ShortHeartbeat))
	w.Advance(time.Hour)
	s.Heartbeat()
	s.ExpectStatus(every(watchpost.LongHeartbeat))
}
