package httpapi

import (
	"net/http"
	"net/http/pprof"
	runtime "runtime/pprof"

	"github.com/go-fuego/fuego"

	"watchpost/watchpost"
)

func (s serviceAdmin) profileRoutes() {
	s.ops.get("/admin/profile/{name}", s.profile,
		s.operation(operators, "profile", "A profile of the process, for go tool pprof", tagAdmin), fuego.OptionHide())
}

// profile returns a profile of the process: cpu and trace run for the seconds of the
// query, the others are as of now. Profiles name functions and hold no data.
func (s serviceAdmin) profile(w http.ResponseWriter, r *http.Request) {
	switch name := r.PathValue("name"); {
	case name == "cpu":
		pprof.Profile(w, r)
	case name == "trace":
		pprof.Trace(w, r)
	case runtime.Lookup(name) != nil:
		pprof.Handler(name).ServeHTTP(w, r)
	default:
		s.writeError(r, watchpost.Errorf(watchpost.NotFound, textNotFound))
	}
}
