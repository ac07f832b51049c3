package bench

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Many sessions: most of them idle, in teams of five. The first ones do the
// tasks in every phase.
const (
	manySessions   = 15_000
	fewSessions    = 200
	sessionTeam    = 5
	sessionCycles  = 3
	sessionRounds  = 2
	sessionTasks   = 3_600            // two rounds stay within the day's allowances
	sessionSettle  = 60 * time.Second // after connecting: three heartbeats per session
	sessionObserve = 60 * time.Second
	// sessionHold is the time for heartbeats before memory is read. The garbage of new connections is collected by then.
	sessionHold = 3 * time.Minute
)

// Targets for many sessions.
const (
	targetSessionMemory = 24_000 // bytes of anonymous memory per session
	targetIdleProcessor = 0.10   // of one core, for the heartbeats of all sessions
	targetLivesRatio    = 0.9    // rate with many sessions over rate with few
)

// BenchmarkSessions prints the cost of connected idle sessions: anonymous
// memory per session, CPU time of their heartbeats, and the rate of task lives
// with many sessions as a ratio of the rate with few. Phases with few and with
// many alternate on one server. In the same run a bare peer holds as many
// sockets.
func BenchmarkSessions(b *testing.B) {
	for b.Loop() {
		dir := b.TempDir()
		maker := startWatchpost(b, dir)
		tokens, keys := maker.makeTeams(manySessions / sessionTeam)
		require.NoError(b, maker.process.Stop())
		// After the restart no team is in memory, nor any garbage of creating
		// them.
		service := startWatchpost(b, dir)
		clients := startBare(b, bareLoad)
		empty := service.usage()
		clients.direct("/connect", loadConnect{URL: service.url, Keys: keys, Tokens: tokens[:fewSessions]})
		var few, many lifeRates
		var idle []float64
		var loaded, released usage
		cycles := sessionCycles
		if testing.Short() {
			cycles = 1
		}
		for cycle := range cycles {
			clients.direct("/connect", loadConnect{URL: service.url, Keys: keys, Tokens: tokens[fewSessions:]})
			wait(sessionSettle)
			if cycle == 0 {
				wait(sessionHold)
			}
			idle = append(idle, service.idle(sessionObserve))
			held := service.usage()
			if cycle == 0 {
				loaded = held
			}
			b.Logf("with %d sessions: %s; %.1f %% of a core", manySessions, held, 100*idle[cycle])
			many.measure(service, clients)
			require.Equal(b, manySessions, clients.direct("/report", struct{}{}).Connected)
			clients.direct("/disconnect", fewSessions)
			service.awaitSessions(fewSessions)
			service.nextDay()
			clients.direct("/beat", struct{}{})
			few.measure(service, clients)
			service.nextDay()
			clients.direct("/beat", struct{}{})
			wait(sessionSettle)
			released = service.usage()
			b.Logf("with %d sessions again: %s", fewSessions, released)
		}
		b.Logf("before any session: %s; with few %s; with many %s", empty, few, many)
		perSession := float64(loaded.anonymous-empty.anonymous) / manySessions
		bare := bareSocketMemory(b)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(perSession, "B/session")
		b.ReportMetric(targetSessionMemory, "B/session-target")
		b.ReportMetric((loaded.heap-empty.heap)/manySessions, "heap-B/session")
		b.ReportMetric((loaded.stacks-empty.stacks)/manySessions, "stack-B/session")
		b.ReportMetric((loaded.goroutines-empty.goroutines)/manySessions, "goroutines/session")
		b.ReportMetric(bare, "bare-B/socket")
		b.ReportMetric(perSession/bare, "memory-ratio")
		b.ReportMetric(100*median(idle), "idle-core-%")
		b.ReportMetric(100*targetIdleProcessor, "idle-target-%")
		b.ReportMetric(median(few.rates), "few-lives/s")
		b.ReportMetric(median(many.rates), "many-lives/s")
		b.ReportMetric(median(many.rates)/median(few.rates), "lives-ratio")
		b.ReportMetric(median(few.costs), "few-cpu-µs/life")
		b.ReportMetric(median(many.costs), "many-cpu-µs/life")
		b.ReportMetric(targetLivesRatio, "lives-target")
		b.ReportMetric(released.goroutines-empty.goroutines, "goroutines-left")
	}
}

// bareSocketMemory is the anonymous memory per socket of a bare peer that only
// holds as many sockets and reads their heartbeats.
func bareSocketMemory(b *testing.B) float64 {
	peer, clients := startBare(b, bareSockets), startBare(b, bareLoad)
	_, before := peer.memory()
	clients.direct("/connect", loadConnect{URL: peer.url, Tokens: make([]string, manySessions)})
	wait(sessionSettle)
	_, after := peer.memory()
	return float64(after-before) / manySessions
}

