package cluster

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
)

// ready returns what /readyz of a node answers.
func (w *world) ready(i int) (status int, reply string) {
	status, raw := w.request(i, "GET", "/readyz", nil)
	return status, string(raw)
}

// TestDrainTime: a node that stops goes on serving while proxies learn that it is not
// ready. A second signal ends it.
func TestDrainTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "--drain-time", "1h")
	teams := []team{w.found(0, 0), w.found(1, 1), w.found(2, 2)}
	w.signal(2, syscall.SIGTERM)
	w.eventually("it is not ready", func() bool {
		status, _ := w.ready(2)
		return status == http.StatusServiceUnavailable
	})
	w.eventually("the others have its teams", func() bool { return strings.Contains(w.nodesCommand(), "drained") })
	w.client.CloseIdleConnections()
	for _, of := range teams {
		w.get(2, "GET", "/api-team", nil, nil, "X-Api-Key", of.Key)
	}
	w.signal(2, syscall.SIGTERM)
	<-w.nodes[2].process.Done()
	status, _ := w.ready(0)
	require.Equal(t, http.StatusOK, status)
}

// worldOnPostgres returns a world whose nodes are to be started, on a database server of
// its own that a test may end.
func worldOnPostgres(t *testing.T) (*world, *postgrestest.Server) {
	t.Helper()
	server, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	w := emptyWorld(t)
	w.store = server.URL("postgres")
	return w, server
}

// TestUnreachableNode: a node that the others cannot reach at its --advertise is no
// member, says why, and fails no request. It joins when they reach it.
func TestUnreachableNode(t *testing.T) {
	t.Parallel()
	w, _ := worldOnPostgres(t)
	for i := range w.nodes {
		w.nodes[i].listen, w.nodes[i].advertise = freeAddress(t), freeAddress(t)
	}
	w.start(0)
	w.start(1)
	var teams []team
	for k := range 12 {
		teams = append(teams, w.found(k%2, k))
	}
	elsewhere := freeAddress(t)
	w.nodes[2].clusterListen = elsewhere
	w.launch(2)
	p := w.nodes[2].process
	w.eventually("it says why", func() bool {
		_, serves := p.Logged(`"msg":"serving"`)
		require.False(t, serves)
		_, says := p.Logged("does not reach")
		return says
	})
	require.NotContains(t, w.nodesCommand(), w.nodes[2].advertise)
	for _, of := range teams {
		w.get(0, "GET", "/api-team", nil, nil, "X-Api-Key", of.Key)
	}
	newLinkAt(t, w.nodes[2].advertise, func() (net.Conn, error) { return net.Dial("tcp", elsewhere) })
	_, err := p.URL()
	require.NoError(t, err)
	w.eventually("it has a share", func() bool { return strings.Count(w.nodesCommand(), "serving") == nodes })
}

// TestReadyTellsOfIsolation: a node that is cut from the others or from the database is
// not ready, and says why; the others are. Its teams are served there.
func TestReadyTellsOfIsolation(t *testing.T) {
	t.Parallel()
	w, server := worldOnPostgres(t)
	var peers, databases [nodes]*link
	for i := range w.nodes {
		n := &w.nodes[i]
		n.listen, n.clusterListen = freeAddress(t), freeAddress(t)
		peers[i] = newLink(t, func() (net.Conn, error) { return net.Dial("tcp", n.clusterListen) })
		databases[i] = newLink(t, func() (net.Conn, error) { return net.Dial("unix", server.Socket()) })
		n.advertise, n.store = peers[i].address(), "postgres://watchpost@"+databases[i].address()+"/postgres?sslmode=disable"
		w.start(i)
	}
	teams := []team{w.found(0, 0), w.found(1, 1), w.found(2, 2), w.found(0, 3), w.found(1, 4), w.found(2, 5)}
	for _, l := range []*link{peers[2], databases[2]} {
		l.freeze()
		w.eventually("the node that is cut off is not ready", func() bool {
			status, reply := w.ready(2)
			return status == http.StatusServiceUnavailable && strings.Contains(reply, `"reason"`)
		})
		w.eventually("the others serve its teams", func() bool {
			for _, of := range teams {
				for i := range 2 {
					if status, _ := w.request(i, "GET", "/api-team", nil, "X-Api-Key", of.Key); status != http.StatusOK {
						return false
					}
				}
			}
			return true
		})
		for i := range 2 {
			status, _ := w.ready(i)
			require.Equal(t, http.StatusOK, status)
		}
		l.thaw()
		w.eventually("it is ready again", func() bool {
			status, _ := w.ready(2)
			return status == http.StatusOK
		})
	}
}

