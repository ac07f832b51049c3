package actors

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/intake"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Link is one connection of a session, as the gateway holds it. Towards the
// session's actor it is a process with an address, on the node that holds the
// socket. It has no mailbox: it handles a message at once, on the sender's
// goroutine, for there are as many links as sessions.
type Link struct {
	env  *environment
	pid  *actor.PID
	team watchpost.TeamID

	mu sync.Mutex
	// to is who gets what the session sends: its session actor, or the team while
	// it has none. It is nil until the team has told.
	to   *actor.PID
	root *actor.PID // the team's actor, known with to
	id   watchpost.SessionID
	// welcomed is set when the welcome was delivered; early holds frames before it.
	welcomed bool
	early    []protocol.Frame
	closed   bool
	deliver  func(protocol.Frame)
	end      func(code int, reason string)
	// unstored is nil before the first posts.
	unstored *intake.Unstored
	onWay    framesOnWay
}

// deliver sends a frame to a session: tasks to the session actor, and that, or
// the team, to the link.
type deliver struct {
	session watchpost.SessionID
	frame   protocol.Frame
}

// endLink ends a connection with a close code.
type endLink struct {
	code   int
	reason string
}

// fromLink carries a frame that came over a link.
type fromLink struct {
	session watchpost.SessionID
	link    *actor.PID
	frame   protocol.Frame
}

// linkDown tells the team that a connection is gone.
type linkDown struct {
	session watchpost.SessionID
	link    *actor.PID
}

// closeTryAgain is the WebSocket code for a fault that will pass.
const closeTryAgain = 1013

// Connect introduces a connection by its hello. Errors: Unauthenticated (the
// token is unknown or revoked), Unavailable. deliver is called for each frame
// to the session, in order, the welcome first, and must not block; end is
// called at most once, when the service ends the connection. Neither is called
// after Close has returned, and neither may call the Link: both are called
// under its lock.
func (r *Registry) Connect(ctx context.Context, hello protocol.Frame, deliver func(protocol.Frame), end func(code int, reason string)) (*Link, error) {
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirToken, r.env.Keyring.Hash(teamspace.DirToken, hello.Token))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, errToken()
	}
	if err != nil {
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	l := &Link{env: r.env, team: owner.Team, id: owner.Session, deliver: deliver, end: end}
	processes := r.env.System.ProcessRegistry
	l.pid, _ = processes.Add(l, processes.NextID())
	hello.Token = "" // it has served; nothing further needs to know it
	welcomed, err := Ask(ctx, r, owner.Team, sessionHello{session: owner.Session, link: l.pid, hello: hello})
	if err != nil {
		l.Close()
		return nil, err
	}
	// The team says so too, unless its tree broke before it could: the
	// connection must not outlive it unnoticed.
	l.attach(attached{team: welcomed.team, id: owner.Session})
	return l, nil
}

func errToken() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Unknown or revoked session token")
}

// Receive hands over a frame of the session. It waits while too many frames of the
// session are under way, or posts of it, or of its team, are not stored yet.
func (l *Link) Receive(f protocol.Frame) {
	fenced, ok := l.enter(intake.Patience)
	if !ok || !l.admit(&f) {
		return
	}
	l.mu.Lock()
	to := l.to
	l.mu.Unlock()
	l.env.System.Root.Send(to, fromLink{session: l.id, link: l.pid, frame: f})
	if fenced {
		l.env.System.Root.Send(to, fence{l.pid})
	}
}

// Close tells that the connection is gone.
func (l *Link) Close() {
	l.mu.Lock()
	already, team, unstored := l.closed, l.root, l.unstored
	l.closed = true
	l.onWay.release()
	l.mu.Unlock()
	if already {
		return
	}
	if unstored != nil {
		unstored.End()
	}
	l.env.System.ProcessRegistry.Remove(l.pid)
	if team != nil {
		l.system(team, &actor.Unwatch{Watcher: l.pid})
		l.env.System.Root.Send(team, linkDown{l.id, l.pid})
	}
}

// attached tells a link whom it talks to from now on; nil leaves that as it is. It
// watches the team.
type attached struct {
	team, to *actor.PID
	id       watchpost.SessionID
}

// Missed implements what a message does whose receiver has gone: here, the connection
// before its session's actor was there.
func (m attached) Missed(system *actor.RootContext, receiver *actor.PID) {
	system.Send(m.team, linkDown{m.id, receiver})
}

