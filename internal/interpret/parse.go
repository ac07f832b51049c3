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
	versus bool   // the items so far are compared
	shared bool   // after the comma behind a comparison
	listed bool   // the sentence is a line of a list
	aside  bool   // in a bracket that explains the item before it
}

// sentence parses a sentence. Its text about the writer, or about the use of the posts,
// is an aim.
func (w *wish) sentence(tokens []token, several bool, m mode) mode {
	self := slices.IndexFunc(tokens, func(t token) bool { return t.is(selfWord) })
	writer := slices.IndexFunc(tokens, func(t token) bool { return lookup("writer", t.norm) != "" })
	switch {
	case self > 0 && self+1 < len(tokens) && w.vocab.isName(tokens[self+1]) && slices.ContainsFunc(tokens[:self], func(t token) bool { return t.is(frameWord | aboutWord) }):
		self = -1 // mentions of our product Acme: the name is the subject
	case self >= 0 && self < 4 || writer < 0:
	case writer == 0 && len(tokens) > 2 && plain(tokens[1]): // I study urban heat
		self = 0
	case writer > 0 && tokens[0].norm == "as": // as a law firm we
		w.aim(tokens[:writer])
		tokens = tokens[writer:]
	}
	if self >= 0 && self < 4 {
		request := slices.IndexFunc(tokens[self+1:], func(t token) bool { return t.is(frameWord|notWord|aboutWord) || t.intent != nil }) + self + 1
		if several && !slices.ContainsFunc(tokens[self+1:], func(t token) bool { return t.is(frameWord | notWord | labelWord) }) {
			request = len(tokens)
		}
		if request > self {
			w.noteOffer(tokens[self:request])
			w.aim(tokens[:request])
			tokens = tokens[request:]
		}
	}
	if i := slices.IndexFunc(tokens, func(t token) bool { return t.is(aimWord) }); i > 0 {
		w.aim(tokens[i:])
		tokens = tokens[:i]
	}
	w.lines++
	r := &reader{wish: w, mode: m, listed: len(tokens) > 0 && tokens[0].line}
	for i, t := range tokens {
		next := token{kind: stop}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		r.step(t, next, i == 0)
		r.before = t
	}
	r.endItem()
	r.finish()
	return r.mode
}

// noteOffer notes what the writer sells, from a statement about the writer. It is the
// subject of a prompt that names no other one.
func (w *wish) noteOffer(tokens []token) {
	sells := slices.IndexFunc(tokens[:min(len(tokens), 2)], func(t token) bool { return lookup("sells", t.norm) != "" })
	if sells < 0 || len(w.offer) > 0 {
		return
	}
	for _, t := range tokens[sells+1:] {
		ends := t.kind >= pause || t.place != nil || t.is(stopWord|structural|placeWord|aboutWord)
		switch {
		case !ends:
			w.offer = append(w.offer, t)
		case len(w.offer) > 0:
			return
		}
	}
}

// step handles a token.
func (r *reader) step(t, next token, first bool) {
	if t.place != nil && r.partOfName(t, next) {
		t.place = nil
	}
	switch {
	case t.kind >= pause:
		r.comma(t, next)
	case t.is(labelWord) && next.kind != open && r.mode != unwanted:
		r.finish()
		r.mode = naming
	case t.is(notAfter): // for languages with the negation after the noun
		r.endItem()
		if n := len(r.items); n > 0 {
			r.excluded = append(r.excluded, r.items[n-1].runs()...)
			r.items = r.items[:n-1]
		}
	case t.is(notWord):
		r.endItem()
		r.mode = unwanted
	case t.is(mustWord) && r.mode != unwanted:
		r.endItem()
		r.mode = needed
	case t.is(onlyWord):
		r.endItem()
		if r.mode == unwanted {
			r.mode = wanted
		}
		if first && len(r.wish.items) > 0 || len(r.items) > 0 && (r.before.kind == pause || r.before.is(notWord|stopWord)) {
			r.mode = needed
		}
	case t.is(andWord | orWord | versusWord):
		r.connect(t, next)
	case t.is(bothWord):
		both := len(r.item.groups) > 0 || len(r.run) > 0
		r.endItem()
		r.item.also, r.pair = both, !both
	case t.is(likeWord) && (len(r.run) > 0 || len(r.item.groups) > 0 || r.before.kind == open):
		r.endItem()
		r.likes = true
	case lookup("languages", t.norm) != "" && r.language == "" && (r.before.is(placeWord) && !plain(next) || next.is(frameWord|onlyWord)):
		r.language = lookup("languages", t.norm)
		r.endRun()
	case t.place != nil:
		r.endRun()
		if r.mode == unwanted {
			r.run = run{t}
			r.endItem()
		} else if !slices.Contains(r.places, t.place) {
			r.places = append(r.places, t.place)
		}
	case t.is(ofWord) && r.before.is(roleWord) && !r.tail:
		r.endRun()
		r.titled = true
	case r.joins(t, next):
		r.run = append(r.run, t)
	default:
		r.word(t, next)
	}
}

