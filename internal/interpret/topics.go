package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// topic is one subject of a prompt: a keyword, and alternatives that a post must
// also contain.
type topic struct {
	name     string
	keys     []string   // the keyword in its forms, as written first
	other    string     // another name of the same thing
	rest     []string   // other words of the phrase
	pair     string     // the keyword and the words that follow it, its only context
	phrase   []string   // the keyword if a place or other word is required, not the rest
	context  []string   // one of them, or of rest, is required
	demands  [][]string // one of each is required
	named    bool       // the keyword is a name
	weak     bool       // the keyword is too common alone
	specific bool       // the keyword needs no context
	example  bool       // of the topic before it
	leads    bool       // the context comes before the keyword
	line     int        // the sentence
}

// names returns the keyword in its forms, and its other name.
func (t topic) names() []string {
	if t.other == "" {
		return t.keys
	}
	return append(slices.Clip(t.keys), t.other)
}

// builder converts a wish to entries.
type builder struct {
	wish
	topics   []topic
	guessed  map[string]bool // slots
	excludes []string
}

// build converts a parsed prompt to a result. Without keywords the prompt does
// not say enough.
func build(w wish) Result {
	b := &builder{wish: w, guessed: map[string]bool{}}
	b.collect()
	b.exclude()
	r := Result{Subject: b.subject(), Hours: w.hours}
	if len(b.topics) > 0 {
		r.Keywords, r.Labels, r.Objective = b.entries(), b.labelsOf(), b.objective(r.Subject)
		r.Slots = b.slots(r)
	}
	return r
}

// has reports whether the prompt names one of the intents.
func (b *builder) has(intents string) bool {
	return slices.ContainsFunc(b.intents, func(in *intent) bool { return slices.Contains(strings.Fields(intents), in.name) })
}

// staff reports whether the prompt searches for people; their roles are then
// the subject.
func (b *builder) staff() bool { return b.has("hire jobseek buy recommend") }

// collect builds topics from the items, with the names next to them.
func (b *builder) collect() {
	b.shareRoles()
	anchors := b.headNames()
	for _, it := range b.items {
		for _, t := range b.topicsOf(it) {
			b.addTopic(t, it)
		}
	}
	b.distribute()
	if len(b.topics) == 0 && len(anchors) == 0 && len(b.must) > 0 { // only demands: the first is the subject
		for _, r := range b.must[0] {
			b.topics = append(b.topics, b.topicsOf(item{groups: [][]run{{r}}})...)
		}
		b.must = b.must[1:]
	}
	if len(b.topics)+len(anchors) == 0 && len(b.offer) > 0 && len(b.intents) > 0 { // I sell X. Find buying signals.
		b.topics = b.topicsOf(item{groups: [][]run{{b.offer}}})
		b.guessed[SlotSubject] = true
	}
	switch {
	case len(b.topics) == 0:
		b.fromHeads(anchors)
	case len(anchors) > 0:
		b.anchor(anchors)
	}
	b.demandAll()
	if b.ours && len(b.heads) == 0 && !slices.ContainsFunc(b.topics, func(t topic) bool { return t.named }) {
		b.topics = nil // our competitors, which the prompt does not name
	}
}

// addTopic adds a topic, or makes it a condition of the topic before it.
func (b *builder) addTopic(t topic, it item) {
	if slices.ContainsFunc(b.topics, func(u topic) bool { return !it.strict && key(u.name) == key(t.name) }) {
		return
	}
	if n := len(b.topics); n > 0 {
		shared := it.shared
		if n > 1 && !it.listed && it.line > b.topics[0].line { // A, B and C. Track outages.
			shared = !slices.ContainsFunc(b.topics, func(u topic) bool { return !u.named || u.line != b.topics[0].line })
		}
		if shared && !t.named {
			b.distribute()
			for i := range b.topics {
				b.topics[i].context = slices.Concat(b.topics[i].context, t.names(), t.rest)
			}
			return
		}
		last := &b.topics[n-1]
		if it.also || b.has("switch") && !it.strict && n == 1 && len(last.context) > 0 && t.named && last.named {
			last.context = append(last.context, slices.Concat(t.names(), t.context)...)
			return
		}
		for j := n - 1; j >= 0 && it.example && t.named && len(t.context) == 0; j-- {
			if u := b.topics[j]; !u.example {
				t.context = slices.Concat(u.names(), b.parts(u.name), u.rest, u.context)
			}
		}
	}
	t.example, t.line = it.example, it.line
	b.topics = append(b.topics, t)
}

