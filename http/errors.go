package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"watchpost/watchpost"
)

// statuses is where a kind of error becomes a status of the API. The pages of the
// dashboard show a form again with the same status.
var statuses = map[watchpost.Kind]int{
	watchpost.Internal:          http.StatusInternalServerError,
	watchpost.Unavailable:       http.StatusInternalServerError,
	watchpost.Unauthenticated:   http.StatusUnauthorized,
	watchpost.ExtensionRequired: http.StatusForbidden,
	watchpost.TooLarge:          http.StatusRequestEntityTooLarge,
	watchpost.Invalid:           http.StatusBadRequest,
	watchpost.NotFound:          http.StatusNotFound,
	watchpost.Forbidden:         http.StatusForbidden,
	watchpost.Conflict:          http.StatusConflict,
	watchpost.PlanLimit:         http.StatusPaymentRequired,
	watchpost.InvitationCap:     http.StatusTooManyRequests,
}

// Texts that only the HTTP layer says.
const (
	textNotFound         = "Not found"
	textMethodNotAllowed = "Method not allowed"
	textInvalidJSON      = "Invalid JSON body"
	textTooLarge         = "Request body too large"
	textMissingKey       = "Missing API Key"
	textInvalidKey       = "Invalid API Key"
	textUnauthorized     = "Unauthorized"
	textFailedPosts      = "Failed to fetch posts"
)

// retryAfter is what Retry-After says, in seconds.
const retryAfter = "1"

// errorBody is the body of every error but the two of prompts.
type errorBody struct {
	Error string `json:"error" example:"Invalid API Key"`
}

// replyError is an error whose reply says more than a text.
type replyError struct {
	Status int
	Body   any
	Cause  error
}

// Error implements error.
func (e *replyError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *replyError) Unwrap() error { return e.Cause }

// failure is a fault of ours that a resource has its own words for.
type failure struct {
	text  string
	cause error
}

// Error implements error.
func (f *failure) Error() string { return f.text + ": " + f.cause.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }

// failed gives a fault of ours, as a failed read of the store is one, the words
// that a resource has for it. Other errors, and the end of the request, are
// returned as they are.
func failed(text string, err error) error {
	ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	switch watchpost.KindOf(err) {
	case watchpost.Internal, watchpost.Unavailable:
		if !ended {
			return &failure{text, err}
		}
	}
	return err
}

// errRefused refuses connections that would take too much; who refuses logs them.
var errRefused = errors.New("connection refused")

// unreadyError is why nothing can be stored or served; the reply of /readyz shows it as
// its reason.
type unreadyError struct{ Cause error }

// Error implements error.
func (n *unreadyError) Error() string { return n.Cause.Error() }

// Unwrap returns the cause.
func (n *unreadyError) Unwrap() error { return n.Cause }

// unreadyBody is the body of a /readyz that fails.
type unreadyBody struct {
	Error  string `json:"error" example:"Temporarily unavailable, retry later"`
	Reason string `json:"reason" example:"disk nearly full: 12 MiB are free, less than the 256 MiB of --min-free-disk"`
}

// writeError answers a request with an error.
func (s *shared) writeError(r *http.Request, err error) {
	x := stateOf(r.Context())
	if err == errForwarded || s.movedAway(x, err) { //nolint:errorlint // it is never wrapped
		return
	}
	var own *replyError
	if errors.As(err, &own) {
		x.writeBody(own.Status, own.Body)
		return
	}
	status, text, _ := s.fault(r, err)
	var n *unreadyError
	if errors.As(err, &n) {
		x.writeBody(status, unreadyBody{text, n.Error()})
		return
	}
	x.writeError(status, text)
}

// fault returns the status and the text of an error, and the id of the request.
// It logs an error that is the service's.
func (s *shared) fault(r *http.Request, err error) (status int, text, request string) {
	x := stateOf(r.Context())
	err = classified(err)
	kind := watchpost.KindOf(err)
	status, text = statuses[kind], clientText(kind, err)
	switch kind {
	case watchpost.Internal:
		s.log.Error("request failed", "request", x.id, "path", r.URL.Path, "error", err)
	case watchpost.Unavailable:
		x.Header().Set("Retry-After", retryAfter)
		if speaks503(r.URL.Path) {
			status = http.StatusServiceUnavailable
		}
		left := r.Context().Err() != nil && errors.Is(err, context.Canceled)
		if !left && !errors.Is(err, errRefused) && !errors.Is(err, errOverload) {
			s.log.Warn("request not served", "request", x.id, "path", r.URL.Path, "error", err)
		}
	}
	return status, text, x.id
}

func (x *requestState) writeError(status int, text string) {
	x.writeBody(status, errorBody{text})
}

func (x *requestState) writeBody(status int, reply any) {
	body, err := json.Marshal(reply)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	x.writeJSON(status, body)
}

// classified makes the end of a request's context a passing fault.
func classified(err error) error {
	var known *watchpost.Error
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return err
}

// clientText is what an error says to a client: nothing of our inner life.
func clientText(kind watchpost.Kind, err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.text
	}
	switch kind {
	case watchpost.Internal:
		return watchpost.TextInternal
	case watchpost.Unavailable:
		return watchpost.TextUnavailable
	}
	var known *watchpost.Error
	errors.As(err, &known)
	return known.Text
}

// speaks503 tells the paths that answer a passing fault with 503 from those
// that answer it with 500.
func speaks503(path string) bool {
	return path == "/readyz" || strings.HasPrefix(path, "/extension/") || strings.HasPrefix(path, "/admin/")
}

// writeRefusal answers for the mux: there is no such path, or not with that
// method. The mux has set Allow by then.
func (s *shared) writeRefusal(x *requestState, _ *http.Request) {
	status, text := http.StatusNotFound, textNotFound
	if x.status == http.StatusMethodNotAllowed {
		status, text = http.StatusMethodNotAllowed, textMethodNotAllowed
	}
	x.Header().Del("Location") // of a redirect to the tidied path
	x.status = 0
	x.writeError(status, text)
}
