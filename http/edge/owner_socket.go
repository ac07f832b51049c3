package edge

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gobwas/ws"

	"watchpost/http/endpoint"
	"watchpost/internal/cluster"
	"watchpost/internal/protocol"
)

// errOwnerFull means that the owner takes no more sessions for now.
var errOwnerFull = errors.New("the owner takes no more sessions")

// ownerSocket is a socket of a session at the node that owns its team.
type ownerSocket struct {
	net.Conn
	ahead []byte // what the owner has said with its handshake, and was not read yet
}

// Read implements io.Reader.
func (o *ownerSocket) Read(p []byte) (int, error) {
	if len(o.ahead) == 0 {
		return o.Conn.Read(p)
	}
	n := copy(p, o.ahead)
	o.ahead = o.ahead[n:]
	return n, nil
}

// DialOwner connects the socket of a session to the node that owns its team, and says
// its hello there; a nil connection means that this node serves the team, or that the
// hello names none. lost waits until the owner has left the cluster or fallen silent, which
// it reports, or until its context ends.
func (e *Edge) DialOwner(r *http.Request, hello protocol.Frame) (up net.Conn, lost func(context.Context) bool, err error) {
	if endpoint.PeerOf(r.Context()) != nil {
		return nil, nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), holdTime)
	defer cancel()
	team, err := e.Registry.TeamOfToken(ctx, hello.Token)
	if err != nil {
		return nil, nil, nil // the gateway says so
	}
	name := string(team)
	missed := "" // the node that was not reached
	for {
		place, changed := e.Node.Place(name)
		switch {
		case place.Here:
			return nil, nil, nil
		case place.Owner != "" && place.Owner != e.Node.ID():
			to := e.way(place.Owner, missed)
			if to == "" {
				break
			}
			up, err := e.dial(ctx, r, to, place, name, hello)
			if err == nil {
				e.forwarded.WithLabelValues("sockets").Inc()
				return up, func(ctx context.Context) bool { return e.lost(ctx, to) }, nil
			}
			if errors.Is(err, errOwnerFull) {
				return nil, nil, err
			}
			if missed = to; e.noteFailure(ctx, to, err) {
				missed = ""
			}
		}
		if err := e.awaitOrTakeOver(ctx, name, place, changed); err != nil {
			return nil, nil, err
		}
	}
}

// lost waits until a node has left the cluster or fallen silent, or until ctx ends, and
// reports which.
func (e *Edge) lost(ctx context.Context, node string) bool {
	watched, end := context.WithCancelCause(ctx)
	defer end(nil)
	e.watch(watched, end, node, nil)
	cause := context.Cause(watched)
	return errors.Is(cause, errLeft) || errors.Is(cause, errSilent)
}

// dial opens a socket at the owner, or through another node, and says hello there.
func (e *Edge) dial(ctx context.Context, r *http.Request, to string, place cluster.Place, name string, hello protocol.Frame) (net.Conn, error) {
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: dialTimeout}, Config: e.TLS}
	bounded, cancel := context.WithTimeout(ctx, 2*dialTimeout)
	defer cancel()
	up, err := dialer.DialContext(bounded, "tcp", to)
	if err != nil {
		return nil, err
	}
	_ = up.SetDeadline(endpoint.RealNow().Add(holdTime / 2)) // its error is that of the next write
	out := r.Clone(context.WithoutCancel(r.Context()))
	out.Body = nil
	e.address(out, e.ClientOf(r), place.View, name, nil)
	askToPassOn(out, to, place)
	out.Header.Set("X-Request-Id", endpoint.StateOf(r.Context()).ID)
	ahead, err := sayHello(up, out, hello)
	if err != nil {
		_ = up.Close()
		return nil, err
	}
	_ = up.SetDeadline(time.Time{})
	return &ownerSocket{up, ahead}, nil
}

// sayHello does the handshake of a socket and sends its first frame. It returns the bytes
// that it has read behind the handshake.
func sayHello(up net.Conn, handshake *http.Request, hello protocol.Frame) (ahead []byte, err error) {
	if err := handshake.Write(up); err != nil {
		return nil, err
	}
	in := bufio.NewReader(up)
	reply, err := http.ReadResponse(in, handshake) //nolint:bodyclose // the caller closes the connection
	switch {
	case err != nil:
		return nil, err
	case reply.StatusCode == http.StatusMisdirectedRequest:
		return nil, errNotTaken
	case reply.StatusCode == http.StatusServiceUnavailable:
		return nil, errOwnerFull
	case reply.StatusCode != http.StatusSwitchingProtocols:
		return nil, fmt.Errorf("the owner answered %s", reply.Status)
	}
	raw, err := json.Marshal(hello)
	if err != nil {
		return nil, err
	}
	ahead, _ = in.Peek(in.Buffered()) // no error: so much is there
	return bytes.Clone(ahead), ws.WriteFrame(up, ws.MaskFrameInPlace(ws.NewTextFrame(raw)))
}
