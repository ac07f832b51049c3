package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mode says how the words of a part of a sentence are used.
type mode uint8

const (
	wanted mode = iota
	unwanted
	needed
	naming
)

// reader parses a sentence.
type reader struct {
	*wish
	mode   mode
	tail   bool // the subject has begun
	item   item
	run    run
	items  []item
	before token  // the previous separator or word
	headed []item // items before a colon
	either bool   // the last connector was "or"
	fresh  bool   // no word since "and" or "or"
	likes  bool   // after "such as"
	pair   bool   // after "both": the item after "and" belongs to the topic
	titled bool   // after a role with "of": the next words belong to it
}

// sentence parses one of several sentences.
func (w *wish) sentence(tokens []token, of int, m mode) mode {
	if of > 1 && w.aside(tokens) {
		return wanted
	}
	tokens = w.opening(tokens)
	if i := slices.IndexFunc(tokens, func(t token) bool { return t.class&aimWord != 0 }); i > 0 {
		w.aims = append(w.aims, texts(tokens[i:]))
		tokens = tokens[:i]
	}
	r := &reader{wish: w, mode: m}
	for i := 0; i < len(tokens); i++ {
		i += r.step(tokens, i)
	}
	r.endItem()
	r.finish()
	return r.mode
}

// aside reports whether a sentence only describes the writer, and records it as
// an aim.
func (w *wish) aside(tokens []token) bool {
	for i, t := range tokens {
		if i < 4 && t.class&selfWord != 0 {
			for _, u := range tokens[i+1:] {
				if u.class&(frameWord|notWord|labelWord) != 0 {
					return false
				}
			}
			w.aims = append(w.aims, texts(tokens))
			return true
		}
	}
	return false
}

// opening removes a description of the writer from the start of a sentence.
func (w *wish) opening(tokens []token) []token {
	self := slices.IndexFunc(tokens, func(t token) bool { return t.class&selfWord != 0 })
	if self < 0 || self > 3 {
		return tokens
	}
	for i := self + 1; i < len(tokens); i++ {
		if t := tokens[i]; t.class&(frameWord|notWord|aboutWord) != 0 || t.intent != nil {
			w.aims = append(w.aims, texts(tokens[:i]))
			return tokens[i:]
		}
	}
	return tokens
}

// step handles the token at i and returns how many further tokens it consumed.
func (r *reader) step(tokens []token, i int) int {
	t := tokens[i]
	defer func() { r.before = t }()
	next := token{kind: stop}
	if i+1 < len(tokens) {
		next = tokens[i+1]
	}
	switch {
	case t.kind == pause || t.kind == open || t.kind == closed:
		r.comma(t, next)
	case t.class&labelWord != 0 && (next.kind == pause || next.class != 0 || next.intent != nil || next.kind == word) && r.mode != unwanted:
		r.endItem()
		r.finish()
		r.mode = naming
	case t.class&notAfter != 0:
		r.endItem()
		r.backwards()
	case t.class&notWord != 0:
		r.endItem()
		r.mode = unwanted
	case t.class&mustWord != 0 && r.mode != unwanted:
		r.endItem()
		r.mode = needed
	case t.class&onlyWord != 0:
		r.endItem()
		if r.mode == unwanted {
			r.mode = wanted
		}
		if i == 0 && len(r.wish.items) > 0 {
			r.mode = needed
		}
	case t.class&(andWord|orWord|versusWord) != 0:
		r.connect(t, next)
	case t.class&(bothWord) != 0:
		both := len(r.item.groups) > 0 || len(r.run) > 0
		r.endItem()
		r.item.also, r.pair = both, !both
	case t.class&likeWord != 0 && (len(r.run) > 0 || len(r.item.groups) > 0 || r.before.kind == open && len(r.items) > 0):
		r.endItem()
		r.likes = true
	case t.place != nil && !r.partOfName(t, next):
		r.endRun()
		if r.mode == unwanted {
			r.run = run{t}
			r.endItem()
		} else if !slices.Contains(r.places, t.place) {
			r.places = append(r.places, t.place)
		}
	case t.class&ofWord != 0 && r.before.class&roleWord != 0 && !r.tail:
		r.endRun()
		r.titled = true
	case r.joins(t, next):
		r.run = append(r.run, t)
	default:
		r.word(t, next)
	}
	return 0
}