func wait(d time.Duration) { <-time.After(d) }

// direct sends a command to a load generator and fails on a reported error.
func (p *server) direct(path string, order any) loadReport {
	p.t.Helper()
	var report loadReport
	p.call(http.MethodPost, path, "X-Order", "1", order, &report)
	require.Empty(p.t, report.Errors, path)
	return report
}

// lifeRates are task lives per second, and the service's CPU time for each in
// µs, heartbeats included. On a busy machine the CPU time is more reliable.
type lifeRates struct{ rates, costs []float64 }

func (l lifeRates) String() string { return fmt.Sprintf("%.0f lives/s at %.0f µs", l.rates, l.costs) }

func (l *lifeRates) measure(service, clients *server) {
	for range sessionRounds {
		before := service.processorTime()
		report := clients.direct("/lives", loadLives{
			Path: "/network-agent/fetch-profile", Body: `{"profile_slug":"jane-doe"}`, Tasks: sessionTasks,
		})
		l.rates = append(l.rates, report.Rate)
		l.costs = append(l.costs, float64((service.processorTime()-before).Microseconds())/sessionTasks)
	}
}

// idle returns the share of a core that the process uses during d.
func (p *server) idle(d time.Duration) float64 {
	before, began := p.processorTime(), time.Now()
	wait(d)
	return float64(p.processorTime()-before) / float64(time.Since(began))
}

// nextDay advances the clock by a day, which resets allowances.
func (p *server) nextDay() {
	p.admin(http.MethodPost, "/admin/clock", map[string]string{"advance": "24h"}, nil)
}

// makeTeams creates teams of sessionTeam members. It returns the tokens of all
// sessions and the keys of the teams that do the tasks.
func (p *server) makeTeams(teams int) (tokens, keys []string) {
	p.t.Helper()
	tokens, keys = p.teamsOf(teams)
	return tokens, keys[:fewSessions/sessionTeam]
}

// teamsOf creates teams and returns the tokens of all sessions and the keys of all
// teams.
func (p *server) teamsOf(teams int) (tokens, keys []string) {
	p.t.Helper()
	all := make([][]string, teams)
	keys = make([]string, teams)
	var wg sync.WaitGroup
	const atOnce = 32
	for c := range atOnce {
		wg.Go(func() {
			for i := c; i < teams; i += atOnce {
				keys[i], all[i] = p.makeTeam(fmt.Sprintf("team%d", i), sessionTeam)
			}
		})
	}
	wg.Wait()
	for _, t := range all {
		tokens = append(tokens, t...)
	}
	return tokens, keys
}

// usage is the memory of a process in bytes.
type usage struct {
	anonymous           int64
	heap, heapGoal      float64
	stacks, goroutines  float64
	heapIdle, connected float64
}

func (u usage) String() string {
	const mib = 1 << 20
	return fmt.Sprintf("%.1f MiB anonymous; heap %.1f (next collection at %.1f, idle %.1f), stacks %.1f, goroutines %.0f, sessions %.0f",
		float64(u.anonymous)/mib, u.heap/mib, u.heapGoal/mib, u.heapIdle/mib, u.stacks/mib, u.goroutines, u.connected)
}

func (p *server) usage() (u usage) {
	p.t.Helper()
	metrics := p.metrics()
	_, u.anonymous = p.memory()
	u.heap, u.heapGoal = metrics["go_memstats_heap_inuse_bytes"], metrics["go_memstats_next_gc_bytes"]
	u.heapIdle = metrics["go_memstats_heap_idle_bytes"] - metrics["go_memstats_heap_released_bytes"]
	u.stacks, u.goroutines = metrics["go_memstats_stack_inuse_bytes"], metrics["go_goroutines"]
	u.connected = metrics["watchpost_sessions_connected"]
	return u
}

// awaitSessions waits until count sessions are connected.
func (p *server) awaitSessions(count int) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.metrics()["watchpost_sessions_connected"] == float64(count) }, time.Minute, time.Second)
}

// metrics reads the metrics without labels.
func (p *server) metrics() map[string]float64 {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"/metrics", nil)
	require.NoError(p.t, err)
	request.Header.Set("Authorization", "Bearer "+adminToken)
	response, err := client.Do(request)
	require.NoError(p.t, err)
	defer func() { _ = response.Body.Close() }()
	values := map[string]float64{}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if name, value, found := strings.Cut(lines.Text(), " "); found {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				values[name] = v
			}
		}
	}
	return values
}
