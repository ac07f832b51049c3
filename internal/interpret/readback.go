package interpret

import (
	"slices"
	"strings"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// SlotFrequency is the slot of Parts for the time between scans. The API has it as a
// field for it.
const SlotFrequency = "frequency"

// Part is a piece of a prompt, with its use in a result. A piece that is neither used
// nor unused only connects others, or its use is not known.
type Part struct {
	Text string
	// Slot is the slot that the piece went into, or "".
	Slot string
	// Unused means that no slot has the piece.
	Unused bool
}

// Parts splits the part of a prompt that is read into pieces. Their texts together are
// that part. It finds a piece in the words of the result, so it is exact about results
// of the rules. A model may use words by their meaning, and an unsupported language has
// no word classes: there, no piece is called unused.
func Parts(prompt Prompt, r Result) []Part {
	w := read(prompt)
	b := readback{wish: w, result: r, certain: w.known && r.Interpreter == ByRules}
	for _, k := range r.Keywords {
		b.keywords = append(b.keywords, b.stems(k.Keyword)...)
		b.excluded = append(b.excluded, b.stems(strings.Join(k.Excluded, " "))...)
		b.required = append(b.required, b.stems(strings.Join(k.Required, " "))...)
	}
	for _, l := range r.Labels {
		b.labels = append(b.labels, b.stems(l.Name)...)
	}
	b.objective = b.stems(r.Objective)
	tokens := slices.Concat(w.tokens, b.times())
	slices.SortStableFunc(tokens, func(x, y token) int { return x.from - y.from })
	return b.parts(readable(prompt.Text), tokens)
}

// readback finds the tokens of a prompt in a result. Its lists are stems.
type readback struct {
	wish
	result                                          Result
	certain                                         bool // about what is not used
	keywords, required, excluded, labels, objective []string
}

// stems returns the stems of the words of a text.
func (b *readback) stems(s string) (out []string) {
	for word := range strings.FieldsFuncSeq(text.Normalize(s), func(r rune) bool { return strings.ContainsRune(" -‐‑–_", r) }) {
		out = append(out, b.stem(word))
	}
	return out
}

// times returns the tokens of time expressions, which annotated tokens lack.
func (b *readback) times() []token {
	var out []token
	for _, t := range b.source {
		covered := slices.ContainsFunc(b.tokens, func(u token) bool { return u.from <= t.from && t.from < u.to })
		if !covered && t.kind == word {
			out = append(out, t)
		}
	}
	return out
}

// parts joins neighbours with the same use.
func (b *readback) parts(s string, tokens []token) (out []Part) {
	at := 0
	add := func(to int, slot string, unused bool) {
		if to <= at {
			return
		}
		piece := Part{s[at:to], slot, unused}
		at = to
		if n := len(out); n > 0 && out[n-1].Slot == slot && out[n-1].Unused == unused {
			out[n-1].Text += piece.Text
		} else if n > 1 && strings.TrimSpace(out[n-1].Text) == "" && (slot != "" || unused) && out[n-2].Slot == slot && out[n-2].Unused == unused {
			out[n-2].Text += out[n-1].Text + piece.Text
			out = out[:n-1]
		} else {
			out = append(out, piece)
		}
	}
	for _, t := range tokens {
		slot, unused := b.use(t)
		if slot == "" && !unused {
			continue
		}
		add(t.from, "", false)
		add(t.to, slot, unused)
	}
	add(len(s), "", false)
	return out
}

// use returns the slot of a token, or whether it is not used.
func (b *readback) use(t token) (slot string, unused bool) {
	same := func(u token) bool { return u.from == t.from && u.to > 0 }
	connects := !t.content() || t.place == nil && t.intent == nil && !b.vocab.isName(t) &&
		t.is(stopWord|frameWord|aboutWord|structural|ofWord|placeWord|selfWord|meWord|aimWord)
	kind := b.kindOf(t)
	switch {
	case kind != "":
		if slices.Contains(b.result.Kinds, kind) {
			return SlotKind, false
		}
	case slices.ContainsFunc(b.timed, same):
		if b.result.Hours == b.hours {
			return SlotFrequency, false
		}
	case slices.ContainsFunc(b.wish.excluded, func(r run) bool { return slices.ContainsFunc(r, same) }):
		if slot = b.exclusion(t, same); slot == "" && connects {
			return "", false
		}
	case connects:
		return "", false
	default:
		slot = b.selecting(t)
		if slot == "" {
			slot = b.describing(t, same)
		}
	}
	return slot, slot == "" && b.certain
}

// exclusion returns SlotExclusions if a token of an excluded phrase is used: as it is,
// or as the words of ads.
func (b *readback) exclusion(t token, same func(token) bool) string {
	if b.among(t, b.excluded) {
		return SlotExclusions
	}
	for _, r := range b.wish.excluded {
		if slices.ContainsFunc(r, same) && b.anyOf(b.vocab.ads[norms(r)], b.excluded) {
			return SlotExclusions
		}
	}
	return ""
}

// selecting returns the slot of a token that chooses posts, or "".
func (b *readback) selecting(t token) string {
	switch {
	case t.place != nil:
		if b.anyOf(t.place.words, slices.Concat(b.keywords, b.required)) {
			return SlotLocation
		}
	case b.among(t, b.keywords):
		return SlotSubject
	case b.among(t, b.required), t.intent != nil && b.anyOf(b.vocab.signals[t.intent.name], b.required):
		return SlotRequired
	}
	return ""
}

// describing returns the slot of a token that describes the watchlist without choosing
// posts, or "".
func (b *readback) describing(t token, same func(token) bool) string {
	labelled := func(l watchpost.Label) bool { return t.intent != nil && l.Name == t.intent.label }
	switch {
	case b.among(t, b.labels), slices.ContainsFunc(b.result.Labels, labelled):
		return SlotLabels
	case b.language != "" && lookup("languages", t.norm) == b.language:
		return SlotLanguage
	case b.result.Objective != "" && slices.ContainsFunc(b.purpose, same), b.among(t, b.objective):
		return SlotObjective
	}
	return ""
}

// among reports whether all words of a token, in one of its forms, are in a list of
// stems.
func (b *readback) among(t token, stems []string) bool {
	return slices.ContainsFunc(append(b.vocab.forms(t.text), t.norm), func(form string) bool {
		words := b.stems(form)
		return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(stems, w) })
	})
}

// anyOf reports whether all words of one of several phrases are in a list of stems.
func (b *readback) anyOf(phrases, stems []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		words := b.stems(p)
		return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(stems, w) })
	})
}

// Added returns the values of entries that the words of a prompt do not state: they
// come from the interpreter.
func Added(prompt string, entries []watchpost.KeywordEntry) []string {
	w := read(Prompt{Text: prompt})
	b := readback{wish: w}
	said := b.stems(readable(prompt))
	for _, t := range w.source {
		said = append(said, b.stems(t.text)...)
	}
	var out []string
	for _, e := range entries {
		for _, value := range slices.Concat([]string{e.Keyword}, e.Required, e.Excluded) {
			if !b.anyOf([]string{value}, said) {
				out = append(out, value)
			}
		}
	}
	return distinct(out, len(out))
}
