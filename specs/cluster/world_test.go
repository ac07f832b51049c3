// Package cluster runs three nodes on one database, ends and freezes them, and
// checks every reply.
package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/persistence/postgres/postgrestest"
	"watchpost/specs/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	nodes         = 3
	operatorToken = "specs-operator-token"
)

// world is a cluster under test.
type world struct {
	t         *testing.T
	dir       string
	binary    string
	store     string
	serve     []string // more flags of the nodes
	drainTime string   // their --drain-time; "" is 0
	client    *http.Client
	nodes     [nodes]node
}

// node keeps its addresses when it is started again.
type node struct {
	listen, advertise string
	process           *process.Process
	// A drill puts links in front of the node and of its database.
	clusterListen, store string
	binary               string // "" is the world's
}

// team is a team of the test.
type team struct {
	ID    string `json:"id"`
	Key   string `json:"api_key"`
	email string
}

func newWorld(t *testing.T, serve ...string) *world {
	server, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	w := emptyWorld(t)
	w.serve = serve
	w.store = server.URL("postgres")
	for i := range w.nodes {
		w.nodes[i].listen, w.nodes[i].advertise = freeAddress(t), freeAddress(t)
		w.start(i)
	}
	return w
}

// emptyWorld has the program and the keys, and no nodes.
func emptyWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir(), client: &http.Client{Timeout: process.Patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	t.Cleanup(w.client.CloseIdleConnections)
	var err error
	w.binary, err = process.Build(w.dir, "-tags", "clockstep")
	require.NoError(t, err)
	require.NoError(t, process.WriteCertificate(w.file("node.pem"), w.file("node.key")))
	require.NoError(t, os.WriteFile(w.file("master.key"), []byte(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))), 0o600))
	return w
}

func (w *world) file(name string) string { return filepath.Join(w.dir, name) }

func freeAddress(t *testing.T) string {
	address, err := process.FreeAddress()
	require.NoError(t, err)
	return address
}

// start starts a node and waits until it serves.
func (w *world) start(i int) {
	w.t.Helper()
	w.launch(i)
	_, err := w.nodes[i].process.URL()
	require.NoError(w.t, err)
}

// launch starts a node.
func (w *world) launch(i int) {
	w.t.Helper()
	n := &w.nodes[i]
	name := fmt.Sprintf("node%d", i)
	var err error
	n.process, err = process.LaunchWith([]string{"WATCHPOST_DRAIN_TIME=" + cmp.Or(w.drainTime, "0s"), "WATCHPOST_STORE=" + cmp.Or(n.store, w.store)}, name, w.dir, cmp.Or(n.binary, w.binary), append([]string{"serve", "--cluster",
		"--listen", n.listen, "--advertise", n.advertise, "--cluster-listen", cmp.Or(n.clusterListen, n.advertise), "--data", w.file(name), "--master-key-file", w.file("master.key"), "--admin-token", operatorToken, "--notify-private", "127.0.0.0/8",
		"--cluster-cert", w.file("node.pem"), "--cluster-key", w.file("node.key"), "--cluster-ca", w.file("node.pem")}, w.serve...)...)
	require.NoError(w.t, err)
	w.t.Cleanup(n.process.Kill)
}

func (w *world) signal(i int, s syscall.Signal) {
	require.NoError(w.t, syscall.Kill(w.nodes[i].process.PID(), s))
}

// request sends a request to a node; status 0 means that there was no reply.
func (w *world) request(i int, method, path string, body any, headers ...string) (status int, reply []byte) {
	return w.requestAt(w.nodes[i].listen, method, path, body, headers...)
}

// requestAt is request for an address.
func (w *world) requestAt(address, method, path string, body any, headers ...string) (status int, reply []byte) {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(w.t, err)
		content = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(context.Background(), method, "http://"+address+path, content)
	require.NoError(w.t, err)
	for k := 0; k < len(headers); k += 2 {
		r.Header.Set(headers[k], headers[k+1])
	}
	response, err := w.client.Do(r)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer response.Body.Close()
	if reply, err = io.ReadAll(response.Body); err != nil {
		return 0, []byte(err.Error())
	}
	return response.StatusCode, reply
}

// get sends a request that must succeed.
func (w *world) get(i int, method, path string, body, reply any, headers ...string) {
	w.t.Helper()
	status, raw := w.request(i, method, path, body, headers...)
	require.Contains(w.t, []int{http.StatusOK, http.StatusCreated}, status, "node %d, %s %s: %s", i, method, path, raw)
	if reply != nil {
		require.NoError(w.t, json.Unmarshal(raw, reply), "%s", raw)
	}
}

func (w *world) admin(i int, path string, body, reply any) {
	w.t.Helper()
	w.get(i, http.MethodPost, path, body, reply, "Authorization", "Bearer "+operatorToken)
}

// found creates a team at a node.
func (w *world) found(i, number int) team {
	w.t.Helper()
	made := team{email: fmt.Sprintf("member%d@example.com", number)}
	w.admin(i, "/admin/teams", map[string]string{"email": made.email, "plan": "growth"}, &made)
	return made
}

// token opens a session of a team's member.
func (w *world) token(i int, of team) string {
	w.t.Helper()
	var opened struct {
		Token string `json:"session_token"`
	}
	w.admin(i, "/admin/teams/"+of.ID+"/sessions", map[string]string{"email": of.email}, &opened)
	return opened.Token
}

func hello(token, account string) string {
	return fmt.Sprintf(`{"type":"hello","v":1,"token":%q,"boot":"b","journal":"j","version":"specs","account":{"urn":"urn:network:member:%s","slug":%q,"name":%q,"signed_in":true},"tasks":[]}`,
		token, account, account, account)
}

// connect opens a socket at a node and waits for the welcome.
func (w *world) connect(i int, token, account string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), process.Patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+w.nodes[i].listen+"/extension/socket", &websocket.DialOptions{HTTPClient: w.client})
	if err != nil {
		return nil, err
	}
	if err = conn.Write(ctx, websocket.MessageText, []byte(hello(token, account))); err == nil {
		var frame []byte
		if _, frame, err = conn.Read(ctx); err == nil && !strings.Contains(string(frame), `"type":"welcome"`) {
			err = fmt.Errorf("no welcome: %s", frame)
		}
	}
	if err != nil {
		_ = conn.CloseNow()
		return nil, err
	}
	return conn, nil
}

// eventually polls a condition.
func (w *world) eventually(what string, so func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), process.Patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-again.C:
		case <-ctx.Done():
			w.t.Fatal("not in time: " + what)
		}
	}
}

// nodesCommand runs watchpost nodes.
func (w *world) nodesCommand(args ...string) string {
	w.t.Helper()
	return w.command(append([]string{"nodes", "--store", w.store}, args...)...)
}

// command runs the program and returns the end of its output.
func (w *world) command(args ...string) string {
	w.t.Helper()
	p, err := process.Launch(args[0], w.dir, w.binary, args...)
	require.NoError(w.t, err)
	<-p.Done()
	require.Zero(w.t, p.ExitCode(), p.Tail())
	return p.Tail()
}
