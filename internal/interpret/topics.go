package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// topic is one subject of a prompt: alternative keywords for it, and
// alternatives that a post must also contain.
type topic struct {
	name     string
	keys     []string
	forms    int        // how many of keys, from the second on, are forms of the first
	rest     []string   // other words of the phrase
	context  []string   // one of them, or of rest, is required
	demands  [][]string // one of each is required
	named    bool       // keys are names
	example  bool
	leads    bool     // the context comes before the keys
	phrase   []string // keys that include the rest of the phrase
	weak     bool     // keys are too common alone
	specific bool     // keys need no context
}

// collect builds topics from the queries of a boolean expression or, without
// one, from the items, with the names next to them.
func (b *builder) collect() {
	defer func() {
		if b.ours && !b.tailed && !slices.ContainsFunc(b.topics, func(t topic) bool { return t.named }) {
			b.topics = nil // our competitors, which the prompt does not name
		}
	}()
	for _, q := range b.queries {
		b.query(q)
	}
	b.tailed = len(b.heads) > 0
	anchors := b.headNames()
	switching := slices.ContainsFunc(b.intents, func(in *intent) bool { return in.name == "switch" })
	b.shareRoles()
	for _, it := range b.items {
		t, ok := b.topic(it)
		if !ok || slices.ContainsFunc(b.topics, func(u topic) bool { return key(u.name) == key(t.name) }) {
			continue
		}
		if it.also && len(b.topics) > 0 || switching && len(b.topics) == 1 && len(b.topics[0].context) > 0 && t.named && b.topics[0].named {
			last := &b.topics[len(b.topics)-1]
			if it.also {
				if len(last.context) > 0 {
					last.demands = append(last.demands, last.context)
				}
				last.context = nil
			}
			last.context = append(last.context, slices.Concat(t.keys, t.context)...)
			continue
		}
		if n := len(b.topics); it.example && t.named && len(t.context) == 0 && n > 0 {
			for j := n - 1; j >= 0 && len(t.context) == 0; j-- {
				if u := b.topics[j]; !u.example {
					t.context = slices.Concat(u.keys, b.parts(u.name), u.rest, u.context)
				}
			}
		}
		t.example = it.example
		b.topics = append(b.topics, t)
	}
	b.distribute()
	if len(b.topics) == 0 && len(anchors) == 0 && len(b.must) > 0 { // only demands: the first is the subject
		for _, r := range b.must[0] {
			if t, ok := b.topic(item{runs: []run{r}}); ok {
				b.topics = append(b.topics, t)
			}
		}
		b.must = b.must[1:]
	}
	if len(b.topics) == 0 {
		b.fromHeads(anchors)
	} else if len(anchors) > 0 {
		b.anchor(anchors)
	}
	b.demandAll()
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
		if len(group) > 0 {
			for i := range b.topics {
				b.topics[i].demands = append(b.topics[i].demands, group)
			}
		}
	}
}

// shareRoles completes a list of roles: frontend and backend developers.
func (b *builder) shareRoles() {
	for i := len(b.items) - 2; i >= 0; i-- {
		r, next := b.items[i].runs[0], b.items[i+1].runs[0]
		last := next[len(next)-1]
		if len(b.items[i].runs) == 1 && len(r) == 1 && r[0].kind == word && r[0].class&roleWord == 0 && !b.vocab.isName(r[0]) && len(next) > 1 && last.class&roleWord != 0 {
			b.items[i].runs[0] = append(slices.Clone(r), last)
		}
	}
}

// query builds a topic from a conjunction. The most specific group becomes the
// keywords, the others become demands.
func (b *builder) query(q query) {
	var best []topic
	bestScore, at := 1000, -1
	for i, group := range q {
		var topics []topic
		score := 0
		for _, r := range group {
			if len(r) == 1 && r[0].place != nil {
				score = 900
				continue
			}
			if t, ok := b.topic(item{runs: []run{r}}); ok {
				topics = append(topics, t)
				if t.weak {
					score += 40
				}
			} else {
				score += 60
			}
		}
		if score /= max(len(group), 1); len(topics) > 0 && score < bestScore {
			best, bestScore, at = topics, score, i
		}
	}
	for _, t := range best {
		for i, group := range q {
			if i == at {
				continue
			}
			var words []string
			for _, r := range group {
				words = append(words, b.words(r)...)
			}
			if len(words) > 0 {
				t.demands = append(t.demands, words)
			}
		}
		b.topics = append(b.topics, t)
	}
}

