package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/specs/cluster/local"
)

// Waiting times of a session between two tries, those of the extension: doubled
// from the first to the longest, half of it random.
const (
	firstWait   = time.Second
	longestWait = 30 * time.Second
	dialPause   = 20 * time.Second // bound of one try
)

// storm is many sessions that come back by themselves. Each has an address of
// its own, as browsers have, because the service limits connections by address.
type storm struct {
	nodes   []*local.Node
	client  *http.Client
	ctx     context.Context
	running sync.WaitGroup

	mu    sync.Mutex
	conns []*websocket.Conn // by session; nil while it is not connected
	lost  map[int]time.Time
	back  []time.Duration // from the loss to the welcome
	tries int             // that failed
}

type addressKey struct{}

func newStorm(ctx context.Context, nodes []*local.Node, sessions int) *storm {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: ctx.Value(addressKey{}).(net.IP)}}
		return d.DialContext(ctx, network, address)
	}
	return &storm{
		ctx: ctx, nodes: nodes, conns: make([]*websocket.Conn, sessions), lost: map[int]time.Time{},
		client: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
	}
}

// run connects one session again and again until the storm ends.
func (s *storm) run(i int, token string) {
	wait, at := firstWait, i
	for s.ctx.Err() == nil {
		ws, err := s.connect(i, s.nodes[at%len(s.nodes)], token)
		if err == nil {
			wait = firstWait
			s.mu.Lock()
			s.conns[i] = ws
			if since, was := s.lost[i]; was {
				s.back = append(s.back, time.Since(since))
				delete(s.lost, i)
			}
			s.mu.Unlock()
			for err == nil {
				_, _, err = ws.Read(s.ctx)
			}
			_ = ws.CloseNow()
		}
		s.mu.Lock()
		if s.conns[i] != nil {
			s.conns[i], s.lost[i] = nil, time.Now()
		} else {
			s.tries++
		}
		s.mu.Unlock()
		at++ // as a name with several addresses, or a proxy, leads elsewhere
		select {
		case <-s.ctx.Done():
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
		wait = min(2*wait, longestWait)
	}
}

func (s *storm) connect(i int, node *local.Node, token string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(context.WithValue(s.ctx, addressKey{}, net.IPv4(127, 1, byte(i/250), byte(1+i%250))), dialPause)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, "ws://"+node.Listen+"/extension/socket", &websocket.DialOptions{HTTPClient: s.client, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, err
	}
	account := accountOf(i)
	if err = sendFrame(ws, protocol.Frame{Type: protocol.TypeHello, V: 1, Token: token, Boot: account.URN, Journal: account.URN, Account: account}); err == nil {
		_, _, err = ws.Read(ctx)
	}
	if err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	return ws, nil
}

// beat sends the heartbeats of all sessions, evenly spread.
func (s *storm) beat() {
	const tick = 20 * time.Millisecond
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for next := 0; ; {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
		}
		for range max(1, len(s.conns)*int(tick)/int(protocol.HeartbeatEvery)) {
			next = (next + 1) % len(s.conns)
			s.mu.Lock()
			ws := s.conns[next]
			s.mu.Unlock()
			if ws != nil {
				_ = sendFrame(ws, protocol.Frame{Type: protocol.TypeHeartbeat, Account: accountOf(next)}) // the reader sees the end
			}
		}
	}
}

// connected returns the number of sessions with a connection.
func (s *storm) connected() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ws := range s.conns {
		if ws != nil {
			n++
		}
	}
	return n
}

func (s *storm) await(b *testing.B, sessions int) time.Duration {
	b.Helper()
	began := time.Now()
	require.Eventually(b, func() bool { return s.connected() == sessions }, 10*time.Minute, 50*time.Millisecond)
	return time.Since(began)
}

// BenchmarkClusterSessions connects 15,000 sessions (-short: 1,500) to three
// nodes, kills one, and measures how the sessions come back.
func BenchmarkClusterSessions(b *testing.B) {
	sessions := manySessions
	if testing.Short() {
		sessions /= 10
	}
	for b.Loop() {
		d := deployment{"cluster-3", 3, true}.start(b)
		s, stop := d.connectAll(b, sessions)
		wait(sessionSettle)
		var memory float64
		for _, n := range d.nodes {
			memory += float64(memoryOf(b, n))
		}
		b.ReportMetric(memory/float64(sessions), "B/session-all-nodes")
		s.forget()
		require.NoError(b, d.cluster.Kill(d.nodes[0]))
		wait(time.Second)
		b.ReportMetric(s.await(b, sessions).Seconds()+1, "all-back-s")
		s.report(b, "")
		stop()
		b.ReportMetric(0, "ns/op")
	}
}

