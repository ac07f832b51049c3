package admin

import (
	"net/http"
	"net/http/pprof"
	runtime "runtime/pprof"

	"github.com/go-fuego/fuego"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

func (s service) profileRoutes() {
	s.Ops.Get("/admin/profile/{name}", s.profile,
		s.Operation(endpoint.Operators, "profile", "A profile of the process, for go tool pprof", endpoint.TagAdmin), fuego.OptionHide())
}

// profile returns a profile of the process: cpu and trace run for the seconds of the
// query, the others are as of now. Profiles name functions and hold no data.
func (s service) profile(w http.ResponseWriter, r *http.Request) {
	switch name := r.PathValue("name"); {
	case name == "cpu":
		pprof.Profile(w, r)
	case name == "trace":
		pprof.Trace(w, r)
	case runtime.Lookup(name) != nil:
		pprof.Handler(name).ServeHTTP(w, r)
	default:
		s.WriteError(r, watchpost.Errorf(watchpost.NotFound, endpoint.TextNotFound))
	}
}
