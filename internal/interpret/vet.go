package interpret

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// The rules for results of any interpreter.
const (
	maxKeywordWords = 4 // unless quoted or a name
	maxRequired     = 2 // that must all occur, in addition to a place
	maxDescription  = 300
	maxElements     = 3 * watchpost.MaxConstraints // of a list that is read
)

// Vet applies the rules to a result. It repairs or drops entries that break a
// rule, and marks slots as inferred if that changes the selection of posts. It
// fails if nothing is left or a text is too long.
func Vet(r Result, prompt string) (Result, error) {
	w := read(Prompt{Text: prompt})
	r.Subject, r.Objective = printable(r.Subject, maxSubject), printable(r.Objective, maxObjective)
	if r.Subject == "" {
		return Result{}, errors.New("no subject")
	}
	if r.Hours == 0 {
		r.Hours = w.hours
	}
	r.Kinds = w.kinds()
	quoted := quotations(prompt)
	var kept []watchpost.KeywordEntry
	changed := false
	for _, e := range r.Keywords[:min(len(r.Keywords), watchpost.MaxKeywords)] {
		e, fault := w.mend(e, quoted)
		if fault != "" {
			changed = true
			continue
		}
		kept = append(kept, e)
	}
	kept, _, err := watchpost.CleanKeywords(kept)
	if err != nil {
		return Result{}, err
	}
	kept = uncovered(watchpost.DistinctRules(w.oneForm(kept, quoted)))
	changed = changed || len(kept) > maxEntries
	r.Keywords = w.landed(kept[:min(len(kept), maxEntries)], quoted, &changed)
	if r.Labels, err = vetLabels(r.Labels); err != nil {
		return Result{}, err
	}
	r.Slots = vetSlots(r, changed)
	return r, nil
}

// quotations returns the quoted phrases and hashtags of a prompt as keywords.
func quotations(prompt string) []string {
	var out []string
	for _, t := range tokenise(prompt) {
		if t.kind == quoted || t.kind == hashtag {
			out = append(out, printable(t.text, watchpost.MaxKeyword)) // the beginning of a long phrase
		}
	}
	return out
}

// oneForm gives keywords that differ only in number, inflection or hyphens the
// form of the first of them, because a search of the network finds the same
// posts for each, and each costs a scan. Quoted keywords keep their form.
func (w wish) oneForm(entries []watchpost.KeywordEntry, quoted []string) []watchpost.KeywordEntry {
	out, first := slices.Clone(entries), map[string]string{}
	for i, e := range out {
		s := w.stem(e.Keyword)
		if first[s] == "" {
			first[s] = e.Keyword
		}
		if !isQuoted(e.Keyword, quoted) {
			out[i].Keyword = first[s]
		}
	}
	return out
}

// stem returns a key that is equal for the forms of a keyword.
func (w wish) stem(keyword string) string {
	language := w.vocab.language
	if language == "hi-Latn" {
		language = "en"
	}
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(text.Normalize(keyword), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-‐‑–_", r) }) {
		b.WriteString(text.Stem(language, part))
	}
	return b.String()
}

// uncovered drops entries whose keyword contains another entry's keyword, if
// that entry has no constraints: it matches the same posts.
func uncovered(entries []watchpost.KeywordEntry) []watchpost.KeywordEntry {
	return slices.DeleteFunc(slices.Clone(entries), func(e watchpost.KeywordEntry) bool {
		return slices.ContainsFunc(entries, func(o watchpost.KeywordEntry) bool {
			return len(o.Required) == 0 && len(o.Keyword) < len(e.Keyword) && occurs(e.Keyword, o.Keyword) &&
				!slices.ContainsFunc(o.Excluded, func(x string) bool { return !slices.Contains(e.Excluded, x) })
		})
	})
}

// mend repairs an entry, or returns why it must be dropped.
func (w wish) mend(e watchpost.KeywordEntry, quoted []string) (watchpost.KeywordEntry, string) {
	e.Keyword = printable(e.Keyword, watchpost.MaxKeyword)
	words := strings.Fields(e.Keyword)
	if len(words) > maxKeywordWords && !isQuoted(e.Keyword, quoted) && !nameLike(words) {
		e.Keyword = strings.Join(words[:maxKeywordWords], " ")
	}
	e.Required, e.Excluded = printables(e.Required), printables(e.Excluded)
	if e.AnyRequired = e.AnyRequired && len(e.Required) > 1; !e.AnyRequired {
		e.Required = w.fewer(e.Required)
	}
	e.Required = e.Required[:min(len(e.Required), watchpost.MaxConstraints)]
	if w.generic(e.Keyword) && len(e.Required) == 0 && !isQuoted(e.Keyword, quoted) {
		return e, "a generic word"
	}
	positive := append([]string{e.Keyword}, e.Required...)
	e.Excluded = slices.DeleteFunc(e.Excluded, func(x string) bool {
		return slices.ContainsFunc(positive, func(p string) bool { return occurs(p, x) })
	})
	e.Excluded = e.Excluded[:min(len(e.Excluded), watchpost.MaxConstraints)]
	content := strings.Join(positive, " \n ")
	if !e.Matcher().Match(text.New(content)) {
		return e, "nothing can match it"
	}
	return e, ""
}