// demandAll adds the required words of the prompt to each topic.
func (b *builder) demandAll() {
	for _, m := range b.must {
		var group []string
		for _, r := range m {
			group = append(group, b.words(r)...)
			for _, u := range r {
				if in := b.intentOf(u); in != nil {
					group = append(group, b.vocab.signals[in.name]...)
				}
			}
		}
		for i := range b.topics {
			if len(group) > 0 {
				b.topics[i].demands = append(b.topics[i].demands, group)
			}
		}
	}
}

// shareRoles completes a list of roles: frontend and backend developers.
func (b *builder) shareRoles() {
	for i := len(b.items) - 2; i >= 0; i-- {
		it, next := b.items[i], b.items[i+1].groups[0][0]
		if r, last := it.groups[0][0], next[len(next)-1]; !it.strict && len(it.groups) == 1 && len(r) == 1 && r[0].kind == word && !r[0].is(roleWord) && !b.vocab.isName(r[0]) && len(next) > 1 && last.is(roleWord) {
			b.items[i].groups[0][0] = run{r[0], last}
		}
	}
}

// topicsOf builds the topics of an item: the most specific group becomes the
// keywords, the others become their context or, in a boolean expression,
// demands.
func (b *builder) topicsOf(it item) []topic {
	var raw, groups [][]run
	for _, g := range it.groups {
		if trimmed := b.trimAll(g, it.strict); len(trimmed) > 0 || it.strict {
			raw, groups = append(raw, g), append(groups, trimmed)
		}
	}
	best, most := -1, -1000
	for i, g := range groups {
		score, fit := 0, 0
		for _, r := range g {
			if s, ok := b.score(r); ok {
				score, fit = score+s, fit+1
			}
		}
		if score = score/len(raw[i]) - 3*i; fit > 0 && score > most {
			best, most = i, score
		}
	}
	if best < 0 {
		return nil
	}
	var out []topic
	for _, r := range groups[best] {
		if _, ok := b.score(r); !ok {
			continue
		}
		t := b.topic(r)
		for i, g := range groups {
			if i == best {
				continue
			}
			if it.strict {
				if words := b.anyOf(raw[i]); len(words) > 0 {
					t.demands = append(t.demands, words)
				}
				continue
			}
			g = slices.DeleteFunc(slices.Clone(g), func(r run) bool { return len(r) == 1 && r[0].is(kindWord|roleWord) })
			t.leads = t.leads || len(g) > 0 && i < best
			t.context = append(t.context, b.anyOf(g)...)
			if len(groups) == 2 && i == best+1 && len(groups[best]) == 1 && len(g) == 1 && t.named && r[0].kind == word && g[0][0].kind == word {
				t.pair = texts(r) + " " + texts(g[0])
			}
		}
		out = append(out, t)
	}
	return out
}

// anyOf returns the words of alternative runs.
func (b *builder) anyOf(g []run) (words []string) {
	for _, r := range g {
		words = append(words, b.words(r)...)
	}
	return words
}

// trimAll trims the runs of a group. Words for people stay where the prompt
// searches for people, and in a name before the subject.
func (b *builder) trimAll(g []run, strict bool) []run {
	var out []run
	for _, r := range g {
		full := b.trim(r, false)
		if n := len(full); !b.staff() && (len(b.heads) == 0 || strict || n < 2 || !full[n-1].is(roleWord) || !b.vocab.isName(full[0])) {
			full = b.trim(r, true)
		}
		if len(full) > 0 {
			out = append(out, full)
		}
	}
	return out
}

