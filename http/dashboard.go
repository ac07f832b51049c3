package httpapi

import (
	"net/http"
	"strings"

	"watchpost/actors"
	"watchpost/http/dashboard"
	"watchpost/watchpost"
)

// dashboardRoutes adds the pages of the dashboard. They are no part of the API
// and of its document.
func (s *Server) dashboardRoutes(o Options, prompts *Prompts) {
	shared, signIns := s.shared, SignIns{s.shared}
	pages := dashboard.New(dashboard.Options{
		Registry: o.Registry, Clock: o.Clock, Log: o.Log, Writable: o.Writable, Fault: shared.fault,
		SignIn: signIns.WithCode, CheckOTP: signIns.CheckCode, SignInProven: signIns.Proven, Accepted: accepted, Elsewhere: s.pageElsewhere,
		Provider: o.Provider, Domains: o.ProviderDomains, ReadPosts: readPostsRequest, Try: s.tryCall,
		Interpret: prompts.Read,
		ReadBody: func(r *http.Request) error {
			_, err := shared.readAll(r)
			return err
		},
		Client: func(r *http.Request) (string, bool) {
			c := shared.clientOf(r)
			return c.key(), c.TLS
		},
	})
	for _, route := range pages.Routes() {
		handler := shared.placedBy(pages.Place)(route.Handler)
		if !route.Stream {
			handler = shared.withDeadline(shared.withRoom(handler))
		}
		handler = s.ofMember(pages.Place, handler)
		path := strings.TrimSuffix(route.Path, "{$}")
		shared.api.Mux.Handle(route.Method+" "+route.Path, shared.instrument(route.Method, path)(handler))
	}
}

// ofMember notes of whose team the reader of a page is.
func (s *Server) ofMember(place func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if team := place(r); team != "" && team != actors.SignInPlace {
			stateOf(r.Context()).knownAs(s.shared, watchpost.TeamID(team))
		}
		next.ServeHTTP(w, r)
	})
}

// pageElsewhere reports whether the owner of the team answers a page, or is asked
// next: a form of sign-in goes on to it with the accepted value.
func (s *Server) pageElsewhere(r *http.Request, err error) bool {
	if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/app/sign-in") {
		return s.shared.formElsewhere(r, []byte(r.PostForm.Encode()), err) == errForwarded //nolint:errorlint // it is never wrapped
	}
	return s.shared.movedAway(stateOf(r.Context()), err)
}
