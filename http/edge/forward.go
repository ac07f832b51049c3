package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"watchpost/http/endpoint"
	"watchpost/internal/cluster"
	"watchpost/watchpost"
)

// errNotTaken means that the node that was asked has a newer view, is not the owner, or
// does not reach the owner either: no owner has got the request.
var errNotTaken = errors.New("refused by the node that was asked")

// errLeft means that the node that was asked has left the cluster.
var errLeft = errors.New("the node has left the cluster")

// errPending means that the owner may get the request yet, after the network has held
// it up. Before a creation is sent again, the owner has to know a newer view: it refuses
// the first one then, which could be carried out although the second was refused.
var errPending = errors.New("the owner may get the request yet")

// errNoLease means that this node may not serve a team that is its own.
var errNoLease = errors.New("this node has no lease")

// errStopping means that this node stops, and the request would be held at the owner.
var errStopping = errors.New("this node stops")

// heldOpen returns the context that ends a forwarded request that its owner holds open: a
// poll of a session, its socket, an export, the events of a page, or a request that
// waits. Others end soon; for them it is nil.
func (e *Edge) heldOpen(r *http.Request) <-chan struct{} {
	switch r.URL.Path {
	case endpoint.PollPath, endpoint.SocketPath, endpoint.EventStream, endpoint.ChangesPath:
		return e.stopping
	}
	if endpoint.MayWait(r) || endpoint.Exports(r.URL.Path) {
		return e.stopping
	}
	return nil
}

// route waits until this node serves the name, and returns nil, or another node
// has served the request, and returns ErrForwarded. accepted is for the owner. The
// body is that of RequestState.Routed.
func (e *Edge) route(r *http.Request, name string, accepted *string) error {
	ctx, cancel := context.WithTimeout(r.Context(), holdTime)
	defer cancel()
	var last error
	missed := ""      // the node that was not reached
	var pending int64 // the view under which an owner may still get the request
	for {
		place, changed := e.Node.Place(name)
		switch {
		case place.Here:
			return nil
		case place.Owner != "" && place.Owner != e.Node.ID() && place.View > pending:
			to := e.way(place.Owner, missed)
			if to == "" {
				break
			}
			again, err := e.forward(r, to, place, name, accepted)
			if !again {
				return err
			}
			last, missed = err, to
			if errors.Is(err, errNotTaken) {
				missed = ""
			}
			if errors.Is(err, errPending) {
				pending = place.View
			}
		}
		err := errNoLease
		if e.Node.Lease().Err() == nil {
			err = e.awaitOrTakeOver(ctx, name, place, changed)
		}
		if err != nil {
			return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errors.Join(err, last))
		}
	}
}

// forward sends a request towards the owner of its name, once: to that node, or to
// another one that passes it on. again means that no owner has processed it, or that
// processing it twice does no harm. Otherwise the error is ErrForwarded when the reply
// was sent, or the client's.
func (e *Edge) forward(r *http.Request, to string, place cluster.Place, name string, accepted *string) (again bool, err error) {
	x := endpoint.StateOf(r.Context())
	out := r.WithContext(r.Context())
	withBodyOf(x.Routed, out)
	var w http.ResponseWriter = x
	if endpoint.Streams(r) || endpoint.Exports(r.URL.Path) {
		w = streamWriter{x}
	}
	if r.Method == http.MethodGet && r.URL.Path == endpoint.TaskStatusPath || endpoint.MayWait(r) {
		endpoint.Wait(e.Server, x)
	}
	sent, failure := e.proxy(w, out, to, e.heldOpen(r), func(p *httputil.ProxyRequest) {
		e.address(p.Out, e.ClientOf(r), place.View, name, accepted)
		askToPassOn(p.Out, to, place)
		p.Out.Header.Set("X-Request-Id", x.ID)
	}, func(reply *http.Response) error {
		if reply.StatusCode == http.StatusMisdirectedRequest && reply.Header.Get(headerView) != "" {
			return errNotTaken
		}
		for field := range reply.Header {
			x.Header().Del(field) // the owner sets what this node has set
		}
		return nil
	})
	if failure == nil {
		e.forwarded.WithLabelValues("served").Inc()
		return false, endpoint.ErrForwarded
	}
	e.forwarded.WithLabelValues("failed").Inc()
	never := e.noteFailure(r.Context(), to, failure) || !sent // it was not processed
	again = (never || repeatable(r)) && r.Context().Err() == nil && !errors.Is(failure, errStopping)
	if !never && r.Method != http.MethodGet && (to != place.Owner || errors.Is(failure, errSilent)) {
		failure = errors.Join(errPending, failure)
	}
	failure = fmt.Errorf("forward to %s: %w", to, failure)
	if !again {
		failure = watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, failure)
	}
	return again, failure
}

// streamWriter gives each write of a reply without end a separate deadline. The deadline
// of the server counts for other replies: a client that does not read them is let go.
type streamWriter struct{ *endpoint.RequestState }

// Write implements io.Writer.
func (w streamWriter) Write(b []byte) (int, error) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(endpoint.RealNow().Add(streamWriteTime))
	return w.RequestState.Write(b)
}

