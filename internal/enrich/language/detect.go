// Package language detects the language of a short text.
//
// The script comes first: a script other than Latin with at least a third of
// the letters decides, and most scripts belong to one language. For Latin,
// Cyrillic, Arabic and Devanagari letters a linear model chooses between the
// languages that use them. Every n-gram of one to four letters and every short
// word has a row of weights, one per language, and the language with the
// largest sum wins. The rows are hashed into a fixed number of buckets and
// rounded to bytes, so that the sums are integers and the result is the same
// on every machine.
//
// The confidence of the model is the lead of the best language over the
// second. Below a threshold, set on held-out texts, the language is
// undetermined; so it is with fewer than minLetters letters, and for a text
// that the model takes for names or for a language that it does not list.
//
// Codes are those of ISO 639-1. Bosnian is reported as Croatian, Malay as
// Indonesian, Serbian in Latin letters as Croatian, and both forms of
// Norwegian as no. Hindi is detected in Devanagari and Latin letters.
package language

import (
	"math"
	"slices"
	"unicode"

	"watchpost/internal/langcode"
)

// A text needs minLetters letters; detection reads the first maxLetters.
const (
	minLetters = 3
	maxLetters = 1000
)

// Detect returns the code of the language of a text.
func Detect(text string) string { return current().Detect(text) }

// Detect returns the code of the language of a text.
func (m *Model) Detect(text string) string {
	code, lead := m.Guess(text)
	if code == langcode.Undetermined || lead < 0 {
		return langcode.Undetermined
	}
	return code
}

// Guess returns the most likely language of a text, and the difference of its
// lead and the threshold; 0 when the script alone decides.
func (m *Model) Guess(text string) (code string, lead int32) {
	tags := false
	c := count(text, tags)
	if c.letters < minLetters {
		tags = true
		if c = count(text, tags); c.letters < minLetters {
			return langcode.Undetermined, 0
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

// census counts the letters of a text by script.
type census struct {
	letters int
	by      [scriptCount]int
}

// count counts letters. A Chinese, Japanese or Korean character counts as two,
// because it carries as much information.
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

// script returns the deciding script: the most frequent one other than Latin
// when it has a third of the letters, else Latin. One kana in ten Han
// characters makes a text Japanese.
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
