package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// Sizes of the load.
const (
	handoverTeams   = 6
	handoverClients = 8
)

// TestNoRequestFails stops, starts and drains nodes one after the other, while clients
// send requests without a pause to those that a load balancer would choose. Each
// request is sent once, and must succeed.
func TestNoRequestFails(t *testing.T) {
	// A server that stops ends connections without a request, also when one has arrived
	// that it has not begun to read: the load balancer's time covers that, too.
	h := &handover{world: newWorld(t, "--drain-time", "1s")}
	for k := range handoverTeams {
		of := h.found(k%nodes, k)
		conn, err := h.connect(k%nodes, h.token(k%nodes, of), fmt.Sprintf("account%d", k)) // tasks need a sign of life
		require.NoError(t, err)
		require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
		var made struct{ ID string }
		h.get(k%nodes, "POST", "/api-keyword-watchlist", map[string]any{"name": "0", "keywords": []string{"tea"}}, &made, "X-Api-Key", of.Key)
		h.teams, h.watchlists = append(h.teams, of), append(h.watchlists, made.ID)
	}
	for i := range nodes {
		h.processes[i] = append(h.processes[i], h.nodes[i].process)
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	for k := range handoverClients {
		running.Go(func() { h.load(k, stop) })
	}
	polling, endPolls := context.WithCancel(t.Context())
	for k := range nodes { // teams without work, so that their polls are held
		of := h.found(k, handoverTeams+k)
		for i := range nodes {
			token := h.token(i, of)
			running.Go(func() { h.poll(polling, i, token) })
		}
	}
	end := sync.OnceFunc(func() { close(stop); endPolls(); running.Wait() })
	defer end()
	steps := []struct {
		name string
		do   func()
	}{
		{"stop, join", func() { h.restart(2) }},
		{"drain, restart", func() {
			h.nodesCommand("drain", h.nodes[1].advertise)
			h.eventually("the node is drained", func() bool { return strings.Contains(h.nodesCommand(), "drained") })
			h.goOn()
			h.restart(1)
		}},
		{"rolling restart", func() {
			for i := range nodes {
				h.restart(i)
				h.goOn()
			}
		}},
	}
	for _, step := range steps {
		h.goOn()
		before := h.answered.Load()
		step.do()
		h.goOn()
		t.Logf("%s: %d requests answered", step.name, h.answered.Load()-before)
	}
	end()
	h.mu.Lock()
	defer h.mu.Unlock()
	if line, busy := h.tooBusy(); busy {
		t.Logf("not judged: this machine is too busy for the leases: %s", line)
		return
	}
	require.Empty(t, h.failed, "failed requests")
	var all []byte // any one node may hold none of the few teams
	for i := range nodes {
		_, metrics := h.request(i, "GET", "/metrics", nil, "Authorization", "Bearer "+operatorToken)
		all = append(all, metrics...)
	}
	require.Regexp(t, `(?m)^watchpost_cluster_takeovers_total [1-9]`, string(all), "the nodes took teams over")
}

// tooBusy reports whether the lease of a node ended before it was renewed, or a request
// was ended because a node gave no sign of life for 3 seconds.
func (h *handover) tooBusy() (line string, found bool) {
	for _, line := range h.failed {
		if strings.Contains(line, "gives no sign of life") {
			return line, true
		}
	}
	for _, all := range h.processes {
		for _, p := range all {
			for _, sign := range []string{"the lease ended", "was removed from the cluster"} {
				if line, found = p.Logged(sign); found {
					return line, true
				}
			}
		}
	}
	return "", false
}

// handover is a cluster under load whose nodes change.
type handover struct {
	*world
	teams      []team
	watchlists []string // one of each team
	answered   atomic.Int64

	mu      sync.Mutex
	leaving [nodes]bool // the load balancer chooses the others
	// sending counts the requests that are on their way to a node and not written.
	sending [nodes]int
	failed  []string
	turn    int
	// processes are all that a node has had.
	processes [nodes][]*process.Process
}

// restart stops a node as a deployment does: the load balancer stops choosing it, and
// it gets the signal with requests in its hands.
func (h *handover) restart(i int) {
	h.choose(i, false)
	h.eventually("requests are written", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.sending[i] == 0
	})
	h.client.CloseIdleConnections() // a server waits for the first request of a connection
	require.NoError(h.t, h.nodes[i].process.Stop())
	h.start(i)
	h.mu.Lock()
	h.processes[i] = append(h.processes[i], h.nodes[i].process)
	h.mu.Unlock()
	h.choose(i, true)
}

