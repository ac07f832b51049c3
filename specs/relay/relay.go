// Package relay stands between sessions and a service and disturbs their frames,
// drawn from a seed: it drops, repeats, reorders and delays them.
package relay

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"watchpost/internal/protocol"
)

// Fault says what becomes of a frame.
type Fault string

// The faults.
const (
	Drop    Fault = "frame dropped"
	Repeat  Fault = "frame repeated"
	Reorder Fault = "frame behind the next"
	Delay   Fault = "frame delayed"
)

var faults = []Fault{Drop, Repeat, Reorder, Delay}

// longestDelay bounds the delay of a frame and of those behind it.
const longestDelay = 300 * time.Millisecond

// Relay passes the sockets of sessions on to a service, and other requests as they
// are. Hello and welcome are never disturbed.
type Relay struct {
	service string // host and port
	plain   http.Handler

	mu      sync.Mutex
	random  *rand.Rand
	oneIn   int
	counts  map[Fault]int
	sockets map[context.Context]context.CancelFunc
}

// New returns a relay to the service at an address, without faults.
func New(service string, seed uint64) *Relay {
	plain := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: service})
	plain.ErrorLog = log.New(io.Discard, "", 0) // a service under test is often down
	return &Relay{
		service: service, plain: plain, random: rand.New(rand.NewPCG(seed, 0)),
		counts: map[Fault]int{}, sockets: map[context.Context]context.CancelFunc{},
	}
}

// Counts returns how often each fault happened.
func (r *Relay) Counts() map[Fault]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}

// Disturb makes a fault happen to one of n frames.
func (r *Relay) Disturb(oneIn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.oneIn = oneIn
}

// Calm ends the faults, and all connections: sessions repeat on the next what the
// service has not acknowledged.
func (r *Relay) Calm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.oneIn = 0
	for _, cut := range r.sockets {
		cut()
	}
}

// draw returns the fault of a frame; "" is none.
func (r *Relay) draw(raw []byte) (fault Fault, delay time.Duration) {
	var f protocol.Frame
	if json.Unmarshal(raw, &f) != nil || f.Type == protocol.TypeHello || f.Type == protocol.TypeWelcome {
		return "", 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.oneIn == 0 || r.random.IntN(r.oneIn) > 0 {
		return "", 0
	}
	fault = faults[r.random.IntN(len(faults))]
	r.counts[fault]++
	return fault, time.Duration(r.random.Int64N(int64(longestDelay)))
}

// ServeHTTP implements http.Handler.
func (r *Relay) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if !strings.EqualFold(q.Header.Get("Upgrade"), "websocket") {
		r.plain.ServeHTTP(w, q)
		return
	}
	ctx, cut := context.WithCancel(q.Context())
	defer cut()
	up, _, err := websocket.Dial(ctx, "ws://"+r.service+q.URL.RequestURI(), nil) //nolint:bodyclose // the library closes it
	if err != nil {
		http.Error(w, "the service does not answer", http.StatusBadGateway)
		return
	}
	defer func() { _ = up.CloseNow() }()
	down, err := websocket.Accept(w, q, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = down.CloseNow() }()
	r.mu.Lock()
	r.sockets[ctx] = cut
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.sockets, ctx)
	}()
	var both sync.WaitGroup
	both.Go(func() { r.pass(ctx, cut, down, up) })
	both.Go(func() { r.pass(ctx, cut, up, down) })
	both.Wait()
}

// pass hands on the frames of one direction until it ends, which ends the other.
func (r *Relay) pass(ctx context.Context, cut context.CancelFunc, from, to *websocket.Conn) {
	defer cut()
	from.SetReadLimit(protocol.MaxFrame)
	var behind []byte // waits for the next frame
	for {
		kind, raw, err := from.Read(ctx)
		if code := websocket.CloseStatus(err); code != -1 {
			_ = to.Close(code, "")
		}
		if err != nil {
			return
		}
		fault, delay := r.draw(raw)
		send := [][]byte{raw}
		switch fault {
		case Drop:
			continue
		case Repeat:
			send = append(send, raw)
		case Reorder:
			if behind == nil {
				behind = raw
				continue
			}
		case Delay:
			select {
			case <-time.After(delay):
			case <-ctx.Done():
				return
			}
		}
		if behind != nil {
			send, behind = append(send, behind), nil
		}
		for _, raw := range send {
			if to.Write(ctx, kind, raw) != nil {
				return
			}
		}
	}
}
