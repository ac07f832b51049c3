package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
)

// serve listens at an address and returns its URL.
func (s *service) serve(address string, handler http.Handler) (string, error) {
	if s.config.demo {
		handler = ownNamesOnly(handler)
	}
	server := newServer(handler, s.log)
	s.servers = append(s.servers, server)
	return s.run(server, address, s.tls)
}

// run has a server listen at an address, with TLS unless config is nil, and returns its
// URL.
func (s *service) run(server *http.Server, address string, config *tls.Config) (string, error) {
	listener, err := s.config.listener(address)
	if err != nil {
		return "", err
	}
	scheme := "http"
	run := func() error { return server.Serve(listener) }
	if config != nil {
		scheme = "https"
		server.TLSConfig = config.Clone()
		run = func() error { return server.ServeTLS(listener, "", "") }
	}
	s.running.Go(func() {
		if err := run(); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return fmt.Sprintf("%s://%s", scheme, listener.Addr()), nil
}

// newServer returns a server with timeouts, so that a slow client cannot hold a
// connection.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: stalledTimeout},
	}
}
