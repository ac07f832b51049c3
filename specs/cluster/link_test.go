package cluster

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// link is a TCP proxy between two processes of a drill, which can be cut, frozen
// and slow.
type link struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	running  sync.WaitGroup

	mu    sync.Mutex
	open  chan struct{} // closed while bytes pass
	delay time.Duration // of every piece of bytes
	conns map[net.Conn]struct{}
	ended bool
}

var errLinkEnded = errors.New("the link has ended")

func newLink(t *testing.T, dial func() (net.Conn, error)) *link {
	t.Helper()
	listener, err := net.Listen("tcp", freeAddress(t)) // refuse and admit keep it
	require.NoError(t, err)
	l := &link{listener: listener, dial: dial, open: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(l.open)
	l.running.Go(func() { l.accept(listener) })
	t.Cleanup(func() {
		l.mu.Lock()
		l.ended = true
		_ = l.listener.Close() // it may be closed
		l.mu.Unlock()
		l.thaw()
		l.cut()
		l.running.Wait()
	})
	return l
}

func (l *link) address() string { return l.listener.Addr().String() }

func (l *link) accept(listener net.Listener) {
	for {
		in, err := listener.Accept()
		if err != nil {
			return
		}
		l.running.Go(func() { l.connect(in) })
	}
}

func (l *link) connect(in net.Conn) {
	if l.pass() != nil || !l.keep(in) {
		_ = in.Close() // nobody uses it
		return
	}
	out, err := l.dial()
	if err != nil || !l.keep(out) {
		l.drop(in)
		if err == nil {
			_ = out.Close() // nobody uses it
		}
		return
	}
	l.running.Go(func() { l.pump(in, out) })
	l.pump(out, in)
}

// pump copies one direction, and ends both with it.
func (l *link) pump(to, from net.Conn) {
	defer l.drop(to)
	defer l.drop(from)
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if l.pass() != nil {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass waits as long as the link holds bytes back.
func (l *link) pass() error {
	l.mu.Lock()
	open, delay := l.open, l.delay
	l.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
	<-open
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return errLinkEnded
	}
	return nil
}

func (l *link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.conns[c] = struct{}{}
	}
	return !l.ended
}

func (l *link) drop(c net.Conn) {
	l.mu.Lock()
	delete(l.conns, c)
	l.mu.Unlock()
	_ = c.Close() // the other direction may have closed it
}

// refuse ends all connections, and refuses new ones until admit: the process behind
// the link has gone.
func (l *link) refuse() {
	_ = l.listener.Close() // it is open
	l.cut()
}

func (l *link) admit() error {
	listener, err := net.Listen("tcp", l.address())
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener = listener
	l.running.Go(func() { l.accept(listener) })
	return nil
}

// cut ends all connections; new ones are made.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close() // its pump drops it
	}
}

// freeze holds all bytes back until thaw, as a network does that loses packets.
func (l *link) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = make(chan struct{})
}

func (l *link) thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
	default:
		close(l.open)
	}
}

func (l *link) slow(delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = delay
}
