package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// network is what carries messages between the parties.
type network struct {
	cut  [parties][parties]bool // one way
	held []*message             // behind a cut
	// noise is one of how many messages meets a fault; 0: none.
	noise int
}

// Bounds of the network.
const (
	slowest     = 3 * time.Millisecond // of a message without a fault
	dialTimeout = 500 * time.Millisecond
)

// draw draws what happens to a message, and puts it on its way.
func (n *network) draw(w *world, m *message) {
	m.at = w.now()
	if m.from < maxNodes && w.slots[m.from] != nil {
		m.at = max(m.at, w.slots[m.from].frozen)
	}
	m.at += w.between(50*time.Microsecond, slowest)
	if n.cut[m.from][m.to] {
		if w.oneIn(2) {
			m.loses() // its connection ends, and that shows when the cut ends
		}
		n.held = append(n.held, m)
		return
	}
	again := false
	if n.noise > 0 && m.from != m.to && m.from != clientParty && m.to != clientParty && w.oneIn(n.noise) {
		switch kind := w.random.IntN(4); {
		case kind == 0:
			w.metrics.lost++
			m.loses()
			m.at += w.between(100*time.Millisecond, 4*time.Second)
		case kind == 1 && m.twice:
			w.metrics.doubled++
			again = true
		default:
			w.metrics.late++
			m.at += w.between(10*time.Millisecond, 6*time.Second)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mail = append(w.mail, m)
	if again {
		second := *m
		second.key += " again"
		second.at += w.between(0, 4*time.Second)
		w.mail = append(w.mail, &second)
	}
}

// loses has the message lost: its sender learns that in the end.
func (m *message) loses() {
	m.key, m.twice = m.key+" is lost", false
	if m.arrive = m.lost; m.arrive == nil {
		m.arrive = func() {}
	}
}

// release sends the messages that are held behind a cut that has ended.
func (n *network) release(w *world) {
	held := n.held
	n.held = nil
	for _, m := range held {
		if n.cut[m.from][m.to] {
			n.held = append(n.held, m)
			continue
		}
		m.at = w.now() + w.between(time.Millisecond, time.Second)
		w.mu.Lock()
		w.mail = append(w.mail, m)
		w.mu.Unlock()
	}
}

// transport carries the requests of a process to other nodes (edge.Cluster).
type transport struct{ p *process }

var (
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	errNoRoute = &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	errReset   = errors.New("connection reset by peer")
)

// slotOf returns the node of an address.
func slotOf(host string) int { return int(host[0] - 'a') }

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	p, w, to := t.p, t.p.w, slotOf(r.URL.Host)
	body, err := readAll(r.Body)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%d to %s %s %s", p.id, r.URL.Host, r.URL.RequestURI(), r.Header.Get("X-Request-Id"))
	replies := make(chan httpReply, 3)
	p.Turn("send " + key)
	if strings.HasPrefix(r.URL.Path, "/cluster/handover") {
		p.tell("Place.From: the other is asked for the team")
	}
	e := &exchange{w: w, key: key, from: p.slot, to: to, reply: func(reply httpReply) {
		select {
		case replies <- reply:
		default:
		}
	}}
	// A new connection tells of a cut; one that is open does not.
	if cut := w.network.cut[p.slot][to] || w.network.cut[to][p.slot]; cut && len(key)%2 == 0 {
		e.unconnected()
	} else {
		if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.WroteHeaders != nil {
			trace.WroteHeaders()
		}
		e.send(r, body, true)
	}
	reply, over := httpReply{}, false
	select {
	case reply = <-replies:
	case <-r.Context().Done():
		over = true
	case <-p.ctx.Done():
	}
	p.Turn("reply " + key)
	if over { // several requests may be over at once: their turns say which one is first
		e.end()
		return nil, context.Cause(r.Context())
	}
	if reply.err != nil {
		return nil, reply.err
	}
	return reply.response(r), nil
}

func readAll(from io.ReadCloser) ([]byte, error) {
	if from == nil {
		return nil, nil
	}
	defer func() { _ = from.Close() }() // it has no error that matters here
	return io.ReadAll(from)
}

// httpReply is the reply to a request, or why there is none.
type httpReply struct {
	status int
	header http.Header
	body   []byte
	err    error
}

func (r httpReply) response(to *http.Request) *http.Response {
	return &http.Response{
		StatusCode: r.status, Status: fmt.Sprint(r.status, " ", http.StatusText(r.status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header.Clone(), Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)), Request: to,
	}
}

// exchange is a request on its way, and its reply.
type exchange struct {
	w        *world
	key      string
	from, to int
	reply    func(httpReply)
	ends     []context.CancelFunc // of the handlers that serve it
}

// unconnected has the sender find out that it gets no connection.
func (e *exchange) unconnected() {
	e.w.send(&message{key: e.key + " is not connected", from: e.from, to: e.from, arrive: func() {
		e.w.after(dialTimeout, e.key+" gives up", func() { e.reply(httpReply{err: errNoRoute}) })
	}})
}

// send sends a request to a node: to the handler of other nodes, or of clients.
func (e *exchange) send(r *http.Request, body []byte, peer bool) {
	method, uri, header := r.Method, r.URL.RequestURI(), r.Header.Clone()
	reset := func() { e.reply(httpReply{err: errReset}) }
	e.w.send(&message{key: e.key, from: e.from, to: e.to, twice: true, lost: reset, arrive: func() {
		p := e.w.slots[e.to]
		if p == nil || p.dead.Load() || p.stopped {
			e.answer(httpReply{err: errRefused})
			return
		}
		ctx, cancel := context.WithCancel(p.ctx)
		e.ends = append(e.ends, cancel)
		e.w.mu.Lock()
		p.serving = append(p.serving, e)
		e.w.mu.Unlock()
		in, err := http.NewRequestWithContext(ctx, method, uri, bytes.NewReader(body))
		if err != nil {
			panic(err)
		}
		in.Header, in.RemoteAddr, in.RequestURI = header.Clone(), "192.0.2.1:1", uri
		e.w.spawn(p, fmt.Sprintf("%s %d", e.key, len(e.ends)), func() {
			defer cancel()
			if reply := p.answer(in, peer); p.served(e) {
				e.answer(reply)
			}
		})
	}})
}

// answer serves a request.
func (p *process) answer(r *http.Request, peer bool) (reply httpReply) {
	defer func() {
		if reason := recover(); reason != nil {
			if reason != http.ErrAbortHandler { //nolint:errorlint // the value that net/http compares with
				panic(reason)
			}
			reply = httpReply{err: errReset}
		}
	}()
	handler := p.handler
	if peer {
		handler = p.peers
	}
	if peer && p.old && strings.HasPrefix(r.URL.Path, "/cluster/handover") {
		handler = http.NotFoundHandler()
	}
	to := httptest.NewRecorder()
	handler.ServeHTTP(to, r)
	return httpReply{status: to.Code, header: to.Header(), body: to.Body.Bytes()}
}

// answer sends a reply back.
func (e *exchange) answer(reply httpReply) {
	e.w.send(&message{key: "reply to " + e.key, from: e.to, to: e.from, twice: true, arrive: func() { e.reply(reply) }, lost: func() { e.reply(httpReply{err: errReset}) }})
}

// served notes that a request has its reply. It reports false when the process has ended
// before: nothing leaves it any more.
func (p *process) served(e *exchange) bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	at := slices.Index(p.serving, e)
	if at < 0 {
		return false
	}
	p.serving = slices.Delete(p.serving, at, at+1)
	return true
}

// hangUp has the senders of requests know that the process has ended.
func (p *process) hangUp() {
	p.w.mu.Lock()
	serving := p.serving
	p.serving = nil
	p.w.mu.Unlock()
	for _, e := range serving {
		e.answer(httpReply{err: errReset})
	}
}

// end has the receiver know that the sender has given up.
func (e *exchange) end() {
	e.w.send(&message{key: "end of " + e.key, from: e.from, to: e.to, arrive: func() {
		for _, end := range e.ends {
			end()
		}
	}})
}
