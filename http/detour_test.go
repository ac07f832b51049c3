package httpapi_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/http/edge"
	"watchpost/internal/cluster"
)

// placedNode is a node of a cluster that knows one owner for all names.
type placedNode struct {
	edge.Node
	id, owner string

	mu      sync.Mutex
	others  []string
	view    int64
	changed chan struct{}
	lease   context.Context // nil: it does not end
}

// ID implements edge.Node.
func (n *placedNode) ID() string { return n.id }

// Place implements edge.Node.
func (n *placedNode) Place(string) (cluster.Place, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	here := n.id == n.owner && (n.lease == nil || n.lease.Err() == nil)
	return cluster.Place{Here: here, Owner: n.owner, View: n.view}, n.changed
}

// Lease implements edge.Node.
func (n *placedNode) Lease() context.Context {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lease == nil {
		return context.Background()
	}
	return n.lease
}

// hold gives the node a lease that ends with a context.
func (n *placedNode) hold(lease context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lease = lease
}

// Refresh implements edge.Node.
func (n *placedNode) Refresh() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.view == 1 {
		n.view = 2
		close(n.changed)
		n.changed = make(chan struct{})
	}
}

// Others implements edge.Node.
func (n *placedNode) Others() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.others
}

// meet sets the other members.
func (n *placedNode) meet(others ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.others = others
}

// Member implements edge.Node.
func (*placedNode) Member(string) bool { return true }

// ReportDead implements edge.Node.
func (*placedNode) ReportDead(context.Context, string, bool) {}

// detour is a cluster in which the edge does not reach the owner. A third node does.
type detour struct {
	edge, owner       *testServer
	edgeNode, through *placedNode
	passes            string      // the address of the third node
	client            *tls.Config // of the nodes

	mu   sync.Mutex
	came []*http.Request // what the owner got
	// lost receives a value for each reply that the owner loses; nil: it loses none.
	lost chan struct{}
}

func newDetour(t *testing.T) *detour {
	d := &detour{client: &tls.Config{RootCAs: x509.NewCertPool()}}
	home := &placedNode{}
	d.owner = d.node(t, home, func(*httpapi.Options) {}, d.record)
	d.through = &placedNode{owner: home.id}
	d.node(t, d.through, func(*httpapi.Options) {}, asItIs)
	d.passes = d.through.id
	gone := httptest.NewServer(nil) // its address refuses connections
	gone.Close()
	d.edgeNode = &placedNode{owner: strings.TrimPrefix(gone.URL, "http://"), others: []string{d.passes}}
	d.edge = d.node(t, d.edgeNode, func(o *httpapi.Options) { o.Registry = d.owner.registry }, asItIs) // all nodes read one store
	return d
}

// node starts a node. serve wraps its handler of other nodes.
func (d *detour) node(t *testing.T, n *placedNode, change func(*httpapi.Options), serve func(http.Handler) http.Handler) *testServer {
	peers := httptest.NewUnstartedServer(nil)
	n.id, n.view, n.changed = peers.Listener.Addr().String(), 1, make(chan struct{})
	if n.owner == "" {
		n.owner = n.id
	}
	h := build(t, func(o *httpapi.Options) {
		o.Cluster = &edge.Cluster{Node: n, TLS: d.client}
		change(o)
	})
	peers.Config.Handler = serve(h.server.PeerHandler())
	peers.StartTLS()
	d.client.RootCAs.AddCert(peers.Certificate())
	t.Cleanup(peers.Close)
	return h
}

func asItIs(next http.Handler) http.Handler { return next }

// record notes what the owner gets.
func (d *detour) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.came = append(d.came, r.Clone(context.WithoutCancel(r.Context())))
		lost := d.lost
		d.mu.Unlock()
		if lost != nil {
			lost <- struct{}{}
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func (d *detour) got() []*http.Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	came := d.came
	d.came = nil
	return came
}

const oneTeam = `{"email":"ada@example.com","plan":"growth"}`

// TestDetour: a request reaches an owner that the edge does not reach through a third
// node, once, with what the edge says about it. So does a session's socket.
func TestDetour(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	made := read[struct {
		ID  string
		Key string `json:"api_key"`
	}](d.edge.do("POST", "/admin/teams", oneTeam,
		"Authorization", "Bearer "+adminToken, "X-Request-Id", "r-1", "Connection", "X-Watchpost-Client", "X-Watchpost-Detour", "1"), http.StatusCreated)
	came := d.got()
	require.Len(t, came, 1)
	require.Equal(t, "r-1", came[0].Header.Get("X-Request-Id"))
	require.Equal(t, "127.0.0.1", came[0].Header.Get("X-Watchpost-Client"))
	require.Empty(t, came[0].Header.Get("X-Watchpost-Detour"))

	d.edge.do("GET", "/api-team", "", "X-Api-Key", made.Key)
	require.NotEmpty(t, d.got()[0].Header.Get("X-Watchpost-Deadline"))

	opened := read[struct {
		Token string `json:"session_token"`
	}](d.edge.admin("POST", "/admin/teams/"+made.ID+"/sessions", `{"email":"ada@example.com"}`), http.StatusCreated)
	session := d.edge.dial()
	session.send(hello(opened.Token))
	session.hear("welcome")
	require.Equal(t, "/extension/socket", d.got()[1].URL.Path)
}

