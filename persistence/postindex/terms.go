package postindex

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// term stands for something that posts are found by: a word, a facet's value, a
// mark. It is a part of a cryptographic hash, so that no text can be written
// which is found by a word that it lacks; that two terms of a team meet by
// chance is less likely than a failing disk. Its lowest bit is set for terms
// that few posts share and that filters leave out: see filter.
type term uint64

// Kinds of terms.
const (
	termWord      = 'w' // a token, with its sigil and without
	termStem      = 's' // a token's stem, where it is not the token itself
	termPair      = 'p' // two adjacent tokens
	termStemPair  = 'q' // their stems, where they are not the tokens themselves
	termNgram     = 'g' // text.Ngrams
	termLanguage  = 'l'
	termType      = 't'
	termSeniority = 'e'
	termLabel     = 'b'
	termAuthor    = 'a'
	termReference = 'r'
	termWatchlist = 'c'
	termSentiment = 'm'
	termSource    = 'o'
	termKeyword   = 'k' // a watchlist and a keyword for which it matched
	termGiven     = 'G' // a watchlist and a label that it gives
	termGives     = 'H' // a watchlist that gives a label
	termLate      = 'L' // a watchlist that got the post after it had been stored; posts of earlier builds lack it

	termAny        = 'V' // every post
	termUntagged   = 'n'
	termSaved      = 'S'
	termTrending   = 'T'
	termInteracted = 'I'
	termOverlong   = 'O' // its text is not indexed: it has too many terms
)

// termOf names a term.
func termOf(kind byte, text ...string) term {
	var buffer [128]byte
	b := append(buffer[:0], kind)
	for i, s := range text {
		if i > 0 {
			b = append(b, 0)
		}
		b = append(b, s...)
	}
	sum := sha256.Sum256(b)
	t := term(binary.BigEndian.Uint64(sum[:])) &^ 1
	if kind == termPair || kind == termStemPair {
		t |= 1
	}
	return t
}

// unfiltered reports whether filters leave the term out.
func (t term) unfiltered() bool { return t&1 == 1 }

// overlongTerm is that of posts whose text is not indexed.
var overlongTerm = termOf(termOverlong)

// maxTerms bounds the terms of the text of one post. A text that has more is
// not indexed but looked at whenever a search asks for text.
const maxTerms = 1 << 14

// TextTerms are what a post is found by for its text. They are most of the work
// of putting a post, need nothing that is stored, and may be made by any
// goroutine before.
type TextTerms struct{ terms []term }

// TextTerms returns the terms of a text in a language.
func (x *Index) TextTerms(language string, text text.Text) TextTerms {
	return newTextTerms(language, text, x.options.PostTerms)
}

// newTextTerms returns the terms of a text, or that they are more than most.
func newTextTerms(language string, text text.Text, most int) TextTerms {
	all := textTerms(text.Search(language))
	if len(all) > most {
		all = []term{overlongTerm}
	}
	return TextTerms{all}
}

// termsOf returns all terms of a post, sorted, each once.
func termsOf(p *watchpost.Post, text TextTerms) []term {
	facets := facetTerms(p)
	slices.Sort(facets)
	all, rest := make([]term, 0, len(text.terms)+len(facets)), text.terms
	for _, t := range facets {
		i, _ := slices.BinarySearch(rest, t)
		all = append(append(all, rest[:i]...), t)
		rest = rest[i:]
	}
	return slices.Compact(append(all, rest...))
}

// facetTerms returns the terms by which filters find a post.
func facetTerms(p *watchpost.Post) []term {
	terms := []term{anyTerm, termOf(termLanguage, p.Language)}
	for i := range finders {
		if f := &finders[i]; f.kind != 0 {
			for _, name := range f.filter.Names(p) {
				terms = append(terms, termOf(f.kind, name))
			}
		}
	}
	for _, tag := range p.Tags {
		terms = append(terms, termOf(termLabel, text.NormalizeName(tag.Name)))
	}
	if len(p.Tags) == 0 {
		terms = append(terms, termOf(termUntagged))
	}
	for _, m := range p.Matches {
		terms = append(terms, termOf(termWatchlist, string(m.Watchlist)))
	}
	return append(appendMatches(terms, p), lateTerms(p)...)
}

// appendMatches adds what each watchlist has found and given.
func appendMatches(terms []term, p *watchpost.Post) []term {
	for _, m := range p.Matches {
		if m.Keyword != "" {
			terms = append(terms, termOf(termKeyword, string(m.Watchlist), text.NormalizeName(m.Keyword)))
		}
		for _, tag := range m.Tags {
			terms = append(terms, termOf(termGiven, string(m.Watchlist), text.NormalizeName(p.Tags[tag].Name)))
		}
		if len(m.Tags) > 0 {
			terms = append(terms, termOf(termGives, string(m.Watchlist)))
		}
	}
	return terms
}

// lateTerms names the watchlists that got the post later than the service.
func lateTerms(p *watchpost.Post) []term {
	var terms []term
	for i := range p.Matches {
		if id := p.Matches[i].Watchlist; p.GotAt(id).After(p.CreatedAt) {
			terms = append(terms, termOf(termLate, string(id)))
		}
	}
	return terms
}

var anyTerm = termOf(termAny)

// textTerms returns the distinct terms of a text.
func textTerms(content text.SearchText) []term {
	tokens := content.Tokens()
	terms := make([]term, 0, 4*len(tokens)+8)
	var last text.SearchToken
	for _, token := range tokens {
		if token.Text != "" && token.Attached() {
			token = text.SearchToken{} // no word equals it
		}
		if token.Text != "" {
			terms = appendWord(terms, token, "")
			if token.Sigil != 0 {
				terms = appendWord(terms, token, string(rune(token.Sigil)))
			}
			if last.Text != "" {
				terms = append(terms, termOf(termPair, last.Text, token.Text))
				if last.Stem != last.Text || token.Stem != token.Text {
					terms = append(terms, termOf(termStemPair, last.Stem, token.Stem))
				}
			}
		}
		last = token
	}
	seen := map[string]bool{}
	for _, field := range content.Fields() {
		for piece := range text.Ngrams(field) {
			if !seen[piece] {
				seen[piece] = true
				terms = append(terms, termOf(termNgram, piece))
			}
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

func appendWord(terms []term, token text.SearchToken, sigil string) []term {
	terms = append(terms, termOf(termWord, sigil+token.Text))
	if token.Stem != token.Text {
		terms = append(terms, termOf(termStem, sigil+token.Stem))
	}
	return terms
}
