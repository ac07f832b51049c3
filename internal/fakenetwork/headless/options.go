package headless

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"go.opentelemetry.io/otel/trace"

	"watchpost/internal/protocol"
	"watchpost/internal/tracing"
	"watchpost/watchpost"
)

// Errors that end a session permanently; Run returns them as they are or
// wrapped.
var (
	// ErrRevoked means that the service does not know the token, or no longer.
	ErrRevoked = errors.New("the session's token is unknown or revoked")
	// ErrReplaced means that a newer connection of the same session took over.
	ErrReplaced = errors.New("another connection of the same session took over")
	// ErrJournalInUse means that another session has the journal open.
	ErrJournalInUse = errors.New("the journal is in use by another session")
)

// Options configure a session.
type Options struct {
	// Server is the service's address (http or https). Without TLS it must be a
	// loopback address, unless Insecure is set.
	Server   string
	Insecure bool
	// Token is the session token that a sign-in returned.
	Token string
	// NetworkURL is the origin of the network; all addresses are built on it.
	NetworkURL string
	// ShowsLate says that the network may show a write only after the second
	// look. A comment or message that the page does not show then ends as
	// outcome_unknown and is not repeated.
	ShowsLate bool
	// Account is the slug of the member to sign in to the network as (default:
	// the account that the service's member works as, otherwise AccountOf the
	// member's email; both come with the first welcome).
	Account string
	// Bind confirms Account as the member's account when the service reports
	// another one, once per run.
	Bind bool
	// JournalDir holds the state that must survive the process; one session at
	// a time may use it. It is created if needed.
	JournalDir string
	// Version is reported to the service.
	Version string
	// Logger receives the session's log (default: slog's).
	Logger *slog.Logger
	// Clock is the time for deadlines and the second look (default: the wall
	// clock). It may differ from the service's: each welcome reports the
	// difference.
	Clock watchpost.Clock
	// Tracer records the work for tasks that the service traces (default: none).
	Tracer trace.Tracer
	// HTTPClient reaches the service and the network (default: a client with
	// ordinary timeouts). Its cookie jar is not used.
	HTTPClient *http.Client
	// Hooks let tests control real time.
	Hooks Hooks
}

// Hooks replace a session's real-time waits. The zero value waits.
type Hooks struct {
	// Wait waits for d between connection attempts, or until ctx ends, whose
	// error it then returns.
	Wait func(ctx context.Context, d time.Duration) error
	// Beat returns a channel of ticks, at which heartbeats may be due, and a function that stops
	// it.
	Beat func(every time.Duration) (ticks <-chan time.Time, stop func())
	// SocketRetry returns a channel that ticks when a session on long poll
	// should try the socket again, and a function that stops it.
	SocketRetry func(after time.Duration) (due <-chan time.Time, stop func())
	// ScanTime bounds a scan (default 5 minutes).
	ScanTime time.Duration
	// Linked, if set, is called after each welcome with the transport, socket or
	// poll.
	Linked func(transport string)
}

// Real-time periods of a session.
const (
	defaultScanTime = 5 * time.Minute
	// requestTime bounds one request to the network.
	requestTime = 60 * time.Second
	// welcomeTime bounds the wait for a welcome.
	welcomeTime = 15 * time.Second
	// socketRetry is the time on long poll before the session tries the socket
	// again.
	socketRetry = 5 * time.Minute
	// socketTries is the number of failed attempts before the session uses long
	// poll.
	socketTries = 3
	minBackoff  = time.Second
	maxBackoff  = 30 * time.Second
)

// prepare checks the options and sets the defaults.
func (o *Options) prepare() error {
	if o.Token == "" {
		return errors.New("no session token")
	}
	if o.JournalDir == "" {
		return errors.New("no folder for the journal")
	}
	server, err := parseOrigin(o.Server)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if server.Scheme != "https" && !o.Insecure && !loopback(server.Hostname()) {
		return fmt.Errorf("server %s: the token would travel in clear; use https", server.Host)
	}
	if _, err := parseOrigin(o.NetworkURL); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Clock == nil {
		o.Clock = watchpost.SystemClock{}
	}
	if o.Tracer == nil {
		o.Tracer = tracing.Off
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{}
	}
	o.Hooks.prepare()
	return nil
}

func (h *Hooks) prepare() {
	if h.Wait == nil {
		h.Wait = func(ctx context.Context, d time.Duration) error {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	if h.Beat == nil {
		h.Beat = func(every time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(every)
			return t.C, t.Stop
		}
	}
	if h.SocketRetry == nil {
		h.SocketRetry = func(after time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(after)
			return t.C, func() { t.Stop() }
		}
	}
	if h.ScanTime <= 0 {
		h.ScanTime = defaultScanTime
	}
	if h.Linked == nil {
		h.Linked = func(string) {}
	}
}

// parseOrigin parses the address of a site.
func parseOrigin(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no http or https address", s)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// loopback reports whether a host is a loopback address.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// tickEvery is the period of a session's ticks after a welcome.
func tickEvery(welcome protocol.Frame) time.Duration {
	if asked := time.Duration(welcome.HeartbeatS) * time.Second; asked > 0 {
		return min(asked, protocol.HeartbeatEvery)
	}
	return protocol.HeartbeatEvery
}

// makeDir creates the journal's folder for its owner only, because entries
// contain the texts of tasks.
func makeDir(dir string) error { return os.MkdirAll(dir, 0o700) }
