package interpret

import (
	"slices"
	"strings"
)

// settings: where posts come from and in which language they are, wherever a
// prompt says so; and the nouns before anything steers.

// inside are the words before a place; the strong ones also before one that
// the table does not have.
var (
	inside = wordSet(`in from near around across within throughout based_in located_in living_in based_out_of operating_in headquartered_in at for
		only_in just_in all_over who_are_in who_live_in that_are_in in_and_around anywhere_in inside somewhere_in close_to in_cities_like in_countries_like`)
	strongly = wordSet(`near based_in located_in living_in based_out_of headquartered_in who_live_in`)
	outside  = wordSet(`outside outside_of not_in not_from not_based_in`)
)

// setting deals with a place or language that the rest begins with, and
// returns how many tokens that was.
func (p *parser) setting(rest []token) int {
	for n := min(4, len(rest)); n > 0; n-- {
		phrase := norms(rest[:n])
		switch {
		case nearby[phrase]:
			p.nearby = true
			return n
		case phrase == "not only in" || phrase == "not just in" || phrase == "not only from":
			var passed []place
			if size := p.takePlaces(rest[n:], &passed, false); size > 0 {
				return n + size
			}
		case outside[phrase]:
			if size := p.takePlaces(rest[n:], &p.notPlaces, false); size > 0 {
				return n + size
			}
		case inside[phrase]:
			to := &p.places
			if p.section == excludes && p.fresh {
				to = &p.notPlaces
			}
			if size := p.takePlaces(rest[n:], to, strongly[phrase]); size > 0 {
				if size += n; to == &p.places && phrase == "for" && p.section != lead {
					return 0 // tools for Germany
				}
				return size
			}
			if size := p.takeLanguage(rest[n:]); size > 0 && phrase == "in" {
				return n + size
			}
		case n == 2 && (phrase == "written in" || phrase == "posted in" || phrase == "only in"):
			if size := p.takeLanguage(rest[n:]); size > 0 {
				return n + size
			}
		}
	}
	if p.section == lead || p.section == authors || p.section == excludes && p.fresh {
		return p.adjective(rest)
	}
	return 0
}

// takePlaces reads a list of places. The last comma or conjunction stays when
// no place follows it.
func (p *parser) takePlaces(rest []token, to *[]place, strong bool) int {
	size := 0
	for {
		at, n := placeAt(rest[size:])
		if n == 0 && size == 0 && strong {
			at, n = unknownPlace(rest)
			p.guessed = p.guessed || n > 0
		}
		if n == 0 {
			return size
		}
		if end := size + n; end < len(rest) && rest[end].kind == word && (isRole(rest[end].norm) || capitalised(rest[end].text) && strings.ToUpper(at.name) == at.name) {
			return size // the EU AI Act
		}
		if !slices.ContainsFunc(*to, func(q place) bool { return q.name == at.name }) {
			*to = append(*to, at)
		}
		size += n
		next := size
		for next < len(rest) && (rest[next].kind == pause || rest[next].norm == "and" || rest[next].norm == "or" || rest[next].norm == "in" || rest[next].norm == "either") {
			next++
		}
		if _, more := placeAt(rest[next:]); more == 0 || next == size {
			return size
		}
		size = next
	}
}

// unknownPlace reads capitalised words as a place.
func unknownPlace(rest []token) (place, int) {
	n := 0
	for n < len(rest) && n < 3 && rest[n].kind == word && capitalised(rest[n].text) {
		n++
	}
	if n == 0 {
		return place{}, 0
	}
	name := texts(rest[:n])
	return place{name, []string{name}}, n
}

// takeLanguage reads a language after "in".
func (p *parser) takeLanguage(rest []token) int {
	from := 0
	if len(rest) > 1 && rest[0].norm == "the" {
		from = 1
	}
	if from >= len(rest) {
		return 0
	}
	code, ok := languageOf(rest[from])
	if !ok {
		return 0
	}
	p.language = code
	if from++; from < len(rest) && (rest[from].norm == "language" || rest[from].norm == "only") {
		from++
	}
	return from
}

// adjective reads a language before a noun for posts: German posts,
// French-language articles, German-speaking founders.
func (p *parser) adjective(rest []token) int {
	first, tail, hyphened := strings.Cut(rest[0].text, "-")
	code, ok := languageOf(newWord(first))
	switch {
	case !ok || p.section == excludes:
		return 0
	case hyphened && (tail == "language" || tail == "speaking"):
	case !hyphened && len(rest) > 1 && (postish[rest[1].norm] && rest[1].norm != "news" || rest[1].norm == "language" || rest[1].norm == "speaking"):
	default:
		return 0
	}
	p.language = code
	if !hyphened && (rest[1].norm == "language" || rest[1].norm == "speaking") {
		return 2
	}
	return 1
}

