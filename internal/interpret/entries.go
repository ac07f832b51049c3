package interpret

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// maxEntries bounds the entries of a result, because each entry costs a scan.
const maxEntries = 12

// maxAlternatives bounds the alternatives of one entry.
const maxAlternatives = watchpost.MaxConstraints

// entries builds the keyword entries: each topic in its forms, with places and
// required words.
func (b *builder) entries() []watchpost.KeywordEntry {
	var lists [][]watchpost.KeywordEntry
	for _, t := range b.topics {
		lists = append(lists, b.lower(t))
	}
	if len(b.topics) > maxEntries {
		b.guessed[SlotKeywords] = true
	}
	return interleave(lists, maxEntries)
}

// where returns the words of the places as they occur in posts.
func (b *builder) where() []string {
	var lists [][]string
	for _, p := range b.places {
		lists = append(lists, p.words)
	}
	return distinct(interleave(lists, 2*maxAlternatives), maxAlternatives)
}

// signalsOf returns words that occur in posts with the prompt's intents.
func (b *builder) signalsOf() []string {
	var lists [][]string
	for _, in := range b.intents {
		if in.name != "question" || len(b.intents) == 1 {
			lists = append(lists, b.vocab.signals[in.name])
		}
	}
	return interleave(lists, maxAlternatives)
}

// interleave returns up to n elements: the first of each list, then the second.
func interleave[T any](lists [][]T, n int) []T {
	var out []T
	for rank, more := 0, true; more; rank++ {
		more = false
		for _, l := range lists {
			if rank < len(l) && len(out) < n {
				out = append(out, l[rank])
				more = true
			}
		}
	}
	return out
}

// lower builds the entries of a topic, the best first.
func (b *builder) lower(t topic) []watchpost.KeywordEntry {
	where, context := b.where(), slices.Concat(t.rest, t.context)
	demands, signals := slices.Clone(t.demands), b.signalsOf()
	reliable := b.has("recommend alternative hire jobseek newjob switch") // words identify such posts
	alone := len(context)+len(demands) == 0 && len(where) == 0
	switch {
	case t.example && len(demands)+len(where) == 0 && b.has("buy") && len(signals) > 0: // CRM tools like HubSpot
		context = signals
		b.guessed[SlotKeywords] = true
	case len(context) > 0 && t.named && len(demands) == 0 && reliable:
		context = append(context, signals...)
		b.guessed[SlotKeywords] = true
	case alone && (!t.specific || reliable) && len(signals) > 0:
		context = signals
		b.guessed[SlotKeywords] = true
	case alone && t.weak && t.named: // the equal common word is not meant
		for _, u := range b.topics[:min(len(b.topics), 9)] {
			if u.name != t.name {
				context = append(context, u.keys[0])
			}
		}
		context = append(context, slices.Sorted(maps.Keys(loaded().words["product"]))...)
		b.guessed[SlotKeywords] = true
	}
	if len(where) > 0 {
		demands = append(demands, where)
	}
	keys := append(slices.Clip(t.keys[:1]), t.other)
	if len(demands) > 0 && len(t.phrase) > 0 {
		keys, context = t.phrase[:1], t.context
	}
	if len(context) > 0 && (len(demands) == 0 || t.weak || t.named) {
		demands = append(demands, distinct(context, maxAlternatives))
	}
	var out []watchpost.KeywordEntry
	if len(demands) < 2 {
		demands = append(demands, nil)
		for _, k := range keys {
			if k != "" {
				out = append(out, b.entry(k, demands[0], true))
			}
		}
		return out
	}
	x, y := stems(demands[0]), stems(demands[1])
	if t.pair != "" && len(b.heads) > 0 && len(t.demands) == 0 && len(where) > 0 && len(x)*len(y) > 1 { // spellings of the place of those who write
		return append(out, b.entry(t.pair, where, true))
	}
	for sum := range len(x) + len(y) { // these entries share a scan
		for i := range min(sum+1, len(x)) {
			if j := sum - i; j < len(y) {
				out = append(out, b.entry(keys[0], []string{x[i], y[j]}, false))
			}
		}
	}
	return out
}

