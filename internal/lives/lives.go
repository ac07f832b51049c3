// Package lives plays simulations from seeds, for tests: each life is one seed, and a life
// that is played again has the same trace. The packages actors/sim and internal/cluster/sim
// say what a life is.
//
// WATCHPOST_SIM_SEED plays the life of that seed, with its trace in the file
// WATCHPOST_SIM_TRACE; WATCHPOST_SIM_LIVES sets the number of lives from there on.
package lives

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Life is a life that was played.
type Life struct {
	Hash  uint64 // of its trace
	Steps int
	Span  time.Duration // of simulated time
	Fault string        // "": none
}

// Simulation is what lives are of.
type Simulation struct {
	// Lives is how many are played when the environment says nothing.
	Lives uint64
	// Twice reports whether the life of a seed is played again.
	Twice func(seed uint64) bool
	// Play plays the life of a seed. trace gets a line for each step; nil: none is wanted.
	Play func(t *testing.T, seed uint64, trace func(line string)) Life
	// Failure describes the life that was played last, which has a fault.
	Failure func(t *testing.T, trace func(line string)) string
}

// Run plays lives, some of them twice: the same seed leads to the same trace. The second
// time all processors may run everything that has escaped the scheduler.
func (s Simulation) Run(t *testing.T) {
	first, count := number(t, "WATCHPOST_SIM_SEED", 1), s.Lives
	if os.Getenv("WATCHPOST_SIM_SEED") != "" {
		count = 1
	}
	count = number(t, "WATCHPOST_SIM_LIVES", count)
	trace := traceTo(t)
	restore := onOneProcessor()
	defer restore()
	begun, steps, span, traces := time.Now(), 0, time.Duration(0), fnv.New64a()
	for seed := first; seed < first+count; seed++ {
		life := s.Play(t, seed, trace)
		steps, span = steps+life.Steps, span+life.Span
		_ = binary.Write(traces, binary.BigEndian, life.Hash)
		if life.Fault != "" {
			t.Fatal(s.Failure(t, trace))
		}
		if s.Twice(seed) {
			restore()
			s.repeats(t, seed, life.Hash)
			onOneProcessor()
		}
	}
	took := time.Since(begun)
	t.Logf("%d lives, %d steps in %s: %.1f lives a second, %.0f times as fast as time",
		count, steps, took.Round(time.Millisecond), float64(count)/took.Seconds(), span.Seconds()/took.Seconds())
	t.Logf("traces %016x", traces.Sum64())
}

// repeats fails when the life of a seed does not have the same trace again, and shows
// where it parts.
func (s Simulation) repeats(t *testing.T, seed, hash uint64) {
	t.Helper()
	if s.Play(t, seed, nil).Hash == hash {
		return
	}
	for range 3 {
		var traces [2][]string
		for i := range traces {
			s.Play(t, seed, func(line string) { traces[i] = append(traces[i], line) })
		}
		for i, line := range traces[0] {
			if i >= len(traces[1]) || line != traces[1][i] {
				t.Fatalf("seed %d does not repeat: %s\n\n%s\n%s", seed, strings.Join(traces[0][max(0, i-12):i], "\n"), line, traces[1][min(i, len(traces[1])-1)])
			}
		}
	}
	t.Fatalf("seed %d does not repeat", seed)
}

// Find plays lives until one has a fault, and prints which: package actors/sim/planted runs
// it with a fault.
func (s Simulation) Find(t *testing.T) {
	if os.Getenv("WATCHPOST_SIM_FIND") == "" {
		t.Skip("package planted runs it")
	}
	defer onOneProcessor()()
	count := number(t, "WATCHPOST_SIM_LIVES", 2000)
	for seed := uint64(1); seed <= count; seed++ {
		if fault := s.Play(t, seed, nil).Fault; fault != "" {
			_, _ = fmt.Fprintf(os.Stdout, "found by seed %d: %s\n", seed, strings.SplitN(fault, "\n", 2)[0])
			return
		}
	}
	_, _ = fmt.Fprintf(os.Stdout, "not found in %d lives\n", count)
}

// OtherProcess fails when two other processes do not play the same first life in TestLives.
// Within one process, an address or a number that it drew when it began is the same in each life.
func OtherProcess(t *testing.T) {
	play := func() string {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestLives$")
		again.Env = append(os.Environ(), "WATCHPOST_SIM_SEED=1", "WATCHPOST_SIM_LIVES=1", "WATCHPOST_SIM_TRACE=")
		said, err := again.CombinedOutput()
		require.NoError(t, err, "%s", said)
		return regexp.MustCompile(`traces [0-9a-f]{16}`).FindString(string(said))
	}
	first := play()
	require.NotEmpty(t, first)
	require.Equal(t, first, play())
}

// number returns a number of the environment, or another when it is not set.
func number(t *testing.T, name string, or uint64) uint64 {
	t.Helper()
	given := os.Getenv(name)
	if given == "" {
		return or
	}
	n, err := strconv.ParseUint(given, 10, 64)
	require.NoError(t, err, name)
	return n
}

// onOneProcessor has lives played on one processor until restore is called, and garbage
// collected less often: one thing runs at a time, and a second processor is only woken to
// find nothing to do.
func onOneProcessor() (restore func()) {
	processors, percent := runtime.GOMAXPROCS(1), debug.SetGCPercent(400)
	return func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
	}
}

// traceTo writes traces to the file that the environment names; nil: it names none.
func traceTo(t *testing.T) func(string) {
	t.Helper()
	name := os.Getenv("WATCHPOST_SIM_TRACE")
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return func(line string) { _, _ = fmt.Fprintln(f, line) }
}
