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

// stemmers holds, by language code, what cuts the endings off words.
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

// maxStemmed bounds the words that are stemmed, in bytes: what is longer is
// no word of a language.
const maxStemmed = 64

// Stem returns what a normalised word has in common with its other forms in a
// language. A word that is not of letters only, or in a language without a
// stemmer (und, for one), is its own stem. Accents are gone from normalised
// words, so stems are coarser than a dictionary's; as both sides of a
// comparison are cut the same way, that costs a wrong match at times, and
// never a missing one.
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

// stemOf lets a stemmer cut a word; nothing is left of none.
func stemOf(stem func(*snowballstem.Env) bool, word string) string {
	env := snowballstem.NewEnv(word)
	stem(env)
	if env.Current() == "" {
		return word
	}
	return env.Current()
}

// stems remembers the stems of words, each in a place of its hash, from which
// it drives out another: texts are mostly made of few words, and to stem one
// takes much longer. Full it takes four megabytes.
var (
	stems    [1 << 16]atomic.Pointer[stemmed]
	stemSeed = maphash.MakeSeed()
)

// stemmed is a word with its stem: so much of its beginning or, when prefix is
// 0, another text. The word stands in it, as reading it elsewhere is what takes
// time here.
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

// StemmedLanguages returns the codes of the languages in which words are
// stemmed.
func StemmedLanguages() []string {
	codes := make([]string, 0, len(stemmers))
	for code := range stemmers {
		codes = append(codes, code)
	}
	return codes
}
