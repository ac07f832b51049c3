package httpapi

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"watchpost"
)

// Bounds of the requests of API clients under way at once. At the bound the service
// answers what it has taken well before Timing.Request; more would only wait longer.
// A team has a part of it, so that none can take the room of the others.
const (
	maxRequests     = 1024
	maxTeamRequests = maxRequests / 4
)

// shedLogged is the least time between two lines about refused requests.
const shedLogged = 10 * time.Second

var errOverload = errors.New("too many requests under way")

// room counts the requests under way.
type room struct {
	mu    sync.Mutex
	all   int
	teams map[watchpost.TeamID]int
	shed  int // since the last line of the log
	lines rate.Sometimes
}

func newRoom() *room {
	return &room{teams: map[watchpost.TeamID]int{}, lines: rate.Sometimes{Interval: shedLogged}}
}

// enter takes a team's request in; false when there is no room.
func (r *room) enter(team watchpost.TeamID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all >= maxRequests || r.teams[team] >= maxTeamRequests {
		r.shed++
		return false
	}
	r.all++
	r.teams[team]++
	return true
}

func (r *room) leave(team watchpost.TeamID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all--
	if r.teams[team]--; r.teams[team] == 0 {
		delete(r.teams, team)
	}
}

// withRoom refuses a team's request at once when too many are under way.
func (s *Server) withRoom(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		team := teamOf(r.Context())
		if !s.room.enter(team) {
			s.room.lines.Do(func() {
				s.room.mu.Lock()
				defer s.room.mu.Unlock()
				s.log.Warn("overload: requests refused", "team", team, "refused", s.room.shed, "under_way", s.room.all)
				s.room.shed = 0
			})
			s.writeError(r, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errOverload))
			return
		}
		defer s.room.leave(team)
		next.ServeHTTP(w, r)
	})
}
