package sim

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
// collected less often: one thing runs at a time.
func onOneProcessor() (restore func()) {
	processors, percent := runtime.GOMAXPROCS(1), debug.SetGCPercent(400)
	return func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
	}
}

// TestLives plays lives, some of them twice: the same seed leads to the same trace.
// WATCHPOST_SIM_SEED plays that one, with its trace in the file WATCHPOST_SIM_TRACE;
// WATCHPOST_SIM_LIVES sets the number of lives from there on.
func TestLives(t *testing.T) {
	lives := uint64(20) // half a minute with the race detector
	first := number(t, "WATCHPOST_SIM_SEED", 1)
	if os.Getenv("WATCHPOST_SIM_SEED") != "" {
		lives = 1
	}
	lives = number(t, "WATCHPOST_SIM_LIVES", lives)
	restore := onOneProcessor()
	defer restore()
	begun, steps, span, all, traces := time.Now(), 0, time.Duration(0), met{}, fnv.New64a()
	for seed := first; seed < first+lives; seed++ {
		r := play(t, seed, traceTo(t))
		steps, span = steps+r.steps, span+r.span
		all.add(r.met)
		_ = binary.Write(traces, binary.BigEndian, r.hash)
		if r.fault != "" {
			t.Fatal(r)
		}
		if seed%20 == 0 {
			restore()
			repeats(t, seed, r.hash)
			onOneProcessor()
		}
	}
	took := time.Since(begun)
	t.Logf("%d lives, %d steps in %s: %.1f lives a second, %.0f simulated minutes a minute", lives, steps, took.Round(time.Millisecond), float64(lives)/took.Seconds(), span.Minutes()/took.Minutes())
	t.Logf("traces %016x", traces.Sum64())
	t.Logf("what the lives have met: %+v", all)
}

// TestOtherProcess: another process plays the same life.
func TestOtherProcess(t *testing.T) {
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

// repeats fails when the life of a seed does not have the same trace again, and shows
// where it parts.
func repeats(t *testing.T, seed, hash uint64) {
	t.Helper()
	if play(t, seed, nil).hash == hash {
		return
	}
	for range 3 {
		var traces [2][]string
		for i := range traces {
			play(t, seed, func(line string) { traces[i] = append(traces[i], line) })
		}
		for i, line := range traces[0] {
			if i >= len(traces[1]) || line != traces[1][i] {
				t.Fatalf("seed %d does not repeat: %s\n\n%s\n%s", seed, strings.Join(traces[0][max(0, i-12):i], "\n"), line, traces[1][min(i, len(traces[1])-1)])
			}
		}
	}
	t.Fatalf("seed %d does not repeat", seed)
}

// traceTo writes the trace of a life to the file that the environment names.
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

// TestFault plays lives until one fails, and says which: package planted runs it with a
// fault.
func TestFault(t *testing.T) {
	if os.Getenv("WATCHPOST_SIM_FIND") == "" {
		t.Skip("package planted runs it")
	}
	defer onOneProcessor()()
	lives := number(t, "WATCHPOST_SIM_LIVES", 2000)
	for seed := uint64(1); seed <= lives; seed++ {
		if r := play(t, seed, nil); r.fault != "" {
			fmt.Printf("found by seed %d: %s\n", seed, strings.SplitN(r.fault, "\n", 2)[0])
			return
		}
	}
	fmt.Printf("not found in %d lives\n", lives)
}
