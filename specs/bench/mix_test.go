package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// loadMix has clients send a mix of requests for a while.
type loadMix struct {
	Clients int
	For     time.Duration
	// Pause is between two requests of a client.
	Pause time.Duration
	// Keys are the teams; 0: all. Overload accepts refusals.
	Keys     int
	Overload bool
}

// mixReport is what the clients saw.
type mixReport struct {
	loadReport
	Requests, Tasks, Refused int
	P50, P99, Longest        time.Duration // of the requests that were served
	LongestRefusal           time.Duration
}

// mixTimeout is when a request hangs: longer than the service's own deadline.
const mixTimeout = 40 * time.Second

// teamTasks bounds the tasks of a team: within the allowance of its accounts for a day.
const teamTasks = sessionTeam * 36

// mixer is the clients of one order.
type mixer struct {
	load   *load
	order  loadMix
	client *http.Client

	mu      sync.Mutex
	report  mixReport
	served  []time.Duration
	tasks   map[string]int // by key
	pending sync.WaitGroup
}

func (g *generator) mix(order loadMix) mixReport {
	m := &mixer{load: g.load, order: order, tasks: g.mixed, client: &http.Client{
		Timeout: mixTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: order.Clients, MaxConnsPerHost: order.Clients, DisableCompression: true},
	}}
	defer m.client.CloseIdleConnections()
	end := time.Now().Add(order.For)
	var clients sync.WaitGroup
	for c := range order.Clients {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(c)))
			for time.Now().Before(end) {
				m.step(random)
				if order.Pause > 0 {
					wait(order.Pause/2 + time.Duration(random.Int64N(int64(order.Pause))))
				}
			}
		})
	}
	clients.Wait()
	m.pending.Wait()
	if n := len(m.served); n > 0 {
		slices.Sort(m.served)
		m.report.P50, m.report.P99, m.report.Longest = m.served[n/2], m.served[n*99/100], m.served[n-1]
	}
	return m.report
}

// step sends one request.
func (m *mixer) step(random *rand.Rand) {
	keys := m.load.keys
	if m.order.Keys > 0 {
		keys = keys[:m.order.Keys]
	}
	key := keys[random.IntN(len(keys))]
	switch choice := random.IntN(10); {
	case choice < 5:
		m.ask("GET", "/api-posts?page_size=10", key, "")
	case choice < 7:
		m.ask("GET", "/api-team", key, "")
	case choice < 8:
		m.ask("GET", "/api-keyword-watchlist", key, "")
	default:
		m.task(key)
	}
}

// task creates a task, which one of the team's sessions completes.
func (m *mixer) task(key string) {
	m.mu.Lock()
	m.tasks[key]++
	room := m.tasks[key] <= teamTasks
	m.mu.Unlock()
	if !room {
		return
	}
	var made struct {
		ID string `json:"api_agent_task_id"`
	}
	body := m.ask("POST", "/network-agent/fetch-profile", key, `{"profile_slug":"jane-doe"}`)
	if body == nil || json.Unmarshal(body, &made) != nil {
		return
	}
	m.mu.Lock()
	m.report.Tasks++
	m.mu.Unlock()
	m.pending.Go(func() {
		select {
		case <-m.load.signal(made.ID):
			m.load.forget(made.ID)
		case <-time.After(3 * mixTimeout):
			m.load.report(fmt.Errorf("task %s is not done", made.ID))
		}
	})
}

// ask sends one request and judges its reply, which it returns; nil when the
// request was not served.
func (m *mixer) ask(method, path, key, body string) []byte {
	request, err := http.NewRequest(method, m.load.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		m.load.report(err)
		return nil
	}
	request.Header["X-Api-Key"] = []string{key}
	began := time.Now()
	response, err := m.client.Do(request)
	if err != nil {
		m.load.report(fmt.Errorf("%s %s after %s: %w", method, path, time.Since(began), err))
		return nil
	}
	answer, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	took := time.Since(began)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report.Requests++
	switch {
	case err == nil && response.StatusCode == http.StatusOK:
		m.served = append(m.served, took)
		return answer
	case err == nil && m.order.Overload && response.StatusCode == http.StatusInternalServerError && response.Header.Get("Retry-After") != "" &&
		string(answer) == `{"error":"Temporarily unavailable, retry later"}`:
		m.report.Refused++
		m.report.LongestRefusal = max(m.report.LongestRefusal, took)
	default:
		m.load.report(fmt.Errorf("%s %s after %s: %d %s %w", method, path, took, response.StatusCode, answer, err))
	}
	return nil
}
