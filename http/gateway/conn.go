package gateway

import (
	"sync"
	"time"

	"github.com/gobwas/ws"

	"watchpost/internal/protocol"
)

// Close codes that the gateway gives itself.
const (
	closeGoingAway     = int(ws.StatusGoingAway)
	closeProtocolError = int(ws.StatusProtocolError)
	closeBadPayload    = int(ws.StatusInvalidFramePayloadData)
	closeViolation     = int(ws.StatusPolicyViolation)
	closeTooBig        = int(ws.StatusMessageTooBig)
	closeTryLater      = 1013 // the library has no name for it
)

// maxQueued is how many frames may wait for a session that does not take them.
const maxQueued = 256

// conn is the service's end of a connection: the frames that wait for the
// session, and how it ended. The link calls deliver and end from its mailbox;
// they never block.
type conn struct {
	mu     sync.Mutex
	frames []protocol.Frame
	ended  bool
	code   int
	reason string
	// beats is how often the session was last asked to send heartbeats; 0: not yet.
	beats time.Duration
	// notify is called, with mu held, when there is something to take. It does
	// not block.
	notify func()
}

func newConn(notify func()) *conn { return &conn{notify: notify} }

// deliver queues a frame. A session with too many unread frames is disconnected: it
// says hello again, and the team still has the frames that it missed.
func (c *conn) deliver(f protocol.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.frames = append(c.frames, f)
	if f.HeartbeatS > 0 {
		c.beats = time.Duration(f.HeartbeatS) * time.Second
	}
	if len(c.frames) > maxQueued {
		c.endLocked(closeTryLater, "too many messages waiting")
	}
	c.notify()
}

// end ends the connection after the queued frames have been sent. One that another has
// replaced gets none of them: the newer one is sent all that is unfinished, and a task that
// both receive would run twice. The first call counts.
func (c *conn) end(code int, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked(code, reason)
	c.notify()
}

func (c *conn) endLocked(code int, reason string) {
	if c.ended {
		return
	}
	c.ended, c.code, c.reason = true, code, reason
	if code == protocol.CloseReplaced {
		c.frames = nil
	}
}

// hasEnded reports whether the connection ends, or has.
func (c *conn) hasEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// take returns the frames queued since the last call, and whether the connection
// has ended.
func (c *conn) take() (frames []protocol.Frame, ended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames, c.frames = c.frames, nil
	return frames, c.ended
}

// closeReason returns with which code and reason the connection ended.
func (c *conn) closeReason() (code int, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code, c.reason
}
