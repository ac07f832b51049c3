package postindex

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/internal/text"
)

// searcher finds what a search asks for.
type searcher struct {
	snapshot *snapshot
	// names are those of the terms of the search, and stems how their words are
	// cut in the languages of sources, which are mostly the same ones.
	names map[*text.SearchTerm]term
	stems map[stemKey][]stemGroup
}

// stemKey names words and languages.
type stemKey struct{ words, languages uint64 }

// stemGroup is how words are cut in some languages.
type stemGroup struct {
	stemming
	languages []term
}

// clause returns the posts for which one of the terms holds.
func (x *searcher) clause(s segmentReader, clause text.SearchClause) (*roaring.Bitmap, error) {
	var sets []*roaring.Bitmap
	for i := range clause {
		set, err := x.occurring(s, &clause[i])
		if err != nil {
			return nil, err
		}
		if clause[i].Negative {
			if set == nil {
				set = roaring.New()
			}
			set = roaring.Flip(set, 0, uint64(s.posts()))
		}
		if set != nil {
			sets = append(sets, set)
		}
	}
	return union(sets), nil
}

// occurring returns the posts in which a term occurs, whether or not that is
// asked for.
func (x *searcher) occurring(s segmentReader, t *text.SearchTerm) (*roaring.Bitmap, error) {
	exact, candidates, err := x.lookup(s, t)
	if err != nil {
		return nil, err
	}
	overlong, err := s.postings(overlongTerm)
	if err != nil {
		return nil, err
	}
	if overlong != nil {
		if candidates == nil {
			candidates = overlong
		} else {
			candidates = roaring.Or(candidates, overlong)
		}
	}
	if candidates == nil || candidates.IsEmpty() {
		return exact, nil
	}
	verified, err := x.verified(s, t, candidates)
	if err != nil {
		return nil, err
	}
	if exact == nil {
		return verified, nil
	}
	return roaring.Or(exact, verified), nil
}

// lookup returns the posts in which a term occurs for sure, or those in which it
// may, whose text must be looked at.
func (x *searcher) lookup(s segmentReader, t *text.SearchTerm) (exact, candidates *roaring.Bitmap, err error) {
	if t.Substring != "" {
		return lookupNgrams(s, t.Substring)
	}
	var set *roaring.Bitmap
	if t.Exact {
		set, err = allPostings(s, exactTerms(t.Words))
	} else {
		set, err = x.stemmed(s, t)
	}
	if plain := len(t.Words) == 1 || len(t.Words) == 2 && t.Words[0].Sigil == 0 && t.Words[1].Sigil == 0; plain {
		return set, nil, err
	}
	return nil, set, err
}

// lookupNgrams signatures for a substring.
func lookupNgrams(s segmentReader, content string) (exact, candidates *roaring.Bitmap, err error) {
	var ngrams []term
	whole := false
	for ngram := range text.Ngrams(content) {
		whole = whole || ngram == content
		ngrams = append(ngrams, termOf(termNgram, ngram))
	}
	if whole {
		exact, err = s.postings(termOf(termNgram, content))
		return exact, nil, err
	}
	if len(ngrams) == 0 {
		return nil, everything(s), nil
	}
	candidates, err = allPostings(s, ngrams)
	return nil, candidates, err
}

func everything(s segmentReader) *roaring.Bitmap {
	set := roaring.New()
	set.AddRange(0, uint64(s.posts()))
	return set
}

// allPostings returns the posts that have all of the terms; nil: none.
func allPostings(s segmentReader, terms []term) (all *roaring.Bitmap, err error) {
	for i, t := range terms {
		set, err := s.postings(t)
		if err != nil || set == nil {
			return nil, err
		}
		if i == 0 {
			all = set
		} else if all = roaring.And(all, set); all.IsEmpty() {
			return nil, nil
		}
	}
	return all, nil
}

// exactTerms are the terms of words that are compared as they are.
func exactTerms(words []text.SearchWord) []term {
	if len(words) == 1 {
		return []term{termOf(termWord, sigil(words[0])+words[0].Text)}
	}
	var terms []term
	for i := 1; i < len(words); i++ {
		terms = append(terms, termOf(termPair, words[i-1].Text, words[i].Text))
	}
	return terms
}

func sigil(w text.SearchWord) string {
	if w.Sigil == 0 {
		return ""
	}
	return string(rune(w.Sigil))
}

// stemming is how words are cut in some languages: the stems, and for each
// whether it is its own stem there, so that a token without a stem term of its
// own is meant too.
type stemming struct {
	stems string // each with a NUL behind it
	own   string
}

// stemmed returns the posts that have all words of a term, or pairs of them, in
// any of their forms. Which forms a word has depends on a post's language. For
// a segment that is remembered.
func (x *searcher) stemmed(s segmentReader, t *text.SearchTerm) (*roaring.Bitmap, error) {
	k := s.key(cachedMatches, uint64(x.nameOf(t))^1)
	if v, ok := x.snapshot.index.cache.get(k); ok {
		return v.(*roaring.Bitmap), nil
	}
	languages, err := s.languages()
	if err != nil {
		return nil, err
	}
	groups := x.groups(languages, t)
	var sets []*roaring.Bitmap
	for _, g := range groups {
		set, err := g.in(s, t.Words)
		if err == nil && set != nil && len(groups) > 1 {
			set, err = ofLanguages(s, set, g.languages)
		}
		if err != nil {
			return nil, err
		}
		if set != nil {
			sets = append(sets, set)
		}
	}
	all := union(sets)
	x.snapshot.index.cache.put(k, all, bitmapSize(all))
	return all, nil
}

