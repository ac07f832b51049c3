package enrich

import (
	"strings"
	"unicode/utf8"
)

// The sentiment of a post is the sign of a sum. Each word of the lexicon of the
// post's language counts one, for or against (opinions); after a negation in
// the same clause, at most two words before it, it counts the other way. Each
// emoji or emoticon that shows a mood counts one, the same one at most twice.
// In a language without a lexicon, the signs alone tell.

// The sentiments.
const (
	positive = "positive"
	negative = "negative"
	neutral  = "neutral"
)

// sentiment tells the mood of a text in a language.
func sentiment(p *prose, language string) string {
	sum := signs(p.raw)
	if l := lexicons[language]; l != nil {
		sum += l.sum(p.words)
	}
	switch {
	case sum > 0:
		return positive
	case sum < 0:
		return negative
	}
	return neutral
}

// lexicon holds the polarity of words in one language: 1 or -1.
type lexicon struct {
	words, prefixes map[string]int
	negators        map[string]bool
	shortest        int // of the prefixes, in bytes
}

var lexicons = func() map[string]*lexicon {
	all := make(map[string]*lexicon, len(opinions))
	for language, o := range opinions {
		l := &lexicon{words: map[string]int{}, prefixes: map[string]int{}, negators: map[string]bool{}, shortest: 1 << 10}
		l.add(o.positive, 1)
		l.add(o.negative, -1)
		for w := range strings.FieldsSeq(negators[language]) {
			l.negators[w] = true
		}
		all[language] = l
	}
	return all
}()

func (l *lexicon) add(list string, polarity int) {
	for w := range strings.FieldsSeq(list) {
		if prefix, ok := strings.CutSuffix(w, "*"); ok {
			l.prefixes[prefix] = polarity
			l.shortest = min(l.shortest, len(prefix))
		} else {
			l.words[w] = polarity
		}
	}
}

// polarity looks a word up: whole, or else by its longest known beginning.
func (l *lexicon) polarity(w string) int {
	if p, ok := l.words[w]; ok {
		return p
	}
	for n := min(len(w), maxWord); n >= l.shortest; n-- {
		if p, ok := l.prefixes[w[:n]]; ok {
			return p
		}
	}
	return 0
}

// negationReach is how many words a negation goes on for.
const negationReach = 2

func (l *lexicon) sum(words []word) int {
	sum, negated := 0, 0
	for _, w := range words {
		if l.negators[w.text] {
			negated = negationReach + 1
		} else if p := l.polarity(w.text); p != 0 {
			if negated > 0 {
				p = -p
			}
			sum += p
		}
		negated = max(negated-1, 0)
		if w.end {
			negated = 0
		}
	}
	return sum
}

// signPolarity holds the emoji that show a mood.
var signPolarity = func() map[rune]int {
	table := make(map[rune]int)
	for _, r := range pleasedSigns {
		table[r] = 1
	}
	for _, r := range displeasedSigns {
		table[r] = -1
	}
	return table
}()

// facePolarity holds the emoticons.
var facePolarity = func() map[string]int {
	table := make(map[string]int)
	for _, f := range pleasedFaces {
		table[f] = 1
	}
	for _, f := range displeasedFaces {
		table[f] = -1
	}
	return table
}()

// maxRepeats bounds how often one sign counts.
const maxRepeats = 2

// signs sums up the emoji and emoticons of a text.
func signs(raw string) int {
	sum := 0
	var seen map[rune]int
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if r >= 0x2600 {
			if p := signPolarity[r]; p != 0 {
				if seen == nil {
					seen = make(map[rune]int)
				}
				if seen[r]++; seen[r] <= maxRepeats {
					sum += p
				}
			}
		}
		i += size
	}
	faces := 0
	for chunk := range strings.FieldsSeq(raw) {
		if p := face(chunk); p != 0 && faces < maxRepeats {
			faces++
			sum += p
		}
	}
	return sum
}

// face returns the polarity of the emoticon that a chunk is, with or without a
// nose, its mouth repeated or not, or of a smile or frown that it ends in; 0 if
// there is none.
func face(chunk string) int {
	last := chunk[len(chunk)-1]
	for len(chunk) > 2 && chunk[len(chunk)-2] == last {
		chunk = chunk[:len(chunk)-1]
	}
	eyes := len(chunk) - 2
	if eyes > 0 && chunk[eyes] == '-' {
		eyes--
	}
	const longest = 4
	if len(chunk) <= longest {
		if p, ok := facePolarity[strings.ToLower(chunk)]; ok {
			return p
		}
		if eyes == 0 && len(chunk) == 3 {
			return facePolarity[strings.ToLower(chunk[:1]+chunk[2:])]
		}
	}
	if eyes < 0 || last != ')' && last != '(' {
		return 0
	}
	switch chunk[eyes] {
	case ':', ';', '=':
		return facePolarity[chunk[eyes:eyes+1]+string(rune(last))]
	}
	return 0
}
