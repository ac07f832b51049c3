package model

import (
	"os"
	"testing"
	"time"
)

// bounds are of the runs that explore everything: several small ones reach further than one
// large one.
func bounds() []Bounds {
	short := []Bounds{{Views: 3, Lapses: 1}, {Views: 2, Faults: 2, Both: true}}
	if os.Getenv("WATCHPOST_LONG") == "" {
		return short
	}
	return append(short, Bounds{Views: 3, Faults: 1}, Bounds{Views: 3, Faults: 1, Both: true})
}

// TestEveryInterleaving tries all steps in all states: nothing is wrong in one, and each
// leads to one in which the team is served. A node gets there alone, when the lease of the
// other can end.
func TestEveryInterleaving(t *testing.T) {
	taken := make([]int, len(Steps))
	for _, b := range bounds() {
		begun := time.Now()
		e, wrong := Explore(b, Rules{}, nil)
		t.Logf("%+v: %d states, %d transitions, %d beyond, in %v", b, len(e.States), e.Transitions, e.Beyond, time.Since(begun).Round(time.Millisecond))
		if wrong != "" {
			t.Fatal(wrong)
		}
		for step, n := range e.Taken {
			taken[step] += n
		}
		for i := range Nodes {
			for _, alone := range []bool{false, true} {
				if way := e.Stuck(i, alone); way != nil {
					t.Errorf("node %d is stuck, alone %v: %q", i, alone, way)
				}
			}
		}
	}
	for step, n := range taken {
		if n == 0 {
			t.Errorf("no state has the step %q", Steps[step].Name)
		}
	}
}

// TestPlantedFaults breaks one rule at a time: each is needed.
func TestPlantedFaults(t *testing.T) {
	one, both := Bounds{Views: 3, Lapses: 1}, Bounds{Views: 3, Lapses: 1, Both: true}
	fault, two := Bounds{Views: 3, Faults: 1, Both: true}, Bounds{Views: 2, Faults: 2, Both: true}
	for _, f := range []struct {
		name string
		Rules
		Bounds
		long bool // it takes some ten seconds
	}{
		{"no lease", Rules{NoLease: true}, one, false},
		{"early expire", Rules{EarlyExpire: true}, one, false},
		{"own confirmation", Rules{OwnConfirmation: true}, one, false},
		{"current view serves", Rules{CurrentViewServes: true}, one, false},
		{"epoch unchecked", Rules{EpochUnchecked: true}, one, false},
		{"activate unchecked", Rules{ActivateUnchecked: true}, one, false},
		{"rejoin keeps", Rules{RejoinKeeps: true}, both, false},
		{"one sign", Rules{OneSign: true}, fault, false},
		{"young session", Rules{YoungSession: true}, fault, false},
		{"leave keeps membership", Rules{LeaveKeepsMembership: true}, two, false},
		{"lease without lock", Rules{LeaseWithoutLock: true}, Bounds{Views: 2, Faults: 1, Lapses: 1, Both: true}, false},
		{"lease outlives session", Rules{LeaseOutlivesSession: true}, fault, false},
		{"confirm first", Rules{ConfirmFirst: true}, Bounds{Views: 3, Faults: 1}, true},
	} {
		t.Run(f.name, func(t *testing.T) {
			if f.long && os.Getenv("WATCHPOST_LONG") == "" {
				t.Skip("long")
			}
			begun := time.Now()
			e, wrong := Explore(f.Bounds, f.Rules, nil)
			t.Logf("%d states in %v: %s", len(e.States), time.Since(begun).Round(time.Millisecond), wrong)
			if wrong == "" {
				t.Error("it is not found")
			}
		})
	}
}

// TestLease: no node removes another that has its lease, whatever is late or lost, and
// however the clock of the database steps.
func TestLease(t *testing.T) {
	states, wrong := ExploreLease(LeaseRules{})
	t.Logf("%d states", states)
	if wrong {
		t.Error("a node is removed that has its lease")
	}
	for name, r := range map[string]LeaseRules{
		"from the answer": {FromAnswer: true}, "from the first look": {FromFirstLook: true}, "last look": {LastLook: true}, "the clock of the database": {DatabaseClock: true},
	} {
		if _, wrong := ExploreLease(r); !wrong {
			t.Errorf("%s: it is not found", name)
		}
	}
}
