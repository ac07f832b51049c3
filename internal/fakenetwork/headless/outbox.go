package headless

import (
	"sync"

	"watchpost/internal/protocol"
)

// outbox holds the frames that a connection has to send, in order. Adding never
// blocks.
type outbox struct {
	mu     sync.Mutex
	frames []protocol.Frame
	filled chan struct{} // has one token while there are frames
}

func newOutbox(first ...protocol.Frame) *outbox {
	o := &outbox{filled: make(chan struct{}, 1)}
	for _, f := range first {
		o.add(f)
	}
	return o
}

func (o *outbox) add(f protocol.Frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.frames = append(o.frames, f)
	o.signal()
}

// take removes and returns frames of at most limit bytes in total, but at least
// one if any is queued.
func (o *outbox) take(limit int) []protocol.Frame {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, size := 0, 0
	for n < len(o.frames) {
		size += frameSize(o.frames[n]) + 1
		if n > 0 && size > limit {
			break
		}
		n++
	}
	taken := o.frames[:n:n]
	o.frames = o.frames[n:]
	select { // the token may stand for the frames taken now
	case <-o.filled:
	default:
	}
	if len(o.frames) > 0 {
		o.signal()
	}
	return taken
}

// signal puts the token. The caller holds the lock.
func (o *outbox) signal() {
	select {
	case o.filled <- struct{}{}:
	default:
	}
}