// streamWriteTime is longer than the pause between two signs of life of a stream.
const streamWriteTime = 30 * time.Second

// withBodyOf gives the body to a request for the owner. One that is too large is claimed, not
// sent.
func withBodyOf(b *endpoint.Routed, out *http.Request) {
	switch {
	case b.TooLarge:
		out.Body, out.ContentLength = io.NopCloser(io.LimitReader(nothing{}, endpoint.MaxBody+1)), endpoint.MaxBody+1
	case len(b.Body) == 0:
		out.Body, out.ContentLength = http.NoBody, 0
	default:
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(b.Body)), int64(len(b.Body))
	}
}

// nothing reads as spaces.
type nothing struct{}

// Read implements io.Reader.
func (nothing) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// proxy sends a request to a node, once, and its reply to w. sent tells, after a
// failure, whether the node may have got the request. stopping ends it; nil: never.
func (e *Edge) proxy(w http.ResponseWriter, r *http.Request, to string, stopping <-chan struct{}, rewrite func(*httputil.ProxyRequest), check func(*http.Response) error) (sent bool, failure error) {
	var written atomic.Bool
	traced := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteHeaders: func() { written.Store(true) }})
	ctx, cancel := context.WithCancelCause(traced)
	defer cancel(nil)
	go e.watch(ctx, cancel, to, stopping)
	proxy := httputil.ReverseProxy{
		Transport: e.transport, ErrorLog: log.New(io.Discard, "", 0), // failure is reported here
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&url.URL{Scheme: "https", Host: to})
			p.Out.Host = p.In.Host
			p.Out.URL.RawQuery = p.In.URL.RawQuery // the owner refuses what cannot be decoded
			rewrite(p)
		},
		ModifyResponse: check,
		ErrorHandler:   func(_ http.ResponseWriter, _ *http.Request, err error) { failure = err },
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
	if cause := context.Cause(ctx); failure != nil && cause != nil && r.Context().Err() == nil {
		failure = cause
	}
	return written.Load(), failure
}

// repeatable reports whether a request may be carried out twice. Only creations know
// the Idempotency-Key.
func repeatable(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodPost && r.Header.Get(endpoint.HeaderIdempotencyKey) != ""
}

// address writes the headers for the owner.
func (e *Edge) address(out *http.Request, from endpoint.Client, view int64, name string, accepted *string) {
	for _, field := range peerHeaders {
		out.Header.Del(field)
	}
	h := out.Header
	h.Set(headerPlace, name)
	h.Set(headerView, strconv.FormatInt(view, 10))
	if from.Addr.IsValid() {
		h.Set(headerClient, from.Addr.String())
	} else {
		h.Set(headerClient, "named "+from.Named)
	}
	if from.TLS {
		h.Set(headerSecure, "1")
	}
	if accepted != nil {
		h.Set(headerAccepted, strconv.QuoteToASCII(*accepted))
	}
	setDeadline(out)
}

func setDeadline(out *http.Request) {
	if deadline, bounded := out.Context().Deadline(); bounded {
		out.Header.Set(headerDeadline, strconv.FormatInt(deadline.Sub(endpoint.RealNow()).Milliseconds(), 10))
	}
}

// watch ends a request when the node that it was sent to leaves the cluster or falls
// silent: HTTP/1.1 has no ping that would tell of a frozen one. An owner that gives up a
// name finishes by itself. stopping ends it too; nil: never.
func (e *Edge) watch(ctx context.Context, end context.CancelCauseFunc, node string, stopping <-chan struct{}) {
	for {
		_, changed := e.Node.Place(node)
		silent, fell := e.contacts.Silent(node)
		switch {
		case !e.Node.Member(node):
			end(errLeft)
			return
		case silent:
			end(errSilent)
			return
		}
		select {
		case <-changed:
		case <-fell:
		case <-stopping:
			end(errStopping)
			return
		case <-ctx.Done():
		}
		if ctx.Err() != nil { // and not by chance when several have happened
			return
		}
	}
}

// noteFailure draws conclusions about a node from a failure. It reports whether the node
// refused the request, so that no owner has processed it.
func (e *Edge) noteFailure(ctx context.Context, node string, failure error) (refused bool) {
	var unconnected *net.OpError
	if errors.As(failure, &unconnected) && unconnected.Op == "dial" {
		e.reportDead(ctx, node, failure)
	}
	if refused = errors.Is(failure, errNotTaken); refused {
		e.Node.Refresh()
	}
	return refused
}

// reportDead reports a node once for all requests that fail there at a time: the
// connections that the report needs also renew the lease and read the next view.
func (e *Edge) reportDead(ctx context.Context, node string, failure error) {
	refused := errors.Is(failure, syscall.ECONNREFUSED)
	_, _, _ = e.reports.Do(fmt.Sprint(node, refused), func() (any, error) { // it returns nothing
		e.Node.ReportDead(context.WithoutCancel(ctx), node, refused)
		return nil, nil
	})
}

// Close frees the connections to other nodes.
func (e *Edge) Close() {
	if t, connected := e.transport.(*http.Transport); connected {
		t.CloseIdleConnections()
	}
}
