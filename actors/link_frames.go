package actors

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

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
