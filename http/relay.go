package httpapi

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gobwas/ws"

	"watchpost/internal/cluster"
	"watchpost/internal/protocol"
)

// relay is a session's socket at the edge: after the hello, which names the team,
// the bytes pass between the session and the owner as they are.
type relay struct {
	socket *socket
	up     net.Conn
	in     io.Reader // of up
	over   context.CancelFunc
}

// errOwnerFull means that the owner takes no more sessions for now.
var errOwnerFull = errors.New("the owner takes no more sessions")

// relayed connects a session to the owner of its team. here means that this node
// is the owner; otherwise the socket has ended when relayed returns.
func (k *socket) relayed(r *http.Request, hello protocol.Frame) (here bool) {
	c := k.server.cluster
	if c == nil || peerOf(r.Context()) != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), holdTime)
	defer cancel()
	team, err := k.server.registry.TeamOfToken(ctx, hello.Token)
	if err != nil {
		return true // connect says so
	}
	name := string(team)
	missed := "" // the node that was not reached
	for {
		place, changed := c.Node.Place(name)
		switch {
		case place.Here:
			return true
		case place.Owner != "" && place.Owner != c.Node.ID():
			to := c.way(place.Owner, missed)
			if to == "" {
				break
			}
			l, err := c.dial(ctx, k, r, to, place, name, hello)
			if err == nil {
				l.run(c, to)
				return false
			}
			if errors.Is(err, errOwnerFull) {
				k.refuse(closeTryLater, "try again later")
				k.endHalf()
				return false
			}
			if missed = to; c.learn(ctx, to, err) {
				missed = ""
			}
		}
		if c.await(ctx, name, place, changed) != nil {
			k.refuse(closeTryLater, "try again later")
			k.endHalf()
			return false
		}
	}
}

// dial opens a socket at the owner, or through another node, and says hello there.
func (c *clusterEdge) dial(ctx context.Context, k *socket, r *http.Request, to string, place cluster.Place, name string, hello protocol.Frame) (*relay, error) {
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: dialTimeout}, Config: c.TLS}
	bounded, cancel := context.WithTimeout(ctx, 2*dialTimeout)
	defer cancel()
	up, err := dialer.DialContext(bounded, "tcp", to)
	if err != nil {
		return nil, err
	}
	l := &relay{socket: k, up: up}
	_ = up.SetDeadline(realNow().Add(holdTime / 2)) // its error is that of the next write
	out := r.Clone(context.WithoutCancel(r.Context()))
	out.Body = nil
	c.address(out, k.server.clientOf(r), place.View, name, nil)
	mark(out, to, place)
	out.Header.Set("X-Request-Id", stateOf(r.Context()).id)
	if err := l.hello(out, hello); err != nil {
		_ = up.Close()
		return nil, err
	}
	_ = up.SetDeadline(time.Time{})
	return l, nil
}

func (l *relay) hello(handshake *http.Request, hello protocol.Frame) error {
	if err := handshake.Write(l.up); err != nil {
		return err
	}
	in := bufio.NewReader(l.up)
	reply, err := http.ReadResponse(in, handshake) //nolint:bodyclose // the caller closes the connection
	switch {
	case err != nil:
		return err
	case reply.StatusCode == http.StatusMisdirectedRequest:
		return errNotTaken
	case reply.StatusCode == http.StatusServiceUnavailable:
		return errOwnerFull
	case reply.StatusCode != http.StatusSwitchingProtocols:
		return fmt.Errorf("the owner answered %s", reply.Status)
	}
	l.in = unbuffered(in, l.up)
	raw, err := json.Marshal(hello)
	if err != nil {
		return err
	}
	return ws.WriteFrame(l.up, ws.MaskFrameInPlace(ws.NewTextFrame(raw)))
}

// run passes bytes until one side ends, the node at the other end leaves the cluster,
// or the gateway closes.
func (l *relay) run(c *clusterEdge, node string) {
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
	c.forwarded.WithLabelValues("sockets").Inc()
	go l.pass(timedWriter{k.web.net}, l.in)
	go l.pass(l.up, k.web)
	watched, end := context.WithCancelCause(ctx)
	go func() {
		c.watch(watched, end, node, nil)
		<-watched.Done()
		if code, reason := k.conn.closeReason(); code != 0 || errors.Is(context.Cause(watched), errLeft) || errors.Is(context.Cause(watched), errSilent) {
			_ = k.web.writeClose(max(code, closeGoingAway), reason)
		}
		_ = k.web.net.Close()
		_ = l.up.Close()
		end(nil)
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
	if err := w.SetWriteDeadline(realNow().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return w.Conn.Write(b)
}

// endRelay is called once for each direction.
func (k *socket) endRelay() {
	if k.halves.Add(1) == 2 {
		k.server.metrics.connections.WithLabelValues("socket").Dec()
		k.server.sessions.remove(k.conn)
	}
}
