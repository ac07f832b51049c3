package endpoint

import (
	"context"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// HeaderIdempotencyKey makes a creation safe to repeat.
const HeaderIdempotencyKey = "Idempotency-Key"

const (
	textInvalidOnce   = "Invalid 'Idempotency-Key'"
	textOtherRequest  = "Idempotency-Key was used with a different request"
	maxIdempotencyKey = 255
)

// HandleCreate adds a route that creates, whose body is a B. A request with an
// Idempotency-Key is carried out once and answered alike afterwards. send asks
// the team through SendOnce; show makes the reply from the team's answer.
func HandleCreate[B, M, T any](to *Routes, path string, send func(context.Context, *actors.IdempotencyKey, B) (M, error), show func(B, M) T, options ...fuego.RouteOption) {
	var none B
	Handle(to, http.MethodPost, path, func(r *http.Request) (reply T, err error) {
		raw, err := to.server.ReadAll(r)
		if err != nil {
			return reply, err
		}
		o, err := parseObject(raw)
		if err != nil {
			return reply, err
		}
		key, err := idempotencyKey(r, raw)
		if err != nil {
			return reply, err
		}
		body, err := decode[B](o)
		if err != nil {
			return reply, refusal[M](r.Context(), to.server.Registry, key, err)
		}
		made, err := send(r.Context(), key, body)
		if err != nil {
			return reply, err
		}
		return show(body, made), nil
	}, append(options, withRequest(none), withIdempotencyKey())...)
}

// withIdempotencyKey documents the header and its errors.
func withIdempotencyKey() fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		key := openapi3.NewStringSchema().WithMinLength(1).WithMaxLength(maxIdempotencyKey)
		r.Operation.AddParameter(openapi3.NewHeaderParameter(HeaderIdempotencyKey).WithSchema(key).
			WithDescription("Makes it safe to repeat the request within 24 hours: it is carried out once and answered alike."))
		WithError(http.StatusBadRequest, textInvalidOnce)(r)
		WithError(http.StatusConflict, textOtherRequest)(r)
	}
}

// idempotencyKey returns what identifies a request that may be repeated; nil
// for a request without the header.
func idempotencyKey(r *http.Request, body []byte) (*actors.IdempotencyKey, error) {
	given := r.Header.Values(HeaderIdempotencyKey)
	if len(given) == 0 {
		return nil, nil
	}
	if len(given) != 1 || !validIdempotencyKey(given[0]) {
		return nil, watchpost.Errorf(watchpost.Invalid, textInvalidOnce)
	}
	return &actors.IdempotencyKey{Name: r.Method + " " + r.URL.Path + " " + given[0], Hash: canonicalHash(body)}, nil
}

// refusal returns the error of a request with an invalid body. The conflict of
// a key that was used with another body comes first (api.md#order-of-checks).
func refusal[M any](ctx context.Context, registry *actors.Registry, key *actors.IdempotencyKey, invalid error) error {
	if _, _, err := KeptReply[M](ctx, registry, key); err != nil {
		return err
	}
	return invalid
}

// KeptReply returns the team's answer to a request that was made before, and
// whether there was one. A request that is valid and cheap to prepare needs only
// SendOnce.
func KeptReply[M any](ctx context.Context, registry *actors.Registry, key *actors.IdempotencyKey) (reply M, kept bool, err error) {
	if key == nil {
		return reply, false, nil
	}
	reply, kept, err = actors.KeptReply[M](ctx, registry, TeamOf(ctx), *key)
	markReplayed(ctx, kept)
	return reply, kept, err
}

// SendOnce asks the team to create something. The same message asks whether the
// request was made before.
func SendOnce[M any](ctx context.Context, registry *actors.Registry, key *actors.IdempotencyKey, request root.Request[M]) (M, error) {
	if key == nil {
		return actors.Ask(ctx, registry, TeamOf(ctx), request)
	}
	reply, kept, err := actors.AskOnce(ctx, registry, TeamOf(ctx), *key, request)
	markReplayed(ctx, kept)
	return reply, err
}

func markReplayed(ctx context.Context, kept bool) {
	if kept {
		StateOf(ctx).Header().Set("Idempotent-Replayed", "true")
	}
}

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
