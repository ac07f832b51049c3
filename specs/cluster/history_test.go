package cluster

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"watchpost/specs/process"
)

// planWatchlists is how many watchlists the plan of the drill's teams includes: the
// one that clients rename, and those that they create and delete. It is an allowance
// that every creation debits at once.
const planWatchlists = 5

// teamState is what the clients of a team change: the name of one watchlist, and the
// names of the others, sorted.
type teamState struct{ name, made string }

// change is a request as the history of a team holds it.
type change struct{ kind, value string }

// Kinds of changes.
const (
	kindRename = "rename"
	kindCreate = "create"
	kindDelete = "delete"
	kindRead   = "read"
)

// answer is the reply to a change. Without one the outcome is unknown.
type answer struct {
	known bool
	full  bool      // a creation was refused, because the plan includes no more
	gone  bool      // a deletion found nothing, after one without an answer
	state teamState // of a read
}

// model says how a team answers when requests are carried out one after the other.
func model(start teamState) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return start },
		Step: func(state, input, output any) (bool, any) {
			ok, next := step(state.(teamState), input.(change), output.(answer))
			return ok, next
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%v → %+v", input, output) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

func step(s teamState, c change, a answer) (bool, teamState) {
	made := strings.Fields(s.made)
	at, there := slices.BinarySearch(made, c.value)
	full := len(made)+1 >= planWatchlists
	switch c.kind {
	case kindRead:
		return s == a.state, s
	case kindRename:
		s.name = c.value
		return true, s
	case kindCreate:
		if a.known && a.full != full {
			return false, s
		}
		if !full {
			made = slices.Insert(made, at, c.value)
		}
	case kindDelete:
		if a.known && there == a.gone {
			return false, s
		}
		if there {
			made = slices.Delete(made, at, at+1)
		}
	}
	s.made = strings.Join(made, " ")
	return true, s
}

// history is what the clients of a team did in one round of a drill.
type history struct {
	mu         sync.Mutex
	start      teamState
	operations []porcupine.Operation
}

func (h *history) add(client int, c change, a answer, call, end time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !a.known {
		end = unknownEnd
	}
	h.operations = append(h.operations, porcupine.Operation{ClientId: client, Input: c, Output: a, Call: int64(call), Return: int64(end)})
}

// unknownEnd is the end of a request without an answer: it may take effect later.
const unknownEnd = 1000 * time.Hour

// carryFor is how long a request without an answer may still take effect. The service
// gives a request up before that.
const carryFor = 2 * time.Minute

// check reports whether the round has an order in which every answer is right, and
// returns the operations that it looked at. The next round begins with the state that
// was read last. A rename or creation without an answer that no read has shown changes
// nothing here: no client can have deleted its result. It is left out, and may take
// effect in the next round.
func (h *history) check(last teamState, now time.Duration) (porcupine.CheckResult, []porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	shown := map[string]bool{}
	for _, o := range h.operations {
		state := o.Output.(answer).state
		shown[state.name] = true
		for _, name := range strings.Fields(state.made) {
			shown[name] = true
		}
	}
	var operations, later []porcupine.Operation
	for _, o := range h.operations {
		switch c := o.Input.(change); {
		case o.Return != int64(unknownEnd) || c.kind == kindDelete || shown[c.value]:
			operations = append(operations, o)
		case o.Call > int64(now-carryFor):
			later = append(later, o)
		}
	}
	result := porcupine.CheckOperationsTimeout(model(h.start), operations, process.Patience)
	h.start, h.operations = last, later
	return result, operations
}
