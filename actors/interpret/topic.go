package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"

	"watchpost"
)

// topic is one thing that is looked for.
type topic struct {
	text     string   // as the prompt has it
	variants []string // keywords that stand for it, the prompt's own first
	required []string // what a post must say beside any of them
	signals  []string // of which it must say one
	guessed  bool     // a rule chose the words
	role     bool
	alone    bool // nothing but an intention
	person   bool // it is the writers themselves
}

// Bounds of what is made of one thing.
const (
	maxVariants = 6 // keywords that stand for it
	maxBeside   = 3 // required words that are parts of its phrase
	maxPhrase   = 4 // words of a phrase that is looked for as it is
)

// newTopic makes a topic of an item; ok is false when the item says nothing.
func newTopic(it item) (t topic, ok bool) {
	words := trimTopic(it.words)
	if n := len(words) - 1; it.with != nil && n > 0 {
		if m := intentionNamed(askedFor[words[n].norm]); m != nil {
			it.with, it.said, words = m, it.said+" "+words[n].norm, trimTopic(words[:n])
		}
	}
	if it.with == nil && len(words) > 1 && openings[words[len(words)-1].norm] {
		it.with, it.said = opened, words[len(words)-1].norm
		words = trimTopic(words[:len(words)-1])
	} else if n := len(words); it.with != nil && n > 1 && openings[words[n-1].norm] {
		words = trimTopic(words[:n-1])
	}
	t.signals, t.guessed = signalsOf(it)
	t.person = it.with != nil && it.with.person
	chunks := chunk(words)
	if len(chunks) == 0 {
		if it.with == nil || len(it.with.alone) == 0 {
			return topic{}, false
		}
		return topic{text: it.with.name, variants: it.with.alone, guessed: true, alone: true}, true
	}
	t.text = shorten(texts(words), watchpost.MaxName)
	main := mainChunk(chunks)
	if len(chunks) == 1 && t.ownFirst(it.words) {
		return topic{}, false
	}
	t.take(chunks[main])
	for i, c := range chunks {
		if i != main {
			t.beside(texts(trimScene(c)))
		}
	}
	return t, len(t.variants) > 0
}

// beside adds what a post must say as well.
func (t *topic) beside(text string) {
	if text == "" || slices.Contains(t.required, text) {
		return
	}
	if len(t.required) == maxBeside {
		t.guessed = true
		return
	}
	t.required = append(t.required, text)
}

// take makes keywords of the main part.
func (t *topic) take(words []token) {
	if len(words) == 1 && words[0].kind != word {
		text := words[0].text
		if words[0].kind == link {
			text = linkKeyword(text)
		}
		t.variants = []string{text}
		return
	}
	if t.role = isRole(words[len(words)-1].norm) && !notRole(words); t.role {
		for len(words) > 1 && demanded[words[0].norm] {
			t.beside(words[0].norm)
			words = words[1:]
		}
		t.variants = variants(words, true)
		return
	}
	key, rest := split(words)
	if len(key)+len(rest) > maxPhrase && len(rest) == 0 {
		key, rest = words[len(words)-2:], words[:len(words)-2]
		t.guessed = true
		t.variants = variants(key, false)
		for i := len(rest) - 1; i >= 0; i-- {
			t.beside(rest[i].text)
		}
		return
	}
	t.variants = variants(key, false)
	t.beside(texts(trimTopic(rest)))
}

// split parts a telling name from the words beside it, which posts do not
// always say right there: Kubernetes security.
func split(words []token) (key, rest []token) {
	if len(words) > 1 && words[0].kind == link {
		return words[:1], words[1:]
	}
	if len(words) < 2 || fixed[norms(words)] || termIndex[norms(words)] != 0 {
		return words, nil
	}
	for n := min(maxTerm, len(words)-1); n > 0; n-- {
		if g := termIndex[norms(words[:n])]; g != 0 && groups[g].telling {
			return words[:n], words[n:]
		}
		if at := len(words) - n; len(words) > maxPhrase || n > 1 {
			if g := termIndex[norms(words[at:])]; g != 0 && (groups[g].telling || len(words) > maxPhrase) {
				return words[at:], words[:at]
			}
		}
	}
	if n := properName(words); n > 0 && n < len(words) {
		return words[:n], words[n:]
	}
	return words, nil
}

// properName returns how many words the name has that words begin with: they
// are capitalised, the next one is not, and it is no abbreviation or
// adjective of a country.
func properName(words []token) int {
	n := 0
	for n < len(words) && capitalised(words[n].text) {
		n++
	}
	if n == 0 || n == 1 && (isAcronym(words[0].text) || len(words[0].text) < 4 || ofCountry(words[0].norm)) {
		return 0
	}
	return n
}

