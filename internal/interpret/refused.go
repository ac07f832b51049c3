package interpret

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

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

// Refused means that a prompt does not say enough for a watchlist
// (api.md#prompt-mode). Its JSON is the body of the reply.
type Refused struct { //nolint:errname // a word of the API
	Code   string `json:"error"`
	Reason string `json:"reason"`
	// Missing names the slots that the prompt should state.
	Missing []string `json:"missing"`
	// Detected holds the content that was recognized.
	Detected map[string]any `json:"detected"`
	// Example is a similar prompt that would be accepted.
	Example string `json:"example"`
	// Question, if not empty, is a question to the author of the prompt.
	Question string `json:"question,omitempty"`
}

// Error returns the code and the reason.
func (r *Refused) Error() string { return r.Code + ": " + r.Reason }

// refuse returns a refusal that misses a subject.
func refuse(reason, name string, detected any, example, question string) *Refused {
	if s, ok := detected.([]string); ok {
		detected = list(s)
	}
	return &Refused{"prompt_not_specific_enough", reason, []string{SlotSubject}, map[string]any{name: detected}, example, question}
}

// Unavailable means that no interpreter could answer in strict mode
// (api.md#prompt-mode). Its JSON is the body of the reply and does not contain
// the cause.
type Unavailable struct { //nolint:errname // a word of the API
	Err error
}

// Error returns the code and the cause.
func (u *Unavailable) Error() string { return fmt.Sprint("interpretation_unavailable: ", u.Err) }

// Unwrap returns the cause.
func (u *Unavailable) Unwrap() error { return u.Err }

// MarshalJSON writes the body of the reply.
func (u *Unavailable) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{
		"error":   "interpretation_unavailable",
		"message": "The prompt could not be interpreted right now. Nothing was created; try again later or send it without strict.",
	})
}

// CheckInferred returns the refusal of a result with inferred slots, for a
// caller in strict mode, or nil.
func CheckInferred(r Result, prompt string) *Refused {
	missing := r.Inferred()
	if len(missing) == 0 {
		return nil
	}
	question := "Strict mode accepts only what the prompt states; " + enumerate(missing, "and") + " had to be inferred. Is the interpretation what you meant?"
	switch missing[0] {
	case SlotExclusions:
		question = "Strict mode accepts only stated words. Which words exactly should the posts not have?"
	case SlotKeywords:
		question = "Strict mode accepts only stated words. Which words exactly should the posts have?"
	}
	without := ""
	if x := r.Keywords[0].Excluded; len(x) > 0 {
		without = x[0]
	}
	refused := refuse(InferredSlots, "interpretation", r.Interpretation(), exampleOf(read(Prompt{Text: prompt}), r.Keywords[0].Keyword, without), question)
	refused.Missing = missing
	return refused
}

func refuseShort(prompt string) *Refused {
	w := read(Prompt{Text: prompt})
	words, chars := size(prompt)
	r := refuse(TooShort, "words", words, exampleOf(w, "", ""), fmt.Sprintf("The prompt is too short: it needs %d words and %d characters. Who should the posts be from, where, and what should be left out? A few words can be sent as keywords instead.", minWords, minChars))
	r.Missing = []string{}
	for name, value := range detect(w) {
		r.Detected[name] = value
	}
	if r.Detected["characters"] = chars; r.Detected[SlotSubject] == nil {
		r.Missing = append(r.Missing, SlotSubject)
	}
	if words < minWords {
		r.Missing = append(r.Missing, "words")
	}
	if chars < minChars {
		r.Missing = append(r.Missing, "characters")
	}
	return r
}

// RefuseSubject returns the refusal of a prompt in which an interpreter finds
// no subject, with an optional question.
func RefuseSubject(prompt Prompt, question string) *Refused {
	w := read(prompt)
	if question = printable(question, maxObjective); !hasWord(question) {
		question = "The prompt names no subject. What should the posts be about? Name a product, company or topic."
		if !w.known {
			question = "Which words should the posts have? Put them in quotes, or write names with a capital."
		}
	}
	r := refuse(NoSubject, "", nil, exampleOf(w, "", ""), question)
	r.Detected = detect(w)
	return r
}

// exampleChars bounds the part of a prompt that an example repeats.
const exampleChars = 60

// exampleOf writes a prompt about a subject, by default that of the wish, in the
// language of the wish. The example is never refused, even in strict mode: its
// subject is in quotes.
func exampleOf(w wish, subject, without string) string {
	v := w.vocab
	if v == nil || !w.known || v.example == "" {
		v = loaded().languages["en"]
	}
	if subject == "" && w.vocab != nil {
		if subject = build(w).Subject; subject == "" {
			subject = w.longest
		}
		subject, _, _ = strings.Cut(subject, ",")
	}
	where := "Germany"
	if len(w.places) > 0 {
		where = w.places[0].name
	}
	if without = quotable(without); without == "" {
		without = "webinar"
	}
	for _, s := range []string{quotable(subject), "Kubernetes security"} {
		if s == "" || occurs(without, s) || occurs(s, without) {
			continue
		}
		e := fmt.Sprintf(v.example, s, where, without)
		if reason, _ := fault(e); reason != "" {
			continue
		}
		if r, err := Vet(build(read(Prompt{Text: e})), e); err == nil && len(r.Inferred()) == 0 {
			return e
		}
	}
	return `Posts about "Kubernetes security" in Germany, without "webinar"`
}

// quotable returns text in a form that can be quoted in an example, or "".
func quotable(s string) string {
	s = foldSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"“”„«»[]{}<>", r) {
			return -1
		}
		return r
	}, s))
	if utf8.RuneCountInString(s) > exampleChars || !hasWord(s) {
		return ""
	}
	return s
}

// detect returns the content of a prompt, slot by slot.
func detect(w wish) map[string]any {
	out := map[string]any{}
	b := &builder{wish: w, guessed: map[string]bool{}}
	b.collect()
	b.exclude()
	if s := b.subject(); s != "" {
		out[SlotSubject] = s
	}
	var where []string
	for _, p := range w.places {
		where = append(where, p.name)
	}
	for name, values := range map[string][]string{SlotLocation: where, SlotRole: b.who(), SlotExclusions: b.excludes} {
		if len(values) > 0 {
			out[name] = values
		}
	}
	if w.language != "" {
		out[SlotLanguage] = w.language
	}
	if !slices.Contains([]string{"", "en"}, w.vocab.language) {
		out["prompt_language"] = w.vocab.language
	}
	return out
}
