package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize returns the form in which texts and keywords are compared
// (decisions: Matching). It unifies compatibility forms, applies full case
// folding and replaces each run of white space with one space. It removes
// accents and other nonspacing marks from Latin, Greek, Cyrillic and Arabic
// letters. In other scripts such marks are vowels or make another letter, so
// they stay.
//
// It is idempotent, and its result does not depend on whether the input was
// composed.
func Normalize(s string) string {
	if n, ok := normalizeASCII(s); ok {
		return n
	}
	s = norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD"))
	s = norm.NFD.String(foldCase(s))
	return norm.NFKC.String(dropMarks(s))
}

// normalizeASCII is Normalize for ASCII text.
func normalizeASCII(s string) (string, bool) {
	changes, space := false, false
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return "", false
		}
		white := asciiSpace(c)
		changes = changes || 'A' <= c && c <= 'Z' || white && (space || c != ' ')
		space = white
	}
	if !changes {
		return s, true
	}
	var b strings.Builder
	b.Grow(len(s))
	space = false
	for i := range len(s) {
		c := s[i]
		if asciiSpace(c) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

func asciiSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// dropMarks removes the nonspacing marks of the four scripts from decomposed
// text and collapses white space.
func dropMarks(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	bare, space := false, false // the last base character loses its marks; the last character was white space
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
			if bare {
				continue
			}
		case unicode.IsSpace(r):
			if space {
				continue
			}
			bare, space = false, true
			b.WriteByte(' ')
			continue
		default:
			bare = losesMarks(r)
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// losesMarks reports whether marks after r are only accents.
func losesMarks(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsLetter(r)
	}
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic)
}

// unspaced holds the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isUnspaced reports whether r belongs to a script written without spaces. This
// includes signs that such scripts share: the Kana length mark, the repetition
// signs and the combining voice marks.
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r == '\u30fc' || r == '\u3006' || r == '\u303c' || '\u3031' <= r && r <= '\u3035' || r == '\u3099' || r == '\u309a':
		return true
	}
	return unicode.In(r, unspaced...)
}

// isWord reports whether r is a word character: a letter, mark or number of a
// script with spaces between words. The variation selector of an emoji is a
// mark. No keyword begins or ends between two word characters.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
		return false
	}
	return !isUnspaced(r)
}

// Text is the normalized text of a post, shared by all matchers. Keywords match
// the content; other users also need the text of the image.
type Text struct{ s, image string }

// New normalizes the content of a post.
func New(content string) Text { return Text{s: Normalize(content)} }

// WithImage returns the text with the text of the post's image added.
func (t Text) WithImage(imageText string) Text {
	t.image = Normalize(imageText)
	return t
}

// String returns the normalized content.
func (t Text) String() string { return t.s }

// Image returns the normalized text of the image.
func (t Text) Image() string { return t.image }

// pattern is a normalized keyword that records whether its first and last
// characters are word characters.
type pattern struct {
	s           string
	first, last bool
}

func newPattern(keyword string) pattern {
	s := strings.TrimSpace(Normalize(keyword))
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	return pattern{s, isWord(first), isWord(last)}
}

// in reports whether the keyword occurs in normalized text at word borders.
func (n pattern) in(text string) bool { return n.next(text, 0) >= 0 }

// next returns where the keyword occurs in normalized text at word borders, at
// or after from; -1 if it does not.
func (n pattern) next(text string, from int) int {
	if n.s == "" {
		return -1
	}
	for {
		i := strings.Index(text[from:], n.s)
		if i < 0 {
			return -1
		}
		i += from
		if n.fits(text, i) {
			return i
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		from = i + size
	}
}

// fits reports whether the occurrence at i is at word borders.
func (n pattern) fits(text string, i int) bool {
	if n.first {
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); isWord(before) {
			return false
		}
	}
	if n.last {
		if after, _ := utf8.DecodeRuneInString(text[i+len(n.s):]); isWord(after) {
			return false
		}
	}
	return true
}

// Matcher is a compiled Rule, for matching many texts. The zero value matches
// nothing.
type Matcher struct {
	keyword            pattern
	words              []pattern // of a keyword of several words
	required, excluded []pattern
	anyRequired        bool
}

// Rule matches texts with the keyword, with all required words (with
// AnyRequired: one of them) and without the excluded words.
type Rule struct {
	Keyword            string
	Required, Excluded []string
	AnyRequired        bool
}

// Compile returns the Matcher of the rule.
func Compile(r Rule) Matcher {
	m := Matcher{keyword: newPattern(r.Keyword), anyRequired: r.AnyRequired && len(r.Required) > 1}
	if words := strings.Fields(m.keyword.s); len(words) > 1 {
		for _, word := range words {
			m.words = append(m.words, newPattern(word))
		}
	}
	for _, word := range r.Required {
		m.required = append(m.required, newPattern(word))
	}
	for _, x := range r.Excluded {
		m.excluded = append(m.excluded, newPattern(x))
	}
	return m
}

// Outcome is what a rule makes of a text.
type Outcome uint8

// The outcomes.
const (
	// Absent: the text has not all words of the keyword.
	Absent Outcome = iota
	// Matched: the text matches the rule.
	Matched
	// Apart: the words of the keyword are there, but not as one phrase.
	Apart
	// Missing: a required word is missing, or all of them with AnyRequired.
	Missing
	// Forbidden: an excluded word is there.
	Forbidden
)

// Match reports whether the text matches the rule. An occurrence is valid
// unless it cuts a word: its first (last) character and the character before
// (after) it must not both be word characters. A blank required word is
// ignored.
func (m Matcher) Match(t Text) bool {
	if !m.keyword.in(t.s) {
		return false
	}
	outcome, _ := m.constraints(t.s)
	return outcome == Matched
}

// Judge is Match with the first reason of a text that does not match. word is the place
// of a missing or forbidden word in the rule; -1 when there is none.
func (m Matcher) Judge(t Text) (o Outcome, word int) {
	if m.keyword.in(t.s) {
		return m.constraints(t.s)
	}
	if len(m.words) == 0 || slices.ContainsFunc(m.words, func(w pattern) bool { return !w.in(t.s) }) {
		return Absent, -1
	}
	return Apart, -1
}

// constraints judges a normalized text with the keyword.
func (m Matcher) constraints(text string) (o Outcome, word int) {
	missing := func(r pattern) bool { return r.s != "" && !r.in(text) }
	if m.anyRequired {
		if !slices.ContainsFunc(m.required, func(r pattern) bool { return !missing(r) }) {
			return Missing, -1
		}
	} else if i := slices.IndexFunc(m.required, missing); i >= 0 {
		return Missing, i
	}
	if i := slices.IndexFunc(m.excluded, func(x pattern) bool { return x.in(text) }); i >= 0 {
		return Forbidden, i
	}
	return Matched, -1
}
