package fakenetwork

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold reduces a text to the form that the network's search compares:
// compatibility forms, case and every nonspacing mark are folded, runs of
// white space become one space. It is coarser than exact comparisons, so the
// search finds at least their matches.
func fold(s string) string {
	if isASCII(s) {
		return foldSpace(strings.ToLower(s))
	}
	s = cases.Fold().String(norm.NFKC.String(s))
	s = norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		// Zero bytes separate the posts of an index; see index.
		if r != 0 && !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return foldSpace(b.String())
}

// isASCII reports whether fold may use its fast path.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == 0 {
			return false
		}
	}
	return true
}

// foldSpace collapses white space and trims it.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// words returns the words of a folded text.
func words(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return !wordRune(r) })
}

// wordRune reports whether r is part of a word.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// slugify returns a lower-case ASCII name for addresses; empty when no
// character of the text is allowed.
func slugify(s string, limit int) string {
	n := 0
	for i := range s { // folding hardly shortens a text, and the rest is cut anyway
		if n++; n > 2*limit {
			s = s[:i]
			break
		}
	}
	var b strings.Builder
	for _, w := range words(fold(s)) {
		var kept strings.Builder
		for _, r := range w {
			if r < utf8.RuneSelf {
				kept.WriteRune(r)
			}
		}
		if kept.Len() == 0 {
			continue
		}
		if b.Len()+kept.Len() >= limit {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteString(kept.String())
	}
	return b.String()
}
