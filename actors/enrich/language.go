package enrich

import (
	"math/bits"
	"strings"
	"unicode"

	"watchpost"
)

// The language of a post is told in two steps. The script comes first: what is
// not Latin and has at least a third of the letters decides, and most scripts
// are one language's. Then, for Latin and Cyrillic letters, every word votes
// for the languages that have it (functionWords, commonWords), else that have
// its ending, and every letter that not all languages have for those that
// write it, and a little against the others. A vote is shared between all that
// it speaks for, so that what many languages have says little. URLs, mail
// addresses and names after @ have no vote; hashtags have one only when there
// is nothing else.
//
// Codes are those of ISO 639-1; of several that a language has, the one that
// ParseLanguage gives. The language is undetermined when there are fewer than
// minLetters letters, little speaks for any language, or as much for another.

const (
	minLetters = 3
	wordVote   = 24 // of a word with three letters or more; a third and two for shorter ones
	endingVote = 8
	letterVote = 8
	strange    = 2  // lost for a letter that the language does not write
	enough     = 12 // votes without which a language is not believed
)

// language returns the code of the language of a text.
func language(p *prose) string {
	n := p.scripts(false)
	if n.letters < minLetters {
		if n = p.scripts(true); n.letters < minLetters {
			return watchpost.Undetermined
		}
	}
	s, most := latin, 0
	for candidate, letters := range n.by {
		if script(candidate) != latin && letters > most {
			s, most = script(candidate), letters
		}
	}
	if 3*most < n.letters {
		s = latin
	}
	switch s {
	case latin:
		return p.vote(0, firstCyrillic, n.tags)
	case cyrillic:
		return p.vote(firstCyrillic, lastVoter, n.tags)
	case han:
		return "zh"
	case arabic:
		return n.arabic
	}
	return scriptCodes[s]
}

// script is a way of writing that tells languages apart.
type script int

const (
	latin script = iota
	cyrillic
	arabic
	han
	kana
	hangul
	greek
	hebrew
	armenian
	georgian
	devanagari
	bengali
	gurmukhi
	gujarati
	tamil
	telugu
	kannada
	malayalam
	sinhala
	thai
	lao
	burmese
	khmer
	amharic
	otherScript
	scriptCount
)

// scriptCodes holds the language of the scripts that are taken for one's.
var scriptCodes = [scriptCount]string{
	kana: "ja", hangul: "ko", greek: "el", hebrew: "he", armenian: "hy", georgian: "ka", devanagari: "hi",
	bengali: "bn", gurmukhi: "pa", gujarati: "gu", tamil: "ta", telugu: "te", kannada: "kn", malayalam: "ml",
	sinhala: "si", thai: "th", lao: "lo", burmese: "my", khmer: "km", amharic: "am", otherScript: watchpost.Undetermined,
}

// blocks is the table of scripts, in the order of their code points.
var blocks = []struct {
	last   rune
	script script
}{
	{0x24f, latin}, {0x2ff, otherScript}, {0x36f, latin}, {0x3ff, greek}, {0x52f, cyrillic}, {0x58f, armenian}, {0x5ff, hebrew},
	{0x6ff, arabic}, {0x74f, otherScript}, {0x77f, arabic}, {0x89f, otherScript}, {0x8ff, arabic}, {0x97f, devanagari},
	{0x9ff, bengali}, {0xa7f, gurmukhi}, {0xaff, gujarati}, {0xb7f, otherScript}, {0xbff, tamil}, {0xc7f, telugu},
	{0xcff, kannada}, {0xd7f, malayalam}, {0xdff, sinhala}, {0xe7f, thai}, {0xeff, lao}, {0xfff, otherScript},
	{0x109f, burmese}, {0x10ff, georgian}, {0x11ff, hangul}, {0x139f, amharic}, {0x177f, otherScript}, {0x17ff, khmer},
	{0x1dff, otherScript}, {0x1eff, latin}, {0x1fff, greek}, {0x2e7f, otherScript}, {0x2fdf, han}, {0x303f, otherScript},
	{0x30ff, kana}, {0x312f, han}, {0x318f, hangul}, {0x31ef, han}, {0x31ff, kana}, {0x33ff, otherScript}, {0x9fff, han},
	{0xabff, otherScript}, {0xd7ff, hangul}, {0xf8ff, otherScript}, {0xfaff, han}, {0xfb4f, hebrew}, {0xfdff, arabic},
	{0xfe6f, otherScript}, {0xfeff, arabic}, {0xff60, latin}, {0xff9f, kana}, {0xffdc, hangul}, {0x1ffff, otherScript}, {0x3ffff, han},
}

