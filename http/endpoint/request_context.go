package endpoint

import (
	"context"
	"sync"
	"time"
)

// requestContext is the context of a request: that of the request, with a
// deadline. The timer starts when a caller waits; most requests are
// answered before.
type requestContext struct {
	context.Context // of the request, as the server made it
	state           *RequestState
	deadline        time.Time // zero: that of the request, if any

	mu     sync.Mutex
	armed  context.Context // has the timer; nil until a caller waits
	cancel context.CancelFunc
	also   context.Context // see within
	apart  func() bool     // ends the tie of armed to also
}

type stateKey struct{}

// StateOf returns the RequestState of a context.
func StateOf(ctx context.Context) *RequestState {
	x, _ := ctx.Value(stateKey{}).(*RequestState)
	return x
}

func (c *requestContext) begin(parent context.Context, x *RequestState) {
	c.Context, c.state = parent, x
}

// Within makes the context of a request end with another one, too, until alone is called;
// nil: with no other.
func (x *RequestState) Within(also context.Context) { x.ctx.within(also) }

// Alone ends what within has begun.
func (x *RequestState) Alone() { x.ctx.alone() }

// Context returns the context of the request.
func (x *RequestState) Context() context.Context { return &x.ctx }

// bound sets the deadline, before a caller waits.
func (c *requestContext) bound(d time.Duration) { c.deadline = RealNow().Add(d) }

// within makes the context end with another one, too, until alone is called; nil: with
// no other.
func (c *requestContext) within(also context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.also = also
	c.tie()
}

// alone ends what within has begun.
func (c *requestContext) alone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.apart != nil {
		c.apart()
	}
	c.also, c.apart = nil, nil
}

// tie ties armed to also, once both are there; the caller holds the lock.
func (c *requestContext) tie() {
	if c.also != nil && c.cancel != nil {
		c.apart = context.AfterFunc(c.also, c.cancel)
	}
}

// ended is the context for callers that begin to wait after the end.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// end releases all waiting callers.
func (c *requestContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.apart != nil {
		c.apart()
	}
	if c.armed == nil {
		c.armed = ended
		return
	}
	c.cancel()
}

// arm returns a context that is done when this one is.
func (c *requestContext) arm() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed != nil {
		return c.armed
	}
	if c.deadline.IsZero() {
		c.armed, c.cancel = context.WithCancel(c.Context)
	} else {
		c.armed, c.cancel = context.WithDeadline(c.Context, c.deadline)
	}
	c.tie()
	return c.armed
}

// Deadline implements context.Context.
func (c *requestContext) Deadline() (time.Time, bool) {
	earlier, ok := c.Context.Deadline()
	if c.deadline.IsZero() || ok && earlier.Before(c.deadline) {
		return earlier, ok
	}
	return c.deadline, true
}

// Done implements context.Context.
func (c *requestContext) Done() <-chan struct{} { return c.arm().Done() }

// Err implements context.Context.
func (c *requestContext) Err() error {
	c.mu.Lock()
	armed, also := c.armed, c.also
	c.mu.Unlock()
	switch {
	case armed != nil:
		return armed.Err()
	case also != nil && also.Err() != nil:
		return also.Err()
	case c.Context.Err() != nil:
		return c.Context.Err()
	case !c.deadline.IsZero() && !RealNow().Before(c.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context. The armed context answers the
// internal keys of package context.
func (c *requestContext) Value(key any) any {
	if key == (stateKey{}) {
		return c.state
	}
	c.mu.Lock()
	armed := c.armed
	c.mu.Unlock()
	if armed != nil {
		return armed.Value(key)
	}
	return c.Context.Value(key)
}
