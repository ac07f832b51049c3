package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestEveryKindHasAStatus(t *testing.T) {
	t.Parallel()
	for kind := watchpost.Internal; kind <= watchpost.PlanLimit; kind++ {
		require.NotZero(t, statuses[kind], kind)
	}
}

// What becomes of an error on its way to a client.
func TestErrorsForClients(t *testing.T) {
	t.Parallel()
	secret := errors.New("open /var/secret: disk on fire")
	invalid := watchpost.Errorf(watchpost.Invalid, "Invalid 'x'")
	for _, c := range []struct {
		err    error
		path   string
		status int
		text   string
	}{
		{secret, "/api-posts", 500, "Internal server error"},
		{watchpost.WrapError(watchpost.Internal, "leaked text", secret), "/api-posts", 500, "Internal server error"},
		{Failed(TextFailedPosts, secret), "/api-posts", 500, "Failed to fetch posts"},
		{Failed(TextFailedPosts, watchpost.WrapError(watchpost.Internal, "x", secret)), "/api-posts", 500, "Failed to fetch posts"},
		{Failed(TextFailedPosts, invalid), "/api-posts", 400, "Invalid 'x'"},
		{Failed(TextFailedPosts, watchpost.WrapError(watchpost.Unavailable, "x", context.Canceled)), "/api-posts", 500, "Temporarily unavailable, retry later"},
		{Failed(TextFailedPosts, context.DeadlineExceeded), "/api-posts", 500, "Temporarily unavailable, retry later"},
		{context.DeadlineExceeded, "/api-posts", 500, "Temporarily unavailable, retry later"},
		{fmt.Errorf("ask: %w", context.Canceled), "/api-posts", 500, "Temporarily unavailable, retry later"},
		{watchpost.WrapError(watchpost.Unavailable, "other words", secret), "/api-posts", 500, "Temporarily unavailable, retry later"},
		{watchpost.Errorf(watchpost.Unavailable, "x"), "/admin/teams", 503, "Temporarily unavailable, retry later"},
		{watchpost.Errorf(watchpost.Unavailable, "x"), "/extension/poll", 503, "Temporarily unavailable, retry later"},
		{watchpost.Errorf(watchpost.Unavailable, "x"), "/readyz", 503, "Temporarily unavailable, retry later"},
		{fmt.Errorf("wrapped: %w", invalid), "/api-posts", 400, "Invalid 'x'"},
		{watchpost.WrapError(watchpost.NotFound, "Agent task not found", secret), "/x", 404, "Agent task not found"},
		{watchpost.Errorf(watchpost.PlanLimit, "Your plan"), "/x", 402, "Your plan"},
		{watchpost.Errorf(watchpost.Conflict, "c"), "/x", 409, "c"},
		{watchpost.Errorf(watchpost.Forbidden, "f"), "/x", 403, "f"},
		{watchpost.Errorf(watchpost.ExtensionRequired, "e"), "/x", 403, "e"},
		{watchpost.Errorf(watchpost.Unauthenticated, "u"), "/x", 401, "u"},
		{watchpost.Errorf(watchpost.TooLarge, "t"), "/x", 413, "t"},
	} {
		w := httptest.NewRecorder()
		x := &RequestState{ResponseWriter: w}
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r = r.WithContext(context.WithValue(r.Context(), stateKey{}, x))
		(&Server{Log: slog.New(slog.DiscardHandler)}).WriteError(r, c.err)
		require.Equal(t, c.status, w.Code, c.err)
		require.JSONEq(t, `{"error":"`+c.text+`"}`, w.Body.String())
		require.Equal(t, c.text == watchpost.TextUnavailable, w.Header().Get("Retry-After") != "")
	}
}
