package httpapi

import (
	"net/http"
	"slices"
)

// The browser extension signs in and polls by fetch from its own pages, which
// are of another origin than the service: the browser asks first.

// fromExtension are the paths that the extension's pages call.
var fromExtension = []string{"/extension/sign-in", "/extension/sign-out", "/extension/poll", "/network-agent/auth-send-otp"}

// allowExtension adds the CORS headers for pages of the configured extensions, and
// answers preflight requests; true means that the request is answered. rs/cors
// would answer every preflight: here other origins get the reply of the route.
func (s *Server) allowExtension(w http.ResponseWriter, r *http.Request) bool {
	if !slices.Contains(fromExtension, r.URL.Path) {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !s.sessions.allows(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", http.MethodPost)
	h.Set("Access-Control-Allow-Headers", "authorization, content-type")
	h.Set("Access-Control-Max-Age", "600")
	return true
}
