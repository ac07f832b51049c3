package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const textInvalidMessages = "Invalid 'messages'"

// poller is a connection carried by long polls, one at a time. What a reply
// carried is kept until the next poll: what that does not speak of is sent
// once more, as the reply may have been lost.
type poller struct {
	*conn
	token tokenHash
	// turn has room for one poll.
	turn chan struct{}
	// ready has an element when there is something to take.
	ready chan struct{}

	mu      sync.Mutex
	link    *actors.Link
	sent    []protocol.Frame // by the last reply
	yield   chan struct{}    // closed to end the poll that is held
	silence *time.Timer      // ends the connection when no poll comes
}

// tokenHash is by what the poller of a session token is found.
type tokenHash [sha256.Size]byte

type pollRequest struct {
	Messages []json.RawMessage `json:"messages"`
}

// Documented implements endpoint.DocumentedAs.
func (pollRequest) Documented() any { return protocol.PollRequest{} }

func (g *Gateway) poll(r *http.Request, request pollRequest) (protocol.PollReply, error) {
	var none protocol.PollReply
	frames, err := readFrames(request)
	if err != nil {
		return none, err
	}
	endpoint.StateOf(r.Context()).ForgetBody() // a poll is held open
	p, frames, err := g.pollerFor(r, endpoint.Bearer(r), frames)
	if err != nil {
		return none, err
	}
	reply, err := g.hold(r.Context(), p, frames)
	return protocol.PollReply{Messages: endpoint.Whole(reply)}, err
}

// readFrames decodes the session's messages. The team ignores unknown types.
func readFrames(request pollRequest) ([]protocol.Frame, error) {
	frames := make([]protocol.Frame, 0, len(request.Messages))
	for i, raw := range request.Messages {
		var f protocol.Frame
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, watchpost.Errorf(watchpost.Invalid, textInvalidMessages)
		}
		if i == 0 && f.Type == protocol.TypeHello && len(raw) > protocol.MaxHelloFrame {
			return nil, watchpost.Errorf(watchpost.TooLarge, endpoint.TextTooLarge)
		}
		frames = append(frames, f)
	}
	return frames, nil
}

