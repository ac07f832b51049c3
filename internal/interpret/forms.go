package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// endings map word endings to those of other forms, by language.
var endings = map[string][][]string{
	"en": {{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ss", "sses"}, {"s", ""}, {"ay", "ays"}, {"ey", "eys"}, {"oy", "oys"}, {"y", "ies"}, {"ch", "ches"}, {"sh", "shes"}, {"x", "xes"},
		{"ing"}, {"", "s"}},
	"de":      {{"innen", "in", ""}, {"ern", "er"}, {"ungen", "ung"}, {"ung", "ungen"}, {"en", "", "e"}, {"er", "ern", "e"}, {"e", "", "en"}, {"n", ""}, {"s", ""}, {"", "e", "en", "s"}},
	"fr":      {{"eurs", "eur", "euse"}, {"eur", "eurs", "euse"}, {"aux", "al"}, {"ères", "ère"}, {"s", ""}, {"x", ""}, {"", "s"}},
	"es":      {{"ces", "z"}, {"iones", "ión"}, {"ión", "iones"}, {"ores", "or", "ora"}, {"or", "ores", "ora"}, {"es", "", "e"}, {"as", "a", "os"}, {"os", "o", "as"}, {"a", "as", "o"}, {"o", "os", "a"}, {"e", "es"}, {"", "es", "s"}},
	"pt":      {{"ões", "ão"}, {"ão", "ões"}, {"ores", "or", "ora"}, {"or", "ores", "ora"}, {"ns", "m"}, {"m", "ns"}, {"is", "l"}, {"as", "a"}, {"os", "o", "as"}, {"a", "as"}, {"o", "os", "a"}, {"s", ""}, {"", "s", "es"}},
	"it":      {{"che", "ca"}, {"ghe", "ga"}, {"chi", "co"}, {"ori", "ore"}, {"ioni", "ione"}, {"ione", "ioni"}, {"i", "o", "e", "a"}, {"e", "i", "a"}, {"a", "e"}, {"o", "i"}},
	"hi":      {{"ियों", "ी"}, {"ियां", "ी"}, {"ों", ""}, {"ें", ""}, {"े", "ा"}, {"ा", "े"}, {"", "ों", "ें"}},
	"hi-Latn": {{"on", ""}, {"ein", ""}, {"s", ""}, {"", "s"}},
	"ar":      {{"ات", "ة"}, {"ة", "ات"}, {"ون", ""}, {"ين", ""}, {"و", ""}},
}

// forms returns a word and other common forms of it, itself first.
func (v *vocabulary) forms(text string) []string {
	out := []string{text}
	if strings.ContainsAny(text, "0123456789#@. ") {
		return out
	}
	add := func(s string) {
		if utf8.RuneCountInString(s) > 2 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if v.language == "ar" {
		bare := strings.TrimPrefix(text, "ال")
		if bare != text && utf8.RuneCountInString(bare) > 2 {
			out = append(out, bare, "وال"+bare, "بال"+bare, "لل"+bare)
		} else {
			out = append(out, "ال"+text, "و"+text, "ب"+text, "ل"+text)
		}
		return out
	}
	lower := strings.ToLower(text)
	language := v.language
	if language != "hi" && language != "en" && v.levels[lower] == 0 && strings.HasSuffix(lower, "ing") {
		language = "en"
	}
	for _, e := range endings[language] {
		stem, ok := strings.CutSuffix(text, e[0])
		if !ok && capital(text) {
			continue
		}
		if !ok || utf8.RuneCountInString(stem) < 3 || e[0] == "s" && strings.HasSuffix(stem, "s") || language == "en" && (e[0] == "" && (strings.HasSuffix(text, "s") || strings.HasSuffix(text, "ed")) || e[0] == "s" && (strings.HasSuffix(stem, "u") || strings.HasSuffix(stem, "i"))) {
			continue
		}
		for _, to := range e[1:] {
			add(stem + to)
		}
		break
	}
	return out
}

// trim removes uninformative words from the ends of a run. With roles it also
// removes the words for people.
func (b *builder) trim(r run, roles bool) run {
	head := roleWord | seniorityWord // before its noun, or after it
	first := slices.Contains([]string{"fr", "es", "pt", "it", "ar"}, b.vocab.language)
	empty := func(t token, role class) bool {
		drop := stopWord | frameWord
		if roles {
			drop |= role
		}
		return t.kind == word && (t.class&drop != 0 && (!b.vocab.isName(t) || t.class&roleWord != 0) || len(r) > 2 && t.class&genericWord != 0 && b.vocab.levels[t.norm] >= 24)
	}
	kind := func(t token, rest run) bool {
		return t.class&kindWord != 0 && !b.vocab.isName(t) && len(rest) > 0 && (b.says(rest) || len(rest) > 1)
	}
	leading, trailing := seniorityWord, head
	if first {
		leading, trailing = head, seniorityWord
	}
	if len(r) > 1 && acronym(r[0].text) && lookup("levels", r[0].norm) != "" && b.isNamed(r) { // CEO Jane Doe
		r = r[1:]
	}
	for len(r) > 0 && (empty(r[len(r)-1], trailing) || kind(r[len(r)-1], r[:len(r)-1])) {
		r = r[:len(r)-1]
	}
	for len(r) > 0 && (empty(r[0], leading) || kind(r[0], r[1:]) && (first || len(r) > 1 && b.vocab.isName(r[1])) || len(r) > 1 && r[0].class&leading&seniorityWord != 0) {
		r = r[1:]
	}
	return r
}

// says reports whether a run is informative: a name, a word that is not common,
// or several words that are not all generic.
func (b *builder) says(r run) bool {
	telling, plain := 0, 0
	for _, t := range r {
		switch l := b.vocab.level(t.norm); {
		case b.vocab.isName(t) && (t.class&(genericWord|roleWord|frameWord|kindWord) == 0 || acronym(t.text)):
			return true
		case t.class&(roleWord|seniorityWord|genericWord|frameWord|stopWord|kindWord) != 0:
		case l < common || t.intent != nil || t.class&gainWord != 0:
			telling++
		case l < 27:
			plain++
		}
	}
	return telling > 0 || plain > 1 || plain == 1 && len(r) > 1
}

// isNamed reports whether a run is a name.
func (b *builder) isNamed(r run) bool {
	for _, t := range r {
		if !b.vocab.isName(t) && !strings.ContainsFunc(t.text, func(c rune) bool { return c >= '0' && c <= '9' }) {
			return false
		}
	}
	return len(r) > 0
}

// inflect returns a phrase with other forms of its last word, and in Romance
// languages of its first word.
func (b *builder) inflect(r run) []string {
	last := len(r) - 1
	var out []string
	before := ""
	if last > 0 {
		before = texts(r[:last]) + " "
	}
	for _, f := range b.vocab.forms(r[last].text) {
		out = append(out, before+f)
	}
	switch b.vocab.language {
	case "ar":
		if first := strings.TrimSuffix(strings.TrimSuffix(r[0].text, "و"), "ون"); last == 1 && first != r[0].text {
			out = []string{texts(r), first + " " + r[1].text, first + "ة " + r[1].text}
		}
	case "fr", "es", "pt", "it":
		if last == 1 {
			first, second := b.vocab.forms(r[0].text), b.vocab.forms(r[1].text)
			out = out[:1]
			for i := 1; i < min(len(first), len(second)); i++ {
				out = append(out, first[i]+" "+second[i])
			}
		}
	}
	return out
}

// rarest returns the level of a run's least common word.
func (b *builder) rarest(r run) int {
	l := 40
	for _, t := range r {
		l = min(l, b.vocab.level(t.norm))
	}
	return l
}

// words returns alternatives for a run: the forms of each informative word, or
// the phrase as a whole.
func (b *builder) words(r run) []string {
	if len(r) == 1 && r[0].place != nil {
		return r[0].place.words
	}
	if len(r) == 0 {
		return nil
	}
	switch {
	case b.isNamed(r):
		return []string{texts(r)}
	case len(r) > 1 && b.rarest(r) >= common:
		return b.inflect(r)
	}
	var out []string
	for _, t := range r {
		if l := b.vocab.level(t.norm); l < common || len(r) == 1 && t.class&(stopWord|frameWord) == 0 || t.class&genericWord != 0 && len(r) > 1 && b.vocab.levels[t.norm] < common {
			out = append(out, b.vocab.forms(t.text)...)
		}
	}
	return out
}

// parts returns the words of a phrase that are informative together with
// others.
func (b *builder) parts(phrase string) []string {
	var out []string
	fields := strings.Fields(phrase)
	for _, w := range fields {
		if n := key(w); len(fields) > 1 && b.vocab.level(n) < 24 {
			out = append(out, b.vocab.forms(w)...)
		}
	}
	return out
}

// itemRuns returns the runs of the items of prose.
func (b *builder) itemRuns() []run {
	var out []run
	for _, it := range b.items {
		if !it.strict {
			out = append(out, it.runs()...)
		}
	}
	return out
}
