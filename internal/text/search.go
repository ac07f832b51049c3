package text

import (
	"slices"
	"strings"
)

// Search is a parsed search_term (decisions: Posts). Its zero value matches
// every post. Engines must return exactly the posts that Matches accepts; the
// parts that they need are exported here and in SearchText.
//
// A search is a list of clauses that must all hold. A clause is a list of
// terms; at least one must hold. A term holds if it occurs or, when negative,
// if it does not occur.
//
// Terms and texts are compared in the form of Normalize. A term is either words
// or a substring. Words must occur as adjacent tokens of one field of the post
// (SearchText defines tokens). A substring may occur anywhere in a field, also
// inside a word. A word of an unquoted term equals tokens with the same stem in
// the post's language; a word of a quoted term equals only identical tokens. A
// word with a sigil (#, @) equals only tokens with that sigil; a word without
// one equals both.
type Search struct {
	clauses []SearchClause
	nothing bool // the term is not empty, but has nothing to search for
}

// SearchClause is a list of terms; at least one must hold.
type SearchClause []SearchTerm

// SearchTerm is one word, phrase or substring of a search. Either Substring or
// Words is set.
type SearchTerm struct {
	Negative  bool
	Substring string       // normalized
	Words     []SearchWord // adjacent, in this order
	Exact     bool         // words are compared without stemming
}

// SearchWord is a word of a search term.
type SearchWord struct {
	Text  string // normalized, not stemmed
	Sigil byte   // '#', '@' or 0
}

// Zero reports whether the search is the zero value, which matches every post.
func (s Search) Zero() bool { return len(s.clauses) == 0 && !s.nothing }

// Nothing reports whether the search matches no post at all.
func (s Search) Nothing() bool { return s.nothing }

// Clauses returns the parsed search. The caller must not change it.
func (s Search) Clauses() []SearchClause { return s.clauses }

// Matches reports whether the search matches a post with this text.
func (s Search) Matches(t SearchText) bool {
	for _, c := range s.clauses {
		if !slices.ContainsFunc(c, t.Holds) {
			return false
		}
	}
	return !s.nothing
}

// Holds reports whether a term holds for the text.
func (t SearchText) Holds(term SearchTerm) bool {
	if term.Substring != "" {
		found := slices.ContainsFunc(t.fields, func(f string) bool { return strings.Contains(f, term.Substring) })
		return found != term.Negative
	}
	stems := make([]string, len(term.Words))
	for i, w := range term.Words {
		stems[i] = Stem(t.language, w.Text)
	}
	for i := 0; i+len(term.Words) <= len(t.tokens); i++ {
		if adjacent(t.tokens[i:], term, stems) {
			return !term.Negative
		}
	}
	return term.Negative
}

// adjacent reports whether the tokens start with the words of a term.
func adjacent(tokens []SearchToken, term SearchTerm, stems []string) bool {
	for i, w := range term.Words {
		token := tokens[i]
		switch {
		case token.Text == "", w.Sigil != 0 && w.Sigil != token.Sigil:
			return false
		case token.Text == w.Text:
		case term.Exact || token.Stem != stems[i]:
			return false
		}
	}
	return true
}
