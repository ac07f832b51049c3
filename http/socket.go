package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/protocol"
)

// writeTimeout bounds the sending of one frame.
const writeTimeout = 10 * time.Second

// openSocket carries one session's frames over a WebSocket: the request's
// goroutine reads, another one writes.
func (s *Server) openSocket(w http.ResponseWriter, r *http.Request) {
	if err := s.checkSecret(r); err != nil {
		s.writeError(w, r, err)
		return
	}
	leave, err := s.sessions.admit(s.clientOf(r).addr)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	defer leave()
	if !upgrades(r) {
		w.Header().Set("Upgrade", "websocket")
		exchangeOf(r.Context()).writeError(http.StatusUpgradeRequired, textNoUpgrade)
		return
	}
	// Who may open a socket was decided above.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return // answered by Accept
	}
	c := newConn()
	if !s.sessions.add(c) {
		_ = ws.Close(websocket.StatusGoingAway, "shutting down")
		return
	}
	defer s.sessions.remove(c)
	(&socket{server: s, ws: ws, conn: c}).run(context.WithoutCancel(r.Context()), leave)
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

// socket is a connection over a WebSocket.
type socket struct {
	server *Server
	ws     *websocket.Conn
	conn   *conn
}

// run serves the socket until it ends.
func (k *socket) run(ctx context.Context, welcomed func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	gauge := k.server.metrics.connections.WithLabelValues("socket")
	gauge.Inc()
	defer gauge.Dec()
	written := make(chan struct{})
	go func() {
		defer close(written)
		k.write(ctx)
	}()
	if link := k.greet(ctx); link != nil {
		welcomed()
		k.read(ctx, link)
		link.Close()
	}
	// Whatever ended the reading, the writer is told, and closes the socket.
	k.conn.end(closeGoingAway, "")
	<-written
}

// greet waits for hello and introduces the session; nil when that failed.
func (k *socket) greet(ctx context.Context) *actors.Link {
	k.ws.SetReadLimit(protocol.MaxHelloFrame)
	hello, ok := k.receive(ctx, k.server.timing.Hello)
	if !ok {
		return nil
	}
	if hello.Type != protocol.TypeHello {
		k.conn.end(closeViolation, "hello expected")
		return nil
	}
	link, err := k.server.connect(ctx, hello, k.conn)
	if err != nil {
		k.conn.end(closeCodeOf(err))
		return nil
	}
	k.ws.SetReadLimit(protocol.MaxFrame)
	return link
}

// read hands over the session's frames until the socket ends, or the session
// has been silent for so long that it must be gone.
func (k *socket) read(ctx context.Context, link *actors.Link) {
	for {
		frame, ok := k.receive(ctx, k.server.timing.Silence)
		if !ok {
			return
		}
		if frame.Type != protocol.TypeHello {
			link.Receive(frame)
		}
	}
}

// receive reads one frame; false when there will be none.
func (k *socket) receive(ctx context.Context, patience time.Duration) (protocol.Frame, bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var frame protocol.Frame
	kind, raw, err := k.ws.Read(ctx)
	if err != nil {
		return frame, false
	}
	if kind != websocket.MessageText || json.Unmarshal(raw, &frame) != nil {
		k.conn.end(closeBadPayload, "not a JSON text frame")
		return frame, false
	}
	return frame, true
}

// write sends what is queued, and at last the close.
func (k *socket) write(ctx context.Context) {
	for {
		select {
		case <-k.conn.ready:
		case <-ctx.Done():
			_ = k.ws.CloseNow()
			return
		}
		frames, ended := k.conn.take()
		for _, f := range frames {
			if !k.send(ctx, f) {
				_ = k.ws.CloseNow()
				return
			}
		}
		if ended {
			code, reason := k.conn.farewell()
			_ = k.ws.Close(websocket.StatusCode(code), reason)
			return
		}
	}
}

func (k *socket) send(ctx context.Context, f protocol.Frame) bool {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	raw, err := json.Marshal(f)
	if err != nil {
		k.server.log.Error("frame not encoded", "type", f.Type, "error", err)
		return true
	}
	return k.ws.Write(ctx, websocket.MessageText, raw) == nil
}

// connect introduces a session to its team.
func (s *Server) connect(ctx context.Context, hello protocol.Frame, c *conn) (*actors.Link, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timing.Request)
	defer cancel()
	return s.registry.Connect(ctx, hello, c.deliver, c.end)
}

// closeCodeOf tells with what a socket ends whose session is not welcome.
func closeCodeOf(err error) (code int, reason string) {
	switch watchpost.KindOf(classified(err)) {
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
