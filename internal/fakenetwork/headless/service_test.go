package headless_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/headless"
	"watchpost/internal/fakenetwork/networktest"
	"watchpost/internal/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is a Wednesday.
var start = time.Date(2030, 1, 9, 15, 0, 0, 0, time.UTC)

// patience bounds every wait of a test; only a failing test uses it up.
const patience = 40 * time.Second

// service is a scripted service: the test sends its frames.
type service struct {
	t      *testing.T
	server *httptest.Server
	conns  chan *conn
	// refuse, if set, fails requests for the socket with an error.
	mu     sync.Mutex
	refuse bool
	polls  chan *poll
}

// conn is a socket that a session opened.
type conn struct {
	t      *testing.T
	ws     *websocket.Conn
	frames chan protocol.Frame // the session's frames; closed with the socket
}

// poll is a held long poll.
type poll struct {
	token    string
	messages []protocol.Frame
	answer   chan []protocol.Frame
	status   chan int
	gone     <-chan struct{}
}

func newService(t *testing.T) *service {
	s := &service{t: t, conns: make(chan *conn, 16), polls: make(chan *poll, 16)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /extension/socket", s.socket)
	mux.HandleFunc("POST /extension/poll", s.poll)
	s.server = httptest.NewServer(mux)
	t.Cleanup(s.server.Close)
	return s
}

func (s *service) setRefuse(refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = refuse
}

func (s *service) socket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	refuse := s.refuse
	s.mu.Unlock()
	if refuse {
		http.Error(w, "no sockets here", http.StatusBadGateway)
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	ws.SetReadLimit(protocol.MaxFrame)
	c := &conn{t: s.t, ws: ws, frames: make(chan protocol.Frame, 1024)}
	s.conns <- c
	for {
		_, b, err := ws.Read(context.Background())
		if err != nil {
			close(c.frames)
			return
		}
		var f protocol.Frame
		if err := json.Unmarshal(b, &f); err != nil {
			s.t.Errorf("session sent %q: %v", b, err)
		}
		c.frames <- f
	}
}

func (s *service) poll(w http.ResponseWriter, r *http.Request) {
	var in protocol.PollRequest
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p := &poll{
		token: r.Header.Get("Authorization"), messages: in.Messages,
		answer: make(chan []protocol.Frame, 1), status: make(chan int, 1), gone: r.Context().Done(),
	}
	s.polls <- p
	select {
	case messages := <-p.answer:
		_ = json.NewEncoder(w).Encode(protocol.PollReply{Messages: messages})
	case status := <-p.status:
		w.WriteHeader(status)
	case <-r.Context().Done():
	}
}

// accept waits for a socket.
func (s *service) accept() *conn {
	s.t.Helper()
	select {
	case c := <-s.conns:
		return c
	case <-time.After(patience):
		s.t.Fatal("no connection")
		return nil
	}
}

// acceptPoll waits for a poll.
func (s *service) acceptPoll() *poll {
	s.t.Helper()
	select {
	case p := <-s.polls:
		return p
	case <-time.After(patience):
		s.t.Fatal("no poll")
		return nil
	}
}

// welcomed accepts a socket, reads hello and sends welcome.
func (s *service) welcomed() (*conn, protocol.Frame) {
	s.t.Helper()
	c := s.accept()
	hello := c.read(protocol.TypeHello)
	c.send(welcome())
	return c, hello
}

func welcome() protocol.Frame {
	now := start
	return protocol.Frame{Type: protocol.TypeWelcome, Session: "s", Member: &protocol.SignInMember{ID: "m", Email: "Jo.Doe@example.com"}, HeartbeatS: 20, LeaseS: 60, ServerTime: &now}
}

// send sends a frame.
func (c *conn) send(f protocol.Frame) {
	c.t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.ws.Write(context.Background(), websocket.MessageText, b); err != nil {
		c.t.Fatal(err)
	}
}

// read returns the next frame that is not a heartbeat and checks its type.
func (c *conn) read(want string) protocol.Frame {
	c.t.Helper()
	f := c.next()
	if f.Type != want {
		c.t.Fatalf("got %+v %s, want a frame %q", f, f.Output, want)
	}
	return f
}

// next returns the next frame that is not a heartbeat.
func (c *conn) next() protocol.Frame {
	c.t.Helper()
	for {
		select {
		case f, open := <-c.frames:
			switch {
			case !open:
				c.t.Fatal("connection closed, want a frame")
			case f.Type != protocol.TypeHeartbeat:
				return f
			}
		case <-time.After(patience):
			c.t.Fatal("no frame")
		}
	}
}

// result reads until the result of a write, and lets it go each time that it asks.
func (c *conn) result() protocol.Frame {
	c.t.Helper()
	for {
		f := c.next()
		switch f.Type {
		case protocol.TypeResult:
			return f
		case protocol.TypeActing:
			c.send(goFor(f))
		default:
			c.t.Fatalf("got %+v %s, want a frame %q", f, f.Output, protocol.TypeResult)
		}
	}
}

// drop closes the connection without a close frame.
func (c *conn) drop() { _ = c.ws.CloseNow() }

// task makes a task frame with a deadline in five minutes.
func task(id, kind string, input any) protocol.Frame {
	b, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	due := start.Add(protocol.TaskTime)
	return protocol.Frame{Type: protocol.TypeTask, Task: id, Lease: id + "-1", Attempt: 1, TaskType: kind, Input: b, Deadline: &due}
}

func ack(id string) protocol.Frame { return protocol.Frame{Type: protocol.TypeAck, Task: id} }

func goFor(f protocol.Frame) protocol.Frame {
	return protocol.Frame{Type: protocol.TypeGo, Task: f.Task, Lease: f.Lease}
}

// world is a service and a network for a session under test.
type world struct {
	showsLate bool // sets Options.ShowsLate
	*service
	site    *fakenetwork.Site
	network string

	networkServer *httptest.Server
	transport     http.Transport

	clock   *networktest.Clock
	journal string
	bind    bool
	account string
	beats   chan time.Time
	retries chan time.Time
	waits   chan time.Duration
	linked  chan string
	asked   chan string                 // requested paths of the network
	cookie  atomic.Pointer[http.Cookie] // if set, the session's requests carry it instead of their own
	hooks   headless.Hooks
}

// RoundTrip implements http.RoundTripper for the session and reports the
// requested page.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if c := w.cookie.Load(); c != nil {
		r = r.Clone(r.Context())
		r.Header.Set("Cookie", c.String())
	}
	select {
	case w.asked <- r.URL.Path:
	default: // no test listens
	}
	return w.transport.RoundTrip(r)
}

