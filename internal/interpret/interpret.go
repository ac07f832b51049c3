// Package interpret converts a prompt, a request in natural language, to the
// fields of a keyword or forum watchlist (decisions: Prompt mode).
//
// The rules are pure: they use no clock and no I/O, and the same prompt always
// gives the same result. They support nine languages. They parse the structure
// first (sentences, lists, boolean expressions, exclusions), then closed classes
// of words. A table of frequencies separates topical words from generic ones in
// each language.
//
//   - token.go, link.go: words, quoted phrases, hashtags, links
//   - vocabulary.go, *.txt: the classes, intents, places and frequencies
//   - annotate.go, frequency.go: classes, names, places and times
//   - read.go, parse.go, boolean.go: parse a prompt into a wish
//   - topics.go, heads.go: the topics of a wish
//   - entries.go, forms.go, slot.go: entries, forms of words, labels and slots
//   - kinds.go: the kinds of post that a prompt asks for
//   - readback.go: which words of a prompt a result used
//   - selection.go: entries as groups of words, and short prompts as keywords
//   - vet.go: the rules for results of any interpreter
//   - check.go, refused.go: refusals
//
// A language model can replace the rules (package provider). Fallback calls it:
// prompts that Check refuses do not reach the model, its answers pass Vet, and the
// rules are used when it fails.
package interpret

import (
	"context"
	"errors"
	"fmt"

	"watchpost/watchpost"
)

// MaxPrompt bounds the part of a prompt that is read, in characters.
const MaxPrompt = 4000

// Result is an interpreted prompt. Its keywords and labels are clean:
// watchpost.CleanKeywords and watchpost.CleanLabels do not change them.
type Result struct {
	Subject   string
	Keywords  []watchpost.KeywordEntry
	Labels    []watchpost.Label
	Objective string
	// Hours is the stated time between scans; 0 if none is stated.
	Hours int
	// Kinds are the kinds of post that the prompt asks for. A prompt sets no condition over
	// the API, so it does not show them.
	Kinds []string
	// Interpreter is "rules" or the name of a model.
	Interpreter string
	// Slots says for each slot, in the order of SlotNames, whether its values
	// were stated or inferred.
	Slots []Slot
}

// Slot is one aspect of a watchlist that a prompt can state.
type Slot struct {
	Name   string
	Values []string
	Source Source
}

// Source is the origin of a slot's values.
type Source string

// The sources. Another spelling, number or name of the same thing counts as
// stated.
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

// SlotNames lists the names of slots in the order of the API.
var SlotNames = []string{
	SlotSubject, SlotKeywords, SlotRequired, SlotExclusions, SlotLocation,
	SlotRole, SlotSeniority, SlotLanguage, SlotLabels, SlotObjective,
}

// Inferred returns the names of the inferred slots.
func (r Result) Inferred() []string {
	names := []string{}
	for _, s := range r.Slots {
		if s.Source == Inferred {
			names = append(names, s.Name)
		}
	}
	return names
}

// Interpretation returns the result in the form of a refusal
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

// list returns an empty list for nil, so that JSON has [].
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Interpreter converts a Prompt to a Result. It returns a Refused if the prompt
// does not say enough; any other error means that the interpreter failed.
// Implementations are safe for concurrent use.
type Interpreter interface {
	Interpret(ctx context.Context, prompt Prompt) (Result, error)
}

// Prompt is a prompt and the kind of its watchlist. Forum prompts name
// communities, which posts do not mention.
type Prompt struct {
	Text  string
	Forum bool
}

// ByRules is the name of this package's interpreter.
const ByRules = "rules"

// Rules is this package's interpreter.
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
	return Result{}, RefuseSubject(prompt, "")
}

// Fallback calls a provider, if there is one, and uses the rules when it fails.
// Prompts that Check refuses do not reach the provider. The zero value uses
// only the rules.
type Fallback struct {
	// Provider is called first; nil means none.
	Provider Interpreter
	// Failed is called with each failure of the provider, if not nil.
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

// Strict is Interpret for strict mode: a failing provider is Unavailable, and a
// result with inferred slots is Refused.
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