// ofCountry reports whether a word is an adjective of a country or language.
func ofCountry(w string) bool {
	for _, end := range []string{"ish", "ese", "ian", "ean", "can", "lic"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return demonyms[w]
}

var demonyms = wordSet(`german french dutch swiss greek czech thai israeli iraqi pakistani nordic scottish welsh english european asian african latin
	western eastern northern southern christian muslim jewish`)

// chunk parts a phrase at the words that only join its parts, and leaves out
// the parts that say nothing.
func chunk(words []token) [][]token {
	var out [][]token
	var cur []token
	end := func() {
		if c := trimTopic(ownless(cur)); len(c) > 0 && !generically(c) {
			out = append(out, c)
		}
		cur = nil
	}
	for i := 0; i < len(words); {
		if n := bound(words[i:]); n > 0 {
			cur = append(cur, words[i:i+n]...)
			i += n
			continue
		}
		t := words[i]
		switch {
		case t.kind != word:
			end()
			cur = append(cur, t)
			end()
		case t.norm == "of" && !hollowly(cur):
			cur = append(cur, t)
		case t.norm == "of", breaks[t.norm]:
			if hollowly(cur) {
				cur = nil
			}
			end()
		default:
			cur = append(cur, t)
		}
		i++
	}
	end()
	return out
}

// maxBound is the most words of a phrase that stays together.
const maxBound = 5

// bound returns how many tokens a phrase that stays together has which the
// tokens begin with.
func bound(words []token) int {
	for n := min(maxBound, len(words)); n > 1; n-- {
		if phrase := norms(words[:n]); fixed[phrase] || termIndex[phrase] != 0 {
			return n
		}
	}
	return 0
}

// startsTerm and endsTerm report whether a known phrase of two or more words
// stands at the edge.
func startsTerm(words []token) bool { return bound(words) > 0 }

func endsTerm(words []token) bool {
	for n := min(maxBound, len(words)); n > 1; n-- {
		if phrase := norms(words[len(words)-n:]); fixed[phrase] || termIndex[phrase] != 0 {
			return true
		}
	}
	return false
}

// hollowly reports whether words lead to a subject and are none.
func hollowly(words []token) bool {
	if len(words) == 0 {
		return true
	}
	for _, t := range words {
		if t.kind != word || !hollow[t.norm] && !filler[t.norm] && !function[t.norm] && !postish[t.norm] {
			return false
		}
	}
	return true
}

// ownless drops my product and the like, which only the writer knows.
func ownless(words []token) []token {
	for i := 0; i+1 < len(words); i++ {
		if w := words[i].norm; w != "my" && w != "our" && w != "your" {
			continue
		}
		end := i + 1
		for end < len(words) && (vague[words[end].norm] || filler[words[end].norm]) {
			end++
		}
		if end > i+1 {
			return slices.Concat(words[:i], words[end:])
		}
	}
	return words
}

// ownFirst reports whether a phrase begins with what only the writer knows,
// and goes on: our competitors in the fintech space.
func (t *topic) ownFirst(words []token) bool {
	for i, w := range words {
		if breaks[w.norm] && w.norm != "my" && w.norm != "our" && w.norm != "your" {
			return i > 0 && len(ownless(words[:i])) < i && generically(ownless(words[:i]))
		}
	}
	return false
}

// trimTopic cuts off what no subject begins or ends with.
func trimTopic(words []token) []token {
	for len(words) > 0 {
		if len(words) > 2 && words[0].norm == "the" && verbal[words[1].norm] {
			words = words[2:]
			continue
		}
		w := words[0].norm
		if words[0].kind != word || startsTerm(words) || !filler[w] && !function[w] && !isTime(w) && w != "-" || words[0].text == "IT" || quietTerm(words) {
			break
		}
		words = words[1:]
	}
	words = trimEnd(words)
	for len(words) > 1 && introduces[words[0].norm] && (words[1].kind != word || capitalised(words[1].text)) && !startsTerm(words) && !capitalised(words[0].text) {
		words = words[1:]
	}
	return words
}

// verbal are nouns for what is said word for word: the word burnout.
var verbal = wordSet(`word words phrase phrases term terms keyword keywords hashtag hashtags expression name`)

// introduces are nouns before the name of what they are: competitor Globex.
var introduces = wordSet(`competitor competitors company companies brand brands product products tool tools startup startups software app rival rivals
	vendor vendors platform platforms hashtag hashtags phrase phrases keyword keywords word words term terms expression service provider providers`)

// quietTerm reports whether words begin with a name that is also an ordinary
// word, written as a name.
func quietTerm(words []token) bool {
	return termIndex[words[0].norm] != 0 && capitalised(words[0].text) && len(words[0].text) > 1
}

// scene are nouns for where something takes place, which posts leave out: in
// the fintech industry, at fintech companies.
var scene = wordSet(`industry space sector field niche world business businesses company companies firm firms organization organizations
	organisation organisations startup startups team teams context environment environments community communities market markets domain area`)

func trimScene(c []token) []token {
	if n := len(c); n > 1 && scene[c[n-1].norm] && !fixed[norms(c)] && termIndex[norms(c)] == 0 {
		return c[:n-1]
	}
	return c
}

// mainChunk returns which part is the keyword: one that is quoted, else one
// that is a known name, else the first that is not weak.
func mainChunk(chunks [][]token) int {
	rank := func(c []token) int {
		g := termIndex[norms(c)]
		switch {
		case c[0].kind != word:
			return 0
		case g != 0 && groups[g].telling:
			return 1
		case properName(c) > 0 && !isRole(c[len(c)-1].norm):
			return 2
		case isRole(c[len(c)-1].norm) && len(c) > 1:
			return 3
		case g != 0:
			return 3
		case len(c) == 1 && (weak[c[0].norm] || hollow[c[0].norm] || generic[c[0].norm]):
			return 5
		}
		return 4
	}
	best := 0
	for i, c := range chunks {
		if rank(c) < rank(chunks[best]) {
			best = i
		}
	}
	return best
}

// shorten cuts s to at most n characters, between words where it can.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n])
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}
