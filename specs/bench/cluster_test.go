package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/persistence/postgres/postgrestest"
	"watchpost/specs/cluster/local"
	"watchpost/specs/process"
)

// The benchmarks of a cluster: all nodes, the database and the load share the
// machine, so the figures of several nodes say what a node more costs, not what
// it adds. Every service is measured through the same front.

// clusterPasses is the number of measurements that a median is of.
const clusterPasses = 3

// deployment is a kind of service under measurement.
type deployment struct {
	name     string
	nodes    int  // of a cluster; 0 is a service without --cluster
	database bool // PostgreSQL instead of files
}

var deployments = []deployment{
	{"badger", 0, false}, {"postgres", 0, true}, {"cluster-1", 1, true}, {"cluster-2", 2, true}, {"cluster-3", 3, true},
}

// deployed is a running service with its nodes.
type deployed struct {
	*server
	cluster  *local.Cluster // nil for a single service
	nodes    []*local.Node
	single   *server
	database *postgrestest.Server // nil with files
}

// start starts the service; flags are more of its nodes.
func (d deployment) start(b *testing.B, flags ...string) *deployed {
	b.Helper()
	var store string
	s := &deployed{}
	if d.database {
		database, err := postgrestest.Start("shared_buffers=1GB")
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, database.Close()) })
		store = database.URL("postgres")
		s.database = database
	}
	var addresses []string
	if d.nodes == 0 {
		args := []string{"serve", "--listen", "127.0.0.1:0", "--data", b.TempDir(), "--admin-token", adminToken}
		if store != "" {
			args = append(args, "--store", store)
		}
		s.single = start(b, binary, args...)
		addresses = []string{strings.TrimPrefix(s.single.url, "http://")}
	} else {
		c, err := local.New(local.Options{Binary: binary, Dir: b.TempDir(), StoreURL: store, Arguments: flags})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, c.Close()) })
		s.cluster = c
		for range d.nodes {
			s.add(b)
		}
		for _, n := range s.nodes {
			addresses = append(addresses, n.Listen)
		}
	}
	front, err := local.Serve("127.0.0.1:0", addresses...)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, front.Close()) })
	s.server = &server{t: b, url: front.URL}
	return s
}

func (s *deployed) add(b *testing.B) {
	listen, err := process.FreeAddress()
	require.NoError(b, err)
	node, err := s.cluster.Add(b.Context(), listen)
	require.NoError(b, err)
	s.nodes = append(s.nodes, node)
}

// at returns a server for requests to one node.
func (s *deployed) at(n *local.Node) *server { return &server{t: s.t, url: "http://" + n.Listen} }

// percentiles formats p50 and p99 in ms as metrics.
func reportTimes(b *testing.B, what string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, what+"-p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, what+"-p99-ms")
}

// pages reads a number of pages by several callers.
func (p *server) pages(path, key string, callers, requests int) (rate float64, took []time.Duration) {
	times := make([][]time.Duration, callers)
	began := time.Now()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for range requests / callers {
				at := time.Now()
				if _, err := fetch(context.Background(), p.url+path, key); err != nil {
					p.t.Error(err)
					return
				}
				times[c] = append(times[c], time.Since(at))
			}
		})
	}
	wg.Wait()
	return float64(requests) / time.Since(began).Seconds(), slices.Concat(times...)
}

// BenchmarkClusterLives measures task lives and pages of 20 posts of each kind of
// service.
func BenchmarkClusterLives(b *testing.B) {
	for _, d := range deployments {
		b.Run(d.name, func(b *testing.B) {
			for b.Loop() {
				var lives, pages []float64
				var lifeTimes, pageTimes []time.Duration
				for range clusterPasses { // each with new accounts: their allowances are for a day
					s := d.start(b)
					key, _ := s.collect(b)
					l := newLoad(b, s.server, true)
					before := s.cost(b)
					rate, took := l.round()
					s.cost(b).report(b, before, lifeTasks)
					lives, lifeTimes = append(lives, rate), append(lifeTimes, took...)
					s.pages("/api-posts", key, 16, 400)
					rate, took = s.pages("/api-posts", key, 16, 4000)
					pages, pageTimes = append(pages, rate), append(pageTimes, took...)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(lives), "lives/s")
				reportTimes(b, "life", lifeTimes)
				b.ReportMetric(median(pages), "pages/s")
				reportTimes(b, "page", pageTimes)
			}
		})
	}
}

