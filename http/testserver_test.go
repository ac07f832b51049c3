package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/actors"
	"watchpost/actors/vault"
	httpapi "watchpost/http"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/notify"
	"watchpost/internal/passkey"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// protoactor counts dead letters by the minute and cannot be stopped.
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}

// passkeySite is where the browsers of tests take the service to be.
const passkeySite = "https://watch.example.com"

const adminToken = "operator-secret"

// testServer is a whole service behind a test server.
type testServer struct {
	t        testing.TB
	server   *httpapi.Server
	url      string
	registry *actors.Registry
	mail     *postbox
	log      *logBuffer
	client   *http.Client
	store    *faultyStore
}

// faultyStore is a store that can be told to be read no more, or to hold readers or
// writers up.
type faultyStore struct {
	persistence.Store
	broken     atomic.Bool
	held       atomic.Pointer[holdUp]
	heldWrites atomic.Pointer[holdUp]
}

// holdUp holds callers of a store until release is closed. A reader leaves with its
// context.
type holdUp struct{ reached, release chan struct{} }

// Submit implements persistence.Store.
func (u *faultyStore) Submit(space persistence.Space, epoch persistence.Epoch, b *persistence.Batch, done func(error)) {
	if held := u.heldWrites.Load(); held != nil {
		held.reached <- struct{}{}
		<-held.release
	}
	u.Store.Submit(space, epoch, b, done)
}

// View implements persistence.Store.
func (u *faultyStore) View(ctx context.Context) (persistence.View, error) {
	if u.broken.Load() {
		return nil, errors.New("read /secret/disk: on fire")
	}
	if held := u.held.Load(); held != nil {
		held.reached <- struct{}{}
		select {
		case <-held.release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return u.Store.View(ctx)
}

// build opens a house on an empty store in memory.
func build(t testing.TB, changes ...func(*httpapi.Options)) *testServer {
	t.Helper()
	return buildWith(t, nil, changes...)
}

// buildWith is build with other options of the registry, too.
func buildWith(t testing.TB, registry func(*actors.Options), changes ...func(*httpapi.Options)) *testServer {
	t.Helper()
	h := assemble(t, registry, changes...)
	h.serve(httptest.NewServer(h.server.Handler()))
	return h
}

// buildInBubble is build for a test in a bubble of synctest, where time passes when all
// goroutines wait. Its connections are pipes: a bubble does not know when a socket waits.
func buildInBubble(t testing.TB) *testServer {
	t.Helper()
	h := assemble(t, nil)
	to := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
	h.client.Transport = &http.Transport{DialContext: to.dial}
	listener := &httptest.Server{Listener: to, Config: &http.Server{Handler: h.server.Handler()}}
	listener.Start()
	h.serve(listener)
	return h
}

// pipes is a listener of connections within the process.
type pipes struct {
	dialled chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p.dialled <- far
	return near, nil
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (*pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// assemble makes a server that does not listen yet.
func assemble(t testing.TB, registry func(*actors.Options), changes ...func(*httpapi.Options)) *testServer {
	t.Helper()
	h := &testServer{t: t, mail: &postbox{}, log: &logBuffer{}, client: &http.Client{Transport: &http.Transport{}}}
	log := slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	store, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	h.store = &faultyStore{Store: store}
	keyring, err := vault.NewKeyring(bytes.Repeat([]byte{7}, vault.MasterKeySize))
	require.NoError(t, err)
	options := httpapi.Options{Clock: watchpost.SystemClock{}, Log: log, AccessLog: true, AdminToken: adminToken}
	options.Timing.Running = 10 * time.Millisecond
	for _, change := range changes {
		change(&options)
	}
	site, err := passkey.New(passkeySite)
	require.NoError(t, err)
	of := actors.Options{
		Passkeys: site, Store: h.store, Clock: options.Clock, Keyring: keyring, Mailer: h.mail, Log: slog.New(slog.DiscardHandler),
		Notify: notify.New(notify.Options{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
	}
	if registry != nil {
		registry(&of)
	}
	h.registry, err = actors.New(of)
	require.NoError(t, err)
	if options.Registry == nil {
		options.Registry = h.registry
	}
	h.server, err = httpapi.New(options)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, h.registry.Close(ctx))
		require.NoError(t, store.Close())
	})
	return h
}

// serve lets a listener serve it until the test ends.
func (h *testServer) serve(listener *httptest.Server) {
	h.url = listener.URL
	h.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(h.t, h.server.CloseSessions(ctx))
		h.client.CloseIdleConnections()
		listener.Close()
	})
}

// reply is what the service answered.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	raw    string
}