// connectAll connects new sessions, and reports how fast. stop ends them.
func (s *deployed) connectAll(b *testing.B, sessions int) (connected *storm, stop func()) {
	b.Helper()
	tokens, _ := s.makeTeams(sessions / sessionTeam)
	ctx, cancel := context.WithCancel(b.Context())
	c := newStorm(ctx, s.nodes, sessions)
	c.running.Go(c.beat)
	gate := make(chan struct{}, 100) // members open their browsers over minutes, here 100 at a time
	began := time.Now()
	for i, token := range tokens {
		gate <- struct{}{}
		c.running.Go(func() {
			time.AfterFunc(50*time.Millisecond, func() { <-gate })
			c.run(i, token)
		})
	}
	c.await(b, sessions)
	b.ReportMetric(float64(sessions)/time.Since(began).Seconds(), "connects/s")
	return c, func() { cancel(); c.running.Wait() }
}

// forget begins to count again.
func (s *storm) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.back, s.tries = nil, 0
}

// report reports how the sessions came back that were lost.
func (s *storm) report(b *testing.B, of string) {
	b.Helper()
	s.mu.Lock()
	back, tries := slices.Clone(s.back), s.tries
	s.mu.Unlock()
	require.NotEmpty(b, back)
	b.ReportMetric(float64(len(back)), of+"lost")
	b.ReportMetric(float64(tries), of+"failed-tries")
	reportTimes(b, of+"back", back)
}

const (
	startSessions = 6000
	// startBound is the --max-sessions of a node. Three nodes have 10,000 connections for
	// 6,000 sessions: two of three are relayed, which takes both ends.
	startBound = 4000
	lostFor    = 40 * time.Second
)

// BenchmarkClusterStart kills all nodes with 6,000 sessions (-short: 600) and starts them
// at the same time, as an update of all pods does. Then it kills one, while the other two
// have no room for all sessions: they stay below their bound, and alive. It starts
// again, and all sessions are back.
func BenchmarkClusterStart(b *testing.B) {
	sessions, bound := startSessions, startBound
	if testing.Short() {
		sessions, bound = sessions/10, bound/10
	}
	for b.Loop() {
		d := deployment{"cluster-3", 3, true}.start(b, "--max-sessions", strconv.Itoa(bound))
		s, stop := d.connectAll(b, sessions)
		for _, n := range d.nodes {
			require.NoError(b, d.cluster.Kill(n))
		}
		s.forget()
		began := time.Now()
		var starting sync.WaitGroup
		failed := make([]error, len(d.nodes))
		for i, n := range d.nodes {
			starting.Go(func() { failed[i] = d.cluster.Start(b.Context(), n) })
		}
		starting.Wait()
		require.NoError(b, errors.Join(failed...))
		b.ReportMetric(time.Since(began).Seconds(), "start-all-serve-s")
		s.await(b, sessions)
		b.ReportMetric(time.Since(began).Seconds(), "start-all-back-s")
		s.report(b, "start-")
		s.forget()

		require.NoError(b, d.cluster.Kill(d.nodes[0]))
		var most, refused float64
		for end := time.Now().Add(lostFor); time.Now().Before(end); wait(time.Second) {
			refused = 0
			for _, n := range d.nodes[1:] {
				shown := d.at(n).metrics()
				most = max(most, shown[`watchpost_gateway_connections{carrier="socket"}`])
				refused += shown[`watchpost_gateway_refused_total{reason="full"}`]
			}
		}
		require.LessOrEqual(b, most, float64(bound))
		require.Positive(b, refused, "the bound was never met")
		b.ReportMetric(most, "lost-most-connections")
		b.ReportMetric(refused, "lost-refused")
		b.ReportMetric(float64(s.connected()), "lost-connected")
		var memory int64
		for _, n := range d.nodes[1:] {
			memory = max(memory, memoryOf(b, n))
		}
		b.ReportMetric(float64(memory>>20), "lost-MiB-of-a-node")
		require.NoError(b, d.cluster.Start(b.Context(), d.nodes[0]))
		b.ReportMetric(s.await(b, sessions).Seconds(), "again-all-back-s")
		stop()
		b.ReportMetric(0, "ns/op")
	}
}
