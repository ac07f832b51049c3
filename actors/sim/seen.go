package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"watchpost/watchpost"
)

// seen counts what lives have met: operations, transitions of tasks, failures, and pairs
// of types of messages that one actor handled one after the other.
type seen map[string]int

func (s seen) note(what string) { s[what]++ }

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
	for _, what := range slices.Sorted(maps.Keys(s)) {
		if strings.HasPrefix(what, "message ") {
			pairs++
		} else {
			fmt.Fprintf(&b, "%8d %s\n", s[what], what)
		}
	}
	fmt.Fprintf(&b, "%8d pairs of types of messages\n", pairs)
	for _, what := range must() {
		if s[what] == 0 {
			fmt.Fprintf(&b, "   never %s\n", what)
		}
	}
	return b.String()
}