func scriptOf(r rune) script {
	if r < 0x250 {
		return latin
	}
	lo, hi := 0, len(blocks)
	for lo < hi {
		if mid := (lo + hi) / 2; blocks[mid].last < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(blocks) {
		return otherScript
	}
	return blocks[lo].script
}

// census says which letters a text has.
type census struct {
	letters int
	by      [scriptCount]int
	tags    bool   // hashtags were counted, too
	arabic  string // the language, if the script is Arabic
}

// scripts counts letters. A character of Chinese or Korean counts as two, as
// it says as much; one kana among ten characters makes them Japanese.
func (p *prose) scripts(tags bool) census {
	c := census{tags: tags, arabic: "ar"}
	persian, urdu := 0, 0
	for _, w := range p.words {
		if w.tag && !tags {
			continue
		}
		for _, r := range w.text {
			if r < 0x80 {
				if 'a' <= r && r <= 'z' {
					c.letters++
					c.by[latin]++
				}
				continue
			}
			if !unicode.IsLetter(r) {
				continue
			}
			s, weight := scriptOf(r), 1
			switch s {
			case han, kana, hangul:
				weight = 2
			case arabic:
				switch r {
				case 'ٹ', 'ڈ', 'ڑ', 'ے', 'ں', 'ہ', 'ھ':
					urdu++
				case 'پ', 'چ', 'ژ', 'گ', 'ی', 'ک':
					persian++
				}
			}
			c.letters += weight
			c.by[s] += weight
		}
	}
	if 10*c.by[kana] >= c.by[han] && c.by[kana] > 0 {
		c.by[kana] += c.by[han]
		c.by[han] = 0
	}
	switch {
	case 20*urdu > c.by[arabic]:
		c.arabic = "ur"
	case 20*persian > c.by[arabic]:
		c.arabic = "fa"
	}
	return c
}

// voters lists the languages that vote, those in Latin letters first; the
// position of a code is its bit in a ballot.
var voters = [lastVoter]string{
	"en", "de", "fr", "es", "pt", "it", "nl", "sv", "da", "no", "fi", "pl", "cs", "sk", "hr", "ca", "ro", "hu", "tr", "id", "vi", "hi",
	"ru", "uk", "bg", "sr", "mk",
}

const (
	firstCyrillic = 22
	lastVoter     = 27
)

// ballot says which languages something speaks for, a bit for each.
type ballot uint32

// The ballots of words, endings and letters.
var (
	wordBallots   = ballots(functionWords, commonWords)
	endingBallots = ballots(endings)
	letterBallots = func() map[rune]ballot {
		table := make(map[rune]ballot)
		for i, code := range voters {
			for _, r := range alphabets[code] {
				table[r] |= 1 << i
			}
		}
		return table
	}()
)

func ballots(lists ...map[string]string) map[string]ballot {
	table := make(map[string]ballot)
	for i, code := range voters {
		for _, list := range lists {
			for w := range strings.FieldsSeq(list[code]) {
				table[w] |= 1 << i
			}
		}
	}
	return table
}

// tally counts votes.
type tally [lastVoter]int

// add shares a vote between the languages of a ballot.
func (t *tally) add(b ballot, vote int) {
	share := vote / bits.OnesCount32(uint32(b))
	for ; b != 0; b &= b - 1 {
		t[bits.TrailingZeros32(uint32(b))] += share
	}
}

// sub takes votes from the languages that are not on a ballot.
func (t *tally) sub(b ballot) {
	for i := range t {
		if b&(1<<i) == 0 {
			t[i] -= strange
		}
	}
}

// vote lets the words of a text choose between the voters from one to before
// another.
func (p *prose) vote(from, to int, tags bool) string {
	var t tally
	for _, w := range p.words {
		if w.tag && !tags || len(w.text) > maxWord {
			continue
		}
		t.word(w.text)
	}
	best, tie := from, false
	for i := from + 1; i < to; i++ {
		switch {
		case t[i] > t[best]:
			best, tie = i, false
		case t[i] == t[best]:
			tie = true
		}
	}
	if t[best] < enough || tie {
		return watchpost.Undetermined
	}
	return voters[best]
}

// word adds the votes of a word; one with an apostrophe that is not known as a
// whole, as l'équipe, is two.
func (t *tally) word(w string) {
	b, known := wordBallots[w]
	if !known {
		if i := strings.IndexByte(w, '\''); i > 0 {
			t.word(w[:i])
			t.word(w[i+1:])
			return
		}
	}
	size := 0
	for _, r := range w {
		size++
		if r >= 0x80 {
			if l, ok := letterBallots[r]; ok {
				t.add(l, letterVote)
				t.sub(l)
			}
		}
	}
	if known {
		t.add(b, wordVote*min(size, 3)/3)
		return
	}
	if size < 4 {
		return
	}
	for length := min(6, len(w)-2); length >= 1; length-- {
		if b, ok := endingBallots[w[len(w)-length:]]; ok {
			t.add(b, endingVote)
			return
		}
	}
}
