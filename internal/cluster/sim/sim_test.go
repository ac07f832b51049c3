package sim

import (
	"fmt"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"github.com/stretchr/testify/require"

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

// TestKilled kills a process, and listens to what it sends after that.
func TestKilled(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	synctest.Test(t, func(t *testing.T) {
		var trace []string
		w := newWorld(1, func(line string) { trace = append(trace, line) })
		defer w.end()
		w.boot(0)
		w.boot(1)
		w.runUntil(calmFor, nil)
		killed := w.slots[1]
		require.Contains(t, strings.Join(trace, "\n"), fmt.Sprintf("message %d renew", killed.id))
		killed.kill()
		w.runUntil(2*calmFor, nil)
		require.NotContains(t, strings.Join(trace, "\n"), fmt.Sprintf("message %d leave", killed.id))
		require.NotContains(t, w.db.members, address(1), "the other removes it")
	})
}
