package browser_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// proxy forwards connections to the world's service and can inject faults.
type proxy struct {
	url string

	mu    sync.Mutex
	deaf  bool
	conns map[*proxyConn]struct{}
}

// openProxy starts a proxy. Without sockets the service is reachable by long
// poll only.
func (w *world) openProxy(t testing.TB, sockets bool) *proxy {
	d := &proxy{conns: map[*proxyConn]struct{}{}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !sockets && r.URL.Path == "/extension/socket" {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		w.api.ServeHTTP(rw, r)
	}))
	server.Listener = &proxyListener{server.Listener, d}
	server.Start()
	t.Cleanup(func() {
		d.cut()
		server.Close()
	})
	d.url = server.URL
	return d
}

// setDeaf sets whether replies of the service are lost.
func (d *proxy) setDeaf(deaf bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deaf = deaf
}

// cut ends all connections.
func (d *proxy) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.conns {
		_ = c.Conn.Close()
	}
}

type proxyListener struct {
	net.Listener
	proxy *proxy
}

// Accept implements net.Listener.
func (l *proxyListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &proxyConn{accepted, l.proxy}
	l.proxy.mu.Lock()
	l.proxy.conns[c] = struct{}{}
	l.proxy.mu.Unlock()
	return c, nil
}

type proxyConn struct {
	net.Conn
	proxy *proxy
}

// Write implements net.Conn.
func (c *proxyConn) Write(b []byte) (int, error) {
	c.proxy.mu.Lock()
	deaf := c.proxy.deaf
	c.proxy.mu.Unlock()
	if deaf {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Close implements net.Conn.
func (c *proxyConn) Close() error {
	c.proxy.mu.Lock()
	delete(c.proxy.conns, c)
	c.proxy.mu.Unlock()
	return c.Conn.Close()
}
