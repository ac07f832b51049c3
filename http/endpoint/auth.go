package endpoint

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/go-fuego/fuego"

	"watchpost/actors/cache"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// middleware wraps a route's handler.
type middleware = func(http.Handler) http.Handler

// WithDeadline bounds the work for a request of anyone.
func (s *Server) WithDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		StateOf(r.Context()).ctx.bound(s.Timing.Request)
		next.ServeHTTP(w, r)
	})
}

// withKey lets a request pass that carries a key of a team with one of the scopes, and puts the
// team and the key into the RequestState. It bounds the work too.
func (s *Server) withKey(scopes []watchpost.Scope) middleware {
	return func(next http.Handler) http.Handler {
		atOwner := s.noteKeyUse(next)
		next = s.readingFirst(s.WithRoom(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.serveAtOwner(w, r, string(TeamOf(r.Context())), atOwner)
		})))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := StateOf(r.Context())
			var ctx context.Context = &x.ctx
			if Streams(r) { // its work has no bound, but this has
				bounded, cancel := context.WithTimeout(ctx, s.Timing.Request)
				defer cancel()
				ctx = bounded
			} else {
				x.ctx.bound(timeFor(s, r))
			}
			x.ctx.within(s.leaseFor(r))
			of, err := s.holderOf(ctx, r, scopes...)
			x.ctx.alone()
			if err != nil {
				s.WriteError(r, err)
				return
			}
			x.KnownAs(s, of.Team)
			x.Key = of.Key
			next.ServeHTTP(w, r)
		})
	}
}

// KeyOf returns the key that a request carries: x-api-key, otherwise the bearer token; ""
// when there is none.
func KeyOf(r *http.Request) string { return cmp.Or(r.Header.Get("X-Api-Key"), Bearer(r)) }

// holderOf returns whose key a request carries (Unauthenticated; Forbidden when the key
// may not be used from there, or has none of the scopes; without one it needs none). This
// node refuses no caller by its cached state of a key: another node may have changed the
// key.
func (s *Server) holderOf(ctx context.Context, r *http.Request, scopes ...watchpost.Scope) (cache.Holder, error) {
	of, err := holderBy(ctx, s, s.Registry.HolderOf, r, scopes)
	if kind := watchpost.KindOf(err); of.Key != nil && (kind == watchpost.Forbidden || kind == watchpost.Unauthenticated) {
		of, err = holderBy(ctx, s, s.Registry.HolderNow, r, scopes)
	}
	return of, err
}

// holderBy is holderOf with a way to look the key up.
func holderBy(ctx context.Context, s *Server, lookUp func(context.Context, string) (cache.Holder, error), r *http.Request, scopes []watchpost.Scope) (of cache.Holder, err error) {
	key := KeyOf(r)
	if key == "" {
		return of, watchpost.Errorf(watchpost.Unauthenticated, textMissingKey)
	}
	of, err = lookUp(ctx, key)
	if err != nil && watchpost.KindOf(err) == watchpost.Unauthenticated {
		err = watchpost.Errorf(watchpost.Unauthenticated, textInvalidKey)
	}
	if err == nil && of.Key != nil {
		if err = of.Key.AllowsFrom(s.ClientOf(r).Addr); err == nil && len(scopes) > 0 {
			err = of.Key.Allows(scopes...)
		}
	}
	return of, err
}

// Allows reports whether the key of a request has one of the scopes. The team's key has
// every one.
func Allows(ctx context.Context, scopes []watchpost.Scope) bool {
	return StateOf(ctx).Key.Allows(scopes...) == nil
}

// withKeyHere is withKey for a request that this node serves, no matter which node owns
// the team, and that may wait long: it has no deadline, and a place of a separate kind.
func withKeyHere(s *Server, next http.Handler) http.Handler {
	next = s.readingFirst(s.withRoomIn(s.room.waits, next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := StateOf(r.Context())
		x.ctx.within(s.leaseFor(r))
		of, err := s.holderOf(&x.ctx, r)
		x.ctx.alone()
		if err != nil {
			s.WriteError(r, err)
			return
		}
		x.KnownAs(s, of.Team)
		x.Key = of.Key
		next.ServeHTTP(w, r)
	})
}

// noteKeyUse notes who uses the key, at the node that serves the team. What a request
// changes is audited as done by the key, unless a member tries the call.
func (s *Server) noteKeyUse(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Writable() == nil {
			x := StateOf(r.Context())
			s.Registry.NoteKeyUse(x.Team, x.Key, KeyOf(r), func() string { return s.ClientOf(r).Key() })
		}
		if _, known := root.OriginOf(r.Context()); !known && r.Method != http.MethodGet {
			from := watchpost.Origin{Key: true, Client: s.ClientOf(r).Key()}
			if key := StateOf(r.Context()).Key; key != nil {
				from.KeyID, from.Name = key.ID, key.Name
			}
			r = r.WithContext(root.WithOrigin(r.Context(), from))
		}
		next.ServeHTTP(w, r)
	})
}

// withExtension lets a team pass that has an active extension. It comes after
// withKey.
func (s *Server) withExtension(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if err := s.Registry.RequireExtension(ctx, TeamOf(ctx)); err != nil {
			s.WriteError(r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireWritable refuses a request that changes something while nothing can be stored.
func (s *Server) requireWritable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.Writable(); err != nil {
			s.WriteError(r, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Guard is an option that refuses the requests that a check refuses, before their
// body is read.
func (s *Server) Guard(check func(*http.Request) error) fuego.RouteOption {
	return fuego.OptionMiddleware(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := check(r); err != nil {
				s.WriteError(r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
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

// find returns the name of the operator with a token. It compares all of them, so
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
func (s *Server) withAdmin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, found := s.admin.find(Bearer(r))
		if !found {
			s.WriteError(r, watchpost.Errorf(watchpost.Unauthenticated, TextUnauthorized))
			return
		}
		x := StateOf(r.Context())
		x.KnownAs(s, "")
		_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(RealNow().Add(operatorTime)) // else that of the server counts
		next.ServeHTTP(w, r.WithContext(root.WithOrigin(r.Context(), watchpost.Origin{Operator: true, Name: name, Client: s.ClientOf(r).Key()})))
	})
}

// withToken notes of whose team a session is. The route checks the token.
func (s *Server) withToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := StateOf(r.Context())
		x.ctx.within(s.leaseFor(r))
		team, err := s.Registry.TeamOfToken(&x.ctx, Bearer(r))
		x.ctx.alone()
		if err == nil {
			x.KnownAs(s, team)
		}
		next.ServeHTTP(w, r)
	})
}

// FromClient returns the context of a request whose sender is known by its address
// only.
func (s *Server) FromClient(r *http.Request) context.Context {
	return root.WithOrigin(r.Context(), watchpost.Origin{Client: s.ClientOf(r).Key()})
}

// Bearer returns the token of an Authorization header; "" when there is none.
func Bearer(r *http.Request) string {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
