package endpoint

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"watchpost/watchpost"
)

// Texts of requests from pages that may not send them, and of sessions.
const (
	TextOrigin   = "Origin not allowed"
	TextNoTLS    = "Sessions connect by https only"
	TextBadToken = "Invalid session token"
)

// origins are the extensions that may open sessions.
type origins struct {
	of []string
	// sites tells which web sites a browser's request may come from.
	sites *http.CrossOriginProtection
}

func newOrigins(of []string) (*origins, error) {
	o := &origins{of, http.NewCrossOriginProtection()}
	for _, origin := range of {
		if err := o.sites.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("origin of the extension %q: %w", origin, err)
		}
	}
	return o, nil
}

// anyFirefox allows the extension in every Firefox, which gives it another origin
// in each profile. Web pages cannot have such an origin.
const (
	chromiumScheme = "chrome-extension://"
	firefoxScheme  = "moz-extension://"
	anyFirefox     = firefoxScheme + "*"
)

// Extensions returns the ids in Chromium and its kin of the extensions that may open
// sessions.
func (s *Server) Extensions() (ids []string) {
	for _, origin := range s.origins.of {
		if id, ok := strings.CutPrefix(origin, chromiumScheme); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// allows reports whether the extension may have that origin.
func (o *origins) allows(origin string) bool {
	return slices.Contains(o.of, origin) || strings.HasPrefix(origin, firefoxScheme) && slices.Contains(o.of, anyFirefox)
}

// CheckSite refuses a request that a page of another web site makes in a
// visitor's browser.
func (s *Server) CheckSite(r *http.Request) error {
	if !s.origins.allows(r.Header.Get("Origin")) && s.origins.sites.Check(r) != nil {
		return watchpost.Errorf(watchpost.Forbidden, TextOrigin)
	}
	return nil
}

// CheckSecret refuses a session that others could listen to, and one that a
// page of some web site opened.
func (s *Server) CheckSecret(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !s.origins.allows(origin) {
		return watchpost.Errorf(watchpost.Forbidden, TextOrigin)
	}
	if !s.insecure && !s.ClientOf(r).secret() {
		return watchpost.Errorf(watchpost.Forbidden, TextNoTLS)
	}
	return nil
}

// CheckPoll refuses a poll without a token, and one that would show its token.
func (s *Server) CheckPoll(r *http.Request) error {
	if Bearer(r) == "" {
		return watchpost.Errorf(watchpost.Unauthenticated, TextBadToken)
	}
	return s.CheckSecret(r)
}

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
	if origin == "" || !s.origins.allows(origin) {
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
