package httpapi

import (
	"context"
	"net/http"
	"strings"

	"watchpost/actors"
	"watchpost/http/dashboard"
	"watchpost/internal/interpret"
	"watchpost/watchpost"
)

// dashboardRoutes adds the pages of the dashboard. They are no part of the API
// and of its document.
func (s *Server) dashboardRoutes() {
	pages := dashboard.New(dashboard.Options{
		Registry: s.registry, Clock: s.clock, Log: s.log, Writable: s.writable, Fault: s.fault,
		SignIn: s.signIn, CheckOTP: s.checkOTP, Provider: s.provider, Domains: s.providerDomains, SignInProven: s.signInProven, Accepted: accepted, Elsewhere: s.pageElsewhere,
		ReadPosts: readPostsRequest, Try: s.tryCall,
		Interpret: func(ctx context.Context, t watchpost.WatchlistType, prompt string) (interpret.Result, error) {
			if err := checkPrompt(prompt); err != nil {
				return interpret.Result{}, err
			}
			return s.interpret(ctx, t, prompt, false)
		},
		ReadBody: func(r *http.Request) error {
			_, err := s.readAll(r)
			return err
		},
		Client: func(r *http.Request) (string, bool) {
			c := s.clientOf(r)
			return c.key(), c.tls
		},
	})
	for _, route := range pages.Routes() {
		handler := s.placedBy(pages.Place)(route.Handler)
		if !route.Stream {
			handler = s.withDeadline(s.withRoom(handler))
		}
		handler = s.ofMember(pages.Place, handler)
		path := strings.TrimSuffix(route.Path, "{$}")
		s.api.Mux.Handle(route.Method+" "+route.Path, s.instrument(route.Method, path)(handler))
	}
}

// ofMember notes of whose team the reader of a page is.
func (s *Server) ofMember(place func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if team := place(r); team != "" && team != actors.SignInPlace {
			stateOf(r.Context()).knownAs(s, watchpost.TeamID(team))
		}
		next.ServeHTTP(w, r)
	})
}

// pageElsewhere reports whether the owner of the team answers a page, or is asked
// next: a form of sign-in goes on to it with the accepted value.
func (s *Server) pageElsewhere(r *http.Request, err error) bool {
	if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/app/sign-in") {
		return s.formElsewhere(r, []byte(r.PostForm.Encode()), err) == errForwarded //nolint:errorlint // it is never wrapped
	}
	return s.movedAway(stateOf(r.Context()), err)
}
