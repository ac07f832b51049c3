package actors_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestFloodOfFrames: a session that sends frames faster than the team handles them is
// held back, whatever their type, and goes on when the team does.
func TestFloodOfFrames(t *testing.T) {
	t.Parallel()
	const flood, bound = 2_000, 256
	unknown := watchpost.NewID(actorstest.Start)
	for name, frame := range map[string]protocol.Frame{
		"failed results": {Type: protocol.TypeResult, Task: unknown, Lease: "lease", Error: &protocol.TaskError{Code: "failed"}},
		"signs of life":  {Type: protocol.TypeHeartbeat},
		"accepted":       {Type: protocol.TypeAccepted, Task: unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			reached, release := w.HoldIn("actors.(*team).view")
			answered := make(chan error, 1)
			go func() {
				_, err := actorstest.Try[actors.TeamView](team, actors.GetTeam{})
				answered <- err
			}()
			<-reached
			var sent atomic.Int64
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for range flood {
					s.Send(frame)
					sent.Add(1)
				}
			}()
			require.Eventually(t, func() bool { return sent.Load() >= bound }, actorstest.Wait, time.Millisecond)
			other := w.CreateTeam(t, watchpost.PlanUltimate)
			for range 20 {
				done(t, other, actors.GetTeam{})
			}
			require.EqualValues(t, bound, sent.Load(), "the rest waits for the team")
			release()
			for all := false; !all; {
				select {
				case <-s.Frames(): // acknowledgements
				case <-ended:
					all = true
				}
			}
			require.NoError(t, <-answered)
			done(t, team, actors.GetTeam{})
		})
	}
}

// TestFloodEndsWithItsConnection: who waits to hand over a frame does not outlive the
// connection.
func TestFloodEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	reached, release := w.HoldIn("actors.(*team).view")
	go func() { _, _ = actorstest.Try[actors.TeamView](team, actors.GetTeam{}) }()
	<-reached
	var sent atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 1000 {
			s.Send(protocol.Frame{Type: protocol.TypeHeartbeat})
			sent.Add(1)
		}
	}()
	require.Eventually(t, func() bool { return sent.Load() >= 256 }, actorstest.Wait, time.Millisecond)
	dropped := make(chan struct{})
	go func() {
		defer close(dropped)
		s.Drop() // it returns when the team knows
	}()
	<-ended
	release()
	<-dropped
	done(t, team, actors.GetTeam{})
}