// groups returns how the words of a term are cut in some languages.
func (x *searcher) groups(languages *languageSet, t *text.SearchTerm) []stemGroup {
	key := stemKey{uint64(x.nameOf(t)), languages.name}
	if groups, known := x.stems[key]; known {
		return groups
	}
	k := cacheKey{x.snapshot.name, cachedStems, key.words, key.languages}
	groups, known := []stemGroup(nil), false
	if v, ok := x.snapshot.index.cache.get(k); ok {
		groups, known = v.([]stemGroup)
	}
	if !known {
		groups = stemAll(languages, t.Words)
		x.snapshot.index.cache.put(k, groups, len(groups)*(100+20*len(t.Words))+8*len(languages.names))
	}
	if x.stems == nil {
		x.stems = map[stemKey][]stemGroup{}
	}
	x.stems[key] = groups
	return groups
}

// stemAll returns how words are cut in some languages.
func stemAll(languages *languageSet, words []text.SearchWord) (groups []stemGroup) {
	for l, language := range languages.names {
		g := stemWords(language, words)
		i := slices.IndexFunc(groups, func(known stemGroup) bool { return known.stemming == g })
		if i < 0 {
			i, groups = len(groups), append(groups, stemGroup{stemming: g})
		}
		groups[i].languages = append(groups[i].languages, languages.terms[l])
	}
	return groups
}

// stemWords returns how words are cut in a language.
func stemWords(language string, words []text.SearchWord) (g stemming) {
	for _, w := range words {
		stem := text.Stem(language, w.Text)
		g.stems += stem + "\x00"
		if text.Stem(language, stem) == stem {
			g.own += "+"
		} else {
			g.own += "-"
		}
	}
	return g
}

// ofLanguages returns those posts of a set that are in one of the languages.
func ofLanguages(s segmentReader, set *roaring.Bitmap, languages []term) (*roaring.Bitmap, error) {
	in, err := anyPostings(s, languages)
	if err != nil || in == nil {
		return nil, err
	}
	return roaring.And(set, in), nil
}

// in returns the posts that have the stems.
func (g stemming) in(s segmentReader, words []text.SearchWord) (all *roaring.Bitmap, err error) {
	stems := strings.Split(g.stems, "\x00") // and an empty one behind the last
	if len(words) == 1 {
		terms := []term{termOf(termStem, sigil(words[0])+stems[0])}
		if g.own == "+" {
			terms = append(terms, termOf(termWord, sigil(words[0])+stems[0]))
		}
		return anyPostings(s, terms)
	}
	for i := 1; i < len(words); i++ {
		terms := []term{termOf(termStemPair, stems[i-1], stems[i])}
		if g.own[i-1:i+1] == "++" {
			terms = append(terms, termOf(termPair, stems[i-1], stems[i]))
		}
		set, err := anyPostings(s, terms)
		if err != nil || set == nil {
			return nil, err
		}
		if i == 1 {
			all = set
		} else {
			all = roaring.And(all, set)
		}
	}
	return all, nil
}

// verified returns those posts of a set in whose text a term occurs, by looking at
// it. For a segment that is remembered.
func (x *searcher) verified(s segmentReader, t *text.SearchTerm, set *roaring.Bitmap) (*roaring.Bitmap, error) {
	deleted, err := s.deleted()
	if err != nil {
		return nil, err
	}
	state := uint64(0)
	if deleted != nil {
		set, state = roaring.AndNot(set, deleted), deleted.GetCardinality()
	}
	k := s.key(cachedMatches, uint64(x.nameOf(t))+mix(state))
	if v, ok := x.snapshot.index.cache.get(k); ok {
		return v.(*roaring.Bitmap), nil
	}
	versions, err := s.column(columnVersion)
	if err != nil {
		return nil, err
	}
	positive := *t
	positive.Negative = false
	var occurs []uint16
	for it := set.Iterator(); it.HasNext(); {
		docNum := it.Next()
		post, err := x.snapshot.stored(uint64(versions.at(int(docNum))))
		if err != nil {
			return nil, err
		}
		text, language, err := post.text()
		if err != nil {
			return nil, err
		}
		if text.Search(language).Holds(positive) {
			occurs = append(occurs, uint16(docNum))
		}
	}
	result := bitmapOf(occurs)
	x.snapshot.index.cache.put(k, result, bitmapSize(result))
	return result, nil
}

// nameOf names a term of the search.
func (x *searcher) nameOf(t *text.SearchTerm) term {
	name, known := x.names[t]
	if known {
		return name
	}
	words := []string{t.Substring}
	for _, w := range t.Words {
		words = append(words, sigil(w)+w.Text)
	}
	if name = termOf('?', words...); t.Exact {
		name = termOf('"', words...)
	}
	if x.names == nil {
		x.names = map[*text.SearchTerm]term{}
	}
	x.names[t] = name
	return name
}
