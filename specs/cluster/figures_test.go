package cluster

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures are those of the rounds of a drill.
type figures struct {
	mu     sync.Mutex
	now    round
	faults []string // in the order of their first round
	rounds map[string][]round
}

// round is what clients saw of one fault. Times are from the first try of a request to
// its answer.
type round struct {
	answered int
	waits    []time.Duration // of clients that try again
	// once, failed and longestOnce are of clients that send every request once.
	once, failed int
	longestOnce  time.Duration
	// Tries without an answer: the connection ended or a proxy gave up, so the request may
	// have been carried out; and with the decided text.
	cut, refused int
	doubled      int // changes that were carried out twice
}

// took notes the end of a request, which a client may repeat or sends once.
func (f *figures) took(d time.Duration, again, answered bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if answered {
		f.now.answered++
	}
	if again {
		f.now.waits = append(f.now.waits, d)
		return
	}
	f.now.once++
	f.now.longestOnce = max(f.now.longestOnce, d)
	if !answered {
		f.now.failed++
	}
}

// missed notes a try without an answer.
func (f *figures) missed(cut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cut {
		f.now.cut++
	} else {
		f.now.refused++
	}
}

func (f *figures) double() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.doubled++
}

// end ends a round and returns it as text.
func (f *figures) end(fault string, linear int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.now
	f.now = round{}
	if f.rounds == nil {
		f.rounds = map[string][]round{}
	}
	if _, known := f.rounds[fault]; !known {
		f.faults = append(f.faults, fault)
	}
	slices.Sort(r.waits)
	f.rounds[fault] = append(f.rounds[fault], r)
	return fmt.Sprintf("%s: %d requests answered, %d operations linearizable, p50 %s, p99 %s, longest wait %s; sent once: %d of %d failed, longest %s; cut %d, refused %d, doubled %d",
		fault, r.answered, linear, seconds(quantile(r.waits, 0.5)), seconds(quantile(r.waits, 0.99)), seconds(quantile(r.waits, 1)),
		r.failed, r.once, seconds(r.longestOnce), r.cut, r.refused, r.doubled)
}

// table returns all rounds by fault, as specs/drills/RESULTS.md shows them.
func (f *figures) table() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := strings.Builder{}
	text.WriteString("| fault | times | answered | longest wait, median | longest wait | sent once: failed | longest | cut | refused | doubled |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, fault := range f.faults {
		var sum round
		var longest []time.Duration
		for _, r := range f.rounds[fault] {
			longest = append(longest, quantile(r.waits, 1))
			sum.answered, sum.once, sum.failed = sum.answered+r.answered, sum.once+r.once, sum.failed+r.failed
			sum.cut, sum.refused, sum.doubled = sum.cut+r.cut, sum.refused+r.refused, sum.doubled+r.doubled
			sum.longestOnce = max(sum.longestOnce, r.longestOnce)
		}
		slices.Sort(longest)
		fmt.Fprintf(&text, "| %s | %d | %d | %s | %s | %d of %d | %s | %d | %d | %d |\n", fault, len(longest), sum.answered,
			seconds(quantile(longest, 0.5)), seconds(quantile(longest, 1)), sum.failed, sum.once, seconds(sum.longestOnce), sum.cut, sum.refused, sum.doubled)
	}
	return text.String()
}

// quantile returns a part of sorted times.
func quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[int(q*float64(len(times)-1))]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
