package watchpost

import (
	"errors"
	"fmt"
)

// Kind is the class of an error in the words of the table at api.md#errors. Only package http and its pages map a kind to a status code.
type Kind uint8

// The kinds, in about the order in which a request is checked.
const (
	// Internal is a fault of the service; its text never reaches a client.
	Internal Kind = iota
	// Unavailable is a temporary fault. Either nothing was decided or the
	// outcome is not known; the client may send the same request again.
	Unavailable
	// Unauthenticated means that the key or token is missing or unknown.
	Unauthenticated
	// ExtensionRequired means that no session was active within LivenessWindow.
	ExtensionRequired
	// TooLarge means that a request body exceeds its limit.
	TooLarge
	// Invalid means that a parameter is missing or malformed; the text names it.
	Invalid
	// NotFound means that the thing does not exist, or that its existence must
	// not be revealed.
	NotFound
	// Forbidden means that the thing belongs to another team.
	Forbidden
	// Conflict means that the current state does not allow the change, or no more of
	// them for now.
	Conflict
	// PlanLimit means that a quota of the plan, or a daily limit of the key, is reached;
	// the text names it.
	PlanLimit
	// InvitationCap means that the network accepts no more invitations this
	// week, or that the team has sent MaxInvitations today.
	InvitationCap
)

// Error is the only error type that crosses package borders. Text is the
// client's error text, as the API has promised it.
type Error struct {
	Kind Kind
	Text string
	// Err is the cause. It is logged and never sent to clients.
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

// Errorf returns an Error of the given kind with a text for the client.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// WrapError returns an Error with a text for the client and a hidden cause.
func WrapError(kind Kind, text string, cause error) *Error {
	return &Error{Kind: kind, Text: text, Err: cause}
}

// KindOf returns the kind of the first Error in err's chain, or Internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Error texts that several places share.
const (
	TextUnavailable       = "Temporarily unavailable, retry later"
	TextInternal          = "Internal server error"
	TextAccessDenied      = "Access denied: You don't have permission to access this resource"
	TextExtensionRequired = "Plugin installation required: Please install the browser extension on at least one team member's account to use the API. " +
		"The plugin must have been active within the last 48 hours."
	TextTaskNotFound      = "Agent task not found"
	TextBeingDone         = "The task is being done"
	TextWatchlistNotFound = "Watchlist not found"
	TextPostNotFound      = "Post not found"
	TextListNotFound      = "List not found"
)