// stems returns the first words of a list whose beginnings differ.
func stems(list []string) []string {
	var out []string
	for _, s := range list {
		k := key(s)
		if len(out) < 4 && !slices.ContainsFunc(out, func(o string) bool { return strings.HasPrefix(k, key(o)[:min(len(key(o)), 4)]) && len(k) > 3 }) {
			out = append(out, s)
		}
	}
	return out
}

// entry builds one entry, without required words that the keyword already
// contains.
func (b *builder) entry(keyword string, required []string, anyOf bool) watchpost.KeywordEntry {
	e := watchpost.KeywordEntry{Keyword: clip(keyword)}
	for _, r := range required {
		if r = clip(r); r == "" || occurs(e.Keyword, r) {
			continue
		}
		e.Required = append(e.Required, r)
	}
	e.Required = distinct(e.Required, maxAlternatives)
	if anyOf && len(e.Required) > 1 {
		e.AnyRequired = true
	}
	for _, x := range b.excludes {
		if !occurs(e.Keyword, x) && !slices.ContainsFunc(e.Required, func(r string) bool { return occurs(r, x) }) {
			e.Excluded = append(e.Excluded, x)
		}
	}
	e.Excluded = distinct(e.Excluded, watchpost.MaxConstraints)
	return e
}

// exclude builds excluded words from the prompt's exclusions: the phrase, its
// names and rare words. For ads and job posts it uses typical words of such
// posts.
func (b *builder) exclude() {
	wanted := map[string]bool{}
	for _, t := range b.topics {
		for _, k := range slices.Concat(t.names(), t.context) {
			for w := range strings.FieldsSeq(key(k)) {
				wanted[w] = true
			}
		}
	}
	for _, full := range b.excluded {
		r := b.trim(full, false)
		ads := b.vocab.ads[norms(full)]
		switch {
		case ads != nil:
			b.excludes = append(b.excludes, ads...)
			b.guessed[SlotExclusions] = true
			continue
		case len(r) == 0, len(r) == 1 && b.vocab.levels[r[0].norm] >= 27:
			continue
		case b.isNamed(r):
			b.excludes = append(b.excludes, texts(r))
			continue
		}
		b.excludes = append(b.excludes, b.inflect(r)...)
		if n := len(r); n > 1 && b.vocab.ads[r[n-1].norm] != nil { // hostel ads
			b.excludes = append(b.excludes, b.inflect(r[:n-1])...)
		}
		for i, t := range r[:len(r)*min(len(r)-1, 1)] { // of several words
			verbal := i > 0 && strings.HasSuffix(t.norm, "ing") || i+1 < len(r) && strings.HasSuffix(r[i+1].norm, "ing") || b.vocab.language != "en"
			if !wanted[t.norm] && t.kind == word && (verbal && b.vocab.level(t.norm) < ambiguous || b.vocab.isName(t)) {
				b.excludes = append(b.excludes, b.vocab.forms(t.text)...)
			}
			if len(r) > 2 && i > 0 {
				b.excludes = append(b.excludes, b.inflect(r[i-1:i+1])...)
			}
		}
	}
	b.excludes = distinct(b.excludes, watchpost.MaxConstraints)
}

// occurs reports whether a keyword matches a text.
func occurs(content, keyword string) bool {
	return watchpost.KeywordEntry{Keyword: keyword}.Matcher().Match(text.New(content))
}

// clip shortens a keyword to the allowed length.
func clip(s string) string { return shorten(foldSpace(s), watchpost.MaxKeyword) }

// shorten cuts a text to at most n characters, at a space if there is one.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n]
	for i := len(runes) - 1; i > n/2; i-- {
		if runes[i] == ' ' {
			runes = runes[:i]
			break
		}
	}
	return strings.TrimSpace(string(runes))
}

// distinct returns the first n strings that differ in more than case.
func distinct(list []string, n int) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		k := text.NormalizeName(s)
		if k == "" || seen[k] || len(out) >= n {
			continue
		}
		seen[k] = true
		out = append(out, s)
	}
	return out
}
