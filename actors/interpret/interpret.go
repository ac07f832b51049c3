// Package interpret turns a prompt, a wish in plain words, into what a
// keyword or forum watchlist is made of (decisions: Prompt mode).
//
// The package is pure: no clock, no I/O, the same prompt gives the same answer
// for ever. A language model can be asked in its stead (package provider), but
// only behind Fallback: what Check refuses never reaches it, and when it fails
// the rules here serve. Each idea has a file of its own:
//
//   - token.go: words, quoted phrases, hashtags, links
//   - marker.go, parse.go, steer.go, setting.go: which words say what is looked
//     for, left out, demanded, where, in which language, by whom, what for
//   - list.go: what stands once in a list and is meant of all of it
//   - topic.go, variant.go, signal.go: one thing that is looked for as keywords
//   - build.go, exclude.go, slot.go: entries, excluded words, slots
//   - check.go, link.go, placeholder.go, gibberish.go, engagement.go: refusals
//   - example.go: the example that every refusal carries
//   - vet.go: the bounds that every result keeps, whoever made it
//   - table_*.go: the words that the rules know
package interpret

import (
	"context"
	"errors"

	"watchpost"
)

// MaxPrompt bounds how much of a prompt is read, in characters.
const MaxPrompt = 4000

// Result is what a prompt asks for. Its keywords and labels are clean: they
// pass watchpost.CleanKeywords and watchpost.CleanLabels unchanged.
type Result struct {
	Subject   string
	Keywords  []watchpost.KeywordEntry
	Labels    []watchpost.Label
	Objective string
	// Slots tells of each thing that the prompt settles, in the order of
	// SlotNames, whether it was said or guessed.
	Slots []Slot
}

// Slot is one thing that a prompt settles.
type Slot struct {
	Name   string
	Values []string
	Source Source
}

// Source says where a slot's values come from.
type Source string

// The sources. Another spelling, number or name of the same thing is no guess.
const (
	Stated   Source = "stated"
	Inferred Source = "inferred"
)

// The names of slots.
const (
	SlotSubject    = "subject"
	SlotKeywords   = "keywords"
	SlotRequired   = "required"
	SlotExclusions = "exclusions"
	SlotLocation   = "location"
	SlotRole       = "role"
	SlotSeniority  = "seniority"
	SlotLanguage   = "language"
	SlotLabels     = "labels"
	SlotObjective  = "objective"
)

// SlotNames lists the names of slots in the order in which they are shown.
var SlotNames = []string{
	SlotSubject, SlotKeywords, SlotRequired, SlotExclusions, SlotLocation,
	SlotRole, SlotSeniority, SlotLanguage, SlotLabels, SlotObjective,
}

// Inferred returns the names of the slots that were guessed.
func (r Result) Inferred() []string {
	names := []string{}
	for _, s := range r.Slots {
		if s.Source == Inferred {
			names = append(names, s.Name)
		}
	}
	return names
}

// Interpretation returns the result as a refusal shows it
// (detected.interpretation).
func (r Result) Interpretation() map[string]any {
	keywords := make([]map[string]any, len(r.Keywords))
	for i, k := range r.Keywords {
		keywords[i] = map[string]any{
			"keyword": k.Keyword, "required_keywords": list(k.Required), "exclude_keywords": list(k.Excluded),
			"include_all_required": !k.AnyRequired,
		}
	}
	slots := make([]map[string]any, len(r.Slots))
	for i, s := range r.Slots {
		slots[i] = map[string]any{"slot": s.Name, "values": list(s.Values), "source": string(s.Source)}
	}
	labels := r.Labels
	if labels == nil {
		labels = []watchpost.Label{}
	}
	return map[string]any{
		"subject": r.Subject, "keywords": keywords, "labels": labels, "objective": r.Objective, "slots": slots,
	}
}

// list makes of no strings an empty list, which is shown as [].
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Interpreter turns a prompt into a Result. It fails with a Refused when the
// prompt does not say enough; any other error means that it could not do its
// work. Implementations may be used by several goroutines.
type Interpreter interface {
	Interpret(ctx context.Context, prompt string) (Result, error)
}

// Fallback asks a provider, if there is one, and serves offline when that
// fails. It refuses first what Check refuses. The zero value is the offline
// interpreter.
type Fallback struct {
	// Provider is asked first; nil: nobody is.
	Provider Interpreter
	// Failed is told of every failure of the provider; nil: nobody is.
	Failed func(error)
}

// Interpret implements Interpreter.
func (f Fallback) Interpret(ctx context.Context, prompt string) (Result, error) {
	if refused := Check(prompt); refused != nil {
		return Result{}, refused
	}
	r, err := f.ask(ctx, prompt)
	var refused *Refused
	switch {
	case err == nil:
		return r, nil
	case errors.As(err, &refused):
		return Result{}, refused
	}
	return Offline{}.Interpret(ctx, prompt)
}

// Strict is Interpret for a caller who wants nothing guessed: a failing
// provider is Unavailable, and a result with inferred slots is Refused.
func (f Fallback) Strict(ctx context.Context, prompt string) (Result, error) {
	if refused := Check(prompt); refused != nil {
		return Result{}, refused
	}
	r, err := f.ask(ctx, prompt)
	var refused *Refused
	switch {
	case errors.As(err, &refused):
		return Result{}, refused
	case err != nil:
		return Result{}, &Unavailable{Err: err}
	}
	if refused := CheckInferred(r); refused != nil {
		return Result{}, refused
	}
	return r, nil
}

func (f Fallback) ask(ctx context.Context, prompt string) (Result, error) {
	if f.Provider == nil {
		return Offline{}.Interpret(ctx, prompt)
	}
	r, err := f.Provider.Interpret(ctx, prompt)
	var refused *Refused
	if err != nil && f.Failed != nil && !errors.As(err, &refused) {
		f.Failed(err)
	}
	return r, err
}