// connect ends an item at a connector.
func (r *reader) connect(t, next token) {
	r.endItem()
	r.fresh, r.either = true, t.is(orWord)
	r.versus, r.shared = r.versus || t.is(versusWord), r.versus && !t.is(versusWord)
	r.item.also = r.pair && t.is(andWord)
	r.pair = r.pair && !r.item.also
	if r.mode == unwanted && (next.is(frameWord|aboutWord|mustWord) && !next.is(notWord) || t.norm == "and also") {
		r.mode = wanted
	}
}

// joins reports whether a preposition joins two common nouns, as in cost of
// living or return to office.
func (r *reader) joins(t, next token) bool {
	if !t.is(ofWord) && t.norm != "to" || len(r.run) != 1 || next.kind != word || next.place != nil || r.vocab.isName(next) ||
		next.is(stopWord|structural|frameWord|roleWord) || lookup("unjoined", key(r.vocab.language)) != "" {
		return false
	}
	last := r.run[0]
	return !r.vocab.isName(last) && !last.is(roleWord|kindWord|seniorityWord) && last.intent == nil
}

// partOfName reports whether the name of a place is part of another name: EU AI
// Act.
func (r *reader) partOfName(t, next token) bool {
	if next.kind != word || r.before.is(placeWord) || !capital(t.text) {
		n := len(r.run)
		return n > 0 && r.before.class == 0 && r.before.kind == word && capital(r.run[n-1].text) && r.vocab.isName(r.run[n-1])
	}
	if n := len(r.run); n > 0 && r.before.kind == word && !r.before.first && capital(r.before.text) && r.vocab.level(r.before.norm) >= ambiguous {
		return true // Air France
	}
	german := r.vocab.language == "de" && capital(next.text) && t.text != t.place.words[0] // Deutsche Bahn
	return (r.vocab.isName(next) || german) && next.class == 0 && next.intent == nil
}

// comma ends an item. It may also end an exclusion. The words before a colon
// head the list after it.
func (r *reader) comma(t, next token) {
	r.endItem()
	if n := len(r.items); t.kind == open && n > 0 && r.before.kind == word && lookup("articles", next.norm) != "" {
		r.aside = r.vocab.isName(r.before) && len(r.items[n-1].groups) == 1
	}
	r.aside = r.aside && t.kind != closed
	dash := slices.Contains([]string{"—", "–", "-"}, t.text)
	if dash && r.mode == wanted { // Asana, ClickUp — outages, pricing
		r.versus = r.versus || len(r.items) > 0 && r.vocab.isName(r.items[0].groups[0][0][0])
	}
	r.likes, r.shared = r.likes && t.kind != closed, r.versus && (t.text == "," || dash)
	switch {
	case t.text == ":" && r.mode == wanted:
		r.headed = r.items
		r.toHeads()
	case r.mode == unwanted && (t.kind == closed || next.is(frameWord|aboutWord|mustWord|onlyWord|selfWord) && !next.is(notWord) ||
		next.place != nil || next.is(placeWord)):
		r.mode = wanted
	case r.mode == needed && t.text != ",":
		r.mode = wanted
	}
}

// toHeads moves the items read so far to the heads.
func (r *reader) toHeads() {
	for _, it := range r.items {
		r.heads = append(r.heads, it.runs()...)
	}
	r.items, r.tail = nil, true
}

// word handles a word that is not part of a list's structure.
func (r *reader) word(t, next token) {
	v := r.vocab
	letter := len(r.run) > 0 && r.mode == wanted && utf8.RuneCountInString(t.text) == 1 && capital(t.text) && !t.first
	name := v.isName(t) && !t.is(structural|frameWord|aboutWord|placeWord|ofWord) && t.intent == nil &&
		(!t.is(stopWord) || v.language == "en" && capital(t.text) && t.norm != "i" && !strings.HasPrefix(t.norm, "i'"))
	switch {
	case t.kind != word, t.class&^gainWord == 0 && t.intent == nil, letter, name, t.intent != nil && r.mode != wanted:
		r.add(t)
	case t.intent != nil:
		r.intent(t, next)
	case t.is(aboutWord) && r.mode == wanted && (!t.is(ofWord) || len(r.run) == 0),
		t.is(frameWord) && r.before.is(roleWord) && r.mode == wanted && !r.tail: // residents describe
		r.about()
	case t.is(frameWord) && !t.is(aboutWord) && len(r.run) > 0 && plain(next),
		t.is(roleWord|seniorityWord|genericWord|kindWord) && !t.is(stopWord|frameWord),
		t.is(genericWord) && (len(r.run) > 0 || next.kind == word && next.class == 0) && (!t.is(frameWord) || next.class&^(frameWord|genericWord) == 0 && next.kind == word):
		r.add(t)
	default:
		r.endRun()
	}
}

