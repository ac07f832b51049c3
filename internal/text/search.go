package text

import (
	"slices"
	"strings"
)

// Search is what a search_term asks for (decisions: Posts). Its zero value
// asks for nothing and matches every post. Engines must agree with Matches to
// the letter; what they need for it is exported here and in SearchText.
//
// A search is a list of clauses that must all hold; a clause is a list of
// terms of which one must hold; a term holds when it occurs, or, if it is
// negative, when it does not.
//
// Terms and texts are compared as Normalize writes them. A term is either
// words, which must occur as adjacent tokens of one field of the post (see
// SearchText for what a token is), or a piece of text, which must occur as it
// is, anywhere in a field, also inside a word. Words of an unquoted term equal
// tokens that have the same stem in the post's language; those of a quoted one
// only the tokens that are the same. A word with a sigil (#, @) equals only a
// token with that sigil, one without equals both.
type Search struct {
	clauses []SearchClause
	nothing bool // something was written, and none of it can be looked for
}

// SearchClause holds the terms of which one must hold.
type SearchClause []SearchTerm

// SearchTerm is one word, phrase or piece of text of a search. Either
// Substring is set or Words.
type SearchTerm struct {
	Negative  bool
	Substring string       // normalised
	Words     []SearchWord // adjacent, in this order
	Exact     bool         // words are compared without stemming
}

// SearchWord is a word that a search asks for.
type SearchWord struct {
	Text  string // normalised, not stemmed
	Sigil byte   // '#', '@' or 0
}

// Zero reports whether the search asks for nothing.
func (s Search) Zero() bool { return len(s.clauses) == 0 && !s.nothing }

// Nothing reports whether the search finds no post, whatever its text.
func (s Search) Nothing() bool { return s.nothing }

// Clauses returns the parsed search, which the caller must not change.
func (s Search) Clauses() []SearchClause { return s.clauses }

// Matches reports whether a post with this text is one that is searched for.
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

// adjacent reports whether the tokens begin with the words of a term.
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
