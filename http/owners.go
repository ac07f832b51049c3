package httpapi

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
	MovedAway(x *requestState, err error) bool
	// FormElsewhere forwards a sign-in whose team is on another node, with the word that
	// its proof was accepted; other errors are returned as they are.
	FormElsewhere(r *http.Request, body []byte, err error) error
}

// serveAtOwner has a request served where its name belongs.
func (s *shared) serveAtOwner(w http.ResponseWriter, r *http.Request, name string, next http.Handler) {
	if s.owners == nil {
		next.ServeHTTP(w, r)
		return
	}
	s.owners.ServeAtOwner(w, r, name, next)
}

// leaseFor returns the lease with which this node's work for a request ends; nil without
// one.
func (s *shared) leaseFor(r *http.Request) context.Context {
	if s.owners == nil {
		return nil
	}
	return s.owners.LeaseFor(r)
}

// movedAway reports whether another node answers a request in place of the error.
func (s *shared) movedAway(x *requestState, err error) bool {
	return s.owners != nil && s.owners.MovedAway(x, err)
}

// formElsewhere is signInElsewhere for an encoded body.
func (s *shared) formElsewhere(r *http.Request, body []byte, err error) error {
	if s.owners == nil {
		return err
	}
	return s.owners.FormElsewhere(r, body, err)
}

// placedBy wraps a handler of requests that are served where their name belongs;
// name returns "" for a request that any node can serve. A peer has chosen the
// place: a sign-in goes to the node of sign-in, and from there to that of the team.
func (s *shared) placedBy(name func(*http.Request) string) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.owners != nil && peerOf(r.Context()) == nil {
				if place := name(r); place != "" {
					s.owners.ServeAtOwner(w, r, place, next)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// placed is placedBy as an option of a route.
func (s *shared) placed(name func(*http.Request) string) fuego.RouteOption {
	return fuego.OptionMiddleware(s.placedBy(name))
}

// Names of requests that carry no key.
func placeOfSignIn(*http.Request) string { return actors.SignInPlace }

// placeOfNewTeam spreads new teams: each is created under an id that its node
// serves.
func (s *shared) placeOfNewTeam(*http.Request) string { return watchpost.NewID(s.clock.Now()) }

func placeOfTeamInPath(r *http.Request) string {
	team, err := teamInPath(r)
	if err != nil {
		return "" // the handler says so
	}
	return string(team)
}

// placeOfSession is the team of a session's token, which withToken has noted.
func placeOfSession(r *http.Request) string { return string(teamOf(r.Context())) }

// signInElsewhere forwards a sign-in whose team is on another node, with the word
// that its code was accepted; other errors are returned as they are.
func (s *shared) signInElsewhere(r *http.Request, request any, err error) error {
	if err == nil {
		return nil
	}
	body, failure := json.Marshal(request)
	if failure != nil {
		return failure
	}
	return s.formElsewhere(r, body, err)
}

// teamInPath reads the team's id from the path.
func teamInPath(r *http.Request) (watchpost.TeamID, error) {
	id := r.PathValue("id")
	if !watchpost.ValidID(id) {
		return "", watchpost.Errorf(watchpost.NotFound, textTeamNotFound)
	}
	return watchpost.TeamID(id), nil
}
