package bench

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// beforeRounds is the number of measurements of each build that a median is of.
	beforeRounds = 9
	beforeLives  = lifeTasks / 4
)

// BenchmarkBefore compares the CPU time that a page of posts, a poll of a task and a task
// life cost this build with their cost in another one, in alternating rounds.
// WATCHPOST_BENCH_BEFORE names its binary.
func BenchmarkBefore(b *testing.B) {
	other := os.Getenv("WATCHPOST_BENCH_BEFORE")
	if other == "" {
		b.Skip("WATCHPOST_BENCH_BEFORE is not set")
	}
	var services []*server
	for _, program := range []string{other, binary} {
		services = append(services, start(b, program, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(b.TempDir(), "data"),
			"--admin-token", adminToken, "--test-clock", "--registration", "open"))
	}
	var keys, tasks []string
	var loads []*load
	for _, s := range services {
		key, task := s.collect(b)
		keys, tasks = append(keys, key), append(tasks, task)
	}
	compare := func(name string, measure func(s int) (µs float64)) {
		b.Run(name, func(b *testing.B) {
			costs, ratios := make([][]float64, len(services)), []float64{}
			for b.Loop() {
				for s := range services {
					measure(s) // warm up
				}
				for round := range beforeRounds {
					cost := make([]float64, len(services))
					for i := range services {
						s := (i + round) % len(services) // each is first as often
						cost[s] = measure(s)
						costs[s] = append(costs[s], cost[s])
					}
					ratios = append(ratios, cost[1]/cost[0])
				}
			}
			quiet := func(values []float64) float64 { // other load only adds
				slices.Sort(values)
				return values[len(values)/4]
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(quiet(costs[1])/quiet(costs[0]), "quartile-ratio")
			b.ReportMetric(median(costs[0]), "before-µs")
			b.ReportMetric(median(costs[1]), "now-µs")
			b.ReportMetric(median(ratios), "ratio")
		})
	}
	compare("page", func(s int) float64 { return services[s].ask(b, "/api-posts", keys[s]) })
	compare("poll", func(s int) float64 {
		return services[s].ask(b, "/network-agent/get-task-status?api_agent_task_id="+tasks[s], keys[s])
	})
	for _, s := range services {
		loads = append(loads, newLoad(b, s, true))
	}
	compare("life", func(s int) float64 {
		before := services[s].processorTime()
		loads[s].lives("/network-agent/fetch-profile", `{"profile_slug":"jane-doe"}`, beforeLives)
		spent := services[s].processorTime() - before
		services[s].admin("POST", "/admin/clock", map[string]string{"advance": "24h"}, nil)
		loads[s].beat()
		return float64(spent/time.Nanosecond) / 1000 / beforeLives
	})
	for _, s := range services {
		require.NoError(b, s.process.Fault())
	}
}
