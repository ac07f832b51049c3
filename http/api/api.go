// Package api has the resources of the API, a file each: their paths, the bodies that they
// take, and the replies that they show. A resource decodes, asks the actors and encodes;
// package endpoint has what all of them share, and the rules are elsewhere.
package api

import (
	"watchpost/http/endpoint"
)

// Add adds all resources to the routes of the API.
func Add(s *endpoint.Server, prompts *Prompts) {
	for _, resource := range []interface{ routes() }{
		SignIns{s}, team{s}, watchlists{s, prompts}, posts{s}, leads{s}, exports{s}, changes{s}, bookmarks{s}, rules{s}, notifications{s}, keys{s},
		journal{s}, engagements{s}, interactions{s}, tasks{s}, forecasts{s}, trends{s}, coverage{s},
	} {
		resource.routes()
	}
}

// The resources. What the team knows, they ask the actors.
type (
	// SignIns are the ways from an address to a key, or to the token of a session.
	SignIns       struct{ *endpoint.Server }
	team          struct{ *endpoint.Server }
	posts         struct{ *endpoint.Server }
	leads         struct{ *endpoint.Server }
	changes       struct{ *endpoint.Server }
	exports       struct{ *endpoint.Server }
	bookmarks     struct{ *endpoint.Server }
	rules         struct{ *endpoint.Server }
	notifications struct{ *endpoint.Server }
	keys          struct{ *endpoint.Server }
	journal       struct{ *endpoint.Server }
	engagements   struct{ *endpoint.Server }
	interactions  struct{ *endpoint.Server }
	tasks         struct{ *endpoint.Server }
	forecasts     struct{ *endpoint.Server }
	trends        struct{ *endpoint.Server }
	coverage      struct{ *endpoint.Server }
)

// watchlists are all four kinds.
type watchlists struct {
	*endpoint.Server
	prompts *Prompts
}

func (s watchlists) routes() {
	s.keywordRoutes()
	s.previewRoutes()
	s.forumRoutes()
	s.promptRoutes()
	s.peopleRoutes()
	s.companyRoutes()
}
