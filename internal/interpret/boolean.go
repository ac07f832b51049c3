package interpret

import "slices"

// operators are the words of boolean expressions, in capitals.
var operators = map[string]rune{
	"AND": '&', "OR": '|', "NOT": '!', "&&": '&', "||": '|', "UND": '&', "ODER": '|', "NICHT": '!', "OHNE": '!', "ET": '&', "OU": '|', "SAUF": '!', "PAS": '!',
	"Y": '&', "O": '|', "NO": '!', "E": '&', "NÃO": '!', "NON": '!', "SIN": '!', "SENZA": '!', "SANS": '!', "WITHOUT": '!', "AUR": '&', "YA": '|',
}

// expression parses a boolean expression. NOT binds closest, then AND, which is
// optional next to a bracket, then OR.
type expression struct {
	*wish
	tokens []token
	at     int
	depth  int
	not    bool // inside NOT ( )
}

const maxDepth = 12

// boolean parses a prompt that is a boolean expression; it returns false for
// other prompts.
func (w *wish) boolean(tokens []token) bool {
	and, or, brackets, capitals, words := 0, 0, 0, 0, 0
	for i, t := range tokens {
		switch operators[t.text] {
		case '&', '!':
			if i > 0 || len(t.text) > 2 {
				and++
			}
		case '|':
			or++
		default:
			if t.kind == open {
				brackets++
			}
			if t.kind == word {
				words++
				if acronym(t.text) {
					capitals++
				}
			}
		}
	}
	if and == 0 && (or == 0 || brackets == 0) || capitals*3 > words*2+3 {
		return false
	}
	e := &expression{wish: w, tokens: tokens}
	queries := e.either()
	for e.at < len(e.tokens) { // unbalanced brackets, or another sentence
		e.at++
		queries = joinQueries(queries, e.either())
	}
	w.items = queries
	return true
}

func (e *expression) peek() (token, rune) {
	if e.at >= len(e.tokens) {
		return token{kind: stop}, 0
	}
	t := e.tokens[e.at]
	return t, operators[t.text]
}

// either parses alternatives. It joins alternatives that are single groups into
// one group.
func (e *expression) either() []item {
	out := e.all()
	for {
		if _, op := e.peek(); op != '|' {
			return out
		}
		e.at++
		next := e.all()
		if len(out) == 1 && len(out[0].groups) == 1 && len(next) == 1 && len(next[0].groups) == 1 {
			out = []item{{groups: [][]run{slices.Concat(out[0].groups[0], next[0].groups[0])}, strict: true}}
			continue
		}
		out = slices.Concat(out, next)
	}
}

// all parses a conjunction.
func (e *expression) all() []item {
	out := e.unary()
	for {
		t, op := e.peek()
		switch {
		case op == '&':
			e.at++
			if next, op := e.peek(); op == '&' || next.kind == closed {
				continue
			}
		case op == '|' || t.kind == closed || e.at >= len(e.tokens):
			return out
		}
		before := e.at
		next := e.unary()
		if e.at == before {
			return out
		}
		out = joinQueries(out, next)
	}
}

// joinQueries returns the conjunction of two lists of alternatives.
func joinQueries(a, b []item) []item {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	var out []item
	for _, x := range a {
		for _, y := range b {
			if len(out) < maxEntries {
				out = append(out, item{groups: slices.Concat(x.groups, y.groups), strict: true})
			}
		}
	}
	return out
}

func (e *expression) unary() []item {
	t, op := e.peek()
	switch {
	case op == '!' || t.class&notWord != 0 && t.kind == word:
		e.at++
		if next, _ := e.peek(); next.kind != open {
			e.atom(unwanted)
			return nil
		}
		outer := e.not
		e.not = true
		e.unary()
		e.not = outer
		return nil
	case t.kind == open && e.depth < maxDepth:
		e.at++
		e.depth++
		out := e.either()
		e.depth--
		if u, _ := e.peek(); u.kind == closed {
			e.at++
		}
		return out
	}
	return e.atom(wanted)
}

// atom reads words up to the next operator or bracket, as prose.
func (e *expression) atom(m mode) []item {
	from := e.at
	for e.at < len(e.tokens) {
		t, op := e.peek()
		if op != 0 || t.kind == open || t.kind == closed || t.kind == word && t.class&notWord != 0 && e.at > from {
			break
		}
		e.at++
	}
	if e.not {
		m = unwanted
	}
	part := wish{vocab: e.vocab, known: true}
	part.sentence(e.tokens[from:e.at], 1, m)
	e.excluded = append(e.excluded, part.excluded...)
	e.intents = append(e.intents, part.intents...)
	e.labels = append(e.labels, part.labels...)
	if e.language == "" {
		e.language = part.language
	}
	var groups [][]run
	var list []run
	for _, it := range part.items {
		if len(part.items) > 1 {
			list = append(list, it.groups[0]...)
			continue
		}
		groups = append(groups, it.groups...)
	}
	if len(list) > 0 {
		groups = append(groups, list)
	}
	for _, h := range part.heads {
		if len(part.items) == 0 {
			groups = append(groups, []run{h})
		}
	}
	var where []run
	for _, p := range part.places {
		where = append(where, run{{kind: word, text: p.name, norm: key(p.name), place: p}})
	}
	if len(where) > 0 {
		groups = append(groups, where)
	}
	if len(groups) == 0 {
		return nil
	}
	return []item{{groups: groups, strict: true}}
}
