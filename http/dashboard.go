package httpapi

import (
	"context"
	"net/http"
	"strings"

	"watchpost/actors"
	"watchpost/http/api"
	"watchpost/http/dashboard"
	"watchpost/http/endpoint"
	"watchpost/internal/pictures"
	"watchpost/watchpost"
)

// dashboardRoutes adds the pages of the dashboard. They are no part of the API
// and of its document.
func (s *Server) dashboardRoutes(o Options, prompts *api.Prompts) {
	endpoints, signIns := s.endpoints, api.SignIns{Server: s.endpoints}
	pages := dashboard.New(dashboard.Options{
		Registry: o.Registry, Clock: o.Clock, Log: o.Log, Writable: o.Writable, Fault: endpoints.Fault,
		SignIn: signIns.WithCode, CheckOTP: signIns.CheckCode, SignInProven: signIns.Proven, Closing: s.gateway.Closing(), Accepted: endpoint.Accepted, Elsewhere: s.pageElsewhere,
		Provider: o.Provider, Domains: o.ProviderDomains, ReadPosts: api.ReadPosts, PostColumns: api.PostColumns, Try: s.tryCall,
		Interpret: prompts.Read, Draft: prompts.Drafter(), Extensions: endpoints.Extensions(),
		Picture: o.picture(), ReadBody: func(r *http.Request) error {
			_, err := endpoints.ReadAll(r)
			return err
		},
		Client: func(r *http.Request) (string, bool) {
			c := endpoints.ClientOf(r)
			return c.Key(), c.TLS
		},
	})
	for _, route := range pages.Routes() {
		handler := endpoints.PlacedBy(pages.Place)(route.Handler)
		if !route.Stream {
			handler = endpoints.WithRoom(handler)
		}
		if !route.Stream && !route.Export {
			handler = endpoints.WithDeadline(handler)
		}
		handler = s.ofMember(pages.Place, handler)
		endpoints.API.Page(route.Method, route.Path, handler)
	}
}

// ofMember notes of whose team the reader of a page is.
func (s *Server) ofMember(place func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if team := place(r); team != "" && team != actors.SignInPlace {
			endpoint.StateOf(r.Context()).KnownAs(s.endpoints, watchpost.TeamID(team))
		}
		next.ServeHTTP(w, r)
	})
}

// pageElsewhere reports whether the owner of the team answers a page, or is asked
// next: a form of sign-in goes on to it with the accepted value.
func (s *Server) pageElsewhere(r *http.Request, err error) bool {
	if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/app/sign-in") {
		return s.endpoints.FormElsewhere(r, []byte(r.PostForm.Encode()), err) == endpoint.ErrForwarded //nolint:errorlint // it is never wrapped
	}
	return s.endpoints.MovedAway(endpoint.StateOf(r.Context()), err)
}

// picture returns the function that fetches images, or nil without a fetcher.
func (o *Options) picture() func(context.Context, string) (*pictures.Picture, error) {
	if o.Pictures == nil {
		return nil
	}
	return o.Pictures.Get
}
