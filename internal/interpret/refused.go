package interpret

import "encoding/json"

// The reasons for which a prompt is refused, in the order in which they are
// looked for: the first that applies is given.
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

// Reasons lists the reasons in that order.
var Reasons = []string{
	BareProfileLink, BareURL, Placeholder, TooShort, Gibberish, OwnEngagement, NoSubject, InferredSlots,
}

// The codes of the two errors.
const (
	CodeRefused     = "prompt_not_specific_enough"
	CodeUnavailable = "interpretation_unavailable"
)

// Refused means that a prompt does not say enough to look for anything
// (specification: 422). As JSON it is the body of the reply.
type Refused struct { //nolint:errname // a word of the specification
	Reason string
	// Missing names what the prompt should say and does not.
	Missing []string
	// Detected holds what the prompt does say.
	Detected map[string]any
	// Example is a prompt near to this one that would not be refused.
	Example string
	// Question, if not empty, is what to ask who wrote the prompt.
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

// Unavailable means that nobody could be asked what a strict prompt means
// (specification: 503). As JSON it is the body of the reply, which does not
// show the cause.
type Unavailable struct { //nolint:errname // likewise
	Err error
}

// UnavailableMessage is the text beside the code.
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
