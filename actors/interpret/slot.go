package interpret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost"
)

// Bounds of texts that a result shows.
const (
	maxSubject   = 120
	maxObjective = 300
	shownTopics  = 4
)

// subject names what is looked for.
func (b *built) subject() string {
	var names []string
	for _, t := range b.topics {
		if len(names) < shownTopics && !slices.Contains(names, t.text) {
			names = append(names, t.text)
		}
	}
	return shorten(enumerate(names, "and"), maxSubject)
}

// enumerate writes a list as one does.
func enumerate(names []string, conjunction string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " " + conjunction + " " + names[n-1]
	}
}

// objective says what the watchlist is for: as the prompt says it, or, when
// keywords leave out who writes and what they are up to, in its words.
func (b *built) objective(w wish, subject string) string {
	var said []string
	for _, a := range w.aims {
		if a = strings.TrimSpace(a); a != "" {
			said = append(said, a)
		}
	}
	if len(said) > 0 {
		return sentence(strings.Join(said, "; "))
	}
	who := enumerate(rolesOf(w), "or")
	doing := ""
	for _, it := range w.topics {
		if it.with != nil && doing == "" {
			doing = acting(it.said)
		}
	}
	switch {
	case who == "" && doing == "":
		return ""
	case b.guesses[SlotSubject]:
		return sentence(strings.TrimSpace("Posts by " + who + " " + doing))
	case doing == "":
		return sentence("Posts by " + who + " about " + subject)
	case who == "":
		who = "people"
	}
	if slices.ContainsFunc(b.topics, func(t topic) bool { return strings.EqualFold(t.text, doing) || t.alone || t.person }) {
		return sentence("Posts by " + who + " " + doing)
	}
	return sentence("Posts by " + who + " " + doing + " " + subject)
}

// acting returns the words of an intention as they stand after people.
func acting(said string) string {
	for _, before := range []string{"who are ", "that are ", "who have ", "that have ", "are ", "is "} {
		said = strings.TrimPrefix(said, before)
	}
	if first, _, _ := strings.Cut(said, " "); thingsSaid[first] {
		return "about " + said
	}
	if first, _, _ := strings.Cut(said, " "); bareVerbs[first] {
		return "who " + said
	}
	return said
}

var bareVerbs = wordSet(`ask asks hate hates need needs want wants look looks hire recommend recommends announce launch learn search struggle struggles complain complains
	switch switched migrate migrated raised launched left moved complained ranting recruit`)

var thingsSaid = wordSet(`alternative alternatives recommendations problems issues trouble frustration frustrations complaints jobs vacancies job
	announcement announcements migration`)

// sentence shortens a text and begins it with a capital.
func sentence(s string) string {
	s = shorten(foldSpace(s), maxObjective)
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// rolesOf names who is to write the posts.
func rolesOf(w wish) []string {
	var out []string
	for _, a := range w.authors {
		a = slices.DeleteFunc(slices.Clone(a), func(t token) bool { return t.kind == link })
		for len(a) > 0 && dressing(a) {
			a = a[1:]
		}
		for len(a) > 0 && (function[a[len(a)-1].norm] || filler[a[len(a)-1].norm] && !people[a[len(a)-1].norm]) {
			a = a[:len(a)-1]
		}
		if t := texts(a); t != "" && len(out) < shownTopics && !generically(a) {
			out = append(out, shorten(t, maxSubject))
		}
	}
	return distinct(out, shownTopics)
}

// seniorityOf returns the levels of seniority that the prompt asks for: by a
// word, or by a role that has one.
func seniorityOf(w wish) []string {
	var out []string
	lists := slices.Clone(w.authors)
	for _, it := range w.topics {
		if n := len(it.words); n > 1 && isRole(it.words[n-1].norm) {
			lists = append(lists, it.words[:n-1])
		}
	}
	for _, words := range lists {
		head := slices.IndexFunc(words, func(t token) bool { return t.norm == "of" || breaks[t.norm] }) - 1
		if head < 0 {
			head = len(words) - 1
		}
		for i, t := range words[:head+1] {
			level := levels[t.norm]
			if i == head {
				level = roleHeads[singularRole(t.norm)]
			}
			if level != "" && !slices.Contains(out, level) {
				out = append(out, level)
			}
		}
	}
	return out
}

// labelsOf makes labels of what the prompt calls so.
func labelsOf(names [][]token) []watchpost.Label {
	var raw []watchpost.Label
	for _, n := range names {
		for len(n) > 0 && n[0].kind == word && (n[0].norm == "a" || n[0].norm == "the" || n[0].norm == "an") {
			n = n[1:]
		}
		name := shorten(strings.ReplaceAll(texts(n), ",", ""), watchpost.MaxLabel)
		if name != "" && len(raw) < watchpost.MaxLabels {
			raw = append(raw, watchpost.Label{Name: name})
		}
	}
	kept, err := watchpost.CleanLabels(raw)
	if err != nil || len(kept) == 0 {
		return nil
	}
	return kept
}

// slots tells what was said and what was guessed.
func (b *built) slots(w wish, r Result) []Slot {
	var required, excluded, where, labels []string
	for _, k := range r.Keywords {
		required = append(required, k.Required...)
		excluded = append(excluded, k.Excluded...)
	}
	for _, p := range w.places {
		where = append(where, p.name)
		b.guesses[SlotLocation] = b.guesses[SlotLocation] || p.isRegion()
	}
	if w.nearby || w.guessed {
		b.guesses[SlotLocation] = true
	}
	for _, l := range r.Labels {
		labels = append(labels, l.Name)
	}
	values := map[string][]string{
		SlotSubject: {r.Subject}, SlotKeywords: watchpost.KeywordTexts(r.Keywords),
		SlotRequired: required, SlotExclusions: excluded, SlotLocation: where, SlotRole: rolesOf(w),
		SlotSeniority: seniorityOf(w), SlotLabels: labels,
	}
	if w.language != "" {
		values[SlotLanguage] = []string{w.language}
	}
	if r.Objective != "" {
		values[SlotObjective] = []string{r.Objective}
	}
	var out []Slot
	for _, name := range SlotNames {
		v := distinct(values[name], watchpost.MaxKeywords)
		if len(v) == 0 && (name != SlotLocation || !w.nearby) {
			continue
		}
		s := Slot{Name: name, Values: list(v), Source: Stated}
		if b.guesses[name] {
			s.Source = Inferred
		}
		out = append(out, s)
	}
	return out
}
