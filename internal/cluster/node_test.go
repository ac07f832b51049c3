package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// server serves all tests but the one that stops it.
var server *postgrestest.Server

// nodeVariable makes the test binary one node of a cluster: its value is the
// connection string.
const nodeVariable = "CLUSTER_TEST_NODE"

func TestMain(m *testing.M) {
	if url := os.Getenv(nodeVariable); url != "" {
		if err := beNode(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var err error
	if server, err = postgrestest.Start("fsync=off"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		os.Exit(code)
	}), goleak.IgnoreCurrent())
}

// testTTL keeps the tests short. A test of an action that must not wait for the end of a
// lease uses longTTL.
const (
	testTTL = 2 * time.Second
	longTTL = 10 * time.Minute
)

// ttlVariable is the lease time of a node in another process.
const ttlVariable = "CLUSTER_TEST_TTL"

// beNode joins, prints its address, and answers which names it serves until it
// receives SIGTERM. Then it drains and leaves.
func beNode(url string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := postgres.ConnConfig(url)
	if err != nil {
		return err
	}
	ttl, err := time.ParseDuration(os.Getenv(ttlVariable))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	n := New(Options{Config: config, ID: listener.Addr().String(), Build: "test", TTL: ttl, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Release: func(context.Context, func(string) bool) error { return nil }, Transient: postgres.Transient, Teams: func() int { return 3 }})
	if err := n.Join(ctx); err != nil {
		return err
	}
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(n.served())
		}))
	}()
	fmt.Println(n.ID())
	<-ctx.Done()
	leaving, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := n.Drain(leaving); err != nil {
		return err
	}
	return n.Close(leaving)
}

const names = 64

func (n *Node) served() (served []bool) {
	for i := range names {
		served = append(served, n.Serves(fmt.Sprint(i)))
	}
	return served
}

const patience = 20 * time.Second

// await polls a condition that other processes make true.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatal("not in time: " + what)
		}
	}
}

// testNode is a node in this process, or in a separate one.
type testNode struct {
	id     string
	served func() []bool
	// process is nil for a node in the test's process.
	process *exec.Cmd
}

func database(t *testing.T, s *postgrestest.Server) string {
	t.Helper()
	url, err := s.NewDatabase(t.Context())
	require.NoError(t, err)
	store, err := postgres.Open(t.Context(), postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, store.Close()) // it has made the tables
	return url
}

func configOf(t *testing.T, url string) *pgx.ConnConfig {
	t.Helper()
	config, err := postgres.ConnConfig(url)
	require.NoError(t, err)
	return config
}

// here joins from the test's process.
func here(t *testing.T, url, id string, ttl time.Duration) (*Node, testNode) {
	t.Helper()
	return joined(t, configOf(t, url), id, ttl)
}

// joined joins with a configuration of its connections.
func joined(t *testing.T, config *pgx.ConnConfig, id string, ttl time.Duration) (*Node, testNode) {
	t.Helper()
	n := New(Options{Config: config, ID: id, Build: "test", TTL: ttl, Log: slog.New(slog.DiscardHandler),
		Release: func(context.Context, func(string) bool) error { return nil }, Transient: postgres.Transient, Teams: func() int { return 0 }})
	require.NoError(t, n.Join(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, n.Close(ctx))
	})
	return n, testNode{id: id, served: n.served}
}

// process starts a node as a process.
func process(t *testing.T, url string, ttl time.Duration) testNode {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), nodeVariable+"="+url, ttlVariable+"="+ttl.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed, or has ended
	})
	line := make([]byte, 64)
	k, err := out.Read(line)
	require.NoError(t, err, "the node prints its address")
	id := strings.TrimSpace(string(line[:k]))
	client := &http.Client{Timeout: 4 * testTTL, Transport: &http.Transport{DisableKeepAlives: true}}
	return testNode{id: id, process: cmd, served: func() (served []bool) {
		reply, err := client.Get("http://" + id)
		if err != nil {
			return nil
		}
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		if err != nil || json.Unmarshal(body, &served) != nil {
			return nil
		}
		return served
	}}
}

// covered reports whether the nodes serve every name, each once.
func covered(t *testing.T, nodes ...testNode) bool {
	t.Helper()
	count := make([]int, names)
	for _, n := range nodes {
		for i, served := range n.served() {
			if served {
				count[i]++
			}
		}
	}
	for _, c := range count {
		if c != 1 {
			return false
		}
	}
	return true
}

func TestNodesShareTheNames(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	first, a := here(t, url, "a:1", testTTL)
	await(t, "one node serves all", func() bool { return covered(t, a) })
	b := process(t, url, testTTL)
	await(t, "two nodes share", func() bool { return covered(t, a, b) && !covered(t, a) })

	var listed []Status
	await(t, "both have confirmed", func() bool { // a node may serve before it has written that it knows the members
		var err error
		listed, err = List(t.Context(), configOf(t, url))
		require.NoError(t, err)
		require.Len(t, listed, 2)
		return listed[0].Confirmed && listed[1].Confirmed
	})
	require.Positive(t, listed[0].Lease)

	require.NoError(t, DrainMember(t.Context(), configOf(t, url), b.id))
	await(t, "the other serves all", func() bool { return covered(t, a) })
	require.ErrorContains(t, DrainMember(t.Context(), configOf(t, url), "gone:1"), "no node gone:1")

	require.NoError(t, b.process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, b.process.Wait())
	await(t, "it has left", func() bool {
		first.mu.Lock()
		defer first.mu.Unlock()
		return len(first.own.views.current().Members) == 1
	})
}

