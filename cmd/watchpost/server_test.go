package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	}()

	slow, err := net.Dial("tcp", listener.Addr().String())
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