func (h *handover) choose(i int, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leaving[i] = !is
}

// goOn waits for many more answers.
func (h *handover) goOn() {
	h.t.Helper()
	to := h.answered.Load() + 20*handoverClients
	h.eventually("requests are answered", func() bool { return h.answered.Load() >= to })
}

// load sends requests of every kind for each team until stop is closed.
func (h *handover) load(number int, stop <-chan struct{}) {
	for count := number; ; count++ {
		select {
		case <-stop:
			return
		default:
		}
		k := count % len(h.teams)
		of, list := h.teams[k], h.watchlists[k]
		switch count / len(h.teams) % 4 {
		case 0:
			h.send(of, "GET", "/api-keyword-watchlist?id="+list, nil)
		case 1:
			h.send(of, "PUT", "/api-keyword-watchlist", map[string]string{"id": list, "name": fmt.Sprint(count)})
		case 2:
			h.send(of, "POST", "/network-agent/fetch-profile", map[string]string{"profile_slug": fmt.Sprintf("person-%d-%d", number, count)})
		case 3:
			h.send(of, "GET", "/api-posts?watchlist_id="+list, nil)
		}
	}
}

// poll keeps a session connected to a node by long polls, which the node of its team
// holds: they must not hold up the stop of theirs.
func (h *handover) poll(ctx context.Context, i int, token string) {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	messages := hello(token, "poller-"+token[len(token)-16:])
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+h.nodes[i].listen+"/extension/poll", strings.NewReader(`{"messages":[`+messages+`]}`))
		if err != nil {
			panic(err) // the address is valid
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := h.client.Do(r)
		messages = ""
		if err == nil {
			_ = response.Body.Close() // the status is enough
		}
		if err != nil || response.StatusCode != http.StatusOK {
			messages = hello(token, "poller-"+token[len(token)-16:])
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// send sends a request once, and notes whether it failed.
func (h *handover) send(of team, method, path string, body any) {
	i := h.next()
	written := sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sending[i]--
	})
	defer written()
	var content io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			panic(err) // strings can always be encoded
		}
		content = bytes.NewReader(raw)
	}
	traced := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { written() }})
	r, err := http.NewRequestWithContext(traced, method, "http://"+h.nodes[i].listen+path, content)
	if err != nil {
		panic(err)
	}
	r.Header.Set("X-Api-Key", of.Key)
	h.note(method, path, i, r)
}

// note sends a request and notes its outcome. A failed one is noted with what the nodes
// have logged about it.
func (h *handover) note(method, path string, i int, r *http.Request) {
	response, err := h.client.Do(r)
	var reply []byte
	if err == nil {
		reply, err = io.ReadAll(response.Body)
		_ = response.Body.Close() // its end was read
	}
	h.answered.Add(1)
	switch {
	case err != nil:
		h.fail(fmt.Sprintf("%s %s at node %d: %v", method, path, i, err))
	case response.StatusCode != http.StatusOK:
		line := fmt.Sprintf("%s %s at node %d: %d %s", method, path, i, response.StatusCode, reply)
		h.fail(line + h.logged(response.Header.Get("X-Request-Id")))
	}
}

func (h *handover) fail(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = append(h.failed, line)
}

// logged returns what the nodes have logged about a request.
func (h *handover) logged(request string) (lines string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, all := range h.processes {
		for _, p := range all {
			if line, found := p.Logged(request); found {
				lines += fmt.Sprintf("\n  node %d: %s", i, line)
			}
		}
	}
	return lines
}

// next chooses a node for a request that is about to be sent.
func (h *handover) next() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		if h.turn = (h.turn + 1) % nodes; !h.leaving[h.turn] {
			h.sending[h.turn]++
			return h.turn
		}
	}
}
