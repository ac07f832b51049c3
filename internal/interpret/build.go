package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"

	"watchpost"
	"watchpost/internal/text"
)

// maxEntries bounds the entries of a result, because each entry costs a scan.
const maxEntries = 12

// maxAlternatives bounds the alternatives of one entry.
const maxAlternatives = watchpost.MaxConstraints

// topic is one subject of a prompt: alternative keywords for it, and
// alternatives that a post must also contain.
type topic struct {
	name     string
	keys     []string
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

// builder converts a wish to entries.
type builder struct {
	wish
	topics   []topic
	guessed  map[string]bool // slots
	tailed   bool            // the prompt names the topic of the posts
	excludes []string
}

// build converts a parsed prompt to a result. Without keywords the prompt does
// not say enough.
func build(w wish) Result {
	b := &builder{wish: w, guessed: map[string]bool{}}
	b.collect()
	b.exclude()
	r := Result{Subject: b.subject(), Hours: w.hours}
	if len(b.topics) == 0 {
		return r
	}
	r.Keywords = b.entries()
	r.Labels = b.labelsOf()
	r.Objective = b.objective(r.Subject)
	r.Slots = b.slots(r)
	return r
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
	if len(r) == 1 {
		leading = head
	} else if n := len(r); !roles && n > 0 && r[n-1].class&roleWord == 0 {
		leading = 0
	}
	for len(r) > 0 && (empty(r[len(r)-1], trailing) || kind(r[len(r)-1], r[:len(r)-1])) {
		r = r[:len(r)-1]
	}
	for len(r) > 0 && (empty(r[0], leading) || kind(r[0], r[1:]) || len(r) > 1 && r[0].class&leading&seniorityWord != 0) {
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
	for i, it := range b.items {
		t, ok := b.topic(it)
		if !ok || slices.ContainsFunc(b.topics, func(u topic) bool { return key(u.name) == key(t.name) }) {
			continue
		}
		if it.also && len(b.topics) > 0 || switching && i > 0 && len(b.topics) == 1 && len(b.topics[0].context) > 0 && t.named && b.topics[0].named {
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

// headNames returns the names in the heads, which apply to every item.
func (b *builder) headNames() (names []run) {
	for i, full := range b.heads {
		h := b.trim(full, true)
		modifies := len(full) > len(h) && full[len(full)-1].class&roleWord != 0 || i+1 < len(b.heads) && len(b.heads[i+1]) > 0 && b.heads[i+1][0].class&roleWord != 0
		if len(h) == 0 || modifies && len(h) == 1 && len(h[0].text) < 4 && !related[b.lastOf(full, i)] {
			continue // HR managers
		}
		if h[0].first && modifies && !acronym(h[0].text) && !related[b.lastOf(full, i)] {
			continue // Warehouse managers
		}
		if b.isNamed(h) && b.says(h) {
			names = append(names, h)
		}
	}
	return names
}

// related are roles of people who deal with a named company and are not part of
// its name.
var related = wordSet(`merchants sellers employees employee customers customer users user staff workers clients patients owners`)

func (b *builder) lastOf(r run, i int) string {
	if last := r[len(r)-1]; last.class&roleWord != 0 || i+1 >= len(b.heads) {
		return last.norm
	}
	return b.heads[i+1][0].norm
}

// anchor turns names before the subject into topics, and the subject into their
// context.
func (b *builder) anchor(names []run) {
	if slices.ContainsFunc(b.topics, func(t topic) bool { return t.named }) && len(names) > 0 {
		for _, n := range names {
			words := b.words(n)
			for i := range b.topics {
				b.topics[i].context = append(b.topics[i].context, words...)
			}
		}
		return
	}
	var context []string
	for _, t := range b.topics {
		context = append(context, t.keys...)
		context = append(context, b.parts(t.name)...)
		context = append(context, slices.Concat(t.rest, t.context)...)
	}
	b.topics = nil
	for _, n := range names {
		if t, ok := b.topic(item{runs: []run{n}}); ok {
			t.context = slices.Clone(context)
			b.topics = append(b.topics, t)
		}
	}
}

// fromHeads uses the words before the subject as the subject if there is no
// other.
func (b *builder) fromHeads(names []run) {
	for _, n := range names {
		if t, ok := b.topic(item{runs: []run{n}}); ok {
			b.topics = append(b.topics, t)
		}
	}
	if len(b.topics) > 0 {
		return
	}
	staff := slices.ContainsFunc(b.intents, func(in *intent) bool { return in.name == "hire" || in.name == "jobseek" })
	for _, list := range [][]run{b.heads, b.itemRuns()} {
		for _, h := range list {
			r := b.trim(h, false)
			role := slices.ContainsFunc(r, func(t token) bool { return t.class&roleWord != 0 })
			occupation := role && len(r) == 1 && levels[r[0].norm] == "" && !anyone[r[0].norm] && len(b.places)+len(b.intents) > 0
			for len(r) > 1 && r[0].class&seniorityWord != 0 {
				r = r[1:]
			}
			if n := len(r); role && n > 1 && levels[r[n-1].norm] == "" && !anyone[r[n-1].norm] && r[n-1].class&roleWord != 0 && r[0].class&stopWord == 0 {
				occupation = true // data engineers
			}
			if staff && role && len(r) == 1 && (levels[r[0].norm] != "" || anyone[r[0].norm]) {
				continue
			}
			if len(r) == 0 || !role && !b.says(r) || role && len(r) < 2 && !staff && !occupation || len(r) > 1 && !b.says(b.trim(r, true)) && !staff && !occupation {
				continue
			}
			t := topic{name: texts(r), keys: b.inflect(r), specific: len(r) > 1}
			if role {
				b.guessed[SlotSubject] = !staff
			}
			t.weak = len(r) == 1
			b.topics = append(b.topics, t)
		}
		if len(b.topics) > 0 {
			return
		}
	}
	for _, r := range b.itemRuns() { // generic words that are informative together
		if r = b.trim(r, false); len(r) > 1 && r[len(r)-1].class&roleWord == 0 && r[0].class&(frameWord|stopWord) == 0 && b.rawest(r) < 20 &&
			!slices.ContainsFunc(r, func(t token) bool { return t.class&kindWord != 0 }) {
			b.topics = append(b.topics, topic{name: texts(r), keys: b.inflect(r), specific: true})
		}
	}
	if len(b.topics) > 0 {
		return
	}
	staff = staff || slices.ContainsFunc(b.intents, func(in *intent) bool { return in.name == "funding" })
	if staff && (len(b.places) > 0 || b.intents[0].name == "funding") { // people who are hiring in Berlin
		b.guessed[SlotSubject] = true
		name := b.intents[0].label
		b.topics = append(b.topics, topic{name: name, keys: b.signalsOf()[:3], specific: true})
	}
}

// rawest returns the level of a run's least common word, in any class.
func (b *builder) rawest(r run) int {
	l := 40
	for _, t := range r {
		l = min(l, b.vocab.levels[t.norm])
	}
	return l
}

// anyone are roles that are too common to be a topic.
var anyone = wordSet(`people men women user users customer customers consumer consumers employee employees worker workers staff team teams expert experts
	professional professionals leader leaders leadership executive executives exec execs specialist specialists decision_maker decision_makers partner partners buyer
	buyers seller sellers candidate candidates hire hires creator creators maker makers vendors influencer influencers investor investors entrepreneur
	entrepreneurs student students officer officers assistant assistants lead leads manager managers operator operators agent agents dirigeant dirigeants kunden
	führungskräfte fuhrungskrafte unternehmer guru gurus professional planner planners advisor advisors`)

func (b *builder) itemRuns() []run {
	var out []run
	for _, it := range b.items {
		out = append(out, it.runs...)
	}
	return out
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
		sought := role && b.staff() && (len(r) > 1 || !anyone[r[0].norm] && (levels[r[0].norm] == "" || acronym(r[0].text)))
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
	case len(r) == 2 || len(r) == 3 && r[1].class&stopWord != 0:
		t.keys = b.inflect(r)
		t.specific = true
	default:
		t.keys, t.rest = b.inflect(r[:2]), b.words(r[2:])
		if lower == 0 && b.rarest(r[:2]) >= 24 {
			t.keys, t.rest = b.inflect(r[1:3]), b.words(append(slices.Clone(r[:1]), r[3:]...))
		}
		t.specific = true
	}
	if other := same[strings.ToLower(t.name)]; other != "" {
		t.keys = append(t.keys, other)
	} else if other := same[strings.ToLower(t.keys[0])]; other != "" {
		t.keys = append(t.keys, other)
	}
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
	if len(out) == 0 {
		return b.inflect(r)
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

// entries builds the keyword entries: each topic in its forms, with places and
// required words.
func (b *builder) entries() []watchpost.KeywordEntry {
	per := max(1, maxEntries/len(b.topics))
	var lists [][]watchpost.KeywordEntry
	for i := range b.topics {
		lists = append(lists, b.lower(&b.topics[i], per))
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

// product are words that mark a common word as the name of a product or
// company.
var product = strings.Split("app,software,tool,tools,platform,pricing,price,plan,team,customers,users,account,feature,update,subscription,company,support,product,login,integration", ",")

// lower builds at most n entries for a topic.
func (b *builder) lower(t *topic, n int) []watchpost.KeywordEntry {
	where, context := b.where(), distinct(slices.Concat(t.rest, t.context), maxAlternatives)
	demands := slices.Clone(t.demands)
	signals := b.signalsOf()
	if len(context) > 0 && t.named && len(demands) == 0 && b.reliable() {
		context = distinct(slices.Concat(context, signals), maxAlternatives)
		b.guessed[SlotKeywords] = true
	}
	if len(context) == 0 && (!t.specific || b.reliable()) && len(where) == 0 && len(demands) == 0 {
		context = signals
		b.guessed[SlotKeywords] = b.guessed[SlotKeywords] || len(signals) > 0
	}
	if len(context) == 0 && len(where) == 0 && len(demands) == 0 && t.weak && t.named {
		context = b.others(t)
		b.guessed[SlotKeywords] = true
	}
	if len(where) > 0 {
		demands = append(demands, where)
	}
	if len(demands) > 0 && len(t.phrase) > 0 {
		t.keys, context = t.phrase, t.context
	}
	if len(context) > 0 && (len(demands) == 0 || t.weak || t.named) {
		demands = append(demands, context)
	}
	var out []watchpost.KeywordEntry
	switch len(demands) {
	case 0, 1:
		demands = append(demands, nil)
		stems := map[string]bool{}
		for _, k := range t.keys {
			if s := b.stem(k); !stems[s] {
				stems[s] = true
				out = append(out, b.entry(k, demands[0], true))
			}
		}
	default:
		x, y := stems(demands[0], 3), stems(demands[1], 3)
		for sum := range 4 {
			for i := 0; i <= sum; i++ {
				if j := sum - i; i < len(x) && j < len(y) {
					out = append(out, b.entry(t.keys[0], []string{x[i], y[j]}, false))
				}
			}
		}
	}
	return out[:min(len(out), max(n, 1))]
}

// stems returns the first n words of a list whose beginnings differ.
func stems(list []string, n int) []string {
	var out []string
	for _, s := range list {
		k := key(s)
		if len(out) < n && !slices.ContainsFunc(out, func(o string) bool { return strings.HasPrefix(k, key(o)[:min(len(key(o)), 4)]) && len(k) > 3 }) {
			out = append(out, s)
		}
	}
	return out
}

// reliable reports whether words can identify posts with the prompt's intents.
func (b *builder) reliable() bool {
	return slices.ContainsFunc(b.intents, func(in *intent) bool {
		return in.name == "recommend" || in.name == "alternative" || in.name == "hire" || in.name == "jobseek" || in.name == "switch"
	})
}

// others returns words that show that a name is meant and not the equal common
// word.
func (b *builder) others(t *topic) []string {
	var out []string
	for _, u := range b.topics {
		if u.name != t.name && len(out) < 8 {
			out = append(out, u.keys[0])
		}
	}
	return append(out, product...)
}

// entry builds one entry, without required words that the keyword already
// contains.
func (b *builder) entry(keyword string, required []string, anyOf bool) watchpost.KeywordEntry {
	e := watchpost.KeywordEntry{Keyword: clip(keyword)}
	for _, r := range required {
		if r = clip(r); r == "" || text.Normalize(r) == text.Normalize(e.Keyword) {
			continue
		}
		if occurs(e.Keyword, r) {
			if anyOf {
				continue
			}
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
		for _, k := range slices.Concat(t.keys, t.context) {
			for w := range strings.FieldsSeq(key(k)) {
				wanted[w] = true
			}
		}
	}
	for _, it := range b.excluded {
		for _, full := range it.runs {
			r := b.trim(full, false)
			if ads := b.vocab.ads[norms(full)]; ads != nil {
				b.excludes = append(b.excludes, ads...)
				b.guessed[SlotExclusions] = true
				continue
			}
			if len(r) == 0 {
				continue
			}
			if ads := b.vocab.ads[norms(r)]; ads != nil && len(r) == len(full) {
				b.excludes = append(b.excludes, ads...)
				b.guessed[SlotExclusions] = true
				continue
			}
			if len(r) == 1 && b.vocab.levels[r[0].norm] >= 27 {
				continue
			}
			if b.isNamed(r) {
				b.excludes = append(b.excludes, texts(r))
				continue
			}
			b.excludes = append(b.excludes, b.inflect(r)...)
			if len(r) < 2 {
				continue
			}
			for i, t := range r {
				verbal := i > 0 && strings.HasSuffix(t.norm, "ing") || i+1 < len(r) && strings.HasSuffix(r[i+1].norm, "ing") || b.vocab.language != "en"
				if !wanted[t.norm] && t.kind == word && (verbal && b.vocab.level(t.norm) < ambiguous || b.vocab.isName(t)) {
					b.excludes = append(b.excludes, b.vocab.forms(t.text)...)
				}
				if len(r) > 2 && i > 0 {
					b.excludes = append(b.excludes, b.inflect(r[i-1:i+1])...)
				}
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
