package network

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold reduces a text to what the network's search compares: compatibility
// forms, case and every nonspacing mark are folded away, white space runs are
// one space. It is coarser than any exact comparison that respects those, so
// that the search finds at least what such a comparison would.
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

// isASCII reports whether fold may take its short way.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == 0 {
			return false
		}
	}
	return true
}

// foldSpace makes every run of white space one space and drops it at the ends.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// words returns the words of a folded text.
func words(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return !wordRune(r) })
}

// wordRune reports whether r is part of a word.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// slugify makes a lower-case ASCII name for addresses; it is empty when
// nothing of the text can be kept.
func slugify(s string, limit int) string {
	n := 0
	for i := range s { // folding makes a text hardly shorter: the rest is cut anyhow
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