// topic builds a topic from an item.
func (b *builder) topic(it item) (topic, bool) {
	staff := b.staff()
	var runs []run
	for _, r := range it.runs {
		full := b.trim(r, false)
		if n := len(full); !staff && (!b.tailed || n < 2 || full[n-1].class&roleWord == 0 || !b.vocab.isName(full[0])) {
			full = b.trim(r, true)
		}
		if len(full) > 0 {
			runs = append(runs, full)
		}
	}
	key := b.keyRun(runs)
	if key < 0 {
		return topic{}, false
	}
	r := runs[key]
	t := topic{name: texts(r), named: b.isNamed(r)}
	for i, other := range runs {
		if i != key && (other[0].class&(kindWord|roleWord) == 0 || len(other) > 1) {
			t.leads = t.leads || i < key
			t.context = append(t.context, b.words(other)...)
		}
	}
	b.keysOf(&t, r)
	return t, true
}

// keyRun returns the index of the most specific run of an item: a name, or else
// the first informative run.
func (b *builder) keyRun(runs []run) int {
	best, most := -1, 0
	for i, r := range runs {
		role := slices.ContainsFunc(r, func(t token) bool { return t.class&roleWord != 0 })
		sought := role && b.staff() && (len(r) > 1 || lookup("anyone", r[0].norm) == "" && (lookup("levels", r[0].norm) == "" || acronym(r[0].text)))
		if !b.says(r) && !sought {
			continue
		}
		if digits(r[0].text) {
			continue // an amount
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
		if score -= 3 * i; best < 0 || score > most {
			best, most = i, score
		}
	}
	return best
}

// staff reports whether the prompt searches for people; their roles are then
// the subject.
func (b *builder) staff() bool {
	return slices.ContainsFunc(b.intents, func(in *intent) bool {
		return in.name == "hire" || in.name == "jobseek" || in.name == "buy" || in.name == "recommend"
	})
}

// rarest returns the level of a run's least common word.
func (b *builder) rarest(r run) int {
	l := 40
	for _, t := range r {
		l = min(l, b.vocab.level(t.norm))
	}
	return l
}

// keysOf sets the keywords of a topic. For a phrase of more than two words, the
// first two become the keyword and the others context.
func (b *builder) keysOf(t *topic, r run) {
	v := b.vocab
	lower := slices.IndexFunc(r, func(t token) bool { return !v.isName(t) })
	switch {
	case t.named:
		t.keys = []string{texts(r)}
		if len(r) == 1 && r[0].kind == word {
			t.weak = v.level(r[0].norm) >= ambiguous && !acronym(r[0].text) || utf8.RuneCountInString(r[0].text) < 2
		}
	case len(r) == 1:
		t.keys = b.inflect(r)
		t.weak = v.level(r[0].norm) >= ambiguous
	case acronym(r[0].text) && lower == 1 && len(r) == 2:
		t.keys, t.phrase = []string{r[0].text}, b.inflect(r)
		t.rest = b.words(r[1:])
	case v.levels[r[0].norm] == 0 && r[0].class == 0 && utf8.RuneCountInString(r[0].text) > 4 && b.rarest(r[1:]) >= ambiguous && v.language == "en" && lower == 0:
		t.keys, t.phrase = []string{r[0].text}, b.inflect(r[:2])
		t.rest = b.words(r[1:])
	case len(r) > 3 && r[1].class&stopWord != 0:
		t.keys = []string{texts(r[:3])}
		t.rest = b.words(r[3:])
		t.specific = true
	case len(r) == 2 || len(r) == 3 && (r[1].class&stopWord != 0 || r[2].class&roleWord != 0):
		t.keys = b.inflect(r)
		t.specific = true
	default:
		t.keys, t.rest = b.inflect(r[:2]), b.words(r[2:])
		if lower == 0 && b.rarest(r[:2]) >= 24 {
			t.keys, t.rest = b.inflect(r[1:3]), b.words(append(slices.Clone(r[:1]), r[3:]...))
		}
		t.specific = true
	}
	if len(t.keys) > 1 && len(t.keys[1]) < len(t.keys[0]) && b.staff() { // posts speak of one
		t.keys[0], t.keys[1] = t.keys[1], t.keys[0]
	}
	t.forms = len(t.keys) - 1
	if other := lookup("same", strings.ToLower(t.keys[0])); other != "" {
		t.keys = append(t.keys, other)
	}
}

// distribute applies the context of the last item to all items of a list: Steam
// Deck or ROG Ally battery life; X, Y or Z for payroll.
func (b *builder) distribute() {
	n := len(b.topics)
	if n < 2 || len(b.queries) > 0 {
		return
	}
	last := b.topics[n-1]
	first := b.topics[0]
	for i := range b.topics {
		t := &b.topics[i]
		switch {
		case len(t.context) > 0:
		case len(last.context) > 0 && !last.leads && t.named == last.named:
			t.context = last.context
		case len(first.context) > 0 && first.leads && t.named && first.named:
			t.context = first.context
		}
	}
}
