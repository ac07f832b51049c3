package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	textInvalidOnce      = "Invalid 'Idempotency-Key'"
	textOtherRequest     = "Idempotency-Key was used with a different request"
	maxIdempotencyKey    = 255
)

// once is what a request with an Idempotency-Key needs on its way: the team
// keeps the reply that it gets, and answers a repetition with it.
type once struct {
	s          *Server
	keys       []string // as given
	name, hash string
	reply      any // of the first request; nil when this is it
}

// idempotent lets a creating route be repeated without creating again. It is
// put behind the route's operation; the route creates with create.
func (s *Server) idempotent() func(*fuego.BaseRoute) {
	return func(r *fuego.BaseRoute) {
		r.Middlewares = append(r.Middlewares, s.withIdempotency)
		key := openapi3.NewStringSchema().WithMinLength(1).WithMaxLength(maxIdempotencyKey)
		r.Operation.AddParameter(openapi3.NewHeaderParameter(headerIdempotencyKey).WithSchema(key).
			WithDescription("Makes it safe to repeat the request within 24 hours: it is carried out once and answered alike."))
		withError(http.StatusBadRequest, textInvalidOnce)(r)
		withError(http.StatusConflict, textOtherRequest)(r)
	}
}

// withIdempotency notes the key that a request carries. It is looked at when
// the body has been read.
func (s *Server) withIdempotency(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if keys := r.Header.Values(headerIdempotencyKey); len(keys) > 0 {
			stateOf(r.Context()).once = &once{s: s, keys: keys}
		}
		next.ServeHTTP(w, r)
	})
}

// look asks whether the request was made before, once its body is known.
func (o *once) look(r *http.Request, body []byte) error {
	if o == nil || o.name != "" {
		return nil
	}
	if len(o.keys) != 1 || !validIdempotencyKey(o.keys[0]) {
		return watchpost.Errorf(watchpost.Invalid, textInvalidOnce)
	}
	hash, err := canonicalHash(body)
	if err != nil {
		return err
	}
	o.hash, o.name = hash, r.Method+" "+r.URL.Path+" "+o.keys[0]
	return o.ask(r.Context())
}

// ask asks whether the request was made before.
func (o *once) ask(ctx context.Context) error {
	if o == nil || o.name == "" {
		return nil
	}
	reply, kept, err := actors.KeptReply[any](ctx, o.s.registry, teamOf(ctx), o.key())
	if kept {
		o.reply = reply
	}
	return err
}

func (o *once) key() actors.IdempotencyKey { return actors.IdempotencyKey{Name: o.name, Hash: o.hash} }

// known reports whether the request was made before, as far as was asked.
func (o *once) known() bool { return o != nil && o.reply != nil }

func validIdempotencyKey(s string) bool {
	if s == "" || len(s) > maxIdempotencyKey {
		return false
	}
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// canonicalHash is the same for bodies that say the same, however they are
// written.
func canonicalHash(body []byte) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return "", watchpost.WrapError(watchpost.Invalid, textInvalidJSON, err)
	}
	canonical, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(canonical)
	return hex.EncodeToString(hash[:]), nil
}

// create asks the team to create something, unless this request did so before:
// then the reply is that of the first.
func create[R any](ctx context.Context, s *Server, request actors.Request[R]) (R, error) {
	x := stateOf(ctx)
	if x.once == nil || x.once.name == "" {
		return actors.Ask(ctx, s.registry, teamOf(ctx), request)
	}
	reply, replayed, err := actors.AskOnce(ctx, s.registry, teamOf(ctx), x.once.key(), request)
	if replayed {
		x.Header().Set("Idempotent-Replayed", "true")
	}
	return reply, err
}