// endHeads settles what the nouns before a steering word are: roles write the
// posts, and so do actors (banks hiring …); the rest is part of the subject
// (Kubernetes discussions about cost).
func (p *parser) endHeads(acting bool) {
	if acting || len(p.topics) == 0 {
		for _, h := range p.heads {
			p.endHead(h, acting)
		}
		p.heads = p.heads[:0:0]
	}
}

func (p *parser) endHead(h []token, acting bool) {
	h = trimHead(h)
	if len(h) == 0 {
		return
	}
	last := h[len(h)-1].norm
	switch {
	case p.section != lead:
	case isRole(last) && !openings[last] && !notRole(h), people[last] && !generic[last]:
		p.authors = append(p.authors, h)
	case !acting || h[0].kind != word:
		if !generically(h) {
			p.topics = append(p.topics, item{words: h})
			p.joint = also
		}
	case !generically(h):
		p.authors = append(p.authors, h)
	}
}

// notRole reports whether the last two words are a thing that is called like a
// role.
func notRole(h []token) bool {
	if len(h) < 2 {
		return false
	}
	pair := h[len(h)-2].norm + " " + singularRole(h[len(h)-1].norm)
	return notRoles[pair] || fixed[pair] || namesProduct(h)
}

// adoptHeads makes of nouns that nothing steers the subject.
func (p *parser) adoptHeads() {
	if len(p.topics) == 0 || p.joint != also {
		return
	}
	p.joint = none
}

// trimHead cuts off the words that a wish is dressed in, and the clause that
// begins with who or that.
func trimHead(h []token) []token {
	for i, t := range h {
		if i > 0 && (t.norm == "who" || t.norm == "which" || t.norm == "that" || t.norm == "whose") {
			h = h[:i]
			break
		}
	}
	for len(h) > 0 && dressing(h) {
		h = h[1:]
	}
	return trimEnd(h)
}

// dressing reports whether the first word is not part of what is looked for.
func dressing(h []token) bool {
	w := h[0].norm
	if h[0].kind != word || startsTerm(h) || w == "go" && len(h) > 1 && isRole(h[1].norm) {
		return false
	}
	return filler[w] || function[w] || request[w] || postish[w] && len(h) > 1
}

// trimEnd cuts words for posts and function words off the end.
func trimEnd(h []token) []token {
	for len(h) > 0 {
		t := h[len(h)-1]
		if t.kind != word || endsTerm(h) || people[t.norm] && len(h) > 1 || !function[t.norm] && !filler[t.norm] && (!postish[t.norm] || len(h) == 1) && !isTime(t.norm) {
			return h
		}
		h = h[:len(h)-1]
	}
	return h
}

func isTime(w string) bool { return isYear(w) || times[w] || strings.Trim(w, "0123456789") == "" }

var times = wordSet(`two three four five six seven eight nine ten twelve fourteen thirty sixty ninety week month year day hours days weeks months january february march april may june july august september october november december q1 q2 q3 q4`)

// generically reports whether tokens hold no subject.
func generically(tokens []token) bool {
	if n := len(tokens); n > 1 && isRole(tokens[n-1].norm) && generic[tokens[n-2].norm] {
		return false // content writers
	}
	nouns, telling := 0, false
	for _, t := range tokens {
		switch {
		case t.kind != word:
			return false
		case capitalised(t.text) && quietNamed(t.norm):
			return false
		case function[t.norm] || filler[t.norm] || request[t.norm] || isTime(t.norm):
		case generic[t.norm]:
			nouns++
			telling = telling || !postish[t.norm]
		default:
			return false
		}
	}
	return nouns < 2 || !telling || !fixedPair(tokens)
}

// fixedPair reports whether two generic nouns stand side by side, which makes
// a subject of them: customer feedback.
func fixedPair(tokens []token) bool {
	for i := 1; i < len(tokens); i++ {
		a, b := tokens[i-1].norm, tokens[i].norm
		if generic[a] && generic[b] && !postish[a] && !postish[b] && !request[a] {
			return true
		}
	}
	return false
}

// weakly reports whether the last word is too weak to be looked for.
func weakly(tokens []token) bool {
	return len(tokens) > 0 && len(tokens) <= 3 && (weak[tokens[len(tokens)-1].norm] || generic[tokens[len(tokens)-1].norm])
}
