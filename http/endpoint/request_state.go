package endpoint

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/trace"

	"watchpost/watchpost"
)

// RequestState is what the layers learn about one request, and the writer of its
// reply. It replaces the texts of the mux and of the framework, and holds
// headers back until the first byte of the body.
type RequestState struct {
	http.ResponseWriter
	ID    string
	route *route // nil until a route has taken the request
	Team  watchpost.TeamID
	// Key is the key with scopes that the request carries; nil for the team's key, which
	// has every right, and for requests without a key.
	Key    *watchpost.ScopedKey
	status int
	// success is the status of a reply that is no error; 0 is 200.
	success int
	sent    bool
	bytes   int64 // of the body
	ctx     requestContext
	body    intake
	place   *place
	Routed  *Routed    // nil without a cluster
	span    trace.Span // nil unless the request is traced
}

// TeamOf returns the team that the request's key belongs to.
func TeamOf(ctx context.Context) watchpost.TeamID { return StateOf(ctx).Team }

// withState wraps a mux into the outermost layer.
func (s *Server) withState(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := RealNow()
		x := &RequestState{ResponseWriter: w, ID: requestID(r)}
		ctx, span := startSpan(s.tracer, r)
		x.span = span
		x.ctx.begin(ctx, x)
		defer x.ctx.end()
		h := w.Header()
		h["X-Request-Id"] = []string{x.ID}
		h["Cache-Control"], h["X-Content-Type-Options"] = cacheNothing, readAsTyped
		if r.TLS != nil && PeerOf(r.Context()) == nil { // behind a proxy, the proxy decides
			h["Strict-Transport-Security"] = onlyTLS
		}
		r = r.WithContext(&x.ctx)
		defer s.finish(x, r, began)
		defer x.ForgetBody()
		x.boundBody(r, s.Timing.Body)
		if s.allowExtension(x, r) {
			x.WriteHeader(http.StatusNoContent)
			x.Send()
			return
		}
		mux.ServeHTTP(x, r)
		if x.route == nil {
			x.writeRefusal()
			return
		}
		x.Send()
	})
}

// finish turns a panic into a reply and accounts for the request.
func (s *Server) finish(x *RequestState, r *http.Request, began time.Time) {
	reason := recover()
	if reason != nil && reason != http.ErrAbortHandler { //nolint:errorlint // the value that net/http compares with
		s.Log.Error("panic", "request", x.ID, "path", r.URL.Path, "reason", reason, "stack", string(debug.Stack()))
		if !x.sent {
			x.status = 0
			s.WriteError(r, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal))
			reason = nil
		}
	}
	took := RealNow().Sub(began)
	s.metrics.count(x, took)
	x.endSpan(r.Method)
	if s.accessLog {
		s.Log.Info("request", "request", x.ID, "method", r.Method, "path", r.URL.Path, "status", x.status, "client", s.ClientOf(r).Key(),
			"team", x.Team, "bytes", x.bytes, "seconds", took.Seconds())
	}
	if reason != nil {
		panic(http.ErrAbortHandler)
	}
}

// WriteHeader implements http.ResponseWriter. The first status counts.
func (x *RequestState) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	if status == http.StatusSwitchingProtocols {
		x.Send()
	}
}

// Write implements http.ResponseWriter. It discards the mux's text, written
// before a route took the request; writeRefusal replaces it.
func (x *RequestState) Write(b []byte) (int, error) {
	if x.route == nil && !x.sent {
		return len(b), nil
	}
	x.Send()
	n, err := x.ResponseWriter.Write(b)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController and the WebSocket library reach the
// connection.
func (x *RequestState) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// Begun reports whether the header was sent.
func (x *RequestState) Begun() bool { return x.sent }

// AnsweredBy notes that the header was sent past x, with that status.
func (x *RequestState) AnsweredBy(status int) { x.status, x.sent = status, true }

// Send writes the header, without what the framework put into it.
func (x *RequestState) Send() {
	if x.sent {
		return
	}
	x.sent = true
	if x.status == 0 {
		x.status = http.StatusOK
	}
	h := x.Header()
	delete(h, "X-Powered-By")
	delete(h, "Server-Timing")
	delete(h, "Trailer")
	x.ResponseWriter.WriteHeader(x.status)
}

// WriteJSON writes a whole reply; status counts unless one was set before.
func (x *RequestState) WriteJSON(status int, body []byte) {
	h := x.Header()
	h["Content-Type"] = contentTypeJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.WriteHeader(status)
	x.Send()
	n, _ := x.ResponseWriter.Write(body)
	x.bytes += int64(n)
}

// Replies belong to one team: proxies must not cache them, nor browsers guess
// their type.
var (
	cacheNothing = []string{"no-store"}
	readAsTyped  = []string{"nosniff"}
	onlyTLS      = []string{"max-age=31536000"}
)

var contentTypeJSON = []string{"application/json; charset=utf-8"}

// requestID returns the id that the client gave the request, or a new one.
func requestID(r *http.Request) string {
	if given := r.Header["X-Request-Id"]; len(given) > 0 && validRequestID(given[0]) {
		return given[0]
	}
	var b [16]byte
	hi, lo := rand.Uint64(), rand.Uint64() //nolint:gosec // it tells requests apart and protects nothing
	for i := range 8 {
		b[i], b[8+i] = byte(hi>>(8*i)), byte(lo>>(8*i))
	}
	return hex.EncodeToString(b[:])
}

const maxRequestID = 128

func validRequestID(s string) bool {
	if s == "" || len(s) > maxRequestID {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// RealNow is the time of the machine, for measuring only: whatever the service
// decides goes by the Clock.
func RealNow() time.Time { return time.Now() }
