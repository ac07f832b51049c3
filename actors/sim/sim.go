package sim

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"
)

// Result is how a life went.
type Result struct {
	Seed uint64
	// Fault is the broken promise; empty: none.
	Fault string
	// Hash is the same whenever the same commit plays the same life.
	Hash uint64
	// Steps counts what ran, Span is the time that passed in the life.
	Steps int
	Span  time.Duration
	// Story is what happened, in words.
	Story []string
	// Touched counts the touches of the network.
	Touched int

	seen seen
	ops  []operation
}

// Play plays the life of a seed with a number of operations. It replaces the sources of
// chance of the process: no other test may run at the same time. trace gets a line for
// each step; nil: none.
func Play(t *testing.T, seed uint64, operations int, trace func(line string)) Result {
	t.Helper()
	return play(t, seed, draw(seed, operations), trace)
}

func play(t *testing.T, seed uint64, ops []operation, trace func(line string)) (r Result) {
	t.Run(fmt.Sprint("life ", seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(*testing.T) {
			l := newLife(seed, trace)
			begun := l.now()
			l.play(ops)
			r = Result{
				Seed: seed, Fault: l.fault, Hash: uint64(l.hash), Steps: l.steps, Span: l.now().Sub(begun), Story: l.story,
				Touched: len(l.network.done) + len(l.network.reads), ops: ops, seen: l.seen,
			}
			l.end()
		})
	})
	return r
}

// Shorten leaves out operations of a life that failed, as long as it fails, in at most
// that many plays. The trace is that of the life that is left.
func Shorten(t *testing.T, failed Result, plays int, trace func(string)) Result {
	t.Helper()
	for size := len(failed.ops) / 2; size > 0; {
		shorter := false
		for at := 0; at < len(failed.ops) && plays > 0; plays-- {
			ops := append(append([]operation{}, failed.ops[:at]...), failed.ops[min(at+size, len(failed.ops)):]...)
			if again := play(t, failed.Seed, ops, nil); sameFault(again.Fault, failed.Fault) {
				failed, shorter = again, true
			} else {
				at += size
			}
		}
		if !shorter || plays <= 0 {
			size /= 2
		}
		if plays <= 0 {
			break
		}
	}
	if trace != nil {
		play(t, failed.Seed, failed.ops, trace)
	}
	return failed
}

var names = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+`)

// sameFault reports whether two faults differ in names and numbers only.
func sameFault(a, b string) bool {
	return names.ReplaceAllString(a, "") == names.ReplaceAllString(b, "")
}

// String tells a failure, and how to play it again.
func (r Result) String() string {
	return fmt.Sprintf("%s\n\nseed %d, commit %s, trace %016x, after %s:\n\n\t%s\n\nto play it again:\n\n\tmake sim SEED=%d\n",
		r.Fault, r.Seed, commitOf(), r.Hash, r.Span, strings.Join(r.Story, "\n\t"), r.Seed)
}
