package interpret

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost/watchpost"
)

// Maximum lengths of texts in a result.
const (
	maxSubject   = 120
	maxObjective = 300
	shownTopics  = 4
)

// subject returns the name of the subject.
func (b *builder) subject() string {
	var names []string
	for _, t := range b.topics {
		names = append(names, cmp.Or(t.pair, t.name))
	}
	return shorten(enumerate(distinct(names, shownTopics), "and"), maxSubject)
}

// enumerate joins names with commas and a conjunction.
func enumerate(names []string, conjunction string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " " + conjunction + " " + names[n-1]
	}
	return strings.Join(names, "")
}

// objective returns the purpose of the watchlist: the writer's description or,
// without one, the people who write and their intents.
func (b *builder) objective(subject string) string {
	said := strings.Join(b.aims, "; ")
	if said == "" {
		who := enumerate(b.who(), "or")
		var doing []string
		for _, in := range b.intents {
			doing = append(doing, strings.ToLower(in.label))
		}
		if who == "" && len(doing) == 0 {
			return ""
		}
		said = "Posts"
		if who != "" {
			said += " by " + who
		}
		said += " about " + subject
		if len(doing) > 0 {
			said += " (" + strings.Join(doing, ", ") + ")"
		}
	}
	said = shorten(foldSpace(said), maxObjective)
	r, size := utf8.DecodeRuneInString(said)
	return string(unicode.ToUpper(r)) + said[size:]
}

// who returns the roles of the people whose posts are wanted.
func (b *builder) who() []string {
	var out []string
	for _, h := range slices.Concat(b.heads, b.itemRuns()) {
		for len(h) > 0 && h[0].class&(stopWord|frameWord) != 0 {
			h = h[1:]
		}
		if slices.ContainsFunc(h, func(t token) bool { return t.class&roleWord != 0 }) {
			out = append(out, shorten(texts(h), maxSubject))
		}
	}
	return distinct(out, shownTopics)
}

// labelsOf builds labels from the prompt's own labels and from its intents.
func (b *builder) labelsOf() []watchpost.Label {
	var raw []watchpost.Label
	seen := map[*intent]bool{}
	for _, name := range b.labels {
		text := strings.ReplaceAll(texts(name), ",", "")
		l := watchpost.Label{Name: shorten(text, watchpost.MaxLabel)}
		for _, t := range name {
			if in := b.intentOf(t); in != nil {
				seen[in], l.Description = true, b.describe(in)
			}
		}
		raw = append(raw, l)
	}
	if len(b.labels) == 0 {
		for _, in := range b.intents {
			if !seen[in] {
				seen[in] = true
				raw = append(raw, watchpost.Label{Name: in.label, Description: b.describe(in)})
			}
		}
	}
	kept, err := watchpost.CleanLabels(raw[:min(len(raw), watchpost.MaxLabels)])
	if err != nil || len(kept) == 0 {
		return nil
	}
	return kept
}

func (b *builder) intentOf(t token) *intent {
	if t.intent != nil {
		return t.intent
	}
	return b.vocab.intents[t.norm]
}

// describe returns the description of an intent's label, with typical words of
// posts.
func (b *builder) describe(in *intent) string {
	words := slices.DeleteFunc(slices.Clone(b.vocab.signals[in.name]), func(s string) bool { return !hasWord(s) })
	return shorten(in.description+" Words: "+strings.Join(distinct(words, 12), ", "), maxDescription)
}

// slots reports for each slot whether its values were stated or inferred.
func (b *builder) slots(r Result) []Slot {
	values := map[string][]string{SlotSubject: {r.Subject}, SlotKeywords: watchpost.KeywordTexts(r.Keywords), SlotRole: b.who()}
	for _, k := range r.Keywords {
		values[SlotRequired] = append(values[SlotRequired], k.Required...)
		values[SlotExclusions] = append(values[SlotExclusions], k.Excluded...)
	}
	for _, p := range b.places {
		values[SlotLocation] = append(values[SlotLocation], p.name)
	}
	for _, l := range r.Labels {
		values[SlotLabels] = append(values[SlotLabels], l.Name)
	}
	for _, role := range values[SlotRole] {
		for w := range strings.FieldsSeq(key(role)) {
			values[SlotSeniority] = append(values[SlotSeniority], b.levels(w)...)
		}
	}
	if b.language != "" {
		values[SlotLanguage] = []string{b.language}
	}
	if r.Objective != "" {
		values[SlotObjective] = []string{r.Objective}
	}
	var out []Slot
	for _, name := range SlotNames {
		if v := distinct(values[name], watchpost.MaxKeywords); len(v) > 0 {
			s := Slot{Name: name, Values: v, Source: Stated}
			if b.guessed[name] {
				s.Source = Inferred
			}
			out = append(out, s)
		}
	}
	return out
}

// ladder has the levels of employees in their order.
var ladder = []string{"Entry", "Senior", "Manager", "Director", "VP", "C-Level"}

// levels returns the levels of a word for people: with those above it when the prompt says
// “and up” behind it.
func (b *builder) levels(word string) []string {
	level := lookup("levels", word)
	if level == "" {
		return nil
	}
	at := slices.Index(ladder, level)
	for i, t := range b.source {
		if at >= 0 && t.norm == word && b.upwards(i) {
			return ladder[at:]
		}
	}
	return []string{level}
}

// upwards reports whether “and up” stands behind a word of the prompt.
func (w *wish) upwards(at int) bool {
	return at+2 < len(w.source) && lookup("upwards", w.source[at+1].norm+" "+w.source[at+2].norm) != ""
}

// Upwards returns the words by which a prompt asks for a level and those above it, such as
// directors and up, and these levels; "" if none do.
func Upwards(prompt string) (words string, levels []string) {
	w := read(Prompt{Text: prompt})
	for i, t := range w.source {
		if at := slices.Index(ladder, lookup("levels", t.norm)); at >= 0 && w.upwards(i) {
			return readable(prompt)[t.from:w.source[i+2].to], ladder[at:]
		}
	}
	return "", nil
}
