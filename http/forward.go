package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"watchpost"
	"watchpost/internal/cluster"
)

type counterVec = *prometheus.CounterVec

// errRefusedByOwner means that the owner has a newer view, or is not the owner.
var errRefusedByOwner = errors.New("refused by the owner")

// errLeft means that the owner that was asked has left the cluster.
var errLeft = errors.New("the owner has left the cluster")

// errStopping means that this node stops, and the request would be held at the owner.
var errStopping = errors.New("this node stops")

// held returns what ends a forwarded request that its owner holds open: a poll of a
// session, or the events of a page. Others end soon; for them it is nil.
func (s *Server) held(r *http.Request) <-chan struct{} {
	if r.URL.Path == pollPath || r.Header.Get("Accept") == "text/event-stream" {
		return s.sessions.closed
	}
	return nil
}

// forward sends a request to the owner of its name, once. again means that no
// owner has processed it, or that processing it twice does no harm. Otherwise the
// error is errForwarded when the reply was sent, or the client's.
func (c *clusterEdge) forward(s *Server, r *http.Request, place cluster.Place, name string, body []byte, accepted *string) (again bool, err error) {
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	ctx, cancel := context.WithCancelCause(traced)
	defer cancel(nil)
	go c.watch(ctx, cancel, place.Owner, s.held(r))
	x := stateOf(r.Context())
	var failure error
	proxy := httputil.ReverseProxy{
		Transport: c.transport, ErrorLog: log.New(io.Discard, "", 0), // failure is reported here
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&url.URL{Scheme: "https", Host: place.Owner})
			p.Out.Host = p.In.Host
			p.Out.URL.RawQuery = p.In.URL.RawQuery // the owner refuses what cannot be decoded
			c.address(p.Out, s.clientOf(r), place.View, name, accepted)
			p.Out.Header.Set("X-Request-Id", x.id)
		},
		ModifyResponse: func(reply *http.Response) error {
			if reply.StatusCode == http.StatusMisdirectedRequest && reply.Header.Get(headerView) != "" {
				return errRefusedByOwner
			}
			for field := range reply.Header {
				x.Header().Del(field) // the owner sets what this node has set
			}
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failure = err },
	}
	out := r.WithContext(ctx)
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if len(body) == 0 {
		out.Body = http.NoBody
	}
	proxy.ServeHTTP(x, out)
	if failure == nil {
		c.forwarded.WithLabelValues("served").Inc()
		return false, errForwarded
	}
	c.forwarded.WithLabelValues("failed").Inc()
	if cause := context.Cause(ctx); cause != nil && r.Context().Err() == nil {
		failure = cause
	}
	again = c.learn(r.Context(), place.Owner, failure) || !sent.Load() || repeatable(r)
	again = again && r.Context().Err() == nil && !errors.Is(failure, errStopping)
	failure = fmt.Errorf("forward to %s: %w", place.Owner, failure)
	if !again {
		failure = watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, failure)
	}
	return again, failure
}

// repeatable reports whether a request may be carried out twice. Only creations know
// the Idempotency-Key.
func repeatable(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodPost && r.Header.Get(headerIdempotencyKey) != ""
}

// address writes the headers for the owner.
func (c *clusterEdge) address(out *http.Request, from client, view int64, name string, accepted *string) {
	for _, field := range peerHeaders {
		out.Header.Del(field)
	}
	h := out.Header
	h.Set(headerPlace, name)
	h.Set(headerView, strconv.FormatInt(view, 10))
	if from.addr.IsValid() {
		h.Set(headerClient, from.addr.String())
	} else {
		h.Set(headerClient, "named "+from.named)
	}
	if from.tls {
		h.Set(headerSecure, "1")
	}
	if accepted != nil {
		h.Set(headerAccepted, strconv.QuoteToASCII(*accepted))
	}
	if deadline, bounded := out.Context().Deadline(); bounded {
		h.Set(headerDeadline, strconv.FormatInt(deadline.Sub(realNow()).Milliseconds(), 10))
	}
}

// watch ends a request when its owner leaves the cluster or falls silent: HTTP/1.1 has
// no ping that would tell of a frozen one. An owner that gives up a name finishes by
// itself. stopping ends it too; nil: never.
func (c *clusterEdge) watch(ctx context.Context, end context.CancelCauseFunc, owner string, stopping <-chan struct{}) {
	for {
		_, changed := c.Node.Place(owner)
		silent, fell := c.contacts.silent(owner)
		switch {
		case !c.Node.Member(owner):
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
			return
		}
	}
}

// learn draws conclusions about an owner from a failure. It reports whether the
// owner has refused the request.
func (c *clusterEdge) learn(ctx context.Context, owner string, failure error) (refused bool) {
	if errors.Is(failure, syscall.ECONNREFUSED) {
		c.Node.ReportDead(ctx, owner)
	}
	if refused = errors.Is(failure, errRefusedByOwner); refused {
		c.Node.Refresh()
	}
	return refused
}

// closeCluster frees the connections to other nodes.
func (s *Server) closeCluster() {
	if s.cluster != nil {
		s.cluster.transport.CloseIdleConnections()
	}
}
