package specs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"watchpost/specs/process"
)

// binDir is the folder of the built binary, unless WATCHPOST_BINARY names one.
var binDir string

func TestMain(m *testing.M) {
	flag.Parse()
	// Scripts mostly wait for processes, so more of them can run in parallel.
	if parallel := flag.Lookup("test.parallel"); parallel != nil && parallel.Value.String() == parallel.DefValue {
		_ = flag.Set("test.parallel", "4")
	}
	var err error
	if binDir, err = os.MkdirTemp("", "watchpost-specs-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(testRun{m}, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(binDir)
		os.Exit(code)
	}))
}

// testRun stops the database server before the check for leaks, which would
// find the goroutine that waits for it.
type testRun struct{ *testing.M }

// Run runs the tests.
func (r testRun) Run() int {
	code := r.M.Run()
	closeDatabases()
	return code
}

// binary returns the program under test: the one named by WATCHPOST_BINARY, or
// one built once. The long tests build it with the race detector, which makes a
// script take about twice as long.
var binary = sync.OnceValues(func() (string, error) {
	if os.Getenv("WATCHPOST_LONG") != "" || os.Getenv("WATCHPOST_TEST_STORE") != "" {
		return process.Build(binDir, "-race")
	}
	return process.Build(binDir)
})

// patience bounds every wait of a script: long enough for a busy machine.
const patience = process.Patience

// launch starts the binary in a folder.
func launch(name, dir string, args ...string) (*process.Process, error) {
	return launchWith(nil, name, dir, args...)
}

// launchWith starts the binary with more variables, as NAME=value.
func launchWith(variables []string, name, dir string, args ...string) (*process.Process, error) {
	program, err := binary()
	if err != nil {
		return nil, err
	}
	return process.LaunchWith(variables, name, dir, program, args...)
}

// scriptFolder has the scripts.
const scriptFolder = "scripts"

// TestSpecs runs every script.
func TestSpecs(t *testing.T) {
	runScripts(t, testscript.Params{Dir: scriptFolder, Setup: newWorld})
}

func runScripts(t *testing.T, params testscript.Params) {
	if _, err := binary(); err != nil {
		t.Fatal(err)
	}
	verbs := map[string]func(*testscript.TestScript, bool, []string){}
	for name := range commands {
		verbs[name] = func(ts *testscript.TestScript, negated bool, args []string) {
			w := worldOf(ts)
			if negated {
				ts.Fatalf("%s cannot be negated", name)
			}
			if err := w.do(append([]string{name}, args...)); err != nil {
				ts.Fatalf("%s: %v", name, err)
			}
		}
	}
	params.Cmds, params.RequireUniqueNames = verbs, true
	testscript.Run(t, params)
}

// command implements a line of a script; args are the words after its name.
type command func(w *world, args []string) error

// commands is the vocabulary of the scripts, explained in README.md.
var commands map[string]command

func init() {
	commands = map[string]command{
		// around the service
		"service": (*world).serviceCommand,
		"network": (*world).networkCommand,
		"session": (*world).sessionCommand,
		"team":    (*world).teamCommand,
		"member":  (*world).memberCommand,
		"address": (*world).addressCommand,
		"clock":   (*world).clockCommand,
		"mail":    (*world).mailCommand,
		"wrong":   (*world).wrongCommand,
		"log":     (*world).logCommand,
		"run":     (*world).runCommand,
		// requests and replies
		"as":      (*world).asCommand,
		"status":  (*world).statusCommand,
		"refused": (*world).refusedCommand,
		"reply":   (*world).replyCommand,
		"json":    (*world).jsonCommand,
		"header":  (*world).headerCommand,
		"text":    (*world).textCommand,
		"metric":  (*world).metricCommand,
		"save":    (*world).saveCommand,
		"pages":   (*world).pagesCommand,
		// a session whose frames the script sends
		"dial":   (*world).dialCommand,
		"hello":  (*world).helloCommand,
		"beat":   (*world).beatCommand,
		"frame":  (*world).frameCommand,
		"expect": (*world).expectCommand,
		"closed": (*world).closedCommand,
		"hangup": (*world).hangupCommand,
		// repetition
		"eventually": (*world).eventuallyCommand,
		"repeat":     (*world).repeatCommand,
	}
}

// do runs one line of a script.
func (w *world) do(line []string) error {
	c, known := commands[line[0]]
	if !known {
		return fmt.Errorf("unknown command %q", line[0])
	}
	args := make([]string, 0, len(line))
	for _, arg := range line[1:] {
		args = append(args, w.expand(arg))
	}
	return c(w, args)
}

// usage is the error of a malformed line.
func usage(text string) error { return fmt.Errorf("usage: %s", text) }

// words splits a line as testscript does: at spaces outside single quotes; #
// begins a comment.
func words(line string) (list []string) {
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte(c)
			i++
		case c == '\'':
			quoted, begun = !quoted, true
		case quoted:
			word.WriteByte(c)
		case c == '#' && !begun:
			return list
		case c == ' ' || c == '\t':
			if begun {
				list = append(list, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		list = append(list, word.String())
	}
	return list
}
