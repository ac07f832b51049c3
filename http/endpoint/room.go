package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"watchpost/actors/root"
	"watchpost/watchpost"
)

// Bounds of what requests hold at once. A team's request reads its body first, and then
// takes a place: a slow client keeps no other request out. Each team, and each client whose
// team is unknown, has a part of it, so that none can take the room of the others.
const (
	// maxRequests are places of API clients. At the bound the service answers the
	// accepted requests well before Timing.Request; more would only wait longer.
	maxRequests     = 1024
	maxTeamRequests = maxRequests / 4
	// Places of clients that have not said who they are. They keep them while their bodies
	// and replies are under way, so there are more of them.
	maxVisits       = 8192
	maxClientVisits = 128
	// Places of polls: a session has one, and a second one while the next takes over.
	maxPolls     = 64 << 10
	maxTeamPolls = 2 * watchpost.MaxSessions
	// Places of requests that follow changes; most of them wait.
	maxFollows     = 32 << 10
	maxTeamFollows = 2 * root.MaxFollowers
	// Places of requests that wait for something to happen. Like polls they do nothing
	// meanwhile.
	maxWaits     = maxPolls
	maxTeamWaits = maxTeamPolls
	// Places of exports, which are sent for as long as a client reads.
	maxExports     = 32
	maxTeamExports = 4
	// Bytes of bodies that have arrived, until their requests are done.
	maxBodies         = 64 << 20
	maxTeamBodies     = 4 * MaxBody
	maxStrangerBodies = 16 << 20
	maxClientBodies   = 64 * maxStrangerBody
)

// shedLogged is the least time between two lines about refused requests.
const shedLogged = 10 * time.Second

var errOverload = errors.New("too many requests under way")

// room is what requests hold at once.
type room struct {
	log *slog.Logger

	requests, polls, follows, waits, visits, bodies, strangers, exports *shares

	mu    sync.Mutex
	shed  int // since the last line of the log
	lines rate.Sometimes
}

func newRoom(log *slog.Logger) *room {
	return &room{
		log:       log,
		requests:  newShares(maxRequests, maxTeamRequests),
		polls:     newShares(maxPolls, maxTeamPolls),
		follows:   newShares(maxFollows, maxTeamFollows),
		waits:     newShares(maxWaits, maxTeamWaits),
		exports:   newShares(maxExports, maxTeamExports),
		visits:    newShares(maxVisits, maxClientVisits),
		bodies:    newShares(maxBodies, maxTeamBodies),
		strangers: newShares(maxStrangerBodies, maxClientBodies),
		lines:     rate.Sometimes{Interval: shedLogged},
	}
}

// shares bounds what all users of a resource hold together, and what each holds.
type shares struct {
	all, each int

	mu    sync.Mutex
	held  int
	users map[string]int
}

func newShares(all, each int) *shares {
	return &shares{all: all, each: each, users: map[string]int{}}
}

// take gives a user n more; false when fewer are left.
func (s *shares) take(user string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+n > s.all || s.users[user]+n > s.each {
		return false
	}
	s.held += n
	s.users[user] += n
	return true
}

func (s *shares) giveBack(user string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= n
	if s.users[user] -= n; s.users[user] == 0 {
		delete(s.users, user)
	}
}

// taken returns how much is held.
func (s *shares) taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// WithRoom refuses a request at once when too many of its team are under way, or of its
// client when its team is unknown.
func (s *Server) WithRoom(next http.Handler) http.Handler {
	requests, follows := s.withRoomIn(s.room.requests, next), s.withRoomIn(s.room.follows, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == ChangesPath {
			follows.ServeHTTP(w, r)
			return
		}
		requests.ServeHTTP(w, r)
	})
}

// withPollRoom is WithRoom for requests of sessions, which are held open. A socket
// authenticates later, and has a separate bound until then (maxUnauthenticated).
func (s *Server) withPollRoom(next http.Handler) http.Handler {
	polls := s.withRoomIn(s.room.polls, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == SocketPath {
			next.ServeHTTP(w, r)
			return
		}
		polls.ServeHTTP(w, r)
	})
}

func (s *Server) withRoomIn(teams *shares, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		share, user := teams, string(TeamOf(r.Context()))
		if user == "" {
			share, user = s.room.visits, s.ClientOf(r).Key()
		}
		if !share.take(user, 1) {
			s.WriteError(r, s.room.overload(user))
			return
		}
		x := StateOf(r.Context())
		held := &place{share, user}
		x.place = held
		if p := placeOf(r); p != nil {
			before := p.leave // of another share
			p.leave = func() { before(); held.leave() }
		} else {
			defer held.leave()
		}
		next.ServeHTTP(w, r)
	})
}

// place is the place of a request.
type place struct {
	share *shares
	user  string
}

// leave gives the place back.
func (p *place) leave() { p.share.giveBack(p.user, 1) }

// Wait moves a request, which has a place among the others, to the places of those that
// wait. It reports whether there is one; without, the request is answered at once.
func Wait(s *Server, x *RequestState) bool {
	if x.place.share == s.room.waits {
		return true
	}
	if x.place.share != s.room.requests || !s.room.waits.take(x.place.user, 1) {
		return false
	}
	x.place.leave()
	x.place.share = s.room.waits
	return true
}

// MaxWait bounds how long a request waits that asks for it.
const MaxWait = 25 * time.Second

// MayWait reports whether a request asks to wait for something to happen: its place is
// among those of waiting ones at the edge of a cluster, too.
func MayWait(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.RawQuery, "wait=")
}

// heldPlace is the place of a request over HTTP/2. Its server sends the rest of a reply
// after the handler, when the client lets it, and there is no bound on how many requests
// wait for that.
type heldPlace struct{ leave func() }

type placeKey struct{}

// placeOf returns the heldPlace of a request; nil when its handler keeps the place.
func placeOf(r *http.Request) *heldPlace {
	if r.ProtoMajor == 1 {
		return nil
	}
	p, _ := r.Context().Value(placeKey{}).(*heldPlace)
	return p
}

// keepingPlaces has requests keep their places until their replies were sent.
func keepingPlaces(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 {
			next.ServeHTTP(w, r)
			return
		}
		p := &heldPlace{leave: func() {}}
		defer func() { p.leave() }()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), placeKey{}, p)))
		_ = http.NewResponseController(w).Flush() // its error is that the client has gone
	})
}

// overload logs that a request is refused for want of room, and returns its error.
func (m *room) overload(user string) error {
	m.mu.Lock()
	m.shed++
	m.mu.Unlock()
	m.lines.Do(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.log.Warn("overload: requests refused", "of", user, "refused", m.shed)
		m.shed = 0
	})
	return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errOverload)
}
