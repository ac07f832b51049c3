package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coder/websocket"

	"watchpost/internal/protocol"
)

// The load generator is a separate process: one process may not open 15,000
// sockets at each end, and its work must not count as the service's. A
// benchmark controls it over HTTP, one request at a time.

// connectAtOnce is the number of sockets that wait for their welcome at a time,
// half of what the service allows one client address: it counts a connection for a
// moment after the client has read its welcome.
const connectAtOnce = 32

// loadConnect connects more sessions to a server.
type loadConnect struct {
	URL    string
	Keys   []string
	Tokens []string
}

// loadLives runs tasks of one kind from creation to the final poll.
type loadLives struct {
	Path  string
	Body  string
	Tasks int
}

// loadReport is the reply to every request.
type loadReport struct {
	Rate      float64 // task lives per second
	Connected int
	Errors    []string // errors since the last report
}

// generator is the load of the process.
type generator struct {
	mu     sync.Mutex
	mixed  map[string]int // tasks of mixes, by key
	load   *load
	errors []string
}

func runLoad() {
	debug.SetGCPercent(800) // fewer collections, because the service shares the processors
	g := &generator{mixed: map[string]int{}}
	g.load = &load{report: g.report, acked: map[string]chan struct{}{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect", directed(g, func(c loadConnect) (r loadReport) {
		g.load.url, g.load.keys = c.URL, c.Keys
		g.connect(c.Tokens)
		return r
	}))
	mux.HandleFunc("POST /disconnect", directed(g, func(kept int) (r loadReport) {
		g.mu.Lock()
		dropped := g.load.cut(kept)
		g.mu.Unlock()
		closeAll(dropped) // the other sessions' heartbeats continue
		return r
	}))
	mux.HandleFunc("POST /beat", directed(g, func(struct{}) (r loadReport) {
		g.load.beat()
		return r
	}))
	mux.HandleFunc("POST /lives", directed(g, func(l loadLives) (r loadReport) {
		r.Rate, _ = g.load.lives(l.Path, l.Body, l.Tasks)
		return r
	}))
	mux.HandleFunc("POST /mix", func(w http.ResponseWriter, r *http.Request) {
		var order loadMix
		if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply := g.mix(order)
		g.mu.Lock()
		defer g.mu.Unlock()
		reply.Connected, reply.Errors, g.errors = len(g.load.sessions), g.errors, nil
		writeJSON(w, reply)
	})
	mux.HandleFunc("POST /report", directed(g, func(struct{}) (r loadReport) { return r }))
	go g.heartbeats()
	serveBare(mux)
}

func directed[R any](g *generator, do func(R) loadReport) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request R
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply := do(request)
		g.mu.Lock()
		defer g.mu.Unlock()
		reply.Connected, reply.Errors, g.errors = len(g.load.sessions), g.errors, nil
		writeJSON(w, reply)
	}
}

func (g *generator) report(err error) {
	fmt.Fprintln(os.Stderr, err)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.errors = append(g.errors, err.Error())
}

func (g *generator) connect(tokens []string) {
	first := len(g.load.sessions)
	opened := make([]*websocket.Conn, len(tokens))
	var wg sync.WaitGroup
	for c := range connectAtOnce {
		wg.Go(func() {
			for i := c; i < len(tokens); i += connectAtOnce {
				ws, err := g.load.connect(tokens[i], first+i)
				if err != nil {
					g.report(fmt.Errorf("session %d: %w", first+i, err))
					return
				}
				opened[i] = ws
			}
		})
	}
	wg.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, ws := range opened {
		if ws != nil {
			g.load.sessions = append(g.load.sessions, ws)
		}
	}
}

// heartbeats sends a heartbeat per session in each period, evenly spread.
func (g *generator) heartbeats() {
	const tick = 20 * time.Millisecond
	next, due := 0, 0.0
	for range time.Tick(tick) {
		g.mu.Lock()
		sessions := g.load.sessions
		for due += float64(len(sessions)) * float64(tick) / float64(protocol.HeartbeatEvery); due >= 1; due-- {
			next = (next + 1) % len(sessions)
			if err := sendFrame(sessions[next], protocol.Frame{Type: protocol.TypeHeartbeat, Account: accountOf(next)}); err != nil {
				g.errors = append(g.errors, fmt.Sprintf("session %d: heartbeat: %v", next, err))
			}
		}
		g.mu.Unlock()
	}
}