// do sends a request; headers come in pairs.
func (h *testServer) do(method, path, body string, headers ...string) reply {
	h.t.Helper()
	request, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
	require.NoError(h.t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := h.client.Do(request)
	require.NoError(h.t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(h.t, err)
	return reply{h.t, response.StatusCode, response.Header, string(raw)}
}

// fails checks an error reply to the letter.
func (r reply) fails(status int, text string) {
	r.t.Helper()
	want, err := json.Marshal(map[string]string{"error": text})
	require.NoError(r.t, err)
	require.Equal(r.t, string(want), r.raw)
	require.Equal(r.t, status, r.status)
	require.Equal(r.t, "application/json; charset=utf-8", r.header.Get("Content-Type"))
}

// read decodes a reply of that status.
func read[T any](r reply, status int) T {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.raw)
	var v T
	require.NoError(r.t, json.Unmarshal([]byte(r.raw), &v), r.raw)
	return v
}

type fields = map[string]any

// team is a team of the house with its key.
type team struct {
	*testServer
	id, key, email string
}

var teamNumber = regexp.MustCompile(`[^a-z]`)

// team founds a team of that plan.
func (h *testServer) team(name, plan string) team {
	h.t.Helper()
	email := teamNumber.ReplaceAllString(strings.ToLower(name), "") + "@example.com"
	made := read[fields](h.admin("POST", "/admin/teams", `{"email":"`+email+`","plan":"`+plan+`","name":"`+name+`"}`), 201)
	return team{h, made["id"].(string), made["api_key"].(string), email}
}

// call sends a request with the team's key.
func (m team) call(method, path, body string, headers ...string) reply {
	m.t.Helper()
	return m.do(method, path, body, append([]string{"x-api-key", m.key}, headers...)...)
}

// admin sends a request of the operator.
func (h *testServer) admin(method, path, body string) reply {
	h.t.Helper()
	return h.do(method, path, body, "Authorization", "Bearer "+adminToken)
}

// member returns the id of a member of the team.
func (m team) member(email string) string {
	m.t.Helper()
	for _, one := range read[fields](m.call("GET", "/api-team", ""), 200)["members"].([]any) {
		if one := one.(fields); one["email"] == email {
			return one["id"].(string)
		}
	}
	m.t.Fatalf("%s is no member", email)
	return ""
}

// token makes a session for the team's founder.
func (m team) token() string {
	m.t.Helper()
	return read[fields](m.admin("POST", "/admin/teams/"+m.id+"/sessions", `{"email":"`+m.email+`"}`), 201)["session_token"].(string)
}

// postbox keeps the mails that were sent.
type postbox struct {
	mu    sync.Mutex
	mails []outgoing.Mail
	// broken makes every mail fail.
	broken bool
}

// Send implements outgoing.Mailer.
func (p *postbox) Send(_ context.Context, m outgoing.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		return errors.New("no mail server")
	}
	p.mails = append(p.mails, m)
	return nil
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// code returns the one-time code of the last mail to an address.
func (p *postbox) code(t testing.TB, to string) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.mails) - 1; i >= 0; i-- {
		if code := sixDigits.FindString(p.mails[i].Body); p.mails[i].To == to && code != "" {
			return code
		}
	}
	t.Fatalf("no code was mailed to %s", to)
	return ""
}

// logBuffer keeps log lines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (j *logBuffer) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *logBuffer) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// listen serves a handler until the test ends.
func listen(t testing.TB, handler http.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// sortedKeys returns the names of an object's members.
func sortedKeys(o fields) []string { return slices.Sorted(maps.Keys(o)) }