// connect ends an item at a connector.
func (r *reader) connect(t, next token) {
	r.endItem()
	r.fresh, r.either = true, t.class&orWord != 0
	r.item.also = r.pair && t.class&andWord != 0
	r.pair = r.pair && !r.item.also
	if r.mode == unwanted && (next.class&(frameWord|aboutWord|mustWord) != 0 && next.class&notWord == 0 || t.norm == "and also") {
		r.mode = wanted
	}
}

// joins reports whether a preposition joins two common nouns, as in cost of
// living or return to office.
func (r *reader) joins(t, next token) bool {
	if t.class&ofWord == 0 && t.norm != "to" || len(r.run) == 0 || next.kind != word || next.place != nil || r.vocab.isName(next) ||
		next.class&(stopWord|structural|frameWord|roleWord) != 0 || r.vocab.language == "hi" || r.vocab.language == "hi-Latn" || r.vocab.language == "ar" {
		return false
	}
	last := r.run[len(r.run)-1]
	return len(r.run) == 1 && !r.vocab.isName(last) && last.class&(roleWord|kindWord|seniorityWord) == 0 && last.intent == nil && last.kind == word
}

// partOfName reports whether the name of a place is part of another name: EU AI
// Act.
func (r *reader) partOfName(t, next token) bool {
	if next.kind != word || r.before.class&placeWord != 0 || !capital(t.text) {
		return len(r.run) > 0 && r.vocab.isName(r.run[len(r.run)-1]) && r.before.class == 0 && r.before.kind == word && capital(r.run[len(r.run)-1].text)
	}
	return r.vocab.isName(next) && next.class == 0 && next.intent == nil
}

// comma ends an item. It may also end an exclusion.
func (r *reader) comma(t, next token) {
	header := t.text == ":" && r.mode == wanted
	r.endItem()
	r.likes = r.likes && t.kind != closed
	if header {
		r.header()
	}
	if r.mode == unwanted && (t.text == ")" || next.class&(frameWord|aboutWord|mustWord|onlyWord|selfWord) != 0 && next.class&notWord == 0 ||
		next.place != nil || next.class&placeWord != 0 || t.text == "\n") {
		r.mode = wanted
	}
	if r.mode == needed && t.text != "," {
		r.mode = wanted
	}
}

// header uses the words before a colon as the heads of the list.
func (r *reader) header() {
	r.headed = r.items
	for _, it := range r.items {
		r.heads = append(r.heads, slices.Concat(it.groups...)...)
	}
	r.items, r.tail = nil, true
}

// word handles a word that is not part of a list's structure.
func (r *reader) word(t, next token) {
	v := r.vocab
	content := t.kind != word || t.class&^gainWord == 0 && t.intent == nil ||
		len(r.run) > 0 && r.mode == wanted && utf8.RuneCountInString(t.text) == 1 && capital(t.text) && !t.first
	switch {
	case lookup("languages", t.norm) != "" && r.language == "" && (r.before.class&placeWord != 0 || next.class&frameWord != 0 || next.class&onlyWord != 0):
		r.language = lookup("languages", t.norm)
		r.endRun()
	case content || v.isName(t) && t.class&(structural|frameWord|aboutWord|placeWord|ofWord) == 0 && t.intent == nil && (t.class&stopWord == 0 || v.language == "en" && capital(t.text) && t.norm != "i"):
		r.add(t)
	case t.intent != nil && r.mode == wanted:
		r.intent(t, next)
	case t.intent != nil:
		r.add(t)
	case t.class&aboutWord != 0 && r.mode == wanted && (t.class&ofWord == 0 || len(r.run) == 0):
		r.about()
	case t.class&frameWord != 0 && t.class&aboutWord == 0 && len(r.run) > 0 && next.kind == word && next.class&^kindWord == 0 && next.intent == nil && next.place == nil:
		r.add(t)
	case t.class&frameWord != 0 && len(r.run) > 0 && t.class&roleWord == 0 && (next.class&^(frameWord|genericWord) != 0 || next.kind != word || next.intent != nil):
		r.endRun()
	case t.class&(roleWord|seniorityWord|genericWord|kindWord) != 0 && t.class&(stopWord|frameWord) == 0:
		r.add(t)
	case t.class&genericWord != 0 && (len(r.run) > 0 || next.kind == word && next.class == 0):
		r.add(t)
	default:
		r.endRun()
	}
}

