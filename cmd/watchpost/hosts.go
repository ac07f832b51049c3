package main

import (
	"net"
	"net/http"
	"strings"

	"watchpost/internal/mail"
)

// ownNamesOnly refuses requests that name another host than this machine. The
// demo's token is known to everybody: a page that a browser has loaded from a
// name which then resolves to this machine must not use it (DNS rebinding).
func ownNamesOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if mail.Loopback(host) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusMisdirectedRequest)
		_, _ = w.Write([]byte(`{"error":"The demo answers to localhost only"}`)) // the client has gone
	})
}
