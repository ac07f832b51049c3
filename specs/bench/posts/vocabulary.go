package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"watchpost/internal/text"
)

// vocabulary is the words that posts consist of. Stemming changes no word in
// any language of the posts, no two become equal without accents, and no word
// in a script without spaces is part of another. A word therefore means the
// same to all engines.
type vocabulary struct {
	words    []string // by falling frequency; some have an accent
	accented []int    // indexes of the words with an accent
	cjk      []string // all of two characters
	picks    []uint16 // indexes into words, repeated by frequency
	cjkPicks []uint16
}

const (
	vocabularyWords = 30_000
	cjkWords        = 4_000
	tailWords       = 300_000 // model names and similar words, each used once or twice
)

func newVocabulary(seed uint64) *vocabulary {
	r := rand.New(rand.NewPCG(seed, 1))
	v := &vocabulary{}
	seen := map[string]bool{}
	for len(v.words) < vocabularyWords {
		word := pseudoWord(r)
		if seen[word] || !ownStem(word) {
			continue
		}
		seen[word] = true
		if len(v.words)%40 == 39 {
			v.accented = append(v.accented, len(v.words))
			word = accent(word)
		}
		v.words = append(v.words, word)
	}
	seen = map[string]bool{}
	for len(v.cjk) < cjkWords {
		first, size := rune(0x4e00), 0x2000 // Han
		if len(v.cjk)%4 == 3 {
			first, size = 0xac00, 0x1000 // Hangul
		}
		word := string([]rune{first + rune(r.IntN(size)), first + rune(r.IntN(size))})
		if !seen[word] && text.Normalize(word) == word {
			seen[word] = true
			v.cjk = append(v.cjk, word)
		}
	}
	v.picks = zipf(r, vocabularyWords, 1<<18)
	v.cjkPicks = zipf(r, cjkWords, 1<<15)
	return v
}

// pseudoWord generates a pronounceable word.
func pseudoWord(r *rand.Rand) string {
	const consonants, vowels, ends = "bdfgklmnprstvz", "aeiou", "bdgkmpxz"
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
	}
	b.WriteByte(consonants[r.IntN(len(consonants))])
	b.WriteByte(vowels[r.IntN(len(vowels))])
	b.WriteByte(ends[r.IntN(len(ends))])
	return b.String()
}

// ownStem reports whether no language of the posts stems the word.
func ownStem(word string) bool {
	for _, l := range languages {
		if text.Stem(l.name, word) != word {
			return false
		}
	}
	return true
}

// accent puts an accent on the first vowel.
func accent(word string) string {
	i := strings.IndexAny(word, "aeiou")
	return word[:i] + map[byte]string{'a': "á", 'e': "é", 'i': "í", 'o': "ö", 'u': "ü"}[word[i]] + word[i+1:]
}

// zipf returns a table of size picks of n things, the k-th in proportion to
// 1/(k+20), so that the most frequent word occurs in about a third of the
// posts. Every thing is in the table.
func zipf(r *rand.Rand, n, size int) []uint16 {
	const flat = 20
	var sum float64
	for k := range n {
		sum += 1 / float64(k+flat)
	}
	picks := make([]uint16, 0, size)
	for k := range n {
		for range max(1, int(float64(size)/sum/float64(k+flat))) {
			picks = append(picks, uint16(k))
		}
	}
	r.Shuffle(len(picks), func(i, j int) { picks[i], picks[j] = picks[j], picks[i] })
	return picks
}

// tail returns one of the rare words. A word with a digit is not stemmed.
func tail(n int) string { return fmt.Sprintf("x%dq", n) }

// share is a name and its frequency per thousand.
type share struct {
	name  string
	parts int
}

// of picks a name by its share.
func of(shares []share, n int) string {
	for _, s := range shares {
		if n -= s.parts; n < 0 {
			return s.name
		}
	}
	return shares[0].name
}
