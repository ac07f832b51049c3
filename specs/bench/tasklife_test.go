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

	"watchpost/actors/protocol"
)

// The load: 64 clients, and as many sessions as the daily allowance of profile
// fetches needs for one round. Between rounds the clock goes on by a day.
const (
	lifeClients  = 64
	lifeTeams    = 8
	lifeSessions = 16 // of each team
	lifeTasks    = lifeTeams * lifeSessions * 36
	lifeRounds   = 5
)

// profileOutput is what each session answers.
var profileOutput = json.RawMessage(`{"name":"Jane Doe","headline":"VP Engineering at Example","location":"Berlin, Germany",` +
	`"profile_url":"http://127.0.0.1/in/jane-doe","connections":500,"followers":1200,"about":"I build things.",` +
	`"experience":[{"title":"VP Engineering","company_name":"Example"}],"education":[],"skills":["Go","Databases"],` +
	`"profile_urn":"urn:network:member:1","profile_slug":"jane-doe"}`)

// BenchmarkTaskLife accepts, completes and polls profile fetches through HTTP
// and real sockets, in turn at the service and at the bare peer.
func BenchmarkTaskLife(b *testing.B) {
	service := newLoad(b, startWatchpost(b, b.TempDir()), true)
	peer := newLoad(b, startBare(b), false)
	var ratios, rates, peerRates []float64
	var lives []time.Duration
	for b.Loop() {
		for range lifeRounds {
			rate, took := service.round()
			peerRate, _ := peer.round()
			rates, peerRates = append(rates, rate), append(peerRates, peerRate)
			ratios = append(ratios, rate/peerRate)
			lives = append(lives, took...)
			service.server.admin("POST", "/admin/clock", map[string]string{"advance": "24h"}, nil)
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
	b        *testing.B
	server   *server
	keys     []string // one for each team
	sessions []*websocket.Conn
	// acked tells a client that the result of its task was acknowledged.
	mu    sync.Mutex
	acked map[string]chan struct{}
}

func newLoad(b *testing.B, server *server, teams bool) *load {
	b.Helper()
	l := &load{b: b, server: server, acked: map[string]chan struct{}{}}
	for t := range lifeTeams {
		var team struct {
			ID     string
			APIKey string `json:"api_key"`
		}
		if teams {
			email := func(s int) string { return fmt.Sprintf("m%d-%d@example.com", t, s) }
			server.admin("POST", "/admin/teams", map[string]string{"email": email(0), "plan": "ultimate"}, &team)
			for s := range lifeSessions {
				var opened struct {
					Token string `json:"session_token"`
				}
				if s > 0 {
					server.admin("POST", "/admin/teams/"+team.ID+"/members", map[string]string{"email": email(s), "role": "member"}, nil)
				}
				server.admin("POST", "/admin/teams/"+team.ID+"/sessions", map[string]string{"email": email(s)}, &opened)
				l.session(opened.Token)
			}
		} else {
			for range lifeSessions {
				l.session("token")
			}
		}
		l.keys = append(l.keys, team.APIKey)
	}
	return l
}

// session connects a session that answers every task at once.
func (l *load) session(token string) {
	ctx := context.Background()
	ws, _, err := websocket.Dial(ctx, strings.Replace(l.server.url, "http", "ws", 1)+"/extension/socket",
		&websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	require.NoError(l.b, err)
	ws.SetReadLimit(protocol.MaxFrame)
	account := accountOf(len(l.sessions))
	send(l.b, ws, protocol.Frame{Type: protocol.TypeHello, V: 1, Token: token, Boot: account.URN, Journal: account.URN, Account: account})
	_, _, err = ws.Read(ctx) // welcome
	require.NoError(l.b, err)
	l.sessions = append(l.sessions, ws)
	l.b.Cleanup(func() { _ = ws.CloseNow() })
	go func() {
		for {
			_, raw, err := ws.Read(ctx)
			if err != nil {
				return
			}
			var f protocol.Frame
			if json.Unmarshal(raw, &f) != nil {
				return
			}
			switch f.Type {
			case protocol.TypeTask:
				send(l.b, ws, protocol.Frame{Type: protocol.TypeAccepted, Task: f.Task, Lease: f.Lease})
				send(l.b, ws, protocol.Frame{Type: protocol.TypeResult, Task: f.Task, Lease: f.Lease, Attempt: f.Attempt, Output: profileOutput})
			case protocol.TypeAck:
				close(l.signal(f.Task))
			}
		}
	}()
}

// beat lets every session give a sign of life, and returns when the service has
// seen them: a frame about no task is acknowledged behind them.
func (l *load) beat() {
	for i, ws := range l.sessions {
		send(l.b, ws, protocol.Frame{Type: protocol.TypeHeartbeat, Account: accountOf(i)})
		send(l.b, ws, protocol.Frame{Type: protocol.TypeResult, Task: fmt.Sprintf("none-%d", i), Lease: "none"})
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

func send(b *testing.B, ws *websocket.Conn, f protocol.Frame) {
	raw, err := json.Marshal(f)
	if err == nil {
		err = ws.Write(context.Background(), websocket.MessageText, raw)
	}
	if err != nil {
		b.Error(err)
	}
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

// round lets the clients take lifeTasks tasks through their life and returns
// the rate a second and how long each took.
func (l *load) round() (rate float64, took []time.Duration) {
	var wg sync.WaitGroup
	times := make([][]time.Duration, lifeClients)
	began := time.Now()
	for c := range lifeClients {
		wg.Go(func() {
			for range lifeTasks / lifeClients {
				at := time.Now()
				if err := l.life(l.keys[c%lifeTeams]); err != nil {
					l.b.Error(err)
					return // one failure for each client says enough
				}
				times[c] = append(times[c], time.Since(at))
			}
		})
	}
	wg.Wait()
	return lifeTasks / time.Since(began).Seconds(), slices.Concat(times...)
}

// life creates a task, waits until its result was acknowledged, and polls it.
func (l *load) life(key string) error {
	var created struct {
		ID string `json:"api_agent_task_id"`
	}
	if err := l.exchange("POST", "/network-agent/fetch-profile", key, `{"profile_slug":"jane-doe"}`, &created); err != nil {
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
	request, err := http.NewRequest(method, l.server.url+path, bytes.NewReader([]byte(body)))
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
