package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxRunes bounds a word with its two borders: longer ones are no words, or
// text in a script without spaces.
const maxRunes = 64

// border is the character before and after a word.
const border = '_'

// words calls f with the words of a text: runs of letters, lower-case and
// composed, between two borders, with at most two equal letters in a row.
// URLs, mail addresses, entities and names after @ are skipped, and hashtags
// too unless tags is set. f must not keep the slice.
func words(text string, tags bool, f func(word []rune)) {
	text = composed(text)
	var buf [maxRunes]rune
	for chunk := range strings.FieldsSeq(text) {
		if skipped(chunk, tags) {
			continue
		}
		buf[0] = border
		n := 1
		for i, r := range chunk {
			switch {
			case r == '’' || r == 'ʼ':
				r = '\''
			case r >= utf8.RuneSelf && unicode.IsUpper(r):
				r = lower(r)
			case 'A' <= r && r <= 'Z':
				r += 'a' - 'A'
			}
			if isLetter(r) || r == '\'' && n > 1 && startsLetter(chunk[i:]) {
				if !silent(r) && n < maxRunes-1 && (n < 3 || buf[n-1] != r || buf[n-2] != r) {
					buf[n] = r
					n++
				}
				continue
			}
			if n > 1 {
				buf[n] = border
				f(buf[:n+1])
				n = 1
			}
		}
		if n > 1 {
			buf[n] = border
			f(buf[:n+1])
		}
	}
}

// composed returns text with composed accents, and mathematical alphabets
// (𝗯𝗼𝗹𝗱) as plain letters.
func composed(text string) string {
	if strings.Contains(text, "\xf0\x9d") { // mathematical letters
		return norm.NFKC.String(text)
	}
	if norm.NFC.QuickSpanString(text) == len(text) {
		return text
	}
	return norm.NFC.String(text)
}

func lower(r rune) rune {
	if r == 'İ' {
		return 'i'
	}
	return unicode.ToLower(r)
}

// skipped reports whether a chunk between spaces is not prose.
func skipped(chunk string, tags bool) bool {
	switch chunk[0] {
	case '@':
		return true
	case '#':
		return !tags
	case '&':
		return strings.IndexByte(chunk, ';') > 0
	case 'h', 'H', 'w', 'W':
		if len(chunk) >= 4 {
			if start := chunk[:4]; start == "http" || start == "www." || start == "Http" || start == "HTTP" || start == "WWW." {
				return true
			}
		}
	}
	if strings.Contains(chunk, "://") {
		return true
	}
	i := strings.IndexByte(chunk, '@')
	return i >= 0 && (strings.IndexByte(chunk[i:], '.') > 1 || strings.Trim(chunk[:i], "\"'([{.¡¿") == "")
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// startsLetter reports whether a letter follows the first character of s.
func startsLetter(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	r, _ := utf8.DecodeRuneInString(s[size:])
	return unicode.IsLetter(r)
}

// silent reports whether r is optional in Arabic: the elongation and the vowel
// signs.
func silent(r rune) bool { return r == 0x640 || r >= 0x64b && r <= 0x652 }

// The lengths of n-grams, and of the longest word that is a feature as a
// whole.
const (
	maxGram = 4
	maxKnow = 14 // with its borders
)

// Features of words are hashed into buckets: FNV-1a over code points, mixed so
// that the low bits are as good as the high ones.
const (
	fnvStart = 2166136261
	fnvPrime = 16777619
	wordSalt = 77
)

// maxFeatures bounds the features of a word.
const maxFeatures = maxRunes*maxGram + 1

// grams appends the hash of each feature of a word: its n-grams of one to four
// letters, borders included (but not a border alone), and the word.
func grams(word []rune, hashes []uint32) []uint32 {
	for i := range word {
		h := uint32(fnvStart)
		for j := i; j < len(word) && j-i < maxGram; j++ {
			h = hashRune(h, word[j])
			if j > i || word[i] != border {
				hashes = append(hashes, mix(h))
			}
		}
	}
	if len(word) > 3 && len(word) <= maxKnow {
		h := uint32(wordSalt)
		for _, r := range word {
			h = hashRune(h, r)
		}
		hashes = append(hashes, mix(h))
	}
	return hashes
}

func hashRune(h uint32, r rune) uint32 {
	h = (h ^ uint32(r)&0xff) * fnvPrime
	return (h ^ uint32(r)>>8) * fnvPrime
}

func mix(h uint32) uint32 {
	h = (h ^ h>>15) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
