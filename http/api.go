package httpapi

// API is the resources of the API, a type each.
func addAPI(s *shared, prompts *Prompts) {
	for _, resource := range []interface{ routes() }{
		SignIns{s}, team{s}, watchlists{s, prompts}, posts{s}, bookmarks{s}, rules{s}, notifications{s},
		journal{s}, engagements{s}, interactions{s}, tasks{s},
	} {
		resource.routes()
	}
}

// The resources. What the team knows, they ask the actors.
type (
	// SignIns are the ways from an address to a key, or to the token of a session.
	SignIns       struct{ *shared }
	team          struct{ *shared }
	posts         struct{ *shared }
	bookmarks     struct{ *shared }
	rules         struct{ *shared }
	notifications struct{ *shared }
	journal       struct{ *shared }
	engagements   struct{ *shared }
	interactions  struct{ *shared }
	tasks         struct{ *shared }
)

// watchlists are all four kinds.
type watchlists struct {
	*shared
	prompts *Prompts
}

func (s watchlists) routes() {
	s.keywordRoutes()
	s.forumRoutes()
	s.promptRoutes()
	s.peopleRoutes()
	s.companyRoutes()
}
