package watchpost

import (
	"errors"
	"fmt"
)

// Kind says what went wrong in the words of the specification's error table.
// The HTTP layer alone turns a kind into a status; rules, stores and actors
// never speak of status numbers.
type Kind uint8

// The kinds, in the order in which a request is checked.
const (
	// Internal is a fault of ours; its text never reaches a client.
	Internal Kind = iota
	// Unavailable is a passing fault: nothing was decided, or the caller was
	// not told what; the same request may be sent again.
	Unavailable
	// Unauthenticated means that the key or token is missing or unknown.
	Unauthenticated
	// ExtensionRequired means that no session was active within LivenessWindow.
	ExtensionRequired
	// TooLarge means that a request body exceeds its limit.
	TooLarge
	// Invalid means that a parameter is missing or malformed; the text names it.
	Invalid
	// NotFound means that the thing does not exist, or is not to be told of.
	NotFound
	// Forbidden means that the thing is another team's.
	Forbidden
	// Conflict means that the present state does not allow the change.
	Conflict
	// PlanLimit means that a quota of the plan is reached; the text names it.
	PlanLimit
	// InvitationCap means that the network lets no more invitations out this
	// week.
	InvitationCap
)

// Error is the one error type that crosses package borders. Text is written
// for the client, word for word as the specification wants it.
type Error struct {
	Kind Kind
	Text string
	// Err is the cause. It is logged and never shown.
	Err error
}

// Error returns the text for the client followed by the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Text
	}
	return e.Text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of the given kind with a text for the client.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// WrapError makes an Error with a text for the client and a hidden cause.
func WrapError(kind Kind, text string, cause error) *Error {
	return &Error{Kind: kind, Text: text, Err: cause}
}

// KindOf returns the kind of the first Error in err's chain; an error of
// another type is Internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Texts that more than one place answers with.
const (
	TextUnavailable       = "Temporarily unavailable, retry later"
	TextInternal          = "Internal server error"
	TextAccessDenied      = "Access denied: You don't have permission to access this resource"
	TextExtensionRequired = "Plugin installation required: Please install the browser extension on at least one team member's account to use the API. " +
		"The plugin must have been active within the last 48 hours."
	TextTaskNotFound      = "Agent task not found"
	TextWatchlistNotFound = "Watchlist not found"
	TextListNotFound      = "List not found"
)
