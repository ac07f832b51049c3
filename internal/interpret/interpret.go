// Package interpret turns a prompt, a wish in plain words, into what a
// keyword or forum watchlist is made of (decisions: Prompt mode).
//
// The rules are pure: no clock, no I/O, the same prompt always gives the same
// answer. They read nine languages. Structure comes first (sentences, lists,
// boolean expressions, what is left out), then closed classes of words; a table
// of frequencies tells topical words from generic ones in each language.
//
//   - token.go: words, quoted phrases, hashtags, links
//   - vocabulary.go, *.txt: the classes, intents, places and frequencies
//   - read.go, boolean.go, frequency.go: a prompt taken apart (wish)
//   - build.go, forms.go, slot.go: a wish made into entries, labels and slots
//   - vet.go: the rules that every result keeps, whoever made it
//   - check.go, link.go, placeholder.go, gibberish.go, engagement.go,
//     example.go, refused.go: refusals
//
// A language model can be asked instead (package provider), behind Fallback:
// what Check refuses does not reach it, its answers pass Vet, and when it fails
// the rules serve.
package interpret

import (
	"context"
	"errors"
	"fmt"

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
	// Hours is the stated time between scans; 0 when none is stated.
	Hours int
	// Interpreter is who interpreted: "rules" or the name of a model.
	Interpreter string
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
	Interpret(ctx context.Context, prompt Prompt) (Result, error)
}

// Prompt is what a caller asks for. Forum prompts name communities, which are
// not looked for in posts.
type Prompt struct {
	Text  string
	Forum bool
}

// ByRules is the name of the interpreter of this package.
const ByRules = "rules"

// Rules is the interpreter of this package.
type Rules struct{}

// Interpret implements Interpreter.
func (Rules) Interpret(_ context.Context, prompt Prompt) (Result, error) {
	if refused := Check(prompt.Text); refused != nil {
		return Result{}, refused
	}
	w := read(prompt)
	r := build(w)
	r.Interpreter = ByRules
	if len(r.Keywords) > 0 {
		var err error
		if r, err = Vet(r, prompt.Text); err == nil {
			return r, nil
		}
	}
	return Result{}, refuseSubject(w)
}

// Fallback asks a provider, if there is one, and lets the rules serve when
// that fails. What Check refuses is refused without asking. The zero value is
// the rules alone.
type Fallback struct {
	// Provider is asked first; nil: no one is.
	Provider Interpreter
	// Failed is called with every failure of the provider, if not nil.
	Failed func(error)
}

// Interpret implements Interpreter.
func (f Fallback) Interpret(ctx context.Context, prompt Prompt) (Result, error) {
	r, err := f.ask(ctx, prompt)
	var refused *Refused
	if err == nil || errors.As(err, &refused) {
		return r, err
	}
	return Rules{}.Interpret(ctx, prompt)
}

// Strict is Interpret for a caller who wants nothing guessed: a failing
// provider is Unavailable, and a result with inferred slots is Refused.
func (f Fallback) Strict(ctx context.Context, prompt Prompt) (Result, error) {
	r, err := f.ask(ctx, prompt)
	var refused *Refused
	switch {
	case errors.As(err, &refused):
		return Result{}, err
	case err != nil:
		return Result{}, &Unavailable{Err: err}
	}
	if refused := CheckInferred(r, prompt.Text); refused != nil {
		return Result{}, refused
	}
	return r, nil
}

func (f Fallback) ask(ctx context.Context, prompt Prompt) (Result, error) {
	if f.Provider == nil {
		return Rules{}.Interpret(ctx, prompt)
	}
	if refused := Check(prompt.Text); refused != nil {
		return Result{}, refused
	}
	r, err := f.Provider.Interpret(ctx, prompt)
	if err == nil {
		if r, err = Vet(r, prompt.Text); err != nil {
			err = fmt.Errorf("interpreter: the answer is out of bounds: %w", err)
		}
	}
	var refused *Refused
	if err != nil && f.Failed != nil && !errors.As(err, &refused) {
		f.Failed(err)
	}
	return r, err
}
