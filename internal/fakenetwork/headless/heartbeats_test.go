package headless_test

import (
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/protocol"
)

func TestHeartbeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	c, _ := w.welcomed()
	w.beats <- start
	if got := c.heartbeat(true); len(got.Running) != 0 || got.Account.Slug != "jo" || got.Account.URN == "" {
		t.Errorf("heartbeat %+v", got)
	}
	f := task("t1", "agent_like_post", map[string]string{"social_urn": w.aim().post.URN})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	w.beats <- start
	want := protocol.RunningTask{Task: "t1", Lease: "t1-1"}
	if got := c.heartbeat(true); len(got.Running) != 1 || got.Running[0] != want {
		t.Errorf("heartbeat while a task waits: %+v", got.Running)
	}
	// Signed out: the heartbeat reports it, and the next check signs in again.
	w.site.SetFaults("", fakenetwork.Faults{SignedOut: true})
	w.beatUntil(c, false)
	w.site.ClearFaults()
	w.beatUntil(c, true)
}

// TestHeartbeatInterval: the service asks for an interval, with welcome or status. While
// there is a task, each tick of 20 seconds has a heartbeat all the same.
func TestHeartbeatInterval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	periods := make(chan time.Duration, 1)
	beat := w.hooks.Beat
	w.hooks.Beat = func(every time.Duration) (<-chan time.Time, func()) {
		periods <- every
		return beat(every)
	}
	w.run()
	c := w.accept()
	c.read(protocol.TypeHello)
	long := welcome()
	long.HeartbeatS = 120
	c.send(long)
	if every := <-periods; every != protocol.HeartbeatEvery {
		t.Errorf("a tick every %s", every)
	}
	w.wantBeats(c, 5, 0)
	w.wantBeats(c, 1, 1)
	w.wantBeats(c, 12, 2)
	status := protocol.Frame{Type: protocol.TypeStatus, HeartbeatS: 40}
	c.send(status)
	w.wantBeats(c, 0, 0) // it has read the status
	w.wantBeats(c, 4, 2)
	status.HeartbeatS = 0
	c.send(status)
	w.wantBeats(c, 4, 2)
	status.HeartbeatS = 120
	c.send(status)
	f := task("t1", "agent_like_post", map[string]string{"social_urn": w.aim().post.URN})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	w.wantBeats(c, 3, 3)
	w.wantBeats(c, 0, 0)
}

// wantBeats ticks, and counts the heartbeats until the session has sent as many and has
// refused a task whose deadline has passed. A further one that comes later fails the next
// count.
func (w *world) wantBeats(c *conn, ticks, want int) {
	w.t.Helper()
	for range ticks {
		w.beats <- start
	}
	past := start.Add(-time.Hour)
	f := task("late", "agent_profile_fetch", map[string]string{"profile_slug": "jo"})
	f.Deadline = &past
	c.send(f)
	beats, refused := 0, false
	for late := time.After(patience); !refused || beats < want; {
		select {
		case f := <-c.frames:
			switch f.Type {
			case protocol.TypeHeartbeat:
				beats++
			case protocol.TypeReleased:
				refused = true
			default:
				w.t.Fatalf("got %+v", f)
			}
		case <-late:
			w.t.Fatalf("%d heartbeats in %d ticks, want %d", beats, ticks, want)
		}
	}
	if beats != want {
		w.t.Errorf("%d heartbeats in %d ticks, want %d", beats, ticks, want)
	}
}

// beatUntil triggers heartbeats, one after the other, until one reports whether the account
// is signed in. While a check of the account runs, no other one starts.
func (w *world) beatUntil(c *conn, signedIn bool) {
	w.t.Helper()
	late := time.After(patience)
	for {
		w.beats <- start
		select {
		case f := <-c.frames:
			if f.Account != nil && f.Account.SignedIn == signedIn {
				return
			}
		case <-late:
			w.t.Fatalf("no heartbeat with signed_in %v", signedIn)
		}
	}
}
