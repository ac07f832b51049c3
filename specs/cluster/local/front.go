package local

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Front is one address in front of the nodes. It passes each connection to the
// next node that is ready, so that requests, sockets and polls need no
// knowledge of HTTP here. The connections of a node that is not ready any more
// are cut: the node may be frozen.
type Front struct {
	URL string

	listener net.Listener
	client   *http.Client
	stop     context.CancelFunc
	running  sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	backends []*backend
	next     int
}

// backend is a node as the front sees it.
type backend struct {
	address string
	ready   bool
	conns   map[net.Conn]struct{} // both ends of the passed connections
}

// Times of the health checks.
const (
	checkEvery  = 250 * time.Millisecond
	dialTimeout = 500 * time.Millisecond
)

// Serve starts a front at an address for the given nodes.
func Serve(listen string, addresses ...string) (*Front, error) {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	f := &Front{
		URL: "http://" + listener.Addr().String(), listener: listener, stop: stop,
		client: &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{}},
	}
	for _, address := range addresses {
		b := &backend{address: address, ready: true, conns: map[net.Conn]struct{}{}}
		f.backends = append(f.backends, b)
		f.running.Go(func() { f.check(ctx, b) })
	}
	f.running.Go(f.accept)
	return f, nil
}

// Close cuts all connections and waits until nothing runs any more.
func (f *Front) Close() error {
	f.stop()
	err := f.listener.Close()
	f.mu.Lock()
	f.closed = true
	for _, b := range f.backends {
		b.cut()
	}
	f.mu.Unlock()
	f.running.Wait()
	f.client.CloseIdleConnections()
	return err
}

// check keeps one backend's state.
func (f *Front) check(ctx context.Context, b *backend) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		is := ready(ctx, f.client, b.address)
		f.mu.Lock()
		if b.ready = is; !is {
			b.cut()
		}
		f.mu.Unlock()
	}
}

func (b *backend) cut() {
	for conn := range b.conns {
		_ = conn.Close() // both copies end
	}
}

func (f *Front) accept() {
	for {
		client, err := f.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			f.running.Go(func() { f.pass(client) })
		}
	}
}

// pass copies between a client and a node until one of them ends.
func (f *Front) pass(client net.Conn) {
	defer client.Close() //nolint:errcheck // nothing is left to send
	for range f.backends {
		b := f.pick()
		if b == nil {
			return
		}
		node, err := net.DialTimeout("tcp", b.address, dialTimeout)
		if err != nil {
			f.mu.Lock()
			b.ready = false
			f.mu.Unlock()
			continue
		}
		f.join(b, client, node)
		return
	}
}

// pick returns the next backend in turn that is ready; nil when there is none.
func (f *Front) pick() *backend {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range f.backends {
		b := f.backends[f.next]
		f.next = (f.next + 1) % len(f.backends)
		if b.ready {
			return b
		}
	}
	return nil
}

func (f *Front) join(b *backend, client, node net.Conn) {
	defer node.Close() //nolint:errcheck // nothing is left to send
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return
	}
	b.conns[client], b.conns[node] = struct{}{}, struct{}{}
	f.mu.Unlock()
	var back sync.WaitGroup
	back.Go(func() { copyThenEnd(client, node) })
	copyThenEnd(node, client)
	back.Wait()
	f.mu.Lock()
	delete(b.conns, client)
	delete(b.conns, node)
	f.mu.Unlock()
}

// copyThenEnd copies until the source ends, then tells the destination.
func copyThenEnd(to, from net.Conn) {
	_, _ = io.Copy(to, from) // an end is no fault here
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite() // it may be closed already
	}
}
