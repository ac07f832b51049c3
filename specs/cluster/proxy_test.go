package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// Kinds of requests through the proxy. Half of the clients send creations without a
// key, which no one may repeat.
const (
	plainCreation = iota
	keyedCreation
	reading
)

var proxyClients = []int{plainCreation, keyedCreation, plainCreation, reading, plainCreation, keyedCreation, plainCreation, reading}

// maxKills bounds the kills until one has cut a creation off.
const maxKills = 8

// proxied is a cluster behind HAProxy with the shipped configuration. Each client has a
// separate team and sends every request once.
type proxied struct {
	*world
	address  string
	haproxy  *process.Process
	teams    []team
	answered atomic.Int64

	mu     sync.Mutex
	made   map[string]bool // names of creations, and whether they were answered
	found  map[string]int  // names of watchlists
	begun  []int64         // by client: answered when its request began; -1 between requests
	failed []string        // requests other than plain creations
	cut    []string        // plain creations without success
}

// TestProxyRepeatsOnlyWhatIsSafe kills and stops nodes behind the shipped haproxy.cfg
// while clients write. No creation is carried out twice. What the proxy may repeat is
// answered whatever happens; a graceful stop fails no request at all.
func TestProxyRepeatsOnlyWhatIsSafe(t *testing.T) {
	p := &proxied{world: newWorld(t, "--drain-time", "5s"), made: map[string]bool{}, found: map[string]int{}}
	p.address, p.haproxy = p.startProxy()
	for k := range proxyClients {
		of := team{email: fmt.Sprintf("member%d@example.com", k)}
		p.admin(0, "/admin/teams", map[string]string{"email": of.email, "plan": "ultimate"}, &of)
		p.teams, p.begun = append(p.teams, of), append(p.begun, -1)
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	end := sync.OnceFunc(func() { close(stop); running.Wait() })
	defer end()
	for k, kind := range proxyClients {
		running.Go(func() { p.run(k, kind, stop) })
	}

	for i := range nodes {
		p.goOn(10)
		require.NoError(t, p.nodes[i].process.Stop())
		p.start(i)
	}
	p.goOn(10)
	p.mu.Lock()
	stopped := append(append([]string{}, p.failed...), p.cut...)
	p.cut = nil
	p.mu.Unlock()
	for i := 0; i < maxKills && len(p.cutOff()) == 0; i++ {
		p.kill(i % nodes)
		p.goOn(10)
	}
	end()
	p.eventually("all nodes serve", func() bool { return strings.Count(p.nodesCommand(), "serving") == nodes })
	for k := range proxyClients {
		p.count(k)
	}
	for name, answered := range p.made {
		require.LessOrEqual(t, p.found[name], 1, "%s was carried out more than once", name)
		require.False(t, answered && p.found[name] == 0, "%s was acknowledged and is lost", name)
	}
	if line, busy := p.tooBusy(); busy {
		t.Logf("failures are not judged: this machine is too busy: %s", line)
		return
	}
	t.Logf("%d requests, %d creations; cut off by kills: %d", p.answered.Load(), len(p.made), len(p.cut))
	require.Empty(t, stopped, "a graceful stop failed requests")
	require.Empty(t, p.failed, "requests failed that the proxy may repeat")
	require.NotEmpty(t, p.cut, "no creation was under way at any kill")
}

// startProxy starts HAProxy with the shipped file, in which only the addresses are
// replaced, and waits until it has found a node.
func (w *world) startProxy() (address string, haproxy *process.Process) {
	t := w.t
	t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("haproxy is not installed: make deploy-tools")
	}
	require.NoError(t, err)
	shipped, err := os.ReadFile("../../deploy/haproxy.cfg")
	require.NoError(t, err)
	address = freeAddress(t)
	text := string(shipped)
	replace := func(old, with string) {
		require.Equal(t, 1, strings.Count(text, old), "%q in haproxy.cfg", old)
		text = strings.Replace(text, old, with, 1)
	}
	replace("bind :8080", "bind "+address)
	for i := range w.nodes {
		replace(fmt.Sprintf("watchpost%d:8080", i+1), w.nodes[i].listen)
	}
	file := w.file("haproxy.cfg")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	haproxy, err = process.Launch("haproxy", w.dir, program, "-db", "-f", file)
	require.NoError(t, err)
	t.Cleanup(haproxy.Kill)
	w.eventually("the proxy answers", func() bool {
		select {
		case <-haproxy.Done():
			t.Fatal(haproxy.Tail())
		default:
		}
		status, _ := w.requestAt(address, http.MethodGet, "/readyz", nil)
		return status == http.StatusOK
	})
	return address, haproxy
}

