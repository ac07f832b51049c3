package endpoint

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
	TextNotFound         = "Not found"
	textMethodNotAllowed = "Method not allowed"
	textInvalidJSON      = "Invalid JSON body"
	TextTooLarge         = "Request body too large"
	textMissingKey       = "Missing API Key"
	textInvalidKey       = "Invalid API Key"
	TextUnauthorized     = "Unauthorized"
	TextFailedPosts      = "Failed to fetch posts"
)

// retryAfter is what Retry-After says, in seconds.
const retryAfter = "1"

// errorBody is the body of every error but the two of prompts.
type errorBody struct {
	Error string `json:"error" example:"Invalid API Key"`
}

// ReplyError is an error whose reply says more than a text.
type ReplyError struct {
	Status int
	Body   any
	Cause  error
}

// Error implements error.
func (e *ReplyError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *ReplyError) Unwrap() error { return e.Cause }

// failure is a fault of ours that a resource has its own words for.
type failure struct {
	text  string
	cause error
}

// Error implements error.
func (f *failure) Error() string { return f.text + ": " + f.cause.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }

// Failed gives a fault of ours, as a failed read of the store is one, the words
// that a resource has for it. Other errors, and the end of the request, are
// returned as they are.
func Failed(text string, err error) error {
	ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	switch watchpost.KindOf(err) {
	case watchpost.Internal, watchpost.Unavailable:
		if !ended {
			return &failure{text, err}
		}
	}
	return err
}

// ErrRefused refuses connections that would take too much; who refuses logs them.
var ErrRefused = errors.New("connection refused")

// UnreadyError is why nothing can be stored or served; the reply of /readyz shows it as
// its reason.
type UnreadyError struct{ Cause error }

// Error implements error.
func (n *UnreadyError) Error() string { return n.Cause.Error() }

// Unwrap returns the cause.
func (n *UnreadyError) Unwrap() error { return n.Cause }

// unreadyBody is the body of a /readyz that fails.
type unreadyBody struct {
	Error  string `json:"error" example:"Temporarily unavailable, retry later"`
	Reason string `json:"reason" example:"disk nearly full: 12 MiB are free, less than the 256 MiB of --min-free-disk"`
}

// WriteError answers a request with an error.
func (s *Server) WriteError(r *http.Request, err error) {
	x := StateOf(r.Context())
	if err == ErrForwarded || s.MovedAway(x, err) { //nolint:errorlint // it is never wrapped
		return
	}
	var own *ReplyError
	if errors.As(err, &own) {
		x.writeBody(own.Status, own.Body)
		return
	}
	status, text, _ := s.Fault(r, err)
	var n *UnreadyError
	if errors.As(err, &n) {
		x.writeBody(status, unreadyBody{text, n.Error()})
		return
	}
	x.WriteError(status, text)
}

// Fault returns the status and the text of an error, and the id of the request.
// It logs an error that is the service's.
func (s *Server) Fault(r *http.Request, err error) (status int, text, request string) {
	x := StateOf(r.Context())
	err = Classified(err)
	kind := watchpost.KindOf(err)
	status, text = statuses[kind], clientText(kind, err)
	switch kind {
	case watchpost.Internal:
		s.Log.Error("request failed", "request", x.ID, "path", r.URL.Path, "error", err)
	case watchpost.Unavailable:
		x.Header().Set("Retry-After", retryAfter)
		if speaks503(r.URL.Path) {
			status = http.StatusServiceUnavailable
		}
		left := r.Context().Err() != nil && errors.Is(err, context.Canceled)
		if !left && !errors.Is(err, ErrRefused) && !errors.Is(err, errOverload) {
			s.Log.Warn("request not served", "request", x.ID, "path", r.URL.Path, "error", err)
		}
	}
	return status, text, x.ID
}

// WriteError writes a reply that says a text.
func (x *RequestState) WriteError(status int, text string) {
	x.writeBody(status, errorBody{text})
}

func (x *RequestState) writeBody(status int, reply any) {
	body, err := json.Marshal(reply)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	x.WriteJSON(status, body)
}

// Classified makes the end of a request's context a passing fault.
func Classified(err error) error {
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
func (x *RequestState) writeRefusal() {
	status, text := http.StatusNotFound, TextNotFound
	if x.status == http.StatusMethodNotAllowed {
		status, text = http.StatusMethodNotAllowed, textMethodNotAllowed
	}
	x.Header().Del("Location") // of a redirect to the tidied path
	x.status = 0
	x.WriteError(status, text)
}
