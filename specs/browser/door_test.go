package browser_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// door is a proxy in front of the world's service that can inject faults.
type door struct {
	url string

	mu    sync.Mutex
	deaf  bool
	conns map[*doorConn]struct{}
}

// openDoor opens a door. Without sockets the service is reachable by long poll
// only.
func (w *world) openDoor(t testing.TB, sockets bool) *door {
	d := &door{conns: map[*doorConn]struct{}{}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !sockets && r.URL.Path == "/extension/socket" {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		w.api.ServeHTTP(rw, r)
	}))
	server.Listener = &doorListener{server.Listener, d}
	server.Start()
	t.Cleanup(func() {
		d.cut()
		server.Close()
	})
	d.url = server.URL
	return d
}

// setDeaf decides whether replies of the service are lost.
func (d *door) setDeaf(deaf bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deaf = deaf
}

// cut ends all connections.
func (d *door) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.conns {
		_ = c.Conn.Close()
	}
}

type doorListener struct {
	net.Listener
	door *door
}

// Accept implements net.Listener.
func (l *doorListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &doorConn{accepted, l.door}
	l.door.mu.Lock()
	l.door.conns[c] = struct{}{}
	l.door.mu.Unlock()
	return c, nil
}

type doorConn struct {
	net.Conn
	door *door
}

// Write implements net.Conn.
func (c *doorConn) Write(b []byte) (int, error) {
	c.door.mu.Lock()
	deaf := c.door.deaf
	c.door.mu.Unlock()
	if deaf {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Close implements net.Conn.
func (c *doorConn) Close() error {
	c.door.mu.Lock()
	delete(c.door.conns, c)
	c.door.mu.Unlock()
	return c.Conn.Close()
}