// await returns when the session requests a path with that prefix.
func (w *world) await(prefix string) {
	w.t.Helper()
	for {
		select {
		case path := <-w.asked:
			if strings.HasPrefix(path, prefix) {
				return
			}
		case <-time.After(patience):
			w.t.Fatalf("no request for %s", prefix)
		}
	}
}

// newWorld starts a service and a network. onWrite may be nil.
func newWorld(t *testing.T, opts fakenetwork.Options) *world {
	t.Helper()
	w := &world{
		service: newService(t), account: "jo", clock: networktest.NewClock(start), journal: t.TempDir(),
		beats: make(chan time.Time), retries: make(chan time.Time), waits: make(chan time.Duration, 1024), linked: make(chan string, 64),
		asked: make(chan string, 4096),
	}
	opts.Clock, opts.PostsPerDay = w.clock, 25 // a small world is generated quickly
	site, err := fakenetwork.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	w.site, w.network, w.networkServer = site, server.URL, server
	never := func() {}
	w.hooks = headless.Hooks{
		Wait: func(ctx context.Context, d time.Duration) error {
			w.waits <- d
			return ctx.Err()
		},
		Beat:        func(time.Duration) (<-chan time.Time, func()) { return w.beats, never },
		SocketRetry: func(time.Duration) (<-chan time.Time, func()) { return w.retries, never },
		Linked:      func(transport string) { w.linked <- transport },
	}
	return w
}

// session is a running session.
type session struct {
	t    *testing.T
	stop context.CancelFunc
	err  chan error
}

// run starts a session, which ends with the test at the latest.
func (w *world) run() *session { return w.runWith(w.journal) }

// runWith starts a session with another journal.
func (w *world) runWith(journal string) *session {
	ctx, cancel := context.WithCancel(context.Background())
	s := &session{t: w.t, stop: cancel, err: make(chan error, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.err <- headless.Run(ctx, headless.Options{
			Server: w.server.URL, Token: "secret", NetworkURL: w.network, Account: w.account, JournalDir: journal, Version: "test",
			Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Clock: w.clock,
			HTTPClient: &http.Client{Transport: w}, Hooks: w.hooks, ShowsLate: w.showsLate, Bind: w.bind,
		})
	}()
	w.t.Cleanup(func() {
		cancel()
		<-ended
		w.transport.CloseIdleConnections()
	})
	return s
}

// ended waits until Run returns that error.
func (s *session) ended(want error) {
	s.t.Helper()
	select {
	case err := <-s.err:
		if !errors.Is(err, want) {
			s.t.Fatalf("Run returned %v, want %v", err, want)
		}
	case <-time.After(patience):
		s.t.Fatal("Run did not return")
	}
}

// kill stops a session at once and waits for its end.
func (s *session) kill() {
	s.t.Helper()
	s.stop()
	s.ended(context.Canceled)
}

// browser signs a member in at the world's network.
func (w *world) browser(slug string) *networktest.Browser {
	w.t.Helper()
	b := networktest.NewBrowser(w.t, w.network)
	b.SignIn(slug)
	return b
}

// decode parses an output.
func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("output %s: %v", raw, err)
	}
	return out
}