// intent records an intent. The words before it say who writes, the words after
// it are the subject.
func (r *reader) intent(t, next token) {
	if next.class&frameWord != 0 && (t.intent.name == "buy" || t.intent.name == "question") {
		r.endRun()
		return // looking for posts
	}
	if !slices.Contains(r.intents, t.intent) {
		r.intents = append(r.intents, t.intent)
	}
	if next.kind == word && next.class&(structural|stopWord) == 0 || next.class&(placeWord|ofWord|stopWord) != 0 || next.kind == quoted {
		r.about()
		return
	}
	r.endRun()
}

// about moves the items read so far to the heads, if it is the first word for
// about.
func (r *reader) about() {
	r.endItem()
	named := len(r.items) > 0 && !r.fresh
	for _, it := range r.items {
		for _, u := range slices.Concat(it.groups...) {
			named = named && r.vocab.isName(u[0])
		}
	}
	if r.mode != wanted || r.tail && !named {
		return
	}
	for _, it := range r.items {
		r.heads = append(r.heads, slices.Concat(it.groups...)...)
	}
	r.items, r.tail = nil, true
}

// add adds a word to the run. A name is a separate run, so other words after it
// start another.
func (r *reader) add(t token) {
	if r.titled && r.before.class&(ofWord|stopWord) != 0 {
		return
	}
	r.titled, r.fresh = false, false
	if n := len(r.run); n > 0 && r.mode != unwanted && r.mode != naming {
		last := r.run[n-1]
		name, was := r.vocab.isName(t), r.vocab.isName(last) || n > 1 && digits(last.text) && r.vocab.isName(r.run[n-2])
		number := digits(t.text) || utf8.RuneCountInString(t.text) == 1 && capital(t.text) || was && utf8.RuneCountInString(t.text) == 1
		amount := n == 1 && digits(last.text)
		if !amount && (t.kind == quoted || t.kind == link || last.kind == link || last.kind == quoted || t.kind == hashtag || last.kind == hashtag || name != was && !number && t.class&roleWord == 0 && (!was || last.text != strings.ToUpper(last.text) || name || n > 1)) {
			r.endRun()
		}
	}
	r.run = append(r.run, t)
}

// digits reports whether a word is a number.
func digits(s string) bool { return strings.Trim(s, "0123456789.,-/") == "" }

func (r *reader) endRun() {
	if len(r.run) > 0 {
		r.item.groups = append(r.item.groups, []run{r.run})
		r.run = nil
	}
}

func (r *reader) endItem() {
	r.endRun()
	if len(r.item.groups) == 0 {
		return
	}
	switch r.mode {
	case wanted:
		r.item.example = r.likes
		r.items = append(r.items, r.item)
	case unwanted:
		r.excluded = append(r.excluded, r.item)
	case needed:
		if n := len(r.must); n > 0 && r.either {
			r.must[n-1] = append(r.must[n-1], slices.Concat(r.item.groups...)...)
		} else {
			r.must = append(r.must, slices.Concat(r.item.groups...))
		}
	case naming:
		r.labels = append(r.labels, r.item.groups[0][0])
	}
	r.item = item{}
}

// backwards excludes the last item, for languages with the negation after the
// noun.
func (r *reader) backwards() {
	if n := len(r.items); n > 0 {
		r.excluded = append(r.excluded, r.items[n-1])
		r.items = r.items[:n-1]
	}
}

// finish adds the sentence's items to the wish.
func (r *reader) finish() {
	v := r.vocab
	weak := len(r.items) > 0 && len(r.headed) == 1
	for _, it := range r.items {
		weak = weak && len(it.groups) == 1 && len(it.groups[0][0]) == 1 && !v.isName(it.groups[0][0][0])
	}
	if weak && (len(r.headed[0].groups[0][0]) > 1 || v.isName(r.headed[0].groups[0][0][0])) { // a subject with its aspects
		h := r.headed[0]
		for _, it := range r.items {
			h.groups = append(h.groups, it.groups...)
		}
		r.items = []item{h}
	}
	r.headed = nil
	r.wish.items = append(r.wish.items, r.items...)
	r.items = nil
}
