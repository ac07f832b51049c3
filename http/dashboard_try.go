package httpapi

import (
	"bytes"
	"net/http"

	"watchpost/http/dashboard"
)

// tryCall answers a request of the dashboard's page that tries calls.
func (s *Server) tryCall(r *http.Request) dashboard.TryReply {
	reply := &triedReply{header: http.Header{}, status: http.StatusOK}
	s.handler.ServeHTTP(reply, r)
	return dashboard.TryReply{Status: reply.status, Body: reply.body.Bytes()}
}

// triedReply keeps a reply in memory.
type triedReply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (k *triedReply) Header() http.Header { return k.header }

// Write implements http.ResponseWriter.
func (k *triedReply) Write(b []byte) (int, error) { return k.body.Write(b) }

// WriteHeader implements http.ResponseWriter.
func (k *triedReply) WriteHeader(status int) { k.status = status }
