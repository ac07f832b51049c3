package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-fuego/fuego"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"watchpost/http/endpoint"
)

// path is where clients connect over HTTP.
const path = "/mcp"

// service is the protocol over HTTP. It keeps nothing of a client between its requests: any
// node of a cluster takes each of them, and the requests of its tools go to the team's owner
// as those of any client do.
type service struct {
	*endpoint.Server
	api     http.Handler
	closing <-chan struct{}
	sdk     http.Handler
	calls   calls
	servers sync.Map // by the names of their tools
}

// Add adds POST /mcp. api serves the requests of tools. closing is closed when the server
// stops: calls that wait end.
func Add(s *endpoint.Server, o Options, api http.Handler, closing <-chan struct{}) {
	h := &service{Server: s, api: api, closing: closing, calls: calls{under: map[callID][]context.CancelCauseFunc{}}}
	h.sdk = sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server { return h.serverOf(r, o) }, &sdk.StreamableHTTPOptions{
		Stateless: true,
		// The key protects what the check of names would: a page of another site has none.
		DisableLocalhostProtection:   true,
		PropagateRequestCancellation: true,
		MaxRequestBodyBytes:          endpoint.MaxBody,
	})
	s.API.Post(path, h.serve, s.Operation(endpoint.TeamsHere, "mcp", "Model Context Protocol", endpoint.TagOps), fuego.OptionHide())
}

// serverOf returns the server with the tools that the key of a request allows.
func (h *service) serverOf(r *http.Request, o Options) *sdk.Server {
	o.Allowed = func(route string) bool { return endpoint.Allows(r.Context(), h.Scopes[route]) }
	names := o.allowedTools()
	known := strings.Join(names, " ")
	server, found := h.servers.Load(known)
	if !found {
		server, _ = h.servers.LoadOrStore(known, newServer(o.Version, names, clientIn))
	}
	return server.(*sdk.Server) //nolint:forcetypeassert // the map has no others
}

type clientKey struct{}

// clientIn returns the client of the request that a call belongs to.
func clientIn(ctx context.Context) *client {
	c, _ := ctx.Value(clientKey{}).(*client)
	return c
}

// message has the fields of a message that are read before the protocol does.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Request json.RawMessage `json:"requestId"`
	}
}

func (h *service) serve(w http.ResponseWriter, r *http.Request) {
	x := endpoint.StateOf(r.Context())
	body, err := h.ReadAll(r)
	if err != nil {
		h.WriteError(r, err)
		return
	}
	var m message
	_ = json.Unmarshal(body, &m) // an invalid message is refused below
	caller := callID{key: endpoint.KeyOf(r), client: h.ClientOf(r).Key(), agent: r.UserAgent()}
	if m.Method == "notifications/cancelled" {
		h.calls.cancel(caller.of(m.Params.Request))
	}
	ended, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	defer cancel(nil)
	if m.Method == "tools/call" {
		defer h.calls.add(caller.of(m.ID), cancel)()
	}
	go func() {
		select {
		case <-h.closing:
			cancel(errStopping)
		case <-ended.Done():
		}
	}()
	c := &client{base: "http://" + r.Host, key: caller.key, do: inProcess{h.api, r}.do, ends: []context.Context{r.Context(), ended}}
	r.Body = http.NoBody
	if len(body) > 0 {
		r.Body = readBack{bytes.NewReader(body)}
	}
	out := &stream{RequestState: x, control: http.NewResponseController(x.ResponseWriter)}
	out.extend(longest)
	h.sdk.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
}

// readBack is a body that was read.
type readBack struct{ *bytes.Reader }

// Close implements io.Closer.
func (readBack) Close() error { return nil }

// callID names a call that runs. Ids are of one client only, and clients may share a key.
type callID struct{ key, client, agent, id string }

func (c callID) of(id json.RawMessage) callID {
	c.id = string(id)
	return c
}

// calls are those that run at this node. A client cancels one by a separate request.
type calls struct {
	mu    sync.Mutex
	under map[callID][]context.CancelCauseFunc
}

// add notes how a call is cancelled until the returned function is called.
func (c *calls) add(id callID, cancel context.CancelCauseFunc) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.under[id] = append(c.under[id], cancel)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.under, id)
	}
}

// cancel cancels a call. When two clients that cannot be told apart use the same id, it
// cancels none: both waits end by themselves.
func (c *calls) cancel(id callID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if under := c.under[id]; len(under) == 1 {
		under[0](context.Canceled)
	}
}

// inProcess serves the requests of tools by the server's own handler, as of the client that
// calls the tool.
type inProcess struct {
	api  http.Handler
	from *http.Request
}

// passedOn are headers that say for whom a request is made, and for which trace.
var passedOn = []string{"X-Forwarded-For", "X-Forwarded-Proto", "Traceparent", "Tracestate"}

func (p inProcess) do(r *http.Request) (*http.Response, error) {
	r.RemoteAddr, r.TLS, r.Host, r.RequestURI = p.from.RemoteAddr, p.from.TLS, p.from.Host, r.URL.RequestURI()
	for _, name := range passedOn {
		if values := p.from.Header[name]; values != nil {
			r.Header[name] = values
		}
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	kept := &keptReply{header: http.Header{}, status: http.StatusOK}
	p.api.ServeHTTP(kept, r)
	return &http.Response{StatusCode: kept.status, Header: kept.header, Body: readBack{bytes.NewReader(kept.body.Bytes())}}, nil
}

// keptReply keeps a reply in memory.
type keptReply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (k *keptReply) Header() http.Header { return k.header }

// Write implements http.ResponseWriter.
func (k *keptReply) Write(b []byte) (int, error) { return k.body.Write(b) }

// WriteHeader implements http.ResponseWriter.
func (k *keptReply) WriteHeader(status int) { k.status = status }

// Times that the client has to read.
const (
	// longest is more than a call may take.
	longest = (maxWait + 60) * time.Second
	// writeTime is what one message may take to be read.
	writeTime = 30 * time.Second
)

// stream writes messages as they come. The deadline of the server is for replies that are
// written at once. Errors of the protocol's library get the form of the API's.
type stream struct {
	*endpoint.RequestState
	control *http.ResponseController
	refused int // the status of an error whose text comes
}

func (s *stream) extend(d time.Duration) { _ = s.control.SetWriteDeadline(time.Now().Add(d)) }

// WriteHeader implements http.ResponseWriter.
func (s *stream) WriteHeader(status int) {
	if status >= http.StatusBadRequest && s.Header().Get("Content-Type") == "text/plain; charset=utf-8" {
		s.refused = status
		return
	}
	s.RequestState.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (s *stream) Write(b []byte) (int, error) {
	if s.refused != 0 {
		s.WriteError(s.refused, string(bytes.TrimSpace(b)))
		return len(b), nil
	}
	s.extend(writeTime)
	defer s.extend(longest)
	return s.RequestState.Write(b)
}
