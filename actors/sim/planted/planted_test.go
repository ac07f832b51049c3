package planted

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFaultsApply: each fault is about a function that there is.
func TestFaultsApply(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, f := range slices.Concat(Faults, Nodes) {
		require.False(t, names[f.Name], f.Name)
		names[f.Name] = true
		require.NotEmpty(t, f.Breaks, f.Name)
	}
	require.GreaterOrEqual(t, len(Faults), 30)
	require.GreaterOrEqual(t, len(Nodes), 8)
	for _, faults := range [][]Fault{Faults, Nodes} {
		_, err := plant(moduleRoot(t), faults)
		require.NoError(t, err)
	}
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	return root
}

// lives is within how many lives a fault must be found.
const lives = 2000

// patience is how long lives are played with a fault: 2,000 lives take four minutes of a
// processor of their own.
const patience = 10 * time.Minute

// TestFaultsAreFound plays lives with each fault until one fails. WATCHPOST_SIM_FAULTS
// names those to plant, separated by commas, or all, or missed: those that the table says are
// missed, and which all leaves out. WATCHPOST_SIM_BINARY is where the binary with them is
// left, to play a life with one again.
func TestFaultsAreFound(t *testing.T) { areFound(t, Faults, "actors/sim") }

// TestNodeFaultsAreFound is TestFaultsAreFound for lives of several nodes.
func TestNodeFaultsAreFound(t *testing.T) { areFound(t, Nodes, "internal/cluster/sim") }

// areFound plants faults, and plays the lives of a package.
func areFound(t *testing.T, all []Fault, lived string) {
	t.Helper()
	faults := chosen(all, os.Getenv("WATCHPOST_SIM_FAULTS"))
	if os.Getenv("WATCHPOST_SIM_FAULTS") == "" {
		t.Skip("WATCHPOST_SIM_FAULTS names the faults to plant, or all")
	}
	if len(faults) == 0 {
		t.Skip("WATCHPOST_SIM_FAULTS names none of these")
	}
	binary := build(t, faults, lived)
	folder := filepath.Join(moduleRoot(t), lived)
	sound := play(t, folder, binary, "", 20)
	require.Regexp(t, "not found in 20 lives", sound.said, "without a fault nothing is found")
	todo := make(chan Fault)
	var mu sync.Mutex
	var table []string
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for f := range todo {
				r := play(t, folder, binary, f.Name, lives)
				mu.Lock()
				table = append(table, fmt.Sprintf("%-45s %6.1f s  %s", f.Name, r.took.Seconds(), r.said))
				mu.Unlock()
				switch {
				case !r.found && f.Missed == "":
					t.Errorf("%q is not found: %s", f.Name, r.said)
				case r.found && f.Missed != "":
					t.Errorf("%q is found, and the table says that it is missed", f.Name)
				}
			}
		})
	}
	for _, f := range faults {
		todo <- f
	}
	close(todo)
	workers.Wait()
	slices.Sort(table)
	t.Log("\n" + strings.Join(table, "\n"))
}

func chosen(all []Fault, names string) []Fault {
	return slices.DeleteFunc(slices.Clone(all), func(f Fault) bool {
		switch names {
		case "all":
			return f.Missed != ""
		case "missed":
			return f.Missed == ""
		default:
			return !slices.Contains(strings.Split(names, ","), f.Name)
		}
	})
}

// build builds the binary of a package's lives that has the faults.
func build(t *testing.T, faults []Fault, lived string) (binary string) {
	t.Helper()
	to := t.TempDir()
	replace, err := Overlay(moduleRoot(t), to, faults)
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(to, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))
	if binary = os.Getenv("WATCHPOST_SIM_BINARY"); binary == "" {
		binary = filepath.Join(to, "sim.test")
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", file, "-o", binary, "./"+lived)
	command.Dir = moduleRoot(t)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// result is the outcome of lives with a fault.
type result struct {
	found bool
	said  string
	took  time.Duration
}

var said = regexp.MustCompile(`(?m)^.*(found by seed .*|not found in .*)$`)

// play plays lives with a fault, "" for none. A process that ends otherwise has found it,
// too: it panicked, or nothing could go on.
func play(t *testing.T, folder, binary, fault string, lives int) result {
	t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, binary, "-test.run", "^TestFault$", "-test.v", "-test.timeout", "0")
	command.Dir = folder
	command.Env = append(os.Environ(), Variable+"="+fault, fmt.Sprint("WATCHPOST_SIM_LIVES=", lives), "WATCHPOST_SIM_FIND=1")
	out, err := command.CombinedOutput()
	r := result{took: time.Since(begun)}
	switch line := said.FindStringSubmatch(string(out)); {
	case ctx.Err() != nil:
		r.said = "no end in time"
	case line != nil:
		r.said, r.found = line[1], strings.HasPrefix(line[1], "found")
	case err != nil:
		r.said, r.found = "the process ended: "+firstPanic(string(out)), true
	default:
		r.said = "nothing was played"
	}
	return r
}

// firstPanic returns the line that says why a process ended.
func firstPanic(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "panic: ") || strings.Contains(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return out[max(0, len(out)-200):]
}
