package enrich

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/text"
)

// folded is a text prepared for comparison with keywords and labels:
// normalised, in whole words.
type folded struct {
	text      string
	firstLine int // length of the first line in text
	language  string
	words     []string // sorted, once each
	indexed   bool
	stems     []string // of words; "" if not computed yet
	stem      func(language, word string) string
}

// newFolded prepares a post's text and the text of its image.
func newFolded(raw string, content text.Text, language string) *folded {
	t := &folded{text: strings.TrimSpace(content.String()), language: language, stem: text.Stem}
	t.firstLine = len(t.text)
	if line, _, more := strings.Cut(strings.TrimSpace(raw), "\n"); more {
		t.firstLine = min(len(strings.TrimSpace(text.Normalize(line))), len(t.text))
	}
	if image := content.Image(); image != "" {
		t.text += "\n" + image
	}
	return t
}

// index splits the text into words on first use.
func (t *folded) index() {
	if t.indexed {
		return
	}
	t.indexed = true
	t.words = make([]string, 0, len(t.text)/6+1)
	for w := range strings.FieldsFuncSeq(t.text, notWord) {
		t.words = append(t.words, w)
	}
	slices.Sort(t.words)
	t.words = slices.Compact(t.words)
	t.stems = make([]string, len(t.words))
}

// sameStart is the number of bytes that all forms of a word are assumed to
// share at the start.
const sameStart = 3

// has reports whether a normalised word occurs as a whole word, in any
// inflection.
func (t *folded) has(w string) bool {
	if strings.ContainsFunc(w, unspaced) || strings.ContainsFunc(w, notWord) {
		_, n := t.occurrences(w, 1)
		return n > 0
	}
	t.index()
	if _, known := slices.BinarySearch(t.words, w); known {
		return true
	}
	if len(w) <= sameStart {
		return false
	}
	stem, start := "", w[:sameStart]
	from, _ := slices.BinarySearch(t.words, start)
	for i := from; i < len(t.words) && strings.HasPrefix(t.words[i], start); i++ {
		if stem == "" {
			stem = t.stem(t.language, w)
		}
		if t.stems[i] == "" {
			t.stems[i] = t.stem(t.language, t.words[i])
		}
		if t.stems[i] == stem {
			return true
		}
	}
	return false
}

// all reports whether every one of the words occurs.
func (t *folded) all(words []string) bool { return t.distinct(words) == len(words) }

// distinct counts the words that occur.
func (t *folded) distinct(words []string) int {
	n := 0
	for _, w := range words {
		if t.has(w) {
			n++
		}
	}
	return n
}

// occurrences counts, up to most, the occurrences of a normalised keyword at
// word boundaries, and returns the position of the first.
func (t *folded) occurrences(keyword string, most int) (first, n int) {
	if keyword == "" {
		return 0, 0
	}
	for from := 0; n < most; {
		i := strings.Index(t.text[from:], keyword)
		if i < 0 {
			break
		}
		i += from
		if !cuts(t.text, i) && !cuts(t.text, i+len(keyword)) {
			if n == 0 {
				first = i
			}
			n++
			from = i + len(keyword)
			continue
		}
		_, size := utf8.DecodeRuneInString(t.text[i:])
		from = i + size
	}
	return first, n
}

// cuts reports whether i is inside a word of s.
func cuts(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return inWord(before) && inWord(after)
}

// inWord reports whether r is a character of a word that has boundaries.
func inWord(r rune) bool { return !notWord(r) && !unspaced(r) }

func notWord(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && (r < 'A' || r > 'Z')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// unspaced reports whether r belongs to a script that is written without
// spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