// BenchmarkClusterForward measures requests at the team's node and at another.
func BenchmarkClusterForward(b *testing.B) {
	s := deployment{"cluster-2", 2, true}.start(b)
	key, task := s.collect(b)
	owner, other := s.ownerOf(b, key)
	for name, path := range map[string]string{"page": "/api-posts", "poll": "/network-agent/get-task-status?api_agent_task_id=" + task} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				took := map[*local.Node][]time.Duration{}
				for range 5 { // in turn, because the machine's load varies
					for _, n := range []*local.Node{owner, other} {
						_, times := s.at(n).pages(path, key, 1, 300)
						took[n] = append(took[n], times...)
					}
				}
				b.ReportMetric(0, "ns/op")
				reportTimes(b, "local", took[owner])
				reportTimes(b, "forwarded", took[other])
			}
		})
	}
}

// ownerOf returns the node of a team, of two, and the other one.
func (s *deployed) ownerOf(b *testing.B, key string) (owner, other *local.Node) {
	owner, other = s.nodes[0], s.nodes[1]
	before := s.forwarded(owner)
	get(b, "http://"+owner.Listen+"/api-team", key)
	if s.forwarded(owner) > before {
		return other, owner
	}
	return owner, other
}

// forwarded is the number of requests that a node has forwarded.
func (s *deployed) forwarded(n *local.Node) float64 {
	return s.at(n).metrics()[`watchpost_cluster_forwarded_total{outcome="served"}`]
}

// BenchmarkClusterActivation measures the first requests of a team with 100,000
// posts on a node that has just started.
func BenchmarkClusterActivation(b *testing.B) {
	const scans, perScan = 10, 10_000
	for b.Loop() {
		s := deployment{"cluster-1", 1, true}.start(b)
		key := s.collectMany(b, scans, perScan)
		node := s.nodes[0]
		var first, page, second []time.Duration
		for range 5 {
			require.NoError(b, s.cluster.Stop(node))
			require.NoError(b, s.cluster.Start(b.Context(), node))
			timed := func(path string) time.Duration {
				began := time.Now()
				get(b, "http://"+node.Listen+path, key)
				return time.Since(began)
			}
			first, page, second = append(first, timed("/api-team")), append(page, timed("/api-posts")), append(second, timed("/api-posts"))
		}
		b.ReportMetric(0, "ns/op")
		reportTimes(b, "team", first)
		reportTimes(b, "first-page", page)
		reportTimes(b, "second-page", second)
	}
}

// accountScans is how many scans an account does: less than its allowance of a day.
const accountScans = 20

// collectMany creates a team with posts of several watchlists, at most 10,000 of each.
func (p *server) collectMany(b *testing.B, scans, perScan int) (key string) {
	b.Helper()
	key, tokens := p.makeTeam("many", (scans+accountScans-1)/accountScans)
	var ws *websocket.Conn
	defer func() { _ = ws.CloseNow() }()
	for n := range scans {
		if n%accountScans == 0 {
			if ws != nil {
				_ = ws.CloseNow()
			}
			ws = p.greet(b, tokens[n/accountScans], n/accountScans)
		}
		p.call("POST", "/api-keyword-watchlist", "X-Api-Key", key, map[string]any{"name": fmt.Sprint(n), "keywords": []string{fmt.Sprintf("word%d", n)}}, nil)
		scan := expect(b, ws, protocol.TypeTask)
		send(b, ws, protocol.Frame{Type: protocol.TypeAccepted, Task: scan.Task, Lease: scan.Lease})
		posts := make([]protocol.Post, 0, perScan)
		for len(posts) < perScan {
			for _, one := range scannedPosts() {
				id := fmt.Sprintf("%d-%d", n, len(posts))
				one.URN, one.URL = "urn:network:post:"+id, "http://127.0.0.1/posts/"+id
				one.Content = fmt.Sprintf("word%d %s %d", n, one.Content, len(posts))
				posts = append(posts, one)
			}
		}
		seq := 0
		for part := range slices.Chunk(posts, protocol.MaxPartPosts) {
			output, err := json.Marshal(protocol.PostsOutput{Posts: part})
			require.NoError(b, err)
			send(b, ws, protocol.Frame{Type: protocol.TypePart, Task: scan.Task, Lease: scan.Lease, Attempt: scan.Attempt, Seq: &seq, Output: output})
			expect(b, ws, protocol.TypeAck)
			seq++
		}
		send(b, ws, protocol.Frame{Type: protocol.TypeResult, Task: scan.Task, Lease: scan.Lease, Attempt: scan.Attempt, Output: json.RawMessage(`{"posts":[],"exhausted":true}`)})
		expect(b, ws, protocol.TypeAck)
	}
	var page struct{ Count int }
	require.NoError(b, json.Unmarshal(get(b, p.url+"/api-posts", key), &page))
	require.Equal(b, scans*perScan, page.Count)
	return key
}

