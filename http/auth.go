package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/watchpost"
)

// middleware wraps a route's handler.
type middleware = func(http.Handler) http.Handler

// withDeadline bounds the work for a request of anyone.
func (s *shared) withDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stateOf(r.Context()).ctx.bound(s.timing.Request)
		next.ServeHTTP(w, r)
	})
}

// withKey lets a request pass that carries the key of a team, and puts the
// team into the requestState. It bounds the work too.
func (s *shared) withKey(next http.Handler) http.Handler {
	atOwner := s.noteKeyUse(next)
	next = s.readingFirst(s.withRoom(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serveAtOwner(w, r, string(teamOf(r.Context())), atOwner)
	})))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := stateOf(r.Context())
		x.ctx.bound(s.timing.Request)
		x.ctx.within(s.leaseFor(r))
		team, err := s.teamOfKey(&x.ctx, r.Header.Get("X-Api-Key"))
		x.ctx.alone()
		if err != nil {
			s.writeError(r, err)
			return
		}
		x.knownAs(s, team)
		next.ServeHTTP(w, r)
	})
}

// noteKeyUse notes who uses the key, at the node that serves the team. What a request
// changes is audited as done by the key, unless a member tries the call.
func (s *shared) noteKeyUse(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.writable() == nil {
			s.registry.NoteKeyUse(teamOf(r.Context()), r.Header.Get("X-Api-Key"), func() string { return s.clientOf(r).key() })
		}
		if _, known := actors.OriginOf(r.Context()); !known && r.Method != http.MethodGet {
			r = r.WithContext(actors.WithOrigin(r.Context(), watchpost.Origin{Key: true, Client: s.clientOf(r).key()}))
		}
		next.ServeHTTP(w, r)
	})
}

func (s *shared) teamOfKey(ctx context.Context, key string) (watchpost.TeamID, error) {
	if key == "" {
		return "", watchpost.Errorf(watchpost.Unauthenticated, textMissingKey)
	}
	team, err := s.registry.TeamOfKey(ctx, key)
	if err != nil && watchpost.KindOf(err) == watchpost.Unauthenticated {
		return "", watchpost.Errorf(watchpost.Unauthenticated, textInvalidKey)
	}
	return team, err
}

// withExtension lets a team pass that has an active extension. It comes after
// withKey.
func (s *shared) withExtension(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if err := s.registry.RequireExtension(ctx, teamOf(ctx)); err != nil {
			s.writeError(r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireWritable refuses a request that changes something while nothing can be stored.
func (s *shared) requireWritable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.writable(); err != nil {
			s.writeError(r, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// guard is an option that refuses the requests that a check refuses, before their
// body is read.
func (s *shared) guard(check func(*http.Request) error) fuego.RouteOption {
	return fuego.OptionMiddleware(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := check(r); err != nil {
				s.writeError(r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
}

// bearerToken is a secret of the configuration, kept as its hash so that
// comparing takes the same time whatever is compared.
type bearerToken struct {
	set  bool
	hash [sha256.Size]byte
}

func newBearerToken(secret string) bearerToken {
	return bearerToken{set: secret != "", hash: sha256.Sum256([]byte(secret))}
}

func (t bearerToken) matches(secret string) bool {
	hash := sha256.Sum256([]byte(secret))
	return t.set && subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1
}

// operatorTime bounds a request of the operator: a backup or an export of much data,
// over a slow line. Setting a test clock forward by months takes some minutes.
const operatorTime = 15 * time.Minute

// Operator is someone who may use the admin API. The tokens are random and long, so
// that a plain hash protects them.
type Operator struct {
	Name string // in the audit; "": that of the token which is not someone's own
	Hash [sha256.Size]byte
}

// adminTokens are those of all operators.
type adminTokens []Operator

func newAdminTokens(one string, named []Operator) adminTokens {
	if one == "" {
		return named
	}
	return append(adminTokens{{Hash: sha256.Sum256([]byte(one))}}, named...)
}

// find returns the name of the operator who has a token. It compares all of them, so
// that the time does not tell whose it is.
func (t adminTokens) find(token string) (name string, found bool) {
	hash := sha256.Sum256([]byte(token))
	for _, o := range t {
		if subtle.ConstantTimeCompare(hash[:], o.Hash[:]) == 1 {
			name, found = o.Name, true
		}
	}
	return name, found
}

// withAdmin lets operators pass.
func (s *shared) withAdmin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, found := s.admin.find(bearer(r))
		if !found {
			s.writeError(r, watchpost.Errorf(watchpost.Unauthenticated, textUnauthorized))
			return
		}
		x := stateOf(r.Context())
		x.knownAs(s, "")
		_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(realNow().Add(operatorTime)) // else that of the server counts
		next.ServeHTTP(w, r.WithContext(actors.WithOrigin(r.Context(), watchpost.Origin{Operator: true, Name: name, Client: s.clientOf(r).key()})))
	})
}

// withToken notes of whose team a session is. The route checks the token.
func (s *shared) withToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := stateOf(r.Context())
		x.ctx.within(s.leaseFor(r))
		team, err := s.registry.TeamOfToken(&x.ctx, bearer(r))
		x.ctx.alone()
		if err == nil {
			x.knownAs(s, team)
		}
		next.ServeHTTP(w, r)
	})
}

// fromClient returns the context of a request whose sender is known by its address
// only.
func (s *shared) fromClient(r *http.Request) context.Context {
	return actors.WithOrigin(r.Context(), watchpost.Origin{Client: s.clientOf(r).key()})
}

// bearer returns the token of an Authorization header; "" when there is none.
func bearer(r *http.Request) string {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