// score returns how specific a run is as a keyword, and whether it can be one.
func (b *builder) score(r run) (int, bool) {
	role := slices.ContainsFunc(r, func(t token) bool { return t.is(roleWord) })
	sought := role && b.staff() && (len(r) > 1 || lookup("anyone", r[0].norm) == "" && (lookup("levels", r[0].norm) == "" || acronym(r[0].text)))
	if !b.says(r) && !sought || digits(r[0].text) || r[0].place != nil {
		return 0, false
	}
	score := 40 - b.rarest(r)
	switch {
	case r[0].kind == quoted || r[0].kind == hashtag:
		score += 60
	case b.isNamed(r):
		score += 40
	case len(r) > 1:
		score += 20
	}
	return score, true
}

// topic builds a topic from a run. Of a long phrase, the first two words become
// the keyword and the others context.
func (b *builder) topic(r run) topic {
	v, n := b.vocab, len(r)
	t := topic{name: texts(r), named: b.isNamed(r)}
	lower := slices.IndexFunc(r, func(t token) bool { return !v.isName(t) })
	keyword, rest := r, run(nil)
	switch {
	case t.named && n == 1 && r[0].kind == word:
		t.weak = v.level(r[0].norm) >= ambiguous && !acronym(r[0].text) || utf8.RuneCountInString(r[0].text) < 2
	case t.named:
	case n == 1:
		t.weak = v.level(r[0].norm) >= ambiguous
	case acronym(r[0].text) && lower == 1 && (n == 2 || len(r[0].text) > 3 && v.level(r[0].norm) == 0),
		v.levels[r[0].norm] == 0 && r[0].class == 0 && utf8.RuneCountInString(r[0].text) > 4 && v.language == "en" && lower == 0 &&
			(b.rarest(r[1:]) >= ambiguous || n == 2 && v.level(strings.TrimSuffix(r[1].norm, "s")) >= ambiguous):
		keyword, rest, t.phrase = r[:1], r[1:], b.inflect(r[:min(n-1, 2)])
	case n > 3 && r[1].is(stopWord|ofWord):
		keyword, rest = r[:3], r[3:]
	case n == 2 || n == 3 && (r[1].is(stopWord|ofWord) || r[2].is(roleWord)):
	case lower == 0 && b.rarest(r[:2]) >= 24:
		keyword, rest = r[1:3], append(slices.Clone(r[:1]), r[3:]...)
	default:
		keyword, rest = r[:2], r[2:]
	}
	t.rest, t.specific = b.words(rest), len(keyword) > 1 && !t.named
	if t.keys = b.inflect(keyword); t.named || t.phrase != nil {
		t.keys = t.keys[:1]
	}
	if len(t.keys) > 1 && len(t.keys[1]) < len(t.keys[0]) && b.staff() { // posts speak of one
		t.keys[0], t.keys[1] = t.keys[1], t.keys[0]
	}
	t.other = lookup("same", strings.ToLower(t.keys[0]))
	return t
}

// distribute applies the context of the last item to all items of a list: Steam
// Deck or ROG Ally battery life; X, Y or Z for payroll.
func (b *builder) distribute() {
	n := len(b.topics)
	if n < 2 || b.items[0].strict {
		return
	}
	first, last := b.topics[0], b.topics[n-1]
	for i := range b.topics {
		t := &b.topics[i]
		switch {
		case len(t.context) > 0 || t.line != last.line || last.example && !t.example: // an example has the others as context
		case len(last.context) > 0 && !last.leads && t.named == last.named:
			t.context = last.context
		case len(first.context) > 0 && first.leads && t.named && first.named:
			t.context = first.context
		}
	}
}