// SendUserMessage implements actor.Process.
func (l *Link) SendUserMessage(_ *actor.PID, message any) {
	switch m := actor.UnwrapEnvelopeMessage(message).(type) {
	case attached:
		l.attach(m)
	case deliver:
		l.onDeliver(m.frame)
	case fencePassed:
		l.passed()
	case endLink:
		l.finish(m.code, m.reason)
	}
}

// onDeliver hands a frame over, the welcome before any other.
func (l *Link) onDeliver(f protocol.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if !l.welcomed && f.Type != protocol.TypeWelcome {
		l.early = append(l.early, f)
		return
	}
	l.welcomed = true
	for _, f := range append([]protocol.Frame{f}, l.early...) {
		l.deliver(f)
		if l.unstored != nil && f.Type == protocol.TypeAck {
			l.unstored.Acknowledged(&f)
		}
	}
	l.early = nil
}

// attach takes note of the actor to talk to, and watches the team.
func (l *Link) attach(m attached) {
	l.mu.Lock()
	known, closed := l.root != nil, l.closed
	l.root = m.team
	if m.to != nil {
		l.to = m.to
	} else if l.to == nil {
		l.to = m.team
	}
	l.mu.Unlock()
	switch {
	case closed: // before it was known whom to tell
		l.env.System.Root.Send(m.team, linkDown{m.id, l.pid})
	case !known:
		l.system(m.team, &actor.Watch{Watcher: l.pid})
	}
}

// system sends one of the messages that overtake others.
func (l *Link) system(to *actor.PID, message any) {
	process, _ := l.env.System.ProcessRegistry.Get(to)
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
		l.onWay.release()
		if l.unstored != nil {
			l.unstored.Cancel()
		}
	}
}

// admit holds a frame with posts back while too many are not stored; false when
// the connection has ended, or ends because of it.
func (l *Link) admit(f *protocol.Frame) bool {
	if len(f.Output) == 0 || f.Type != protocol.TypePart && f.Type != protocol.TypeResult {
		return true
	}
	l.mu.Lock()
	if l.unstored == nil && !l.closed {
		l.unstored = intake.NewUnstored(l.env.rooms.Enter(l.team), func() { l.env.rooms.Leave(l.team) })
	}
	u, closed := l.unstored, l.closed
	l.mu.Unlock()
	if closed {
		return false
	}
	err := u.Add(f, intake.Patience)
	if errors.Is(err, intake.ErrTooManyParts) {
		l.finish(closeTryAgain, err.Error())
	}
	return err == nil
}

// Mailboxes have no bound, and some frames cost a read of the store. So a link bounds the
// number of frames under way, of any type: behind each part of them it sends a fence,
// which takes the way of the frames to the team and comes back.
const (
	// framesUnderWay bounds the frames of a connection that the team may not have
	// seen yet; a session that keeps to the protocol has a few.
	framesUnderWay = 256
	framesAFence   = framesUnderWay / 4
)

const textTooManyFrames = "frames come faster than they are handled, try again later"

// fence goes from a link through its session actor to the team.
type fence struct{ link *actor.PID }

// fencePassed tells a link that the team has seen the frames before a fence.
type fencePassed struct{}

// framesOnWay counts the frames of a link that are under way.
type framesOnWay struct {
	all     int
	fenced  int           // since the last fence
	waiting chan struct{} // closed when there is room again; nil: no one waits
}

// release lets those go on who wait for room.
func (w *framesOnWay) release() {
	if w.waiting != nil {
		close(w.waiting)
		w.waiting = nil
	}
}

// enter waits until a frame may be under way, and counts it; fenced is set when a fence
// is to follow it. ok is false when the connection has ended, or ends because of it.
func (l *Link) enter(patience time.Duration) (fenced, ok bool) {
	l.mu.Lock()
	for !l.closed && l.end != nil && l.onWay.all >= framesUnderWay {
		if l.onWay.waiting == nil {
			l.onWay.waiting = make(chan struct{})
		}
		room := l.onWay.waiting
		l.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		select {
		case <-room:
		case <-ctx.Done():
			l.finish(closeTryAgain, textTooManyFrames)
		}
		cancel()
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	if l.closed || l.end == nil {
		return false, false
	}
	l.onWay.all++
	if l.onWay.fenced++; l.onWay.fenced == framesAFence {
		l.onWay.fenced, fenced = 0, true
	}
	return fenced, true
}

// passed makes room for as many frames as a fence stands for.
func (l *Link) passed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onWay.all -= framesAFence
	l.onWay.release()
}
