package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const textNoFrame = "not a JSON text frame"

// openSocket connects one session over a WebSocket. The request's goroutine
// serves the handshake and the hello. Then it ends, and with it all that
// net/http keeps for a request.
func (g *Gateway) openSocket(w http.ResponseWriter, r *http.Request) {
	if err := g.CheckSecret(r); err != nil {
		g.WriteError(r, err)
		return
	}
	admitted, err := g.admit(g.ClientOf(r))
	if err != nil {
		g.WriteError(r, err)
		return
	}
	defer admitted.leave()
	if !upgrades(r) {
		w.Header().Set("Upgrade", "websocket")
		endpoint.StateOf(r.Context()).WriteError(http.StatusUpgradeRequired, textNoUpgrade)
		return
	}
	web, err := upgradeSocket(w, r)
	if err != nil {
		return // the client has gone
	}
	k := newSocket(g, web)
	if !admitted.open(k.conn) {
		if web.writeClose(closeGoingAway, textShuttingDown) == nil {
			web.drain()
		}
		_ = web.net.Close()
		return
	}
	g.connections.WithLabelValues("socket").Inc()
	hello, ok := k.hello()
	switch {
	case ok && !k.relayed(r, hello): // it ends by itself
	case ok && k.greet(context.WithoutCancel(r.Context()), hello):
		go k.await()
	default:
		k.endHalf()
	}
}

// upgrades reports whether a request is a whole WebSocket handshake, so that
// the library has no reason to refuse it in its own words.
func upgrades(r *http.Request) bool {
	tokens := strings.ToLower(strings.Join(r.Header.Values("Connection"), ","))
	key := r.Header.Values("Sec-WebSocket-Key")
	return r.ProtoMajor == 1 && r.ProtoAtLeast(1, 1) && r.Method == http.MethodGet &&
		listed(tokens, "upgrade") && listed(strings.ToLower(r.Header.Get("Upgrade")), "websocket") &&
		r.Header.Get("Sec-WebSocket-Version") == "13" && len(key) == 1 && nonce(key[0])
}

// socket is a connection over a WebSocket. One goroutine waits for what the
// session sends; a second one exists only while there is something to send.
// There are thousands of sockets, nearly all of them idle, so what waits is
// kept small: no buffer, and a goroutine that has done nothing yet. What reads
// a message has a stack of four times the size and leaves the wait for the
// next one to a new goroutine.
type socket struct {
	gateway *Gateway
	web     *webSocket
	conn    *conn
	link    *actors.Link // nil until welcomed
	// sending is set while a goroutine sends, and stays set after the close
	// frame; guarded by conn.mu.
	sending bool
	// halves counts the directions that have ended: the second one closes.
	halves atomic.Int32
}

func newSocket(g *Gateway, web *webSocket) *socket {
	k := &socket{gateway: g, web: web}
	k.conn = newConn(k.startSending)
	return k
}

// hello waits for the session's first frame; false when it is none.
func (k *socket) hello() (hello protocol.Frame, ok bool) {
	k.bound(k.gateway.Timing.Hello)
	if hello, ok = k.receive(protocol.MaxHelloFrame); ok && hello.Type != protocol.TypeHello {
		ok = k.refuse(closeViolation, "hello expected")
	}
	return hello, ok
}

// greet introduces the session; false when that failed.
func (k *socket) greet(ctx context.Context, hello protocol.Frame) bool {
	link, err := k.gateway.connect(ctx, hello, k.conn)
	if err != nil {
		return k.refuse(closeCodeOf(err))
	}
	k.link = link
	return true
}

// await waits until the session says something, for as long as it takes it to
// be gone.
func (k *socket) await() {
	k.boundSilence()
	if k.web.await() != nil {
		k.readingEnded()
		return
	}
	k.read()
}

// read hands over one frame of the session.
func (k *socket) read() {
	frame, ok := k.receive(protocol.MaxFrame)
	if !ok {
		k.readingEnded()
		return
	}
	if frame.Type != protocol.TypeHello && frame.Type != "" {
		k.link.Receive(frame)
	}
	go k.await()
}

func (k *socket) readingEnded() {
	k.link.Close()
	k.endHalf()
}

// messages are buffers for a message from its first byte until it is decoded.
var messages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooledMessage is up to which size a buffer is used again.
const maxPooledMessage = 64 << 10

