package sim

import (
	"testing"

	"watchpost/internal/lives"
)

// simulation returns the lives, and counts of everything that they meet.
func simulation() (s lives.Simulation, all *met) {
	var last result
	all = &met{}
	return lives.Simulation{
		Lives: 20, // half a minute with the race detector
		Twice: func(seed uint64) bool { return seed%20 == 0 },
		Play: func(t *testing.T, seed uint64, trace func(string)) lives.Life {
			last = play(t, seed, trace)
			all.add(last.met)
			return lives.Life{Hash: last.hash, Steps: last.steps, Span: last.span, Fault: last.fault}
		},
		Failure: func(*testing.T, func(string)) string { return last.String() },
	}, all
}

// TestLives plays lives: see package lives.
func TestLives(t *testing.T) {
	s, all := simulation()
	s.Run(t)
	t.Logf("what the lives have met: %+v", *all)
}

// TestOtherProcess: another process plays the same life.
func TestOtherProcess(t *testing.T) { lives.OtherProcess(t) }

// TestFault plays lives until one fails: package planted runs it with a fault.
func TestFault(t *testing.T) {
	s, _ := simulation()
	s.Find(t)
}
