// Command placement simulates where teams are placed in clusters of 10 to 1,000
// nodes: how even the load is, also when some teams work much more than others,
// and how many teams move when nodes fail, join or are restarted in turn. It
// calls the service's own function of placement (package cluster).
package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync"

	"watchpost/internal/cluster"
)

// team is a team with its share of the work.
type team struct {
	name string
	load float64
}

// makeTeams returns teams whose loads follow Zipf's law with an exponent (0 is
// even): team k has 1/k^exponent of the load of the first.
func makeTeams(n int, exponent float64) []team {
	teams := make([]team, n)
	for k := range teams {
		teams[k] = team{fmt.Sprintf("team-%d", k), 1 / math.Pow(float64(k+1), exponent)}
	}
	return teams
}

// view returns the members node0 to node<n-1> without some of them.
func view(n int, without func(int) bool) (v cluster.View) {
	for i := range n {
		if without == nil || !without(i) {
			v.Members = append(v.Members, cluster.Member{ID: nodeName(i)})
		}
	}
	return v
}

func nodeName(i int) string { return fmt.Sprintf("10.0.%d.%d:8443", i/256, i%256) }

// place returns the owner of each team.
func place(v cluster.View, teams []team) []string {
	owners := make([]string, len(teams))
	var wg sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for p := range parts {
		wg.Go(func() {
			for k := p; k < len(teams); k += parts {
				owners[k] = v.Owner(teams[k].name)
			}
		})
	}
	wg.Wait()
	return owners
}

// balance says how even a placement is: the fullest node as a multiple of the
// mean, by teams and by load, and the share of the whole load that the heaviest
// team has.
type balance struct {
	teams, load, heaviest float64
	// nodeShare is the share of the whole load that the fullest node has.
	nodeShare float64
}

func balanceOf(owners []string, teams []team, nodes int) (b balance) {
	count, load := map[string]float64{}, map[string]float64{}
	var all float64
	for k, owner := range owners {
		count[owner]++
		load[owner] += teams[k].load
		all += teams[k].load
		b.heaviest = max(b.heaviest, teams[k].load)
	}
	for owner := range count {
		b.teams = max(b.teams, count[owner]*float64(nodes)/float64(len(teams)))
		b.load = max(b.load, load[owner]*float64(nodes)/all)
	}
	b.heaviest /= all
	b.nodeShare = b.load / float64(nodes)
	return b
}

// moved returns the share of the teams whose owner differs, and the largest
// share of those that one node takes.
func moved(before, after []string) (share, one float64) {
	takes := map[string]int{}
	n := 0
	for k := range before {
		if before[k] != after[k] {
			takes[after[k]]++
			n++
		}
	}
	for _, t := range takes {
		one = max(one, float64(t)/float64(n))
	}
	return float64(n) / float64(len(before)), one
}

// rolling restarts all nodes, a number at a time, and returns how often a team
// moves on average. Only the owners of teams with a node that leaves change.
func rolling(nodes, atOnce int, teams []team) float64 {
	current, moves := place(view(nodes, nil), teams), 0.0
	home := current
	for first := 0; first < nodes; first += atOnce {
		away := view(nodes, func(i int) bool { return i >= first && i < first+atOnce })
		gone := place(away, teams)
		out, _ := moved(home, gone)
		moves += 2 * out // they come back
	}
	return moves
}

func main() { write(os.Stdout) }

// write writes the tables of specs/scale.md.
func write(out io.Writer) {
	const teams = 1_000_000
	fmt.Fprintln(out, "| nodes | teams | fullest node: teams | load, even | load, Zipf 0.8 | load, Zipf 1.0 | one node fails: moved | largest taker | 10 % fail: moved |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|")
	for _, nodes := range []int{10, 100, 1000} {
		even, some, much := makeTeams(teams, 0), makeTeams(teams, 0.8), makeTeams(teams, 1)
		owners := place(view(nodes, nil), even) // the names are the same
		after := place(view(nodes, func(i int) bool { return i == 3 }), even)
		one, taker := moved(owners, after)
		tenth := place(view(nodes, func(i int) bool { return i%10 == 3 }), even)
		ten, _ := moved(owners, tenth)
		b := balanceOf(owners, even, nodes)
		fmt.Fprintf(out, "| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f %% | %.1f %% | %.1f %% |\n", nodes, teams, b.teams, b.load,
			balanceOf(owners, some, nodes).load, balanceOf(owners, much, nodes).load, 100*one, 100*taker, 100*ten)
	}
	few := makeTeams(20_000, 0)
	fmt.Fprintln(out, "\n| rolling restart | nodes at a time | moves per team |\n|---|---|---|")
	for _, c := range [][2]int{{10, 1}, {100, 1}, {100, 10}} {
		fmt.Fprintf(out, "| %d nodes | %d | %.2f |\n", c[0], c[1], rolling(c[0], c[1], few))
	}
}
