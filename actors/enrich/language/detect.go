// Package language tells the language of a short text.
//
// The script comes first: what is not Latin and has at least a third of the
// letters decides, and most scripts are one language's. For Latin, Cyrillic,
// Arabic and Devanagari letters a linear model chooses between the languages
// that write them: every run of one to four letters and every short word of the
// text has a row of weights, one for each language, and the language with the
// largest sum is it. The rows are hashed into a fixed number of buckets and
// rounded to a byte, so that the sums are those of whole numbers and the answer
// is the same on every machine.
//
// How sure the model is goes by the lead of the best language over the second;
// below a threshold that was set on texts that the model had not seen, the
// language is undetermined. So is it when there are fewer than minLetters
// letters.
//
// Codes are those of ISO 639-1. Bosnian is taken for Croatian, Malay for
// Indonesian, Serbian in Latin letters for Croatian, and both kinds of
// Norwegian are no. Hindi is known in its own and in Latin letters.
package language

import (
	"math"
	"slices"
	"unicode"

	"watchpost"
)

// A text needs minLetters letters; of a long one the first maxLetters tell.
const (
	minLetters = 3
	maxLetters = 1000
)

// Detect returns the code of the language of a text.
func Detect(text string) string { return current().Detect(text) }

// Detect returns the code of the language of a text.
func (m *Model) Detect(text string) string {
	code, lead := m.Guess(text)
	if code == watchpost.Undetermined || lead < 0 {
		return watchpost.Undetermined
	}
	return code
}

// Guess returns the most likely language of a text, and by how much its lead is
// above the threshold of belief; 0 where the script alone tells.
func (m *Model) Guess(text string) (code string, lead int32) {
	tags := false
	c := count(text, tags)
	if c.letters < minLetters {
		tags = true
		if c = count(text, tags); c.letters < minLetters {
			return watchpost.Undetermined, 0
		}
	}
	s := c.script()
	if s >= modelled {
		return scriptCodes[s], 0
	}
	return m.groups[s].guess(text, tags)
}

// guess lets the model of a script choose.
func (g *group) guess(text string, tags bool) (code string, lead int32) {
	var hashes [maxFeatures]uint32
	sums := summation{group: g}
	letters := 0
	words(text, tags, func(w []rune) {
		if letters > maxLetters {
			return
		}
		letters += len(w) - 2
		sums.add(grams(w, hashes[:0]))
	})
	totals := sums.totals()
	best := 0
	most, next := totals[0], int32(math.MinInt32)
	for i, sum := range totals[1:len(g.Codes)] {
		if sum > most {
			best, most, next = i+1, sum, most
		} else {
			next = max(next, sum)
		}
	}
	return g.Codes[best], most - next - g.Unsure
}

// census says which letters a text has.
type census struct {
	letters int
	by      [scriptCount]int
}

// count counts letters. A character of Chinese, Japanese or Korean counts as
// two, as it says as much.
func count(text string, tags bool) (c census) {
	words(text, tags, func(w []rune) {
		if c.letters > maxLetters {
			return
		}
		for _, r := range w[1 : len(w)-1] {
			if r < 0x250 {
				if r != '\'' {
					c.letters++
					c.by[latin]++
				}
				continue
			}
			if unicode.IsMark(r) {
				continue
			}
			s, weight := scriptOf(r), 1
			if s == han || s == kana || s == hangul {
				weight = 2
			}
			c.letters += weight
			c.by[s] += weight
		}
	})
	return c
}

// script returns the script that tells: of those that are not Latin the one
// with most letters, when it has a third of all, else Latin. One kana among ten
// characters makes them Japanese.
func (c *census) script() script {
	if 10*c.by[kana] >= c.by[han] && c.by[kana] > 0 {
		c.by[kana] += c.by[han]
		c.by[han] = 0
	}
	best := script(1 + slices.Index(c.by[1:], slices.Max(c.by[1:])))
	if 3*c.by[best] >= c.letters {
		return best
	}
	return latin
}
