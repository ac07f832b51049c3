package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// long reports whether the tests with many nodes run, which take half a minute under
// the race detector.
func long() bool { return os.Getenv("WATCHPOST_LONG") != "" }

// TestEvenTeamsAreSpreadEvenly: with the bounds that random placement has.
func TestEvenTeamsAreSpreadEvenly(t *testing.T) {
	teams := makeTeams(20_000, 0)
	bounds := map[int]float64{10: 1.1, 100: 1.3}
	if long() {
		bounds[1000] = 2.2
	}
	for nodes, most := range bounds {
		b := balanceOf(place(view(nodes, nil), teams), teams, nodes)
		assert.LessOrEqual(t, b.teams, most, "%d nodes", nodes)
		assert.GreaterOrEqual(t, b.teams, 1.0, "%d nodes", nodes)
	}
}

// TestOneHeavyTeamBoundsTheBalance: a team is on one node, so no placement is
// better than its load.
func TestOneHeavyTeamBoundsTheBalance(t *testing.T) {
	teams := makeTeams(20_000, 1)
	b := balanceOf(place(view(100, nil), teams), teams, 100)
	require.GreaterOrEqual(t, b.nodeShare, b.heaviest)
	require.Less(t, b.nodeShare, b.heaviest+0.05)
}

// TestAFailureMovesTheTeamsOfTheNode only, and all others take a part of them.
func TestAFailureMovesTheTeamsOfTheNode(t *testing.T) {
	teams := makeTeams(20_000, 0)
	sizes := []int{10, 100}
	if long() {
		sizes = append(sizes, 300)
	}
	for _, nodes := range sizes {
		before := place(view(nodes, nil), teams)
		after := place(view(nodes, func(i int) bool { return i == 3 }), teams)
		held := 0
		for k := range before {
			if before[k] == nodeName(3) {
				held++
				require.NotEqual(t, nodeName(3), after[k])
			} else {
				require.Equal(t, before[k], after[k])
			}
		}
		share, one := moved(before, after)
		require.InDelta(t, float64(held)/float64(len(teams)), share, 1e-9)
		if nodes == 10 {
			require.Less(t, one, 0.2, "nine nodes share them")
		}
	}
}

// TestARollingRestartMovesEachTeamOutAndBack.
func TestARollingRestartMovesEachTeamOutAndBack(t *testing.T) {
	teams := makeTeams(3000, 0)
	require.InDelta(t, 2, rolling(10, 1, teams), 1e-9)
	require.InDelta(t, 2, rolling(30, 10, teams), 1e-9)
}

// TestMoved counts by hand.
func TestMoved(t *testing.T) {
	share, one := moved([]string{"a", "a", "b", "c"}, []string{"b", "c", "b", "a"})
	require.InDelta(t, 0.75, share, 1e-9)
	require.InDelta(t, 1.0/3, one, 1e-9)
	b := balanceOf([]string{"a", "a", "a", "b"}, []team{{"", 1}, {"", 1}, {"", 1}, {"", 5}}, 2)
	require.InDelta(t, 1.5, b.teams, 1e-9)
	require.InDelta(t, 1.25, b.load, 1e-9)
	require.InDelta(t, 0.625, b.heaviest, 1e-9)
}