// receive reads one frame of the protocol; false when there will be none.
func (k *socket) receive(limit int) (frame protocol.Frame, ok bool) {
	raw := messages.Get().(*bytes.Buffer)
	defer func() {
		if raw.Cap() <= maxPooledMessage {
			raw.Reset()
			messages.Put(raw)
		}
	}()
	if err := k.web.read(raw, limit); err != nil {
		return frame, k.failed(err)
	}
	if k.conn.hasEnded() {
		return frame, true // later frames are skipped
	}
	if endpoint.ManyValues(raw.Bytes()) {
		return frame, k.refuse(closeTooBig, "message too big")
	}
	if json.Unmarshal(raw.Bytes(), &frame) != nil {
		return frame, k.refuse(closeBadPayload, textNoFrame)
	}
	return frame, true
}

// boundSilence bounds the wait of a session's connection for the next message: so many
// heartbeats that it was asked to send may be missing.
func (k *socket) boundSilence() {
	k.conn.mu.Lock()
	defer k.conn.mu.Unlock()
	times := max(1, int(k.conn.beats/protocol.HeartbeatEvery))
	k.boundLocked(time.Duration(times) * k.gateway.Timing.Silence)
}

// bound bounds the wait for a message.
func (k *socket) bound(patience time.Duration) {
	k.conn.mu.Lock()
	defer k.conn.mu.Unlock()
	k.boundLocked(patience)
}

// boundLocked sets the deadline of the next read, unless the connection has ended: then it
// is that of the answer to the close frame. The caller holds conn.mu.
func (k *socket) boundLocked(patience time.Duration) {
	if !k.conn.ended {
		_ = k.web.net.SetReadDeadline(endpoint.RealNow().Add(patience)) // its error is that of the next read
	}
}

// failed ends the connection with what reading met.
func (k *socket) failed(err error) bool {
	var closed closedError
	var refused refusedError
	switch {
	case errors.As(err, &closed):
		k.conn.end(closed.code, "")
	case errors.As(err, &refused):
		return k.refuse(refused.code, refused.reason)
	}
	return false
}

// refuse ends the connection for what the session has sent.
func (k *socket) refuse(code int, reason string) bool {
	k.conn.end(code, reason)
	k.web.drain()
	return false
}

// endHalf is called once for each direction when it has ended.
func (k *socket) endHalf() {
	k.conn.end(closeGoingAway, "") // when reading has failed
	if k.halves.Add(1) < 2 {
		return
	}
	_ = k.web.net.Close()
	k.gateway.connections.WithLabelValues("socket").Dec()
	k.gateway.remove(k.conn)
}

// startSending is called, with conn.mu held, when there is something to send.
func (k *socket) startSending() {
	if !k.sending {
		k.sending = true
		go k.send()
	}
}

// send sends queued frames until the queue is empty and, at the end, the close.
func (k *socket) send() {
	for {
		frames, ended, more := k.next()
		if !more {
			return
		}
		err := k.sendFrames(frames)
		if err == nil && ended {
			err = k.web.writeClose(k.conn.closeReason())
		}
		if err != nil {
			_ = k.web.net.Close() // which ends the reading
		}
		if err != nil || ended {
			k.endHalf()
			return
		}
	}
}

// next returns the queued frames; false means that sending has stopped.
func (k *socket) next() (frames []protocol.Frame, ended, more bool) {
	c := k.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	frames, c.frames = c.frames, nil
	k.sending = c.ended || len(frames) > 0
	return frames, c.ended, k.sending
}

func (k *socket) sendFrames(frames []protocol.Frame) error {
	for i := range frames {
		raw, err := json.Marshal(&frames[i])
		if err != nil {
			k.gateway.Log.Error("frame not encoded", "type", frames[i].Type, "error", err)
			continue
		}
		if err := k.web.write(ws.OpText, raw); err != nil {
			return err
		}
		if frames[i].Type == protocol.TypeStatus && frames[i].HeartbeatS > 0 {
			k.boundSilence() // the wait for the last interval has begun
		}
	}
	return nil
}

// connect introduces a session to its team.
func (g *Gateway) connect(ctx context.Context, hello protocol.Frame, c *conn) (*actors.Link, error) {
	ctx, cancel := context.WithTimeout(ctx, g.Timing.Request)
	defer cancel()
	return g.Registry.Connect(ctx, hello, c.deliver, c.end)
}

// closeCodeOf tells with what a socket ends whose session is not welcome.
func closeCodeOf(err error) (code int, reason string) {
	switch watchpost.KindOf(endpoint.Classified(err)) {
	case watchpost.Unauthenticated:
		return protocol.CloseUnauthorised, "unauthorised"
	case watchpost.Invalid:
		return closeViolation, "invalid hello"
	}
	return closeTryLater, "try again later"
}

// listed reports whether a header's list has an element.
func listed(list, element string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(item) == element {
			return true
		}
	}
	return false
}

// nonce reports whether s is the key of a handshake: 16 bytes in base64.
func nonce(s string) bool {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	return err == nil && len(b) == 16
}
