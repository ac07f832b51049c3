package actors

import (
	"context"
	"errors"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// Link is one connection of a session, as the gateway holds it. Towards the
// session's actor it is a process with an address, on the node that holds the
// socket. It has no mailbox: it handles a message at once, on the sender's
// goroutine, for there are as many links as sessions.
type Link struct {
	env  *environment
	pid  *actor.PID
	team watchpost.TeamID

	mu      sync.Mutex
	session *actor.PID // the session's actor; nil until it or the team has told
	closed  bool
	deliver func(protocol.Frame)
	end     func(code int, reason string)
	// unstored is nil before the first posts.
	unstored *unstored
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
	owner, err := teamspace.Read[teamspace.OwnerEntry](r.env.store, teamspace.DirToken, r.env.keyring.hash(teamspace.DirToken, hello.Token))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, errToken()
	}
	if err != nil {
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	l := &Link{env: r.env, team: owner.Team, deliver: deliver, end: end}
	processes := r.env.system.ProcessRegistry
	l.pid, _ = processes.Add(l, processes.NextID())
	hello.Token = "" // it has served; nothing further needs to know it
	welcomed, err := Ask(ctx, r, owner.Team, sessionHello{session: owner.Session, link: l.pid, hello: hello})
	if err != nil {
		l.Close()
		return nil, err
	}
	// The session's actor says so too, unless its tree broke before it could:
	// the connection must not outlive it unnoticed.
	l.attach(welcomed.session)
	return l, nil
}

func errToken() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Unknown or revoked session token")
}

// Receive hands over a frame of the session. It waits while too many posts of
// the session, or of its team, are not stored yet.
func (l *Link) Receive(f protocol.Frame) {
	if !l.admit(&f) {
		return
	}
	l.mu.Lock()
	session := l.session
	l.mu.Unlock()
	l.env.system.Root.Send(session, fromLink{link: l.pid, frame: f})
}

// Close tells that the connection is gone.
func (l *Link) Close() {
	l.mu.Lock()
	already, session, unstored := l.closed, l.session, l.unstored
	l.closed = true
	l.mu.Unlock()
	if already {
		return
	}
	if unstored != nil {
		unstored.end()
	}
	l.env.system.ProcessRegistry.Remove(l.pid)
	if session != nil {
		l.system(session, &actor.Unwatch{Watcher: l.pid})
		l.env.system.Root.Send(session, linkDown{link: l.pid})
	}
}

// attached tells a link which session's actor it talks to; it watches that.
type attached struct{ session *actor.PID }

// SendUserMessage implements actor.Process.
func (l *Link) SendUserMessage(_ *actor.PID, message any) {
	switch m := actor.UnwrapEnvelopeMessage(message).(type) {
	case attached:
		l.attach(m.session)
	case deliver:
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.closed {
			l.deliver(m.frame)
			if l.unstored != nil && m.frame.Type == protocol.TypeAck {
				l.unstored.acknowledged(&m.frame)
			}
		}
	case endLink:
		l.finish(m.code, m.reason)
	}
}

// attach takes note of the session's actor and watches it.
func (l *Link) attach(session *actor.PID) {
	l.mu.Lock()
	known, closed := l.session != nil && l.session.Equal(session), l.closed
	l.session = session
	l.mu.Unlock()
	switch {
	case closed: // before it was known whom to tell
		l.env.system.Root.Send(session, linkDown{link: l.pid})
	case !known:
		l.system(session, &actor.Watch{Watcher: l.pid})
	}
}

// system sends one of the messages that overtake others.
func (l *Link) system(to *actor.PID, message any) {
	process, _ := l.env.system.ProcessRegistry.Get(to)
	process.SendSystemMessage(to, message)
}

// SendSystemMessage implements actor.Process.
func (l *Link) SendSystemMessage(_ *actor.PID, message any) {
	if _, ended := message.(*actor.Terminated); ended {
		// The team reloads; the session finds it with its next hello.
		l.finish(closeTryAgain, "try again")
	}
}

// Stop implements actor.Process.
func (l *Link) Stop(*actor.PID) {}

func (l *Link) finish(code int, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && l.end != nil {
		l.end(code, reason)
		l.end = nil
		if l.unstored != nil {
			l.unstored.cancel()
		}
	}
}