// TestDetourOfALostReply: the owner may have processed a request whose reply is lost on
// the way, or may get it late, so it is not sent again. One with an Idempotency-Key is
// sent again under a newer view, when the owner refuses the first.
func TestDetourOfALostReply(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	d.lost = make(chan struct{}, 1)
	d.edge.admin("POST", "/admin/teams", oneTeam).fails(http.StatusServiceUnavailable, "Temporarily unavailable, retry later")
	require.Len(t, d.got(), 1)
	<-d.lost

	var again sync.WaitGroup
	again.Go(func() {
		<-d.lost
		d.mu.Lock()
		d.lost = nil
		d.mu.Unlock()
		d.edgeNode.Refresh()
	})
	made := d.edge.do("POST", "/admin/teams", oneTeam, "Authorization", "Bearer "+adminToken, "Idempotency-Key", "k")
	again.Wait()
	require.Equal(t, http.StatusCreated, made.status, made.raw)
	var views []string
	for _, r := range d.got() {
		views = append(views, r.Header.Get("X-Watchpost-View"))
	}
	require.Equal(t, []string{"1", "2"}, views)
}

// TestDetourUnderAnOlderView: a third node refuses a request under an older view, and
// the edge asks again under the next one.
func TestDetourUnderAnOlderView(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	d.through.Refresh()
	read[struct{ ID string }](d.edge.admin("POST", "/admin/teams", oneTeam), http.StatusCreated)
	came := d.got()
	require.Len(t, came, 1)
	require.Equal(t, "2", came[0].Header.Get("X-Watchpost-View"))
}

// TestDetourWithoutAWay: a third node that does not reach the owner either refuses, and
// the request goes through another one.
func TestDetourWithoutAWay(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	asked := make(chan struct{}, 1)
	blind := &placedNode{owner: d.edgeNode.owner}
	d.node(t, blind, func(*httpapi.Options) {}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			select {
			case asked <- struct{}{}:
			default:
			}
		})
	})
	d.edgeNode.meet(blind.id)
	var meeting sync.WaitGroup
	meeting.Go(func() {
		<-asked
		d.edgeNode.meet(blind.id, d.passes)
	})
	read[struct{ ID string }](d.edge.admin("POST", "/admin/teams", oneTeam), http.StatusCreated)
	meeting.Wait()
	require.Len(t, d.got(), 1)
}

// TestDetourIsAskedFor: a node that is not the owner passes nothing on that no edge has
// marked, so a request cannot go in a circle.
func TestDetourIsAskedFor(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+d.passes+"/admin/teams", strings.NewReader(oneTeam))
	require.NoError(t, err)
	for name, value := range map[string]string{"X-Watchpost-Place": "team", "X-Watchpost-View": "1", "X-Watchpost-Client": "192.0.2.1"} {
		r.Header.Set(name, value)
	}
	reply, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	require.Equal(t, http.StatusMisdirectedRequest, reply.StatusCode)
	require.Empty(t, d.got())
}

// TestForwardedRepliesAreBounded: the edge waits no longer for a client that does not read
// when it calls itself a reader of events, or polls.
func TestForwardedRepliesAreBounded(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	made := read[struct {
		ID  string
		Key string `json:"api_key"`
	}](d.edge.admin("POST", "/admin/teams", oneTeam), http.StatusCreated)
	opened := read[struct {
		Token string `json:"session_token"`
	}](d.edge.admin("POST", "/admin/teams/"+made.ID+"/sessions", `{"email":"ada@example.com"}`), http.StatusCreated)
	d.got()
	for _, r := range []*http.Request{
		httptest.NewRequest("GET", "/api-team", http.NoBody), httptest.NewRequest("POST", "/extension/poll", strings.NewReader(`{"messages":[]}`)),
	} {
		r.RemoteAddr = "127.0.0.1:9"
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("X-Api-Key", made.Key)
		r.Header.Set("Authorization", "Bearer "+opened.Token)
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		d.edge.server.Handler().ServeHTTP(w, r)
		require.Len(t, d.got(), 1, "%s came to the owner: %d", r.URL.Path, w.Code)
		require.Empty(t, w.set, r.URL.Path)
	}
}
