package interpret

import (
	"slices"
	"strings"

	"watchpost"
)

// section is what the words at hand are about.
type section uint8

const (
	lead     section = iota // before anything steered: who, or the subject itself
	topics                  // what is looked for
	excludes                // what posts must not have
	demands                 // what they must have as well
	authors                 // who writes them
	aims                    // what it is all for
	self                    // who asks
	classes                 // labels
)

// item is one thing of a list.
type item struct {
	words []token
	joint steer // also: must occur beside the one before
	pair  bool  // joined to the one before by a bare "and"
	with  *intention
	said  string // the words of the intention
}

// wish is what a prompt says, taken apart.
type wish struct {
	topics    []item
	excluded  [][]token
	required  []item
	authors   [][]token
	labels    [][]token
	places    []place
	notPlaces []place
	language  string
	aims      []string
	nearby    bool // a place that only the writer knows
	guessed   bool // a place that the table does not have
}

// parser takes a prompt apart from left to right.
type parser struct {
	wish
	tokens  []token
	i       int
	section section
	cur     []token   // the words since the last border
	heads   [][]token // the list that a sentence begins with
	joint   steer     // how cur is joined to what was before
	pair    bool
	both    bool
	with    *intention
	said    string
	fresh   bool // nothing came since a section began
}

// parse takes the tokens of a prompt apart.
func parse(tokens []token) wish {
	p := parser{tokens: tokens, fresh: true}
	for p.i < len(p.tokens) {
		p.i += max(p.step(p.tokens[p.i:]), 1)
	}
	p.endSentence()
	return p.wish
}

// step deals with what the rest begins with, and returns how many tokens that
// was.
func (p *parser) step(rest []token) int {
	t := rest[0]
	if t.kind == stop {
		p.endSentence()
		return 1
	}
	if n := p.inProse(rest); n > 0 {
		return n
	}
	if n := p.setting(rest); n > 0 {
		return n
	}
	if m, n := markAt(rest); n > 0 && p.steer(m, rest[:n], rest[n:]) {
		return n
	}
	switch {
	case t.text == "(" && len(rest) > 1 && (rest[1].norm == "the" || rest[1].norm == "a" || rest[1].norm == "an"):
		if end := slices.IndexFunc(rest, func(t token) bool { return t.text == ")" }); end > 0 {
			return end + 1 // Go (the language)
		}
		p.endItem(none)
	case t.kind == pause:
		p.endItem(none)
	case t.norm == "and" && t.kind == word:
		p.conjunction(t)
	default:
		p.cur = append(p.cur, t)
		p.fresh = false
	}
	return 1
}

// inProse deals with the sections that are sentences and no lists, and
// returns 0 when they are over.
func (p *parser) inProse(rest []token) int {
	switch p.section {
	case aims, self:
		after := rest
		if rest[0].kind == pause || rest[0].norm == "and" || rest[0].norm == "but" {
			after = rest[1:]
		}
		m, n := markAt(after)
		leaves := n > 0 && (m.steer == wanting || len(after) < len(rest) && (m.steer == without || m.steer == naming || m.steer == demand))
		leaves = leaves || n > 0 && m.intent != nil && m.intent.name == "looking for" && p.section == self
		if leaves || p.section == self && (n > 0 && m.steer == purpose || rest[0].kind == pause || asksAnew(rest)) {
			p.endItem(none)
			p.section = lead
			return len(rest) - len(after)
		}
		p.cur = append(p.cur, rest[0])
		return 1
	case classes:
		return p.label(rest)
	}
	return 0
}

// label reads the names of labels.
func (p *parser) label(rest []token) int {
	t := rest[0]
	m, n := markAt(rest)
	switch {
	case t.text == ":" && len(p.labels)+len(p.cur) > 0:
		p.endItem(none)
		p.section = lead
	case t.kind == pause, t.norm == "and", t.norm == "or":
		p.endItem(none)
	case len(p.cur) == 0 && n > 0 && (m.steer == without || m.steer == demand || m.steer == wanting || m.steer == purpose):
		p.section = lead
		return 0
	case len(p.cur) == 0 && (t.norm == "as" || t.norm == "either" || t.norm == "into" || t.norm == "with"):
	default:
		p.cur = append(p.cur, t)
	}
	return 1
}

// asksAnew reports whether a clause about the writer gives way to a request.
func asksAnew(rest []token) bool {
	switch rest[0].norm {
	case "find", "show", "track", "monitor", "alert", "notify":
		return true
	}
	return len(rest) > 2 && (rest[0].norm == "and" || rest[0].norm == "so") && (request[rest[1].norm] && rest[1].norm != "need")
}

// endSentence closes all that is open.
func (p *parser) endSentence() {
	p.endItem(none)
	if p.section == lead {
		p.endHeads(false)
		p.adoptHeads()
	}
	p.section, p.fresh, p.both, p.joint, p.pair, p.with, p.said = lead, true, false, none, false, nil, ""
	p.heads = nil
}

// endItem closes the item at hand; joint is how the next one is joined to it.
func (p *parser) endItem(joint steer) {
	words := p.cur
	p.cur = nil
	if len(words) == 0 {
		if joint != none {
			p.joint = joint
		}
		return
	}
	switch p.section {
	case lead:
		p.heads = append(p.heads, words)
	case topics:
		p.topics = append(p.topics, item{words: words, joint: p.joint, pair: p.pair, with: p.with, said: p.said})
	case excludes:
		p.excluded = append(p.excluded, words)
	case demands:
		p.required = append(p.required, item{words: words, joint: p.joint})
	case authors:
		p.authors = append(p.authors, words)
	case aims, self:
		p.aims = append(p.aims, texts(words))
	case classes:
		p.labels = append(p.labels, words)
	}
	p.joint, p.pair = joint, false
}

// languageOf returns the code of the language that a word names.
func languageOf(t token) (string, bool) {
	if t.kind != word || len(t.norm) < 4 || !capitalised(t.text) && !languageNames[t.norm] {
		return "", false
	}
	code, ok := watchpost.ParseLanguage(t.norm)
	return code, ok && len(code) == 2 && !strings.EqualFold(code, t.norm)
}

var languageNames = wordSet(`english german french spanish italian portuguese dutch polish swedish danish norwegian finnish turkish arabic japanese chinese korean hindi russian`)
