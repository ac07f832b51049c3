package headless

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"watchpost/internal/protocol"
)

// transport is one way to exchange frames with the service.
type transport interface {
	// exchange opens a connection, sends the frames of out and passes each
	// received frame to in, until the connection ends. It returns why;
	// ErrRevoked and ErrReplaced end the session.
	exchange(ctx context.Context, out *outbox, in func(protocol.Frame)) error
	// name identifies the transport in hooks and the log.
	name() string
}

// errSocketDue ends a long poll when the session should try the socket again.
var errSocketDue = errors.New("time to try the socket again")

// errNoWelcome ends a connection on which the service sent no welcome.
var errNoWelcome = errors.New("no welcome")

// connect keeps a connection until ctx ends or the service ends the session. It
// prefers the socket. After socketTries failed attempts it uses long poll and
// tries the socket periodically.
func (s *session) connect(ctx context.Context, running *sync.WaitGroup) error {
	client := &http.Client{Transport: s.opts.HTTPClient.Transport}
	socket := &socketTransport{server: s.opts.Server, client: client}
	poll := &pollTransport{server: s.opts.Server, client: client, token: s.opts.Token, retry: s.opts.Hooks.SocketRetry}
	failed, backoff := 0, minBackoff
	for {
		var by transport = socket
		if failed >= socketTries {
			by = poll
		}
		welcomed, err := s.converse(ctx, by, running)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrRevoked), errors.Is(err, ErrReplaced):
			return err
		case errors.Is(err, errSocketDue):
			failed = socketTries - 1 // one attempt, then long poll again
			continue
		}
		onSocket := by.name() == socket.name()
		if welcomed {
			backoff = minBackoff
		}
		switch {
		case welcomed && onSocket:
			failed = 0
		case onSocket:
			failed++
		case !welcomed:
			failed = socketTries - 1 // the service is down, which says nothing about sockets
		}
		s.log.Info("session: connection ended", "transport", by.name(), "welcomed", welcomed, "error", err)
		// Half of the pause is random, so that the sessions of a restarted
		// service do not reconnect all at once.
		// A backoff library would save two lines here and cost a dependency.
		wait := backoff/2 + rand.N(backoff/2) //nolint:gosec // spreads load, keeps no secret
		if backoff *= 2; backoff > maxBackoff {
			backoff = maxBackoff
		}
		if err := s.opts.Hooks.Wait(ctx, wait); err != nil {
			return err
		}
	}
}

// converse runs one connection: hello, welcome, then all other frames.
func (s *session) converse(ctx context.Context, by transport, running *sync.WaitGroup) (welcomed bool, err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	out := newOutbox(s.hello())
	// A service that accepts the connection but stays silent counts as down.
	silent := time.AfterFunc(welcomeTime, func() { end(errNoWelcome) })
	defer silent.Stop()
	err = by.exchange(ctx, out, func(f protocol.Frame) {
		switch {
		case f.Type == protocol.TypeRevoked:
			end(ErrRevoked)
		case f.Type == protocol.TypeWelcome && !welcomed:
			silent.Stop()
			welcomed = true
			s.welcome(ctx, f, out)
			running.Go(func() { s.heartbeats(ctx, tickEvery(f)) })
			s.opts.Hooks.Linked(by.name())
		case welcomed:
			s.receive(ctx, f)
		}
	})
	s.mu.Lock()
	s.out = nil
	s.mu.Unlock()
	if cause := context.Cause(ctx); errors.Is(cause, ErrRevoked) || errors.Is(cause, errNoWelcome) {
		err = cause
	}
	return welcomed, err
}

// heartbeats sends the heartbeats that are due, and checks the account on every tick.
func (s *session) heartbeats(ctx context.Context, every time.Duration) {
	ticks, stop := s.opts.Hooks.Beat(every)
	defer stop()
	var checks sync.WaitGroup
	defer checks.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			if s.beatDue() {
				s.beat()
			}
			// A slow network must not delay the next heartbeat.
			checks.Go(func() { s.checkAccount(ctx) })
		}
	}
}

// welcome marks the connection as open for frames and repeats every frame of
// the open tasks that the service has not acknowledged.
func (s *session) welcome(ctx context.Context, f protocol.Frame, out *outbox) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.ServerTime != nil {
		s.offset = f.ServerTime.Sub(s.opts.Clock.Now())
	}
	if ctx.Err() == nil {
		s.out = out
	}
	s.welcomed = true
	s.ticks, s.beatTicks = 0, 0
	s.askedLocked(f)
	if f.Member != nil {
		s.email = f.Member.Email
	}
	s.wakeWorker()
	for _, e := range s.journal.Entries() {
		if t := s.tasks[e.Task]; t != nil {
			s.repeatLocked(t)
		}
	}
}

// repeatLocked sends the frames of a task that the service has not
// acknowledged.
func (s *session) repeatLocked(t *task) {
	for _, part := range t.parts {
		part.Lease, part.Attempt = t.entry.Lease, t.entry.Attempt
		s.sendLocked(part)
	}
	switch {
	case t.entry.State == protocol.StateDone:
		s.sendLocked(resultFrame(t.entry))
	case t.asking:
		s.sendLocked(protocol.Frame{Type: protocol.TypeActing, Task: t.entry.Task, Lease: t.entry.Lease})
	}
}
