package main

import (
	"net"
	"net/http"
	"strings"

	"watchpost/internal/mail"
)

// ownNamesOnly refuses requests whose Host is not a name of this machine. The
// demo's token is public, so it must stop DNS rebinding: a page loaded from a
// name that later resolves to this machine must not use the token.
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
		_, _ = w.Write([]byte(`{"error":"The demo answers to localhost only"}`)) // a write error means that the client disconnected
	})
}