// plain reports whether a token is a word without a class, or a kind of thing.
func plain(t token) bool {
	return t.kind == word && t.class&^kindWord == 0 && t.intent == nil && t.place == nil
}

// intent records an intent. The words before it say who writes, the words after
// it are the subject.
func (r *reader) intent(t, next token) {
	looking := (next.is(frameWord) || r.before.norm == "") && (t.intent.name == "buy" || t.intent.name == "question") && lookup("purchases", t.norm) == "" // for posts
	if !looking && !slices.Contains(r.intents, t.intent) {
		r.intents = append(r.intents, t.intent)
	}
	if !looking && (next.kind == word && !next.is(structural) || next.kind == quoted) {
		r.about()
		return
	}
	r.endRun()
}

// about moves the items read so far to the heads, if it is the first word for
// about, or all of them are names.
func (r *reader) about() {
	r.endItem()
	named := len(r.items) > 0 && !r.fresh
	for _, it := range r.items {
		named = named && !slices.ContainsFunc(it.runs(), func(u run) bool { return !r.vocab.isName(u[0]) })
	}
	if r.mode == wanted && (!r.tail || named) {
		r.toHeads()
	}
}

// add adds a word to the run. A name is a separate run, so other words after it
// start another.
func (r *reader) add(t token) {
	if r.titled && r.before.is(ofWord|stopWord) && !r.before.is(placeWord) {
		return
	}
	r.titled, r.fresh = false, false
	if n := len(r.run); n > 0 && r.mode != unwanted && r.mode != naming {
		last := r.run[n-1]
		name, was := r.vocab.isName(t), r.vocab.isName(last) || n > 1 && digits(last.text) && r.vocab.isName(r.run[n-2])
		number := digits(t.text) || utf8.RuneCountInString(t.text) == 1 && (was || capital(t.text))
		amount := n == 1 && digits(last.text)
		mixed := name != was && !number && !t.is(roleWord) && (!was || !shouted(last.text) || n > 1)
		if !amount && (t.kind != word || last.kind != word || mixed) {
			r.endRun()
		}
	}
	r.run = append(r.run, t)
}

func (r *reader) endRun() {
	if len(r.run) > 0 {
		r.item.groups = append(r.item.groups, []run{r.run})
		r.run = nil
	}
}

func (r *reader) endItem() {
	r.endRun()
	if g := r.item.groups; r.mode != naming && len(g) > 1 && r.vocab.isName(g[1][0][0]) && !slices.ContainsFunc(g[0][0], func(t token) bool { return !t.is(genericWord | kindWord) }) {
		r.item.groups = g[1:] // our client Acme
	}
	if len(r.item.groups) == 0 {
		return
	}
	switch r.mode {
	case wanted:
		if r.aside {
			break
		}
		r.item.listed = r.listed
		r.item.example, r.item.shared, r.item.line = r.likes, r.shared, r.lines
		r.items = append(r.items, r.item)
	case unwanted:
		r.excluded = append(r.excluded, r.item.runs()...)
	case needed:
		if n := len(r.must); n > 0 && r.either {
			r.must[n-1] = append(r.must[n-1], r.item.runs()...)
		} else {
			r.must = append(r.must, r.item.runs())
		}
	case naming:
		r.labels = append(r.labels, r.item.groups[0][0])
	}
	r.item = item{}
}

// finish adds the sentence's items to the wish. Single words after a colon are
// aspects of the subject before it.
func (r *reader) finish() {
	r.endItem()
	aspects := len(r.items) > 0 && len(r.headed) == 1 && (len(r.headed[0].groups[0][0]) > 1 || r.vocab.isName(r.headed[0].groups[0][0][0]))
	for _, it := range r.items {
		aspects = aspects && len(it.groups) == 1 && len(it.groups[0][0]) == 1 && !r.vocab.isName(it.groups[0][0][0])
	}
	if aspects {
		h := r.headed[0]
		for _, it := range r.items {
			h.groups = append(h.groups, it.groups...)
		}
		r.items = []item{h}
	}
	r.wish.items = append(r.wish.items, r.items...)
	r.headed, r.items = nil, nil
}
