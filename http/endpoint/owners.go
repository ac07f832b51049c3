package endpoint

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/watchpost"
)

// Owners has requests served at the nodes of a cluster that own their teams.
type Owners interface {
	// ServeAtOwner has a request served where its name belongs: by next, or by another
	// node.
	ServeAtOwner(w http.ResponseWriter, r *http.Request, name string, next http.Handler)
	// LeaseFor returns the lease with which this node's work for a request ends; nil for
	// a request that another node has forwarded.
	LeaseFor(r *http.Request) context.Context
	// MovedAway reports whether a request met a name that has just moved to another
	// node, and was not processed: it is asked there.
	MovedAway(x *RequestState, err error) bool
	// FormElsewhere forwards a sign-in whose team is on another node, with the word that
	// its proof was accepted; other errors are returned as they are.
	FormElsewhere(r *http.Request, body []byte, err error) error
}

// serveAtOwner has a request served where its name belongs.
func (s *Server) serveAtOwner(w http.ResponseWriter, r *http.Request, name string, next http.Handler) {
	if s.Owners == nil {
		next.ServeHTTP(w, r)
		return
	}
	s.Owners.ServeAtOwner(w, r, name, next)
}

// leaseFor returns the lease with which this node's work for a request ends; nil without
// one.
func (s *Server) leaseFor(r *http.Request) context.Context {
	if s.Owners == nil {
		return nil
	}
	return s.Owners.LeaseFor(r)
}

// MovedAway reports whether another node answers a request in place of the error.
func (s *Server) MovedAway(x *RequestState, err error) bool {
	return s.Owners != nil && s.Owners.MovedAway(x, err)
}

// FormElsewhere is SignInElsewhere for an encoded body.
func (s *Server) FormElsewhere(r *http.Request, body []byte, err error) error {
	if s.Owners == nil {
		return err
	}
	return s.Owners.FormElsewhere(r, body, err)
}

// PlacedBy wraps a handler of requests that are served where their name belongs;
// name returns "" for a request that any node can serve. A peer has chosen the
// place: a sign-in goes to the node of sign-in, and from there to that of the team.
func (s *Server) PlacedBy(name func(*http.Request) string) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.Owners != nil && PeerOf(r.Context()) == nil {
				if place := name(r); place != "" {
					s.Owners.ServeAtOwner(w, r, place, next)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Placed is PlacedBy as an option of a route.
func (s *Server) Placed(name func(*http.Request) string) fuego.RouteOption {
	return fuego.OptionMiddleware(s.PlacedBy(name))
}

// PlaceOfSignIn is the name of requests that sign in, which carry no key.
func PlaceOfSignIn(*http.Request) string { return actors.SignInPlace }

// PlaceOfNewTeam spreads new teams: each is created under an id that its node
// serves.
func PlaceOfNewTeam(clock watchpost.Clock) func(*http.Request) string {
	return func(*http.Request) string { return watchpost.NewID(clock.Now()) }
}

// placeOfTeamInPath is the name of a request of an operator for a team.
func placeOfTeamInPath(r *http.Request) string {
	team, err := TeamInPath(r)
	if err != nil {
		return "" // the handler says so
	}
	return string(team)
}

// PlaceOfSession is the team of a session's token, which withToken has noted.
func PlaceOfSession(r *http.Request) string { return string(TeamOf(r.Context())) }

// SignInElsewhere forwards a sign-in whose team is on another node, with the word
// that its code was accepted; other errors are returned as they are.
func (s *Server) SignInElsewhere(r *http.Request, request any, err error) error {
	if err == nil {
		return nil
	}
	body, failure := json.Marshal(request)
	if failure != nil {
		return failure
	}
	return s.FormElsewhere(r, body, err)
}

// TeamInPath reads the team's id from the path.
func TeamInPath(r *http.Request) (watchpost.TeamID, error) {
	id := r.PathValue("id")
	if !watchpost.ValidID(id) {
		return "", watchpost.Errorf(watchpost.NotFound, TextTeamNotFound)
	}
	return watchpost.TeamID(id), nil
}