// TestDatabaseOutageKeepsSessions: the database is away for longer than a lease. No node
// serves then, and none is ready. When it is back, the teams are where they were, with
// their sessions connected all the while.
func TestDatabaseOutageKeepsSessions(t *testing.T) {
	w, server := worldOnPostgres(t)
	for i := range w.nodes {
		w.nodes[i].listen, w.nodes[i].advertise = freeAddress(t), freeAddress(t)
		w.start(i)
	}
	var conns []*websocket.Conn
	var ended atomic.Int64
	var reading sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); reading.Wait() }()
	for k := range 2 * nodes {
		conn, err := w.connect(k%nodes, w.token(0, w.found(0, k)), fmt.Sprintf("account%d", k))
		require.NoError(t, err)
		conns = append(conns, conn)
		reading.Go(func() {
			for {
				if _, _, err := conn.Read(ctx); err != nil {
					ended.Add(1)
					return
				}
			}
		})
	}
	members := w.nodesCommand()
	require.NoError(t, server.Stop())
	for i := range nodes {
		w.eventually("the lease ends", func() bool {
			_, lapsed := w.nodes[i].process.Logged("the lease ended")
			status, _ := w.ready(i)
			return lapsed && status == http.StatusServiceUnavailable
		})
	}
	require.NoError(t, server.Run())
	for i := range nodes {
		w.eventually("the node is ready", func() bool {
			status, _ := w.ready(i)
			return status == http.StatusOK
		})
	}
	for _, conn := range conns {
		require.NoError(t, conn.Ping(ctx))
	}
	require.Zero(t, ended.Load())
	require.Equal(t, strings.Count(members, "serving"), strings.Count(w.nodesCommand(), "serving"))
	for i := range nodes {
		_, removed := w.nodes[i].process.Logged("removed a node")
		require.False(t, removed)
	}
}

// TestStartTogether: nodes start at the same time on an empty database, after all were
// killed, and without those whose machines are gone.
func TestStartTogether(t *testing.T) {
	t.Parallel()
	w, server := worldOnPostgres(t)
	serve := func(which ...int) {
		for _, i := range which {
			w.launch(i)
		}
		for _, i := range which {
			_, err := w.nodes[i].process.URL()
			require.NoError(t, err)
		}
	}
	kill := func() {
		for i := range nodes {
			w.nodes[i].process.Kill()
		}
	}
	for range 3 {
		store, err := server.NewDatabase(t.Context())
		require.NoError(t, err)
		w.store = store
		for i := range w.nodes {
			w.nodes[i].listen, w.nodes[i].advertise = freeAddress(t), freeAddress(t)
		}
		serve(0, 1, 2)
		kill()
	}
	serve(0, 1, 2)
	w.eventually("all serve", func() bool { return strings.Count(w.nodesCommand(), "serving") == nodes })
	of := w.found(0, 0)
	kill()
	for i := 1; i < nodes; i++ {
		newLinkAt(t, w.nodes[i].advertise, func() (net.Conn, error) { return nil, errLinkEnded }).freeze()
	}
	serve(0)
	w.get(0, "GET", "/api-team", nil, nil, "X-Api-Key", of.Key)
}

// TestFrozenDatabase: no node gets an answer from the database for longer than a lease,
// and none loses its connections. No node is removed when it answers again.
func TestFrozenDatabase(t *testing.T) {
	w, server := worldOnPostgres(t)
	way := newLink(t, func() (net.Conn, error) { return net.Dial("unix", server.Socket()) })
	w.store = "postgres://watchpost@" + way.address() + "/postgres?sslmode=disable"
	for i := range w.nodes {
		w.nodes[i].listen, w.nodes[i].advertise = freeAddress(t), freeAddress(t)
		w.start(i)
	}
	var teams []team
	for k := range 2 * nodes {
		teams = append(teams, w.found(k%nodes, k))
	}
	way.freeze()
	for i := range nodes {
		w.eventually("the lease ends", func() bool {
			_, lapsed := w.nodes[i].process.Logged("the lease ended")
			return lapsed
		})
	}
	way.thaw()
	began := time.Now()
	for k, of := range teams {
		w.eventually("the team is served", func() bool {
			status, _ := w.request(k%nodes, "POST", "/api-keyword-watchlist", map[string]any{"name": "tea", "keywords": []string{"tea"}}, "X-Api-Key", of.Key, "Idempotency-Key", "tea")
			return status == http.StatusOK
		})
	}
	t.Logf("all teams are served %v after the database answers", time.Since(began).Round(time.Millisecond))
	for i := range nodes {
		_, removed := w.nodes[i].process.Logged("removed a node")
		require.False(t, removed, w.nodes[i].process.Tail())
	}
}
