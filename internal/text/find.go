package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// Find returns the parts of content in which keywords occur, in their order and
// without overlap. A keyword occurs as it does for a Matcher.
func Find(content string, keywords []string) []Span {
	normalized, origin := normalizeWithOrigin(content)
	if normalized != Normalize(content) {
		return nil // characters that only join after their marks are dropped
	}
	var all []Span
	for _, keyword := range keywords {
		n := newPattern(keyword)
		for i := n.next(normalized, 0); i >= 0; i = n.next(normalized, i+len(n.s)) {
			to := i + len(n.s)
			for to < len(normalized) && origin[to] == origin[to-1] {
				to++ // to the end of a piece that the keyword is only a part of
			}
			all = append(all, Span{origin[i], origin[to]})
		}
	}
	slices.SortFunc(all, func(a, b Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	kept := all[:0]
	for _, s := range all {
		if len(kept) == 0 || s.From >= kept[len(kept)-1].To {
			kept = append(kept, s)
		}
	}
	return kept
}

// normalizeWithOrigin normalizes a text piece by piece, and returns for each byte
// of the result, and for its end, where its piece begins in the text.
func normalizeWithOrigin(s string) (string, []int) {
	var b strings.Builder
	b.Grow(len(s))
	origin := make([]int, 0, len(s)+1)
	space := false
	for i := 0; i < len(s); {
		size := 1
		if s[i] >= utf8.RuneSelf || i+1 < len(s) && s[i+1] >= utf8.RuneSelf {
			size = max(1, norm.NFKC.NextBoundaryInString(s[i:], true))
		}
		piece := Normalize(s[i : i+size])
		if space {
			piece = strings.TrimPrefix(piece, " ")
		}
		if piece != "" {
			space = strings.HasSuffix(piece, " ")
		}
		b.WriteString(piece)
		for range len(piece) {
			origin = append(origin, i)
		}
		i += size
	}
	return b.String(), append(origin, len(s))
}