// pollerFor returns the session's connection and the frames that are left for
// it: hello opens a new one.
func (g *Gateway) pollerFor(r *http.Request, token string, frames []protocol.Frame) (*poller, []protocol.Frame, error) {
	hash := tokenHash(sha256.Sum256([]byte(token)))
	if len(frames) > 0 && frames[0].Type == protocol.TypeHello {
		hello := frames[0]
		hello.Token = token
		p, err := g.openPoller(r, hash, hello)
		return p, frames[1:], err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.polls[hash]
	if p == nil {
		return nil, nil, watchpost.Errorf(watchpost.Conflict, textHelloFirst)
	}
	return p, frames, nil
}

// openPoller connects a session by its hello.
func (g *Gateway) openPoller(r *http.Request, hash tokenHash, hello protocol.Frame) (*poller, error) {
	admitted, err := g.admit(g.ClientOf(r))
	if err != nil {
		return nil, err
	}
	defer admitted.leave()
	p := &poller{token: hash, turn: make(chan struct{}, 1), ready: make(chan struct{}, 1)}
	p.conn = newConn(p.wake)
	if !admitted.open(p.conn) {
		return nil, watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
	}
	link, err := g.connect(r.Context(), hello, p.conn)
	if err != nil {
		g.remove(p.conn)
		if watchpost.KindOf(err) == watchpost.Unauthenticated {
			err = watchpost.Errorf(watchpost.Unauthenticated, endpoint.TextBadToken)
		}
		return nil, err
	}
	p.mu.Lock()
	p.link = link
	p.silence = time.AfterFunc(g.Timing.Silence+g.Timing.Poll, func() { g.dropPoller(p) })
	p.mu.Unlock()
	g.connections.WithLabelValues("poll").Inc()
	g.mu.Lock()
	older := g.polls[hash]
	g.polls[hash] = p
	g.mu.Unlock()
	if older != nil {
		older.end(protocol.CloseReplaced, textReplaced)
		g.dropPoller(older)
	}
	return p, nil
}

// dropPoller forgets a connection that ended or fell silent.
func (g *Gateway) dropPoller(p *poller) {
	p.mu.Lock()
	link := p.link
	p.link = nil
	p.silence.Stop()
	p.mu.Unlock()
	if link == nil {
		return // dropped already
	}
	link.Close()
	p.end(closeGoingAway, "")
	g.mu.Lock()
	if g.polls[p.token] == p {
		delete(g.polls, p.token)
	}
	g.mu.Unlock()
	g.connections.WithLabelValues("poll").Dec()
	g.remove(p.conn)
}

// hold hands over the session's frames and waits until there is something to
// answer, a newer poll comes, or the time is over.
func (g *Gateway) hold(ctx context.Context, p *poller, frames []protocol.Frame) ([]protocol.Frame, error) {
	yield, err := p.begin(ctx, g.Timing.Silence+g.Timing.Poll)
	if err != nil {
		return nil, err
	}
	defer p.done(yield, g.Timing.Silence)
	again := p.receive(frames)
	over := time.NewTimer(g.Timing.Poll)
	defer over.Stop()
	for {
		fresh, ended := p.peek()
		switch {
		case ended && !fresh:
			g.dropPoller(p)
			return nil, p.goodbye()
		case fresh, slices.ContainsFunc(again, urgent):
			return p.answer(again), nil
		}
		select {
		case <-p.ready:
		case <-over.C:
			return p.answer(again), nil
		case <-yield:
			p.keep(again)
			return nil, nil
		case <-ctx.Done():
			p.keep(again)
			return nil, ctx.Err()
		}
	}
}

// begin waits for its turn, having asked the poll that is held to yield.
func (p *poller) begin(ctx context.Context, silence time.Duration) (yield chan struct{}, err error) {
	p.mu.Lock()
	if p.yield != nil {
		close(p.yield)
	}
	yield = make(chan struct{})
	p.yield = yield
	p.listen(silence)
	p.mu.Unlock()
	select {
	case p.turn <- struct{}{}:
		return yield, nil
	case <-ctx.Done():
		p.forget(yield)
		return nil, ctx.Err()
	}
}

// done ends a poll; the next one must come before the session counts as gone.
func (p *poller) done(yield chan struct{}, silence time.Duration) {
	p.forget(yield)
	p.mu.Lock()
	p.listen(silence)
	p.mu.Unlock()
	<-p.turn
}

// wake ends the wait of the poll that is held.
func (p *poller) wake() {
	select {
	case p.ready <- struct{}{}:
	default:
	}
}

// forget takes back the offer to yield, unless a newer poll did.
func (p *poller) forget(yield chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.yield == yield {
		p.yield = nil
	}
}

// listen gives the session so much time for its next poll.
func (p *poller) listen(silence time.Duration) {
	if p.link != nil {
		p.silence.Reset(silence)
	}
}

// receive hands the frames over and returns what of the last reply they do not
// speak of.
func (p *poller) receive(frames []protocol.Frame) (again []protocol.Frame) {
	p.mu.Lock()
	link, sent := p.link, p.sent
	p.sent = nil
	p.mu.Unlock()
	spoken := map[string]bool{}
	for _, f := range frames {
		spoken[f.Task] = true
		for _, t := range f.Running {
			spoken[t.Task] = true
		}
		if link != nil && f.Type != protocol.TypeHello {
			link.Receive(f)
		}
	}
	for _, f := range sent {
		if f.Task != "" && !spoken[f.Task] {
			again = append(again, f)
		}
	}
	return again
}

// urgent reports whether the session should not wait for a frame again. An ack
// can come with the next reply.
func urgent(f protocol.Frame) bool { return f.Type != protocol.TypeAck }

// answer builds a reply of the frames to repeat, once, and of the new ones.
func (p *poller) answer(again []protocol.Frame) []protocol.Frame {
	fresh, _ := p.take()
	p.keep(fresh)
	return append(again, fresh...)
}

// keep remembers what the next poll may have to be sent again.
func (p *poller) keep(frames []protocol.Frame) {
	p.mu.Lock()
	p.sent = frames
	p.mu.Unlock()
}

// peek reports whether there is something to take, and whether the connection
// has ended.
func (p *poller) peek() (fresh, ended bool) {
	p.conn.mu.Lock()
	defer p.conn.mu.Unlock()
	return len(p.frames) > 0, p.ended
}

// goodbye tells a poll how the connection ended.
func (p *poller) goodbye() error {
	switch code, _ := p.closeReason(); code {
	case protocol.CloseUnauthorised:
		return watchpost.Errorf(watchpost.Unauthenticated, endpoint.TextBadToken)
	case protocol.CloseReplaced:
		return watchpost.Errorf(watchpost.Conflict, textReplaced)
	}
	return watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
}