// TestKilledNode kills a node with signal 9. Its names are served elsewhere when
// its lease has ended; before that, when another node has found it dead.
func TestKilledNode(t *testing.T) {
	t.Parallel()
	for _, reported := range []bool{false, true} {
		t.Run(fmt.Sprintf("reported=%v", reported), func(t *testing.T) {
			t.Parallel()
			ttl := testTTL
			if reported {
				ttl = longTTL
			}
			url := database(t, server)
			n, a := here(t, url, "a:1", ttl)
			b := process(t, url, ttl)
			await(t, "two nodes share", func() bool { return covered(t, a, b) && !covered(t, a) })
			n.ReportDead(t.Context(), b.id, true)
			listed, err := List(t.Context(), configOf(t, url))
			require.NoError(t, err)
			require.Len(t, listed, 2, "a node with a session in the database is not dead")
			began := time.Now()
			require.NoError(t, b.process.Process.Kill())
			_ = b.process.Wait() // it was killed
			await(t, "the other serves all", func() bool {
				if reported {
					n.ReportDead(t.Context(), b.id, true)
				}
				return covered(t, a)
			})
			t.Logf("taken over after %v", time.Since(began))
		})
	}
}

// TestFrozenNode stops a node for longer than its lease. On waking it answers for
// no name before it has joined again.
func TestFrozenNode(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	_, a := here(t, url, "a:1", testTTL)
	b := process(t, url, testTTL)
	await(t, "two nodes share", func() bool { return covered(t, a, b) && !covered(t, a) })
	require.NoError(t, b.process.Process.Signal(syscall.SIGSTOP))
	await(t, "the other serves all", func() bool { return covered(t, a) })
	require.NoError(t, b.process.Process.Signal(syscall.SIGCONT))
	await(t, "it shares again", func() bool {
		// b is asked first: a name that it serves, a has given up.
		there, served := b.served(), a.served()
		shared := false
		for i, yes := range there {
			require.False(t, yes && served[i], "name %d is served by both", i)
			shared = shared || yes
		}
		return shared && covered(t, a, b)
	})
}

// TestLocksOfItsOwnSession: after a fault of the network the database may keep the
// locks of the process's earlier session for a while. That is no other process.
func TestLocksOfItsOwnSession(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	tried := make(chan struct{}, 1)
	log := slog.New(slog.NewTextHandler(writerFunc(func(line []byte) (int, error) {
		if strings.Contains(string(line), "waiting for the locks") {
			tried <- struct{}{}
		}
		return len(line), nil
	}), nil))
	held := make(chan struct{}, 10)
	g := &guard{
		open: opening(t, url, "first"), machine: realMachine{}, log: log, locks: []Lock{lockNode("a:1")},
		notified: func() { held <- struct{}{} }, failed: func(err error) { t.Error(err) },
	}
	running, stop := context.WithCancel(t.Context())
	ended, err := g.start(t.Context(), running)
	require.NoError(t, err)
	<-held

	earlier, err := pgx.ConnectConfig(t.Context(), configOf(t, url))
	require.NoError(t, err)
	defer closeConn(earlier)
	ender, err := pgx.ConnectConfig(t.Context(), configOf(t, url))
	require.NoError(t, err)
	defer closeConn(ender)
	waits := make(chan error, 1)
	go func() {
		_, err := earlier.Exec(t.Context(), "SELECT pg_advisory_lock(hashtextextended($1, 0))", nodeLock+"a:1")
		waits <- err
	}()
	await(t, "the lock is waited for", func() bool {
		var n int
		err := ender.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid = $1", earlier.PgConn().PID()).Scan(&n)
		return err == nil && n == 1
	})
	_, err = ender.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'first'")
	require.NoError(t, err)
	require.NoError(t, <-waits)
	<-tried
	closeConn(earlier)
	<-held
	stop()
	<-ended
}

// opening opens sessions of a process.
func opening(t *testing.T, url, name string) func(context.Context) (Session, error) {
	config := named(configOf(t, url), name)
	return func(ctx context.Context) (Session, error) { return openSession(ctx, config) }
}

// TestOneWriter refuses a second process on a database, by name.
func TestOneWriter(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	log := slog.New(slog.DiscardHandler)
	failed := func(err error) { t.Error(err) }
	release, err := Alone(t.Context(), configOf(t, url), "watchpost on one:8080", log, failed)
	require.NoError(t, err)
	second := &guard{open: opening(t, url, "second"), machine: realMachine{}, log: log, locks: []Lock{lockAlone()}, failed: failed}
	_, err = second.connect(t.Context())
	require.ErrorContains(t, err, "watchpost on one:8080")
	member := &guard{open: opening(t, url, "member"), machine: realMachine{}, log: log, locks: []Lock{lockShared(), lockNode("a:1")}, failed: failed}
	_, err = member.connect(t.Context())
	require.ErrorContains(t, err, "watchpost on one:8080")
	release()
	var conn Session
	await(t, "the database has ended the first session", func() bool {
		conn, err = member.connect(t.Context())
		return err == nil
	})
	defer closeConn(conn)
	_, err = second.connect(t.Context())
	require.ErrorContains(t, err, "member")
	_, err = member.connect(t.Context())
	require.ErrorContains(t, err, "the address a:1")
}
