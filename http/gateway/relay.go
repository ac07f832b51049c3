package gateway

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"watchpost/http/endpoint"
	"watchpost/internal/protocol"
)

// DialOwner connects the socket of a session to the node that owns its team, and says
// its hello there; a nil connection means that this node serves the team, or that the
// hello names none. lost waits until the owner has left the cluster or fallen silent, which
// it reports, or until its context ends.
type DialOwner func(r *http.Request, hello protocol.Frame) (up net.Conn, lost func(context.Context) bool, err error)

// relay is a session's socket at the edge: after the hello, which names the team,
// the bytes pass between the session and the owner as they are.
type relay struct {
	socket *socket
	up     net.Conn
	over   context.CancelFunc
}

// relayed connects a session to the owner of its team. here means that this node
// is the owner; otherwise the socket has ended when relayed returns.
func (k *socket) relayed(r *http.Request, hello protocol.Frame) (here bool) {
	if k.gateway.Dial == nil {
		return true
	}
	up, lost, err := k.gateway.Dial(r, hello)
	switch {
	case err != nil:
		k.refuse(closeTryLater, "try again later")
		k.endHalf()
		return false
	case up == nil:
		return true
	}
	l := &relay{socket: k, up: up}
	l.run(lost)
	return false
}

// run passes bytes until one side ends, the node at the other end is lost, or the gateway
// closes.
func (l *relay) run(lost func(context.Context) bool) {
	k := l.socket
	_ = k.web.net.SetReadDeadline(time.Time{}) // the owner bounds the silence
	ctx, over := context.WithCancel(context.Background())
	l.over = over
	k.conn.mu.Lock()
	k.sending = true // nothing but the owner's bytes is sent
	k.conn.notify = over
	ended := k.conn.ended
	k.conn.mu.Unlock()
	if ended {
		over()
	}
	go l.pass(timedWriter{k.web.net}, l.up)
	go l.pass(l.up, k.web)
	go func() {
		gone := lost(ctx)
		if code, reason := k.conn.closeReason(); code != 0 || gone {
			_ = k.web.writeClose(max(code, closeGoingAway), reason)
		}
		_ = k.web.net.Close()
		_ = l.up.Close()
	}()
}

// pass copies one direction; the end of one ends both.
func (l *relay) pass(to io.Writer, from io.Reader) {
	_, _ = io.Copy(to, from) // either side may go at any time
	l.over()
	l.socket.endRelay()
}

// timedWriter bounds each write to a session, which may not read.
type timedWriter struct{ net.Conn }

// Write implements io.Writer.
func (w timedWriter) Write(b []byte) (int, error) {
	if err := w.SetWriteDeadline(endpoint.RealNow().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return w.Conn.Write(b)
}

// endRelay is called once for each direction.
func (k *socket) endRelay() {
	if k.halves.Add(1) == 2 {
		k.gateway.connections.WithLabelValues("socket").Dec()
		k.gateway.remove(k.conn)
	}
}
