package interpret

import (
	"slices"
	"strings"

	"watchpost"
)

// signals: the words by which posts show what their writers are up to.

// askedFor are nouns at the end of what is looked for that say what kind of
// post it is: looking for CRM recommendations.
var askedFor = map[string]string{
	"recommendations": "asking for recommendations", "recommendation": "asking for recommendations", "suggestions": "asking for recommendations",
	"advice": "asking for advice", "tips": "asking for advice", "help": "asking for help",
}

func intentionNamed(name string) *intention {
	for i := range intentions {
		if intentions[i].name == name {
			return &intentions[i]
		}
	}
	return nil
}

// signalsOf returns the signals of an item's intention: those that the prompt
// says itself, or else all, which are then guessed.
func signalsOf(it item) (signals []string, guessed bool) {
	switch it.with {
	case nil:
		return nil, false
	case opened: // a job is where somebody is hiring
		return opened.signals, false
	}
	for _, s := range it.with.signals {
		if saysForm(it.said, s) {
			signals = append(signals, s)
		}
	}
	if len(signals) > 0 {
		return signals, false
	}
	return it.with.signals, true
}

// saysForm reports whether a phrase has every word of s in some form.
func saysForm(phrase, s string) bool {
	for w := range strings.FieldsSeq(s) {
		stem := watchpost.Stem("en", w)
		if !slices.ContainsFunc(strings.Fields(phrase), func(v string) bool { return watchpost.Stem("en", v) == stem }) {
			return false
		}
	}
	return true
}