// run sends requests of one kind until stop is closed.
func (p *proxied) run(k, kind int, stop <-chan struct{}) {
	key := []string{"X-Api-Key", p.teams[k].Key}
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		if kind == reading {
			status, reply := p.send(k, http.MethodGet, "/api-keyword-watchlist", nil, key...)
			p.note(k, "", kind, status, reply)
			continue
		}
		name := fmt.Sprintf("c%d-%d", k, n)
		headers := key
		if kind == keyedCreation {
			headers = append([]string{"Idempotency-Key", name}, key...)
		}
		status, reply := p.send(k, http.MethodPost, "/api-keyword-watchlist", map[string]any{"name": name, "keywords": []string{"tea"}}, headers...)
		p.note(k, name, kind, status, reply)
		if n%10 == 9 {
			p.count(k)
		}
	}
}

// send sends a request to the proxy, once.
func (p *proxied) send(k int, method, path string, body any, headers ...string) (int, []byte) {
	p.mu.Lock()
	p.begun[k] = p.answered.Load()
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.begun[k] = -1
	}()
	return p.requestAt(p.address, method, path, body, headers...)
}

func (p *proxied) note(k int, name string, kind, status int, reply []byte) {
	p.answered.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if name != "" {
		p.made[name] = status == http.StatusOK
	}
	switch line := fmt.Sprintf("client %d, %s: %d %s", k, name, status, reply); {
	case status == http.StatusOK:
	case kind == plainCreation:
		p.cut = append(p.cut, line)
	default:
		p.failed = append(p.failed, line)
	}
}

func (p *proxied) cutOff() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut
}

// kill freezes a node, so that requests which it has forwarded are carried out and not
// answered, and kills it.
func (p *proxied) kill(i int) {
	p.signal(i, syscall.SIGSTOP)
	from := p.answered.Load()
	p.eventually("a creation is held up, or the others go on", func() bool {
		now := p.answered.Load()
		p.mu.Lock()
		defer p.mu.Unlock()
		for k, kind := range proxyClients {
			if kind == plainCreation && p.begun[k] >= 0 && now-p.begun[k] > 20 {
				return true
			}
		}
		return now-from > 100
	})
	p.nodes[i].process.Kill()
	p.start(i)
}

// goOn waits until each client could send some requests.
func (p *proxied) goOn(each int64) {
	p.t.Helper()
	to := p.answered.Load() + each*int64(len(proxyClients))
	p.eventually("requests are answered", func() bool { return p.answered.Load() >= to })
}

// count adds the watchlists of a client's team to those that were found, and deletes
// them: the plan includes a hundred.
func (p *proxied) count(k int) {
	key := []string{"X-Api-Key", p.teams[k].Key}
	var listed struct{ Watchlists []struct{ ID, Name string } }
	p.insist(http.MethodGet, "/api-keyword-watchlist", &listed, key...)
	for _, w := range listed.Watchlists {
		p.insist(http.MethodDelete, "/api-keyword-watchlist?id="+w.ID, nil, key...)
		p.mu.Lock()
		p.found[w.Name]++
		p.mu.Unlock()
	}
}

// insist sends a request to the nodes in turn until it is carried out.
func (p *proxied) insist(method, path string, reply any, headers ...string) {
	i := 0
	p.eventually(method+" "+path, func() bool {
		i = (i + 1) % nodes
		status, raw := p.request(i, method, path, nil, headers...)
		return status == http.StatusOK && (reply == nil || json.Unmarshal(raw, reply) == nil) ||
			status == http.StatusNotFound && method == http.MethodDelete // at an earlier try
	})
}

var otherDown = regexp.MustCompile(`Server nodes/watchpost\d is DOWN, reason: Layer7 timeout`)

// tooBusy reports whether the proxy took a node for dead because it answered too late,
// or whether a lease has ended.
func (p *proxied) tooBusy() (line string, found bool) {
	if line = otherDown.FindString(p.haproxy.Output()); line != "" {
		return line, true
	}
	for i := range p.nodes {
		if line, found = p.nodes[i].process.Logged("the lease ended"); found {
			return line, true
		}
	}
	return "", false
}
