package cluster

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// TestModelFindsFaults checks histories that no correct service can give.
func TestModelFindsFaults(t *testing.T) {
	type op struct {
		c    change
		a    answer
		call time.Duration
		end  time.Duration
	}
	ok, full := answer{known: true}, answer{known: true, full: true}
	read := func(name, made string) answer { return answer{known: true, state: teamState{name, made}} }
	for name, test := range map[string]struct {
		operations []op
		want       porcupine.CheckResult
	}{
		"in order":              {[]op{{change{kindRename, "1"}, ok, 1, 2}, {change{kindRead, ""}, read("1", ""), 3, 4}}, porcupine.Ok},
		"stale read":            {[]op{{change{kindRename, "1"}, ok, 1, 2}, {change{kindRead, ""}, read("0", ""), 3, 4}}, porcupine.Illegal},
		"read at the same time": {[]op{{change{kindRename, "1"}, ok, 1, 4}, {change{kindRead, ""}, read("0", ""), 2, 3}}, porcupine.Ok},
		"lost creation":         {[]op{{change{kindCreate, "a"}, ok, 1, 2}, {change{kindRead, ""}, read("0", ""), 3, 4}}, porcupine.Illegal},
		"unknown, later seen":   {[]op{{change{kindRename, "1"}, answer{}, 1, 2}, {change{kindRead, ""}, read("0", ""), 3, 4}, {change{kindRead, ""}, read("1", ""), 5, 6}}, porcupine.Ok},
		"refused with room":     {[]op{{change{kindCreate, "a"}, full, 1, 2}}, porcupine.Illegal},
		"more than the plan": {[]op{
			{change{kindCreate, "a"}, ok, 1, 2}, {change{kindCreate, "b"}, ok, 1, 2}, {change{kindCreate, "c"}, ok, 1, 2},
			{change{kindCreate, "d"}, ok, 1, 2}, {change{kindCreate, "e"}, ok, 1, 2},
		}, porcupine.Illegal},
		"deleted at the second try": {[]op{
			{change{kindCreate, "a"}, ok, 1, 2}, {change{kindDelete, "a"}, answer{}, 3, 4}, {change{kindDelete, "a"}, answer{known: true, gone: true}, 5, 6},
		}, porcupine.Ok},
		"not found and there": {[]op{
			{change{kindCreate, "a"}, ok, 1, 2}, {change{kindDelete, "a"}, answer{known: true, gone: true}, 3, 4}, {change{kindRead, ""}, read("0", "a"), 5, 6},
		}, porcupine.Illegal},
		"creation without an answer": {[]op{{change{kindCreate, "a"}, answer{}, 1, 2}, {change{kindRead, ""}, read("0", ""), 3, 4}, {change{kindRead, ""}, read("0", "a"), 5, 6}}, porcupine.Ok},
		"deleted twice":              {[]op{{change{kindCreate, "a"}, ok, 1, 2}, {change{kindDelete, "a"}, ok, 3, 4}, {change{kindDelete, "a"}, ok, 5, 6}}, porcupine.Illegal},
	} {
		h := history{start: teamState{name: "0"}}
		for i, o := range test.operations {
			h.add(i, o.c, o.a, o.call, o.end)
		}
		result, _ := h.check(teamState{}, 0)
		require.Equal(t, test.want, result, name)
	}
}
