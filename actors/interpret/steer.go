package interpret

import (
	"slices"
	"strings"
	"unicode"
)

// conjunction ends an item at an "and".
func (p *parser) conjunction(t token) {
	switch {
	case p.both || t.text == "AND":
		p.beside()
	default:
		p.endItem(none)
		p.pair = true
	}
}

// steer does what a phrase steers to; it returns false when the words are to
// be taken as they are.
func (p *parser) steer(m mark, said, rest []token) bool {
	switch m.steer {
	case idle:
		p.cur = append(p.cur, said...)
	case wanting:
		p.endItem(none)
		p.heads, p.section = nil, lead
	case intent:
		return p.intend(m.intent, said, rest)
	case about:
		return p.open(said)
	case literal:
		if len(said) == 1 && p.section == topics && len(p.cur) == 0 && len(p.topics) > 0 && p.joint != also { // …, mentioning X
			p.enter(demands)
			return true
		}
		if p.section == topics && len(p.topics)+len(p.cur) > 0 && !generically(p.cur) {
			p.enter(demands)
			return true
		}
		return p.open(said)
	case without:
		if phrase := norms(said); phrase == "instead of" && p.section == topics && p.with != nil {
			p.enter(demands)
			return true
		}
		p.enter(excludes)
	case demand:
		p.enter(demands)
	case by:
		return p.byline(said, rest)
	case purpose:
		if p.section == lead && len(p.heads) == 0 && generically(p.cur) && len(p.topics) == 0 && said[0].norm != "for" {
			return false // I want to understand what people say about X
		}
		p.enter(aims)
		p.cur = append(p.cur, said...)
	case myself:
		if p.section == lead && generically(p.cur) && len(p.heads) == 0 {
			p.enter(self)
			p.cur = append(p.cur, said...)
			return true
		}
		return false
	case naming:
		p.enter(classes)
	case also:
		p.beside()
	case either:
		p.endItem(either)
	case both:
		p.endItem(none)
		p.both = true
	case answered:
		p.endItem(none)
	default:
		return false
	}
	return true
}

// beside ends an item that must occur beside the next one.
func (p *parser) beside() {
	if p.section == lead && len(p.topics) == 0 {
		p.heads, p.cur = append(p.heads, p.cur), nil
		p.endHeads(false)
		p.section = topics
	}
	p.endItem(also)
	p.joint = also
}

// enter begins a section.
func (p *parser) enter(s section) {
	p.endItem(none)
	if p.section == lead {
		p.endHeads(false)
	}
	p.section, p.fresh, p.both, p.joint, p.pair = s, true, false, none, false
	p.with, p.said = nil, ""
}

// listing are the words after which a list begins that says more precisely
// what was named before them.
var listing = wordSet(`such_as like including e.g. eg for_example namely featuring`)

// nominal are the words after which the subject of a noun comes: those before
// them are no actors.
var nominal = wordSet(`about on regarding concerning related_to relating_to around on_the_topic_of in_the_field_of in_the_area_of focused_on keywords
	keyword hashtags with_the_hashtag with_the_word with_the_words with_the_keyword with_the_keywords in_relation_to when_it_comes_to mention mentions
	mention_of mentions_of`)

// open begins what is looked for.
func (p *parser) open(said []token) bool {
	phrase := norms(said)
	if p.stillOut() { // not about X
		return true
	}
	if listing[phrase] {
		if p.section != topics && p.section != lead || p.section == lead && len(p.cur) == 0 {
			return false
		}
		if p.section == lead { // tools like X
			p.heads = append(p.heads, p.cur)
			p.cur = nil
			p.endHeads(false)
			p.section = topics
			return true
		}
		if generically(p.cur) || weakly(p.cur) {
			p.cur = nil
		}
		p.endItem(none)
		return true
	}
	if p.section == topics && len(p.cur) > 0 && !generically(p.cur) && !isRole(p.cur[len(p.cur)-1].norm) {
		p.cur = append(p.cur, token{word, texts(said), "about"})
		return true
	}
	if p.section == topics && len(p.cur) > 0 && isRole(p.cur[len(p.cur)-1].norm) {
		p.authors = append(p.authors, p.cur)
		p.cur = nil
	}
	if p.section == demands || p.section == authors {
		p.endItem(none)
	}
	if p.section == lead {
		p.heads, p.cur = append(p.heads, p.cur), nil
		p.endHeads(!nominal[phrase])
	}
	with, saying, joint := p.with, p.said, p.joint
	p.enter(topics)
	p.joint = joint
	if len(p.topics) == 0 { // people hiring, posts about X
		p.with, p.said = with, saying
	}
	return true
}

// gerunds are intentions that are subjects themselves after "about".
var gerunds = wordSet(`hiring recruiting raising launching leaving learning seeking replacing announcing recommending hire recommend hate hates left raised`)

