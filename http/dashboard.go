package httpapi

import (
	"context"
	"net/http"
	"strings"

	"watchpost"
	"watchpost/http/dashboard"
	"watchpost/internal/interpret"
)

// dashboardRoutes adds the pages of the dashboard. They are no part of the API
// and of its document.
func (s *Server) dashboardRoutes() {
	pages := dashboard.New(dashboard.Options{
		Registry: s.registry, Clock: s.clock, Writable: s.writable, Fault: s.fault,
		ReadPosts: readPostsRequest,
		Interpret: func(ctx context.Context, t watchpost.WatchlistType, prompt string) (interpret.Result, error) {
			if err := checkPrompt(prompt); err != nil {
				return interpret.Result{}, err
			}
			return s.interpret(ctx, t, prompt, false)
		},
		Client: func(r *http.Request) (string, bool) {
			c := s.clientOf(r)
			return c.key(), c.tls
		},
	})
	for _, route := range pages.Routes() {
		handler := s.withDeadline(route.Handler)
		path := strings.TrimSuffix(route.Path, "{$}")
		s.api.Mux.Handle(route.Method+" "+route.Path, s.instrument(route.Method, path)(handler))
	}
}
