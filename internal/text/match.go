package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize brings text and keywords to the form in which they are compared
// (decisions: Matching): compatibility forms unified, case folded in full,
// accents and other nonspacing marks dropped from Latin, Greek, Cyrillic and
// Arabic letters (and from these only: elsewhere such marks are vowels or
// make another letter), every run of white space one space.
//
// It is idempotent, and does not depend on whether its input was composed.
func Normalize(s string) string {
	if n, ok := normalizeASCII(s); ok {
		return n
	}
	s = norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD"))
	s = norm.NFD.String(foldCase(s))
	return norm.NFKC.String(dropMarks(s))
}

// normalizeASCII is Normalize for text that has no other characters.
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
// text and folds white space.
func dropMarks(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	bare, space := false, false // the last base loses its marks; was white space
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

// losesMarks reports whether marks after r are only an accent for us.
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

// isUnspaced reports whether r belongs to a script written without spaces.
// Signs that such scripts share count as theirs: the Kana length mark, the
// repetition signs and the combining voice marks.
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r == '\u30fc' || r == '\u3006' || r == '\u303c' || '\u3031' <= r && r <= '\u3035' || r == '\u3099' || r == '\u309a':
		return true
	}
	return unicode.In(r, unspaced...)
}

// isWord reports whether r is a character inside which no keyword begins or
// ends: a letter, mark or number, unless its script writes words without
// spaces. An emoji's variation selector is a mark like any other.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
		return false
	}
	return !isUnspaced(r)
}

// Text is a post's text, normalised once for all that look at it: keywords,
// which are matched with the content, and what wants the image's text as well.
type Text struct{ s, image string }

// New normalises a post's content.
func New(content string) Text { return Text{s: Normalize(content)} }

// WithImage returns the text together with that of the post's image.
func (t Text) WithImage(imageText string) Text {
	t.image = Normalize(imageText)
	return t
}

// String returns the normalised content.
func (t Text) String() string { return t.s }

// Image returns the normalised text of the image.
func (t Text) Image() string { return t.image }

// pattern is a normalised keyword that knows at which of its ends a word
// character is in the way.
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

// in reports whether the keyword occurs in normalised text at word borders.
func (n pattern) in(text string) bool {
	if n.s == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], n.s)
		if i < 0 {
			return false
		}
		i += from
		if n.fits(text, i) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		from = i + size
	}
}

// fits reports whether the occurrence at i stands at word borders.
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

// Matcher is a compiled Rule, to compare with many texts. The zero value
// matches nothing.
type Matcher struct {
	keyword            pattern
	required, excluded []pattern
	anyRequired        bool
}

// Rule says which texts match: those with the keyword, with every required
// word (with AnyRequired: one of them) and without the excluded ones.
type Rule struct {
	Keyword            string
	Required, Excluded []string
	AnyRequired        bool
}

// Compile prepares a rule.
func Compile(r Rule) Matcher {
	m := Matcher{keyword: newPattern(r.Keyword), anyRequired: r.AnyRequired && len(r.Required) > 1}
	for _, word := range r.Required {
		m.required = append(m.required, newPattern(word))
	}
	for _, x := range r.Excluded {
		m.excluded = append(m.excluded, newPattern(x))
	}
	return m
}

// Match reports whether the text matches the rule. An occurrence counts unless
// it cuts a word: its first (last) character and the one before (after) it must
// not both be word characters. A blank required word requires nothing.
func (m Matcher) Match(t Text) bool {
	if !m.keyword.in(t.s) {
		return false
	}
	if !m.requiredIn(t.s) {
		return false
	}
	for _, x := range m.excluded {
		if x.in(t.s) {
			return false
		}
	}
	return true
}

// requiredIn reports whether the required words occur in normalised text.
func (m Matcher) requiredIn(text string) bool {
	if m.anyRequired {
		return slices.ContainsFunc(m.required, func(r pattern) bool { return r.s == "" || r.in(text) })
	}
	return !slices.ContainsFunc(m.required, func(r pattern) bool { return r.s != "" && !r.in(text) })
}