// fewer limits the number of required words that must all occur. Places do not
// count.
func (w wish) fewer(required []string) []string {
	n := 0
	return slices.DeleteFunc(slices.Clone(required), func(s string) bool {
		if loaded().places[key(s)] != nil {
			return false
		}
		n++
		return n > maxRequired
	})
}

// generic reports whether a keyword has only words that most posts could
// contain.
func (w wish) generic(keyword string) bool {
	v := w.vocab
	for f := range strings.FieldsSeq(keyword) {
		if k := key(f); acronym(f) || f[0] == '#' || v.classes[k]&(stopWord|genericWord|frameWord|roleWord) == 0 && v.levels[k] < 24 {
			return false
		}
	}
	return true
}

func isQuoted(keyword string, quoted []string) bool {
	return slices.ContainsFunc(quoted, func(q string) bool { return text.NormalizeName(q) == text.NormalizeName(keyword) })
}

// nameLike reports whether most words are capitalized.
func nameLike(words []string) bool {
	n := 0
	for _, s := range words {
		if capital(s) || strings.ContainsFunc(s, unicode.IsDigit) {
			n++
		}
	}
	return n*2 > len(words)
}

// landed adds the quoted phrases and hashtags of the prompt that no entry
// contains, as long as there is room. It reports a change for a name that is
// missing.
func (w wish) landed(kept []watchpost.KeywordEntry, quoted []string, changed *bool) []watchpost.KeywordEntry {
	var all strings.Builder
	for _, e := range kept {
		all.WriteString(strings.Join(slices.Concat([]string{e.Keyword}, e.Required, e.Excluded), " \n ") + " \n ")
	}
	present := text.Normalize(all.String())
	for _, q := range quoted {
		norm := text.Normalize(q)
		if strings.Contains(present, norm) || len(kept) >= maxEntries || w.named(norm) {
			continue
		}
		if e, fault := w.mend(watchpost.KeywordEntry{Keyword: q, Excluded: kept[0].Excluded}, quoted); fault == "" {
			kept, *changed = append(kept, e), true
		}
	}
	b := builder{wish: w}
	for _, r := range slices.Concat(b.itemRuns(), w.excluded) {
		forum := lookup("communities", norms(r)) != "" || community.MatchString(r[0].text)
		who := slices.ContainsFunc(r, func(t token) bool { return t.is(roleWord) })
		if b.isNamed(r) && r[0].kind == word && !forum && !who && !strings.Contains(present, norms(r)) {
			*changed = true
		}
	}
	// Two long phrases can begin alike, and like an entry.
	return watchpost.DistinctRules(kept)
}

// named reports whether a quoted phrase is used as a label, an aim or a place.
func (w wish) named(norm string) bool {
	return slices.ContainsFunc(w.labels, func(r run) bool { return strings.Contains(norms(r), norm) }) ||
		slices.ContainsFunc(w.aims, func(a string) bool { return strings.Contains(key(a), norm) }) || loaded().places[norm] != nil
}

// printable returns text on one line, of limited length, without the characters that
// watchpost.CleanKeywords refuses.
func printable(s string, most int) string {
	return shorten(foldSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, " "))), most)
}

func printables(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), maxElements)] {
		if s = printable(s, watchpost.MaxKeyword); hasWord(s) || s == "?" || s == "؟" {
			out = append(out, s)
		}
	}
	return distinct(out, len(out))
}

// vetLabels returns the labels within the limits.
func vetLabels(labels []watchpost.Label) ([]watchpost.Label, error) {
	var out []watchpost.Label
	for _, l := range labels {
		l.Name = printable(strings.ReplaceAll(l.Name, ",", ""), watchpost.MaxLabel)
		if l.Description = printable(l.Description, maxDescription); hasWord(l.Name) && len(out) < watchpost.MaxLabels {
			out = append(out, l)
		}
	}
	out, err := watchpost.CleanLabels(out)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// vetSlots returns the known slots of a result, each once. Subject and keywords
// are always present, with the values of the result.
func vetSlots(r Result, changed bool) []Slot {
	given := map[string]Slot{}
	for _, s := range r.Slots {
		if _, twice := given[s.Name]; !twice {
			given[s.Name] = s
		}
	}
	var out []Slot
	for _, name := range SlotNames {
		s, ok := given[name]
		values := s.Values
		switch name {
		case SlotSubject:
			values, ok = []string{r.Subject}, true
		case SlotKeywords:
			values, ok = watchpost.KeywordTexts(r.Keywords), true
		}
		if !ok {
			continue
		}
		values = distinct(printables(values), watchpost.MaxKeywords)
		source := s.Source
		if source != Stated || changed && name == SlotKeywords {
			source = Inferred
		}
		out = append(out, Slot{Name: name, Values: list(values), Source: source})
	}
	return out
}
