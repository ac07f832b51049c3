package interpret

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost"
)

// maxDescription bounds the description of a label that a prompt makes.
const maxDescription = 300

// Vet returns the result with its keywords and labels cleaned, or why it can
// be no result: whoever interprets a prompt is held to the same bounds, and
// every entry must be one that some post can match.
func Vet(r Result) (Result, error) {
	if err := errors.Join(vetText("subject", r.Subject, maxSubject), vetText("objective", r.Objective, maxObjective)); err != nil {
		return Result{}, err
	}
	if strings.TrimSpace(r.Subject) == "" {
		return Result{}, errors.New("no subject")
	}
	kept, results, err := watchpost.CleanKeywords(r.Keywords)
	if err != nil {
		return Result{}, err
	}
	if len(kept) != len(results) {
		return Result{}, errors.New("a keyword out of bounds")
	}
	for _, k := range kept {
		if err := vetEntry(k); err != nil {
			return Result{}, err
		}
	}
	r.Keywords = watchpost.DistinctRules(kept)
	if r.Labels, err = watchpost.CleanLabels(r.Labels); err != nil {
		return Result{}, err
	}
	for _, l := range r.Labels {
		if err := errors.Join(vetText("label", l.Name, watchpost.MaxLabel), vetText("description", l.Description, maxDescription)); err != nil {
			return Result{}, err
		}
	}
	return r, vetSlots(r.Slots)
}

func vetText(name, s string, most int) error {
	if utf8.RuneCountInString(s) > most || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Errorf("%s out of bounds", name)
	}
	return nil
}

// vetEntry refuses an entry that no post can match.
func vetEntry(k watchpost.KeywordEntry) error {
	for _, w := range slices.Concat([]string{k.Keyword}, k.Required, k.Excluded) {
		if err := vetText("keyword", w, watchpost.MaxKeyword); err != nil {
			return err
		}
	}
	text := k.Keyword + " \n " + strings.Join(k.Required, " \n ")
	if !watchpost.CompileKeyword(k).Match(watchpost.NewText(text)) {
		return errors.New("a keyword that nothing can match")
	}
	return nil
}

func vetSlots(slots []Slot) error {
	seen := make(map[string]bool)
	for _, s := range slots {
		switch {
		case !slices.Contains(SlotNames, s.Name), seen[s.Name]:
			return errors.New("an unknown or repeated slot")
		case s.Source != Stated && s.Source != Inferred:
			return errors.New("a slot of unknown source")
		case len(s.Values) > watchpost.MaxKeywords*watchpost.MaxConstraints:
			return errors.New("too many values")
		}
		seen[s.Name] = true
		for _, v := range s.Values {
			if err := vetText("value", v, maxObjective); err != nil {
				return err
			}
		}
	}
	if !seen[SlotSubject] || !seen[SlotKeywords] {
		return errors.New("a slot is missing")
	}
	return nil
}
