package main

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestSlowClients: the server disconnects a client that sends its request one
// byte at a time.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /body", func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	})
	server := newServer(mux, slog.New(slog.DiscardHandler))
	for name, bound := range map[string]time.Duration{
		"header": server.ReadHeaderTimeout, "read": server.ReadTimeout, "write": server.WriteTimeout, "idle": server.IdleTimeout,
	} {
		require.Positive(t, bound, name)
	}
	require.Positive(t, server.MaxHeaderBytes)
	server.ReadTimeout = 50 * time.Millisecond
	address := listening(t, server)

	slow, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer slow.Close()
	_, err = io.WriteString(slow, "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
	require.NoError(t, err)
	select {
	case err := <-read:
		require.Error(t, err, "the body did not come")
	case <-time.After(time.Minute):
		require.FailNow(t, "the body is still waited for")
	}
}

// TestIdleConnectionsEnd: a connection ends that asks for nothing, at first or after a
// request.
func TestIdleConnectionsEnd(t *testing.T) {
	t.Parallel()
	server := newServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), slog.New(slog.DiscardHandler))
	require.LessOrEqual(t, server.ReadHeaderTimeout, 10*time.Second)
	require.LessOrEqual(t, server.IdleTimeout, 2*time.Minute)
	server.ReadHeaderTimeout, server.IdleTimeout = min(server.ReadHeaderTimeout, 50*time.Millisecond), min(server.IdleTimeout, 50*time.Millisecond)
	address := listening(t, server)
	for _, said := range []string{"", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"} {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = io.WriteString(conn, said)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, conn)
		require.NoError(t, err, "it ends: %q", said)
	}
}

// TestClientsThatDoNotRead: the server gives up a reply that its client does not read,
// within a minute as it is configured.
func TestClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	wrote := make(chan error, 1)
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				wrote <- err
				return
			}
		}
	}), slog.New(slog.DiscardHandler))
	require.LessOrEqual(t, server.WriteTimeout, time.Minute)
	server.WriteTimeout = 50 * time.Millisecond
	address := listening(t, server)
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /docs HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	select {
	case err := <-wrote:
		require.Error(t, err)
	case <-time.After(time.Minute):
		require.FailNow(t, "the reply is still being written")
	}
}

// TestHTTP2ClientsThatDoNotRead: the same over HTTP/2, for a client that allows the server
// to send and then reads nothing. What ends its streams would have to be sent to it.
func TestHTTP2ClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	wrote := make(chan error, 1)
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				wrote <- err
				return
			}
		}
	}), slog.New(slog.DiscardHandler))
	require.Positive(t, server.HTTP2.WriteByteTimeout)
	require.LessOrEqual(t, server.HTTP2.WriteByteTimeout, time.Minute)
	server.HTTP2.WriteByteTimeout = 50 * time.Millisecond // a short WriteTimeout would bound the handshake too
	other := httptest.NewTLSServer(nil)                   // for its certificate
	server.TLSConfig = &tls.Config{Certificates: other.TLS.Certificates}
	other.Close()
	conn, err := tls.Dial("tcp", listening(t, server), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	require.NoError(t, err)
	defer conn.Close()
	asks := bytes.NewBufferString(http2.ClientPreface) // in one write: the server's patience is short
	framer := http2.NewFramer(asks, nil)
	require.NoError(t, framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30}))
	require.NoError(t, framer.WriteWindowUpdate(0, 1<<30))
	var head bytes.Buffer
	encoder := hpack.NewEncoder(&head)
	for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/docs"}} {
		require.NoError(t, encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
	}
	require.NoError(t, framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true}))
	_, err = conn.Write(asks.Bytes())
	require.NoError(t, err)
	select {
	case err := <-wrote:
		require.Error(t, err)
	case <-time.After(time.Minute):
		require.FailNow(t, "the reply is still being written")
	}
}

// listening has a server listen until the test ends, and returns its address.
func listening(t *testing.T, server *http.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() {
		if server.TLSConfig != nil {
			served <- server.ServeTLS(listener, "", "")
			return
		}
		served <- server.Serve(listener)
	}()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return listener.Addr().String()
}
