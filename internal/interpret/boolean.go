package interpret

import "slices"

// isBoolean reports whether a prompt is a boolean expression: it has operators in
// capitals, and is not in capitals as a whole.
func isBoolean(tokens []token) bool {
	and, or, brackets, capitals, words := 0, 0, 0, 0, 0
	for i, t := range tokens {
		switch op := operator(t); {
		case op == "or":
			or++
		case op != "" && (i > 0 || len(t.text) > 2):
			and++
		case t.kind == open:
			brackets++
		case t.kind == word && acronym(t.text):
			capitals++
			words++
		case t.kind == word:
			words++
		}
	}
	return (and > 0 || or > 0 && brackets > 0) && capitals*3 <= words*2+3
}

// operator returns "and", "or", "not" or "" for a token.
func operator(t token) string {
	if !shouted(t.text) {
		return ""
	}
	return lookup("operators", t.norm)
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

func (e *expression) peek() (token, string) {
	if e.at >= len(e.tokens) {
		return token{kind: stop}, ""
	}
	t := e.tokens[e.at]
	if t.is(notWord) && t.kind == word {
		return t, "not"
	}
	return t, operator(t)
}

// either parses alternatives. It joins alternatives that are single groups into
// one group.
func (e *expression) either() []item {
	out := e.all()
	for {
		if _, op := e.peek(); op != "or" {
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
	var out []item
	for {
		t, op := e.peek()
		switch {
		case op == "and":
			e.at++
		case op == "or" || t.kind == closed || e.at >= len(e.tokens):
			return out
		default:
			out = conjoin(out, e.unary(t, op))
		}
	}
}

// conjoin returns the conjunction of two lists of alternatives.
func conjoin(a, b []item) []item {
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

// unary parses a negation, a bracket, or the words up to the next operator.
func (e *expression) unary(t token, op string) []item {
	outer := e.not
	defer func() { e.not = outer }()
	if op == "not" {
		e.at++
		e.not = true
		t, _ = e.peek()
	}
	var out []item
	if t.kind != open || e.depth >= maxDepth {
		out = e.atom()
	} else {
		e.at++
		e.depth++
		out = e.either()
		e.depth--
		if u, _ := e.peek(); u.kind == closed {
			e.at++
		}
	}
	if e.not {
		return nil
	}
	return out
}

// atom reads words up to the next operator or bracket, as prose.
func (e *expression) atom() []item {
	from := e.at
	for e.at < len(e.tokens) {
		if t, op := e.peek(); e.at > from && (op != "" || t.kind == open || t.kind == closed) {
			break
		}
		e.at++
	}
	m := wanted
	if e.not {
		m = unwanted
	}
	part := wish{vocab: e.vocab, known: true}
	part.sentence(e.tokens[from:e.at], false, m)
	e.excluded = append(e.excluded, part.excluded...)
	e.intents = append(e.intents, part.intents...)
	e.labels = append(e.labels, part.labels...)
	if e.language == "" {
		e.language = part.language
	}
	var groups [][]run
	var list, where []run
	for _, it := range part.items {
		if len(part.items) == 1 {
			groups = it.groups
			continue
		}
		list = append(list, it.groups[0]...)
	}
	for _, h := range part.heads {
		if len(part.items) == 0 {
			groups = append(groups, []run{h})
		}
	}
	for _, p := range part.places {
		where = append(where, run{{kind: word, text: p.name, norm: key(p.name), place: p}})
	}
	if groups = slices.DeleteFunc(append(groups, list, where), func(g []run) bool { return len(g) == 0 }); len(groups) == 0 {
		return nil
	}
	return []item{{groups: groups, strict: true}}
}