// greet connects a session whose work the caller does.
func (p *server) greet(b *testing.B, token string, account int) *websocket.Conn {
	ws, _, err := websocket.Dial(context.Background(), strings.Replace(p.url, "http", "ws", 1)+"/extension/socket", &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	require.NoError(b, err)
	ws.SetReadLimit(protocol.MaxFrame)
	send(b, ws, protocol.Frame{Type: protocol.TypeHello, V: 1, Token: token, Boot: "boot", Journal: fmt.Sprint("journal", account), Account: accountOf(account)})
	expect(b, ws, protocol.TypeWelcome)
	return ws
}

// BenchmarkClusterMemory measures a node with 10,000 teams that rest in the
// database, then with 1,000 of them in memory, with sessions and a watchlist.
func BenchmarkClusterMemory(b *testing.B) {
	const resting, busy = 10_000, 1_000
	for b.Loop() {
		s := deployment{"cluster-1", 1, true}.start(b)
		node := s.nodes[0]
		empty := memoryOf(b, node)
		keys := make([]string, resting)
		tokens := make([]string, resting)
		parallel(resting, func(i int) {
			key, opened := s.makeTeam(fmt.Sprintf("team%d", i), 1)
			keys[i], tokens[i] = key, opened[0]
		})
		require.NoError(b, s.cluster.Stop(node))
		require.NoError(b, s.cluster.Start(b.Context(), node))
		get(b, "http://"+node.Listen+"/api-team", keys[0])
		rested := memoryOf(b, node)
		l := &load{url: "http://" + node.Listen, report: func(err error) { b.Error(err) }, acked: map[string]chan struct{}{}}
		sessions := make([]*websocket.Conn, busy)
		parallel(busy, func(i int) {
			s.at(node).call("POST", "/api-keyword-watchlist", "X-Api-Key", keys[i], map[string]any{"name": "tea", "keywords": []string{"tea"}}, nil)
			ws, err := l.connect(tokens[i], i)
			if err != nil {
				b.Error(err)
				return
			}
			sessions[i] = ws
		})
		wait(10 * time.Second)
		loaded := memoryOf(b, node)
		require.False(b, b.Failed())
		closeAll(sessions)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(empty)/(1<<20), "empty-MiB")
		b.ReportMetric(float64(rested)/(1<<20), "resting-10000-MiB")
		b.ReportMetric(float64(loaded-rested)/(1<<20), "busy-1000-MiB")
	}
}

func parallel(n int, do func(i int)) {
	const atOnce = 32
	var wg sync.WaitGroup
	for c := range atOnce {
		wg.Go(func() {
			for i := c; i < n; i += atOnce {
				do(i)
			}
		})
	}
	wg.Wait()
}

// memoryOf is the anonymous memory of a node in bytes.
func memoryOf(b *testing.B, n *local.Node) int64 {
	b.Helper()
	pid, err := os.ReadFile(n.PIDFile)
	require.NoError(b, err)
	status, err := os.ReadFile(filepath.Join("/proc", string(pid), "status"))
	require.NoError(b, err)
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "RssAnon:"); found {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			require.NoError(b, err)
			return kib << 10
		}
	}
	b.Fatal("no RssAnon")
	return 0
}
