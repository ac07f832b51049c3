package cluster

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
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
	open  chan struct{}     // closed while bytes pass
	only  int               // process whose bytes are held back; 0: all
	from  map[net.Conn]bool // whether a connection belongs to only, as far as known
	delay time.Duration     // of every piece of bytes
	conns map[net.Conn]struct{}
	ended bool
}

var errLinkEnded = errors.New("the link has ended")

func newLink(t *testing.T, dial func() (net.Conn, error)) *link {
	t.Helper()
	return newLinkAt(t, freeAddress(t), dial) // refuse and admit keep it
}

func newLinkAt(t *testing.T, address string, dial func() (net.Conn, error)) *link {
	t.Helper()
	listener, err := net.Listen("tcp", address)
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
	if l.pass(in) != nil || !l.keep(in) {
		_ = in.Close() // no one uses it
		return
	}
	out, err := l.dial()
	if err != nil || !l.keep(out) {
		l.drop(in)
		if err == nil {
			_ = out.Close() // no one uses it
		}
		return
	}
	l.running.Go(func() { l.pump(in, in, out) })
	l.pump(in, out, in)
}

// pump copies one direction of an incoming connection, and ends both with it.
func (l *link) pump(in, to, from net.Conn) {
	defer l.drop(to)
	defer l.drop(from)
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if l.pass(in) != nil {
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

// pass waits as long as the link holds the bytes of a connection back.
func (l *link) pass(in net.Conn) error {
	l.mu.Lock()
	open, delay := l.open, l.delay
	held, known := l.from[in]
	if l.only != 0 && !known {
		held = belongsTo(in, l.only)
		l.from[in] = held
	}
	held = held || l.only == 0
	l.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
	if held {
		<-open
	}
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

// freezeFrom is freeze for the connections of one process.
func (l *link) freezeFrom(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open, l.only, l.from = make(chan struct{}), pid, map[net.Conn]bool{}
}

func (l *link) thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.only, l.from = 0, nil
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

// belongsTo reports whether the other end of a connection is a process of this machine.
func belongsTo(in net.Conn, pid int) bool {
	port := fmt.Sprintf(":%04X ", in.RemoteAddr().(*net.TCPAddr).Port)
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line) // number, local, remote, …, inode is the tenth
		if len(fields) < 10 || !strings.HasSuffix(fields[1]+" ", port) {
			continue
		}
		held, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			return false
		}
		for _, file := range held {
			if to, err := os.Readlink(file); err == nil && to == "socket:["+fields[9]+"]" {
				return true
			}
		}
	}
	return false
}
