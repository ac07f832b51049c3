package interpret

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"watchpost"
)

// Offline is the interpreter of this package. It reads English.
type Offline struct{}

// Interpret implements Interpreter.
func (Offline) Interpret(_ context.Context, prompt string) (Result, error) {
	if refused := Check(prompt); refused != nil {
		return Result{}, refused
	}
	tokens := tokenise(prompt)
	w := parse(tokens)
	if isForeign(tokens) {
		w = literally(tokens)
	}
	r := build(w)
	if len(r.Keywords) == 0 {
		refused := refuseSubject(w)
		if isForeign(tokens) {
			refused.Question = "Which words should the posts have? Put them in quotes, or write the prompt in English."
		}
		return Result{}, refused
	}
	return r, nil
}

// maxOffline bounds the entries of which some are variants: each is a scan,
// and an account has but thirty a day. What the prompt lists itself is kept.
const maxOffline = 12

// built is a result in the making.
type built struct {
	topics   []topic
	guesses  map[string]bool // slots
	pairs    bool            // two things with an "and" that may mean both
	required [][]string      // alternatives, one list for each demand
	excluded []string
}

// build makes a result of what a prompt says.
func build(w wish) Result {
	b := built{guesses: map[string]bool{}}
	b.collect(w)
	if len(b.topics) == 0 {
		return Result{}
	}
	b.demands(w)
	b.exclusions(w)
	r := Result{Subject: b.subject(), Labels: labelsOf(w.labels)}
	r.Keywords = b.entries(w)
	r.Objective = b.objective(w, r.Subject)
	r.Slots = b.slots(w, r)
	return r
}

// collect makes topics of what is looked for, or else of whom: their field is
// then the subject.
func (b *built) collect(w wish) {
	items := shareScenes(shareAttributes(shareHeads(b.loneWords(withAuthors(w)))))
	for i, it := range items {
		t, ok := newTopic(it)
		if !ok {
			continue
		}
		if it.joint == also && len(b.topics) > 0 {
			last := &b.topics[len(b.topics)-1]
			last.merge(t)
			continue
		}
		b.pairs = b.pairs || it.pair && i == 1 && len(items) == 2 && it.with == nil && !t.role
		b.topics = append(b.topics, t)
	}
	if len(b.topics) > 0 {
		return
	}
	for _, a := range w.authors {
		if t, ok := newTopic(item{words: a}); ok && specific(a) {
			b.topics = append(b.topics, t)
			b.guesses[SlotSubject] = true
		}
	}
}

// merge makes of two topics one that wants both.
func (t *topic) merge(u topic) {
	t.text = shorten(t.text+" and "+u.text, watchpost.MaxName)
	t.beside(u.variants[0])
	for _, r := range u.required {
		t.beside(r)
	}
	if len(t.signals) == 0 {
		t.signals = u.signals
	}
	t.guessed = t.guessed || u.guessed
}

// specific reports whether a role says more than the role alone: data
// engineers, and not founders.
func specific(words []token) bool {
	n := 0
	for _, t := range words {
		if _, level := levels[t.norm]; !level && !function[t.norm] && !filler[t.norm] && !generic[t.norm] {
			n++
		}
	}
	return n > 1
}

// demands collects what every post must say.
func (b *built) demands(w wish) {
	for _, it := range w.required {
		var texts []string
		for _, c := range chunk(trimTopic(it.words)) {
			texts = append(texts, chunkText(c))
		}
		if len(texts) == 0 {
			continue
		}
		if it.joint == either && len(b.required) > 0 {
			last := len(b.required) - 1
			b.required[last] = append(b.required[last], texts[0])
			continue
		}
		for _, t := range texts {
			b.required = append(b.required, []string{t})
		}
	}
}

// chunkText returns a chunk as it is looked for.
func chunkText(c []token) string {
	if len(c) == 1 && c[0].kind == link {
		return linkKeyword(c[0].text)
	}
	return texts(c)
}

// candidate is an entry that may be kept; the lower its rank, the nearer it is
// to the prompt's own words.
type candidate struct {
	rank  int
	entry watchpost.KeywordEntry
}

// entries makes the keywords: every topic with each of its variants and
// signals, in each place. All that the prompt lists comes first; variants of
// it follow as long as there are not too many.
func (b *built) entries(w wish) []watchpost.KeywordEntry {
	combos := b.beside(w)
	var all []candidate
	for _, t := range b.topics {
		signals := t.signals
		if len(signals) == 0 {
			signals = []string{""}
		}
		for v, keyword := range t.variants {
			for s, signal := range signals {
				for _, c := range combos {
					words := slices.Concat(t.required, []string{signal}, c.words)
					all = append(all, candidate{2*v + 2*s + c.rank, b.entry(keyword, words)})
				}
			}
		}
		b.guesses[SlotKeywords] = b.guesses[SlotKeywords] || t.guessed
	}
	b.guesses[SlotKeywords] = b.guesses[SlotKeywords] || b.pairs
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(x.rank, y.rank) })
	var raw []watchpost.KeywordEntry
	for _, c := range all {
		if (c.rank == 0 || len(raw) < maxOffline) && len(raw) < watchpost.MaxKeywords {
			raw = append(raw, c.entry)
		}
	}
	if len(raw) == 0 {
		return nil
	}
	kept, _, err := watchpost.CleanKeywords(raw)
	if err != nil {
		return nil
	}
	return watchpost.DistinctRules(kept)
}

// combo is one choice of the words that every post must have.
type combo struct {
	rank  int
	words []string
}

// beside returns the choices of demanded words and places.
func (b *built) beside(w wish) []combo {
	combos := []combo{{}}
	for _, options := range b.required {
		combos = cross(combos, options)
	}
	if len(w.places) == 0 {
		return combos
	}
	var next []combo
	for _, c := range combos {
		for _, p := range w.places {
			for i, text := range p.texts {
				rank := c.rank
				if !p.isRegion() {
					rank += i
				}
				next = append(next, combo{rank, append(slices.Clone(c.words), text)})
			}
		}
	}
	return next
}

// maxCombos bounds the choices.
const maxCombos = 50

func cross(combos []combo, options []string) []combo {
	var next []combo
	for _, c := range combos {
		for _, o := range options {
			if len(next) < maxCombos {
				next = append(next, combo{c.rank, append(slices.Clone(c.words), o)})
			}
		}
	}
	return next
}

// entry makes one keyword entry: without required words that the keyword says
// already, and without excluded ones that it, or they, cannot be without.
func (b *built) entry(keyword string, required []string) watchpost.KeywordEntry {
	e := watchpost.KeywordEntry{Keyword: clip(keyword)}
	for _, r := range required {
		if r = clip(r); r != "" && !says(e.Keyword, r) && len(e.Required) < watchpost.MaxConstraints {
			e.Required = append(e.Required, r)
		}
	}
	e.Required = distinct(e.Required, watchpost.MaxConstraints)
	all := e.Keyword + " \n " + strings.Join(e.Required, " \n ")
	for _, x := range b.excluded {
		if x = clip(x); x != "" && !says(all, x) {
			e.Excluded = append(e.Excluded, x)
		}
	}
	return e
}

// says reports whether a text is one that a keyword matches.
func says(text, keyword string) bool {
	return watchpost.CompileKeyword(watchpost.KeywordEntry{Keyword: keyword}).Match(watchpost.NewText(text))
}

// clip cuts a keyword to what is allowed.
func clip(s string) string {
	if utf8.RuneCountInString(s) <= watchpost.MaxKeyword {
		return s
	}
	return shorten(s, watchpost.MaxKeyword)
}
