package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// The load: 64 clients, and as many sessions as the daily allowance of profile
// fetches needs for one round. The clock advances by a day between rounds.
const (
	lifeClients  = 64
	lifeTeams    = 8
	lifeSessions = 16 // of each team
	lifeTasks    = lifeTeams * lifeSessions * 36
	lifeRounds   = 5
)

// profileOutput is the result of each session.
var profileOutput = json.RawMessage(`{"name":"Jane Doe","headline":"VP Engineering at Example","location":"Berlin, Germany",` +
	`"profile_url":"http://127.0.0.1/in/jane-doe","connections":500,"followers":1200,"about":"I build things.",` +
	`"experience":[{"title":"VP Engineering","company_name":"Example"}],"education":[],"skills":["Go","Databases"],` +
	`"profile_urn":"urn:network:member:1","profile_slug":"jane-doe"}`)

// BenchmarkTaskLife accepts, completes and polls profile fetches over HTTP and
// real sockets, alternating between the service and the bare peer.
func BenchmarkTaskLife(b *testing.B) {
	server := startWatchpost(b, b.TempDir())
	service := newLoad(b, server, true)
	peer := newLoad(b, startBare(b, bareTasks), false)
	var ratios, rates, peerRates []float64
	var lives []time.Duration
	for b.Loop() {
		for range lifeRounds {
			rate, took := service.round()
			peerRate, _ := peer.round()
			rates, peerRates = append(rates, rate), append(peerRates, peerRate)
			ratios = append(ratios, rate/peerRate)
			lives = append(lives, took...)
			server.admin("POST", "/admin/clock", map[string]string{"advance": "24h"}, nil)
			service.beat()
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(rates), "lives/s")
	b.ReportMetric(median(peerRates), "bare/s")
	b.ReportMetric(median(ratios), "ratio")
	slices.Sort(lives)
	b.ReportMetric(float64(lives[len(lives)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(lives[len(lives)*99/100].Microseconds())/1000, "p99-ms")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// load is the clients and sessions of one server.
type load struct {
	url      string
	report   func(error) // receives failures outside of calls that return an error
	keys     []string    // one per team
	sessions []*websocket.Conn
	// acked notifies a client when the result of its task was acknowledged.
	mu    sync.Mutex
	acked map[string]chan struct{}
}

func newLoad(b *testing.B, server *server, teams bool) *load {
	b.Helper()
	l := &load{url: server.url, report: func(err error) { b.Error(err) }, acked: map[string]chan struct{}{}}
	b.Cleanup(func() { closeAll(l.cut(0)) })
	for t := range lifeTeams {
		key, tokens := "", slices.Repeat([]string{"token"}, lifeSessions)
		if teams {
			key, tokens = server.makeTeam(fmt.Sprintf("team%d", t), lifeSessions)
		}
		l.keys = append(l.keys, key)
		for _, token := range tokens {
			ws, err := l.connect(token, len(l.sessions))
			require.NoError(b, err)
			l.sessions = append(l.sessions, ws)
		}
	}
	return l
}

// makeTeam creates a team with the given number of members and one session
// each. It returns the team's key and the session tokens.
func (p *server) makeTeam(name string, members int) (key string, tokens []string) {
	p.t.Helper()
	var team struct {
		ID     string
		APIKey string `json:"api_key"`
	}
	email := func(m int) string { return fmt.Sprintf("m%d@%s.example.com", m, name) }
	p.admin("POST", "/admin/teams", map[string]string{"email": email(0), "plan": "ultimate"}, &team)
	for m := range members {
		var opened struct {
			Token string `json:"session_token"`
		}
		if m > 0 {
			p.admin("POST", "/admin/teams/"+team.ID+"/members", map[string]string{"email": email(m), "role": "member"}, nil)
		}
		p.admin("POST", "/admin/teams/"+team.ID+"/sessions", map[string]string{"email": email(m)}, &opened)
		tokens = append(tokens, opened.Token)
	}
	return team.APIKey, tokens
}

// connect connects a session that completes every task at once.
func (l *load) connect(token string, session int) (*websocket.Conn, error) {
	ctx := context.Background()
	ws, _, err := websocket.Dial(ctx, strings.Replace(l.url, "http", "ws", 1)+"/extension/socket",
		&websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(protocol.MaxFrame)
	account := accountOf(session)
	l.send(ws, protocol.Frame{Type: protocol.TypeHello, V: 1, Token: token, Boot: account.URN, Journal: account.URN, Account: account})
	if _, _, err = ws.Read(ctx); err != nil { // welcome
		return nil, err
	}
	go l.work(ws)
	return ws, nil
}

// work completes tasks until the connection ends.
func (l *load) work(ws *websocket.Conn) {
	for {
		_, raw, err := ws.Read(context.Background())
		if err != nil {
			return
		}
		var f protocol.Frame
		if err := json.Unmarshal(raw, &f); err != nil {
			l.report(err)
			return
		}
		switch f.Type {
		case protocol.TypeTask:
			l.send(ws, protocol.Frame{Type: protocol.TypeAccepted, Task: f.Task, Lease: f.Lease})
			l.send(ws, protocol.Frame{Type: protocol.TypeResult, Task: f.Task, Lease: f.Lease, Attempt: f.Attempt, Output: profileOutput})
		case protocol.TypeAck:
			close(l.signal(f.Task))
		}
	}
}

// cut removes all sessions but the first ones from the load.
func (l *load) cut(kept int) []*websocket.Conn {
	dropped := slices.Clone(l.sessions[kept:])
	l.sessions = slices.Delete(l.sessions, kept, len(l.sessions))
	return dropped
}

func closeAll(sessions []*websocket.Conn) {
	var wg sync.WaitGroup
	for part := range slices.Chunk(sessions, 100) {
		wg.Go(func() {
			for _, ws := range part {
				_ = ws.CloseNow()
			}
		})
	}
	wg.Wait()
}

// beat sends a heartbeat per session and returns when the service has
// processed them: it acknowledges a frame that follows each heartbeat.
func (l *load) beat() {
	for i, ws := range l.sessions {
		l.send(ws, protocol.Frame{Type: protocol.TypeHeartbeat, Account: accountOf(i)})
		l.send(ws, protocol.Frame{Type: protocol.TypeResult, Task: fmt.Sprintf("none-%d", i), Lease: "none"})
	}
	for i := range l.sessions {
		task := fmt.Sprintf("none-%d", i)
		<-l.signal(task)
		l.forget(task)
	}
}

func accountOf(session int) *protocol.Account {
	urn := fmt.Sprintf("urn:network:member:%d", session)
	return &protocol.Account{URN: urn, Slug: urn, Name: urn, SignedIn: true}
}

func (l *load) send(ws *websocket.Conn, f protocol.Frame) {
	if err := sendFrame(ws, f); err != nil {
		l.report(err)
	}
}

func send(b *testing.B, ws *websocket.Conn, f protocol.Frame) {
	if err := sendFrame(ws, f); err != nil {
		b.Error(err)
	}
}

func sendFrame(ws *websocket.Conn, f protocol.Frame) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return ws.Write(context.Background(), websocket.MessageText, raw)
}

// signal returns the channel that is closed when the task was acknowledged.
func (l *load) signal(task string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.acked[task]
	if c == nil {
		c = make(chan struct{})
		l.acked[task] = c
	}
	return c
}

func (l *load) forget(task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.acked, task)
}

// round runs lifeTasks tasks and returns the rate per second and the latency of
// each.
func (l *load) round() (rate float64, took []time.Duration) {
	return l.lives("/network-agent/fetch-profile", `{"profile_slug":"jane-doe"}`, lifeTasks)
}

// lives runs a number of tasks of one kind from creation to the final poll.
func (l *load) lives(path, body string, tasks int) (rate float64, took []time.Duration) {
	var wg sync.WaitGroup
	times := make([][]time.Duration, lifeClients)
	began := time.Now()
	for c := range lifeClients {
		wg.Go(func() {
			for i := c; i < tasks; i += lifeClients {
				at := time.Now()
				if err := l.life(path, body, l.keys[i%len(l.keys)]); err != nil {
					l.report(err)
					return // one failure per client is enough
				}
				times[c] = append(times[c], time.Since(at))
			}
		})
	}
	wg.Wait()
	return float64(tasks) / time.Since(began).Seconds(), slices.Concat(times...)
}

// life creates a task, waits until its result was acknowledged, and polls it.
func (l *load) life(path, body, key string) error {
	var created struct {
		ID string `json:"api_agent_task_id"`
	}
	if err := l.exchange("POST", path, key, body, &created); err != nil {
		return err
	}
	<-l.signal(created.ID)
	l.forget(created.ID)
	var polled struct{ Data struct{ Status string } }
	if err := l.exchange("GET", "/network-agent/get-task-status?api_agent_task_id="+created.ID, key, "", &polled); err != nil {
		return err
	}
	if polled.Data.Status != "completed" {
		return fmt.Errorf("task %s is %q after its result was acknowledged", created.ID, polled.Data.Status)
	}
	return nil
}

func (l *load) exchange(method, path, key, body string, reply any) error {
	request, err := http.NewRequest(method, l.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	request.Header["x-api-key"] = []string{key}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, answer)
	}
	return json.Unmarshal(answer, reply)
}
