package actors

import (
	"context"
	"errors"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/actors/protocol"
	"watchpost/persistence"
)

// Link is one connection of a session, as the gateway holds it. Towards the
// session's actor it is an actor of its own, on the node that holds the socket.
type Link struct {
	env     *environment
	pid     *actor.PID
	session *actor.PID

	mu      sync.Mutex
	closed  bool
	deliver func(protocol.Frame)
	end     func(code int, reason string)
}

// deliver sends a frame to a session: team and tasks to the session's actor,
// and that to its link.
type deliver struct{ frame protocol.Frame }

// endLink ends a connection with a close code.
type endLink struct {
	code   int
	reason string
}

// fromLink carries a frame that came over a link.
type fromLink struct {
	link  *actor.PID
	frame protocol.Frame
}

// linkDown tells a session's actor that a connection is gone.
type linkDown struct{ link *actor.PID }

// closeTryAgain is the WebSocket code for a fault that will pass.
const closeTryAgain = 1013

// Connect introduces a connection by its hello. Errors: Unauthenticated (the
// token is unknown or revoked), Unavailable. deliver is called for each frame
// to the session, in order, the welcome first, and must not block; end is
// called at most once, when the service ends the connection. Neither is called
// after Close has returned, and neither may call the Link: both are called
// under its lock.
func (r *Registry) Connect(ctx context.Context, hello protocol.Frame, deliver func(protocol.Frame), end func(code int, reason string)) (*Link, error) {
	owner, err := readDirectory[ownerEntry](r.env, dirToken, r.env.keyring.hash(dirToken, hello.Token))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, errToken()
	}
	if err != nil {
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	l := &Link{env: r.env, deliver: deliver, end: end}
	l.pid = r.env.system.Root.Spawn(propsOf(r.env, func() actor.Actor { return actor.ReceiveFunc(l.receive) }))
	hello.Token = "" // it has served; nothing further needs to know it
	welcomed, err := Ask[sessionWelcomed](ctx, r, owner.Team, sessionHello{session: owner.Session, link: l.pid, hello: hello})
	if err != nil {
		l.Close()
		return nil, err
	}
	l.mu.Lock()
	l.session = welcomed.session
	l.mu.Unlock()
	// The session's actor says so too, unless its tree broke before it could:
	// the connection must not outlive it unnoticed.
	r.env.system.Root.Send(l.pid, attached(welcomed))
	return l, nil
}

func errToken() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Unknown or revoked session token")
}

// Receive hands over a frame of the session.
func (l *Link) Receive(f protocol.Frame) {
	l.env.system.Root.Send(l.session, fromLink{link: l.pid, frame: f})
}

// Close tells that the connection is gone.
func (l *Link) Close() {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	session := l.session
	l.mu.Unlock()
	if already {
		return
	}
	if session != nil {
		l.env.system.Root.Send(session, linkDown{link: l.pid})
	}
	l.env.system.Root.Stop(l.pid)
}

// attached tells a link which session's actor it talks to; it watches that.
type attached struct{ session *actor.PID }

// receive is the link's end inside the actors.
func (l *Link) receive(c actor.Context) {
	switch m := c.Message().(type) {
	case attached:
		c.Watch(m.session)
	case deliver:
		l.mu.Lock()
		if !l.closed {
			l.deliver(m.frame)
		}
		l.mu.Unlock()
	case endLink:
		l.finish(m.code, m.reason)
	case *actor.Terminated:
		// The team loads anew; the session finds it again with its next hello.
		// Behind what is queued: this message has overtaken it.
		c.Send(c.Self(), endLink{closeTryAgain, "try again"})
	}
}

func (l *Link) finish(code int, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && l.end != nil {
		l.end(code, reason)
		l.end = nil
	}
}