// intend begins what is looked for by what its writers are up to.
func (p *parser) intend(m *intention, said, rest []token) bool {
	phrase := norms(said)
	if p.section == excludes && (p.fresh || len(p.cur) > 0) { // not people looking for a job
		if generically(p.cur) {
			p.cur = nil
		}
		p.cur = append(p.cur, outsider(phrase, rest))
		return true
	}
	if p.section == demands {
		return false
	}
	if gerunds[phrase] && p.isNoun(m, rest) {
		return false
	}
	asks := phrase == "looking for" && p.section == lead && len(p.heads)+len(p.topics) == 0
	if asks && generically(p.cur) && !hasPeople(p.cur) {
		p.cur = nil // I am looking for …
		return true
	}
	if p.section == topics && len(p.cur) > 0 {
		p.authors = append(p.authors, p.cur)
		p.cur = nil
	}
	if p.section == lead {
		p.heads, p.cur = append(p.heads, p.cur), nil
		p.endHeads(true)
	}
	joint := p.joint
	p.enter(topics)
	p.joint = joint
	p.with, p.said = m, phrase
	if m.person && !topicAhead(rest) || bareIntent(rest) {
		p.topics = append(p.topics, item{with: m, said: phrase})
		p.with, p.said = nil, ""
	}
	return true
}

// compounds are nouns that make one word with what people are up to: a hiring
// freeze.
var compounds = wordSet(`manager managers process processes trends practices freeze freezes platform platforms`)

// isNoun reports whether what people are up to is itself the subject, as in:
// about recruiting, AI in recruiting, hiring freezes. Who posts about hiring
// engineers still hires.
func (p *parser) isNoun(m *intention, rest []token) bool {
	if len(rest) > 0 && compounds[rest[0].norm] {
		return true
	}
	if p.section != topics {
		return false
	}
	if n := len(p.cur); n > 0 {
		return !generically(p.cur) && !isRole(p.cur[n-1].norm)
	}
	return (p.fresh || len(p.topics) > 0) && (m.name != "hiring" || !roleWord(rest))
}

// topicAhead reports whether a job search says for what: as a nurse.
func topicAhead(rest []token) bool {
	return len(rest) > 1 && (rest[0].norm == "as" || rest[0].norm == "roles")
}

// bareIntent reports whether nothing comes that an intention could be about.
func bareIntent(rest []token) bool {
	for i, t := range rest {
		switch {
		case !t.content():
			return true
		case t.kind != word:
			return false
		case filler[t.norm] || function[t.norm] && !breaks[t.norm] || t.norm == "for":
			continue
		}
		m, n := markAt(rest[i:])
		if n > 0 && (m.steer == without || m.steer == purpose) || t.norm == "in" || t.norm == "near" {
			return true
		}
		return generic[t.norm] && !roleWord(rest) && !openings[t.norm]
	}
	return true
}

// roleWord reports whether one of the next words is a role.
func roleWord(rest []token) bool {
	for _, t := range rest[:min(4, len(rest))] {
		if !t.content() {
			return false
		}
		if isRole(t.norm) {
			return true
		}
	}
	return false
}

// people are words for whoever writes.
var people = wordSet(`people person someone somebody anyone anybody everyone those folks users customers companies startups teams founders who that which
	company startup businesses organizations organisations agencies firms clients buyers individuals professionals`)

func hasPeople(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return people[t.norm] || isRole(t.norm) })
}

// doers reports whether the next word is a plural of people by its ending:
// by installers.
func doers(rest []token) bool {
	if len(rest) == 0 || rest[0].kind != word || len(rest[0].norm) < 7 || capitalised(rest[0].text) {
		return false
	}
	for _, end := range []string{"ers", "ors", "ists", "ians"} {
		if strings.HasSuffix(rest[0].norm, end) {
			return true
		}
	}
	return false
}

// byline begins who writes the posts, if that is what comes.
func (p *parser) byline(said, rest []token) bool {
	if p.stillOut() {
		return true
	}
	if norms(said) == "created by" || norms(said) == "from" || norms(said) == "by" {
		named := p.section == lead && namesPerson(rest)
		if !named && !hasPeople(rest[:min(5, clause(rest))]) && !doers(rest) {
			return false
		}
	}
	if p.section == lead {
		p.heads, p.cur = append(p.heads, p.cur), nil
		p.endHeads(false)
	}
	p.enter(authors)
	return true
}

// stillOut reports whether what is not wanted goes on: no posts about X. The
// noun before it is dropped.
func (p *parser) stillOut() bool {
	if p.section != excludes || !p.fresh && (len(p.cur) == 0 || !generically(p.cur)) {
		return false
	}
	p.cur = nil
	return true
}

// outsider makes of what the writers of unwanted posts are up to one phrase.
func outsider(phrase string, rest []token) token {
	for _, before := range []string{"who are ", "that are ", "who ", "that ", "are ", "is "} {
		phrase = strings.TrimPrefix(phrase, before)
	}
	if phrase == "looking for" && len(rest) > 0 {
		words := rest[:min(3, clause(rest))]
		phrase += " " + norms(words)
	}
	return token{quoted, phrase, phrase}
}

// namesPerson reports whether two capitalised words come, which no known
// thing or place is.
func namesPerson(rest []token) bool {
	if len(rest) < 2 || rest[1].kind != word || !capitalised(rest[0].text) || !capitalised(rest[1].text) {
		return false
	}
	_, n := placeAt(rest)
	return n == 0 && termIndex[rest[0].norm] == 0
}

// clause returns how many tokens come before the next border.
func clause(rest []token) int {
	for i, t := range rest {
		if !t.content() {
			return i
		}
		if _, n := markAt(rest[i:]); n > 0 && i > 0 {
			return i
		}
	}
	return len(rest)
}

func capitalised(s string) bool {
	for _, r := range s {
		return unicode.IsUpper(r)
	}
	return false
}
