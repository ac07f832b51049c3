package text

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers maps a language code to its stemmer.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem,
	"da": danish.Stem,
	"de": german.Stem,
	"en": english.Stem,
	"es": spanish.Stem,
	"fi": finnish.Stem,
	"fr": french.Stem,
	"ga": irish.Stem,
	"hu": hungarian.Stem,
	"it": italian.Stem,
	"nb": norwegian.Stem,
	"nl": dutch.Stem,
	"nn": norwegian.Stem,
	"no": norwegian.Stem,
	"pt": portuguese.Stem,
	"ro": romanian.Stem,
	"ru": russian.Stem,
	"sv": swedish.Stem,
	"ta": tamil.Stem,
	"tr": turkish.Stem,
}

// maxStemmed bounds the words that are stemmed, in bytes; longer words are not
// natural language.
const maxStemmed = 64

// Stem returns the common form of a normalized word's inflections in a
// language. A word with other characters than letters, or in a language without
// a stemmer (for example und), is its own stem. Normalized words have no
// accents, so stems are coarser than a dictionary's. Both sides of a comparison
// use the same stemmer, so this can cause a wrong match but never a missing
// one.
func Stem(language, word string) string {
	stem := stemmers[language]
	if stem == nil || len(word) > maxStemmed || !ofLetters(word) {
		return word
	}
	asked := stemmed{length: uint8(len(word))}
	if copy(asked.word[:], word) < len(word) || copy(asked.language[:], language) < len(language) {
		return stemOf(stem, word)
	}
	at := &stems[(maphash.String(stemSeed, word)+maphash.String(stemSeed, language))%uint64(len(stems))]
	if k := at.Load(); k != nil && k.word == asked.word && k.length == asked.length && k.language == asked.language {
		if k.prefix > 0 {
			return word[:k.prefix]
		}
		return k.stem
	}
	fresh, s := asked, stemOf(stem, word)
	if strings.HasPrefix(word, s) {
		fresh.prefix = uint8(len(s))
	} else {
		fresh.stem = s
	}
	at.Store(&fresh)
	return s
}

// stemOf runs a stemmer on a word; an empty stem becomes the word itself.
func stemOf(stem func(*snowballstem.Env) bool, word string) string {
	env := snowballstem.NewEnv(word)
	stem(env)
	if env.Current() == "" {
		return word
	}
	return env.Current()
}

// stems caches the stems of words in a table indexed by hash, where a new word
// replaces the previous one. Texts consist mostly of few words, and stemming
// takes much longer than a lookup. A full table takes four megabytes.
var (
	stems    [1 << 16]atomic.Pointer[stemmed]
	stemSeed = maphash.MakeSeed()
)

// stemmed is a word with its stem: the first prefix bytes of the word or, if
// prefix is 0, another text. The word is stored inline because following a
// pointer dominates the lookup.
type stemmed struct {
	word     [23]byte
	language [6]byte
	length   uint8
	prefix   uint8
	stem     string
}

// ofLetters reports whether a word has letters and marks only.
func ofLetters(word string) bool {
	for _, r := range word {
		if (r < 'a' || r > 'z') && !unicode.In(r, unicode.L, unicode.M) {
			return false
		}
	}
	return true
}
