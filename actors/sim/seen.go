package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"watchpost/watchpost"
)

// seen counts what lives have met: operations, transitions of tasks, failures, and pairs
// of types of messages that one actor handled one after the other.
type seen map[event]int

// event is what a life has met, or the type of a message and the next one.
type event struct{ what, next string }

func (s seen) note(what string) { s[event{what: what}]++ }

func (s seen) add(o seen) {
	for what, n := range o {
		s[what] += n
	}
}

// must lists what lives can meet: the transitions of a task, the failures that the service
// sets, and all operations.
func must() []string {
	all := []string{
		"task → pending", "task → leased", "task → completed", "task → failed",
		"task pending → leased", "task pending → completed", "task pending → failed",
		"task leased → acting", "task leased → pending", "task leased → completed", "task leased → failed",
		"task acting → pending", "task acting → completed", "task acting → failed",
	}
	for _, code := range []string{
		watchpost.FailExpired, watchpost.FailNoAnswer, watchpost.FailMemberRemoved, watchpost.FailRuleWithdrawn,
		watchpost.FailRulePostponed, watchpost.FailDuplicate, watchpost.FailOutcomeUnknown, watchpost.FailDeclined, watchpost.FailCancelled,
	} {
		all = append(all, "failure "+code)
	}
	for k := range weights {
		all = append(all, "operation "+string(k))
	}
	slices.Sort(all)
	return all
}

// String lists the operations, transitions and failures that were met, how often, and those that were not.
func (s seen) String() string {
	var b strings.Builder
	pairs := 0
	for _, e := range slices.SortedFunc(maps.Keys(s), func(a, b event) int { return cmp.Compare(a.what, b.what) }) {
		if e.next != "" {
			pairs++
		} else {
			fmt.Fprintf(&b, "%8d %s\n", s[e], e.what)
		}
	}
	fmt.Fprintf(&b, "%8d pairs of types of messages\n", pairs)
	for _, what := range must() {
		if s[event{what: what}] == 0 {
			fmt.Fprintf(&b, "   never %s\n", what)
		}
	}
	return b.String()
}
