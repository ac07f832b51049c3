package interpret

import "encoding/json"

// The reasons of refusals, in the order in which they are checked. The first
// that applies is reported.
const (
	BareProfileLink = "bare_profile_link"
	BareURL         = "bare_url"
	Placeholder     = "placeholder"
	TooShort        = "too_short"
	Gibberish       = "gibberish"
	OwnEngagement   = "own_engagement"
	NoSubject       = "no_subject"
	InferredSlots   = "inferred_slots"
)

// Reasons lists the reasons in the order of checking.
var Reasons = []string{
	BareProfileLink, BareURL, Placeholder, TooShort, Gibberish, OwnEngagement, NoSubject, InferredSlots,
}

// The codes of the two errors.
const (
	CodeRefused     = "prompt_not_specific_enough"
	CodeUnavailable = "interpretation_unavailable"
)

// Refused means that a prompt does not say enough for a watchlist
// (specification: 422). Its JSON is the body of the reply.
type Refused struct { //nolint:errname // a word of the specification
	Reason string
	// Missing names the slots that the prompt should state.
	Missing []string
	// Detected holds the content that was recognized.
	Detected map[string]any
	// Example is a similar prompt that would be accepted.
	Example string
	// Question, if not empty, is a question to the author of the prompt.
	Question string
}

// Error returns the code and the reason.
func (r *Refused) Error() string { return CodeRefused + ": " + r.Reason }

// MarshalJSON writes the body of the reply.
func (r *Refused) MarshalJSON() ([]byte, error) {
	detected := r.Detected
	if detected == nil {
		detected = map[string]any{}
	}
	return json.Marshal(struct {
		Error    string         `json:"error"`
		Reason   string         `json:"reason"`
		Missing  []string       `json:"missing"`
		Detected map[string]any `json:"detected"`
		Example  string         `json:"example"`
		Question string         `json:"question,omitempty"`
	}{CodeRefused, r.Reason, list(r.Missing), detected, r.Example, r.Question})
}

// Unavailable means that no interpreter could answer in strict mode
// (specification: 503). Its JSON is the body of the reply and does not contain
// the cause.
type Unavailable struct { //nolint:errname // a word of the specification
	Err error
}

// UnavailableMessage is the message of the reply.
const UnavailableMessage = "The prompt could not be interpreted right now. Nothing was created; try again later or send it without strict."

// Error returns the code and the cause.
func (u *Unavailable) Error() string {
	if u.Err == nil {
		return CodeUnavailable
	}
	return CodeUnavailable + ": " + u.Err.Error()
}

// Unwrap returns the cause.
func (u *Unavailable) Unwrap() error { return u.Err }

// MarshalJSON writes the body of the reply.
func (u *Unavailable) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{CodeUnavailable, UnavailableMessage})
}
