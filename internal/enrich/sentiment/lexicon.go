package sentiment

import "strings"

// lexicon holds the words of praise (1) and complaint (-1) of one language,
// whole or as prefixes, and its negations.
type lexicon struct {
	words, prefixes map[string]int
	negators        map[string]bool
	shortest        int // of the prefixes, in runes
}

// negationReach is the number of words that a negation covers.
const negationReach = 2

// lexicons holds them by language.
var lexicons = func() map[string]*lexicon {
	all := make(map[string]*lexicon, len(opinionWords))
	for language, o := range opinionWords {
		l := &lexicon{words: map[string]int{}, prefixes: map[string]int{}, negators: map[string]bool{}, shortest: maxWord}
		l.add(o.positive, 1)
		l.add(o.negative, -1)
		for w := range strings.FieldsSeq(negators[language]) {
			l.negators[foldWord(w)] = true
		}
		all[language] = l
	}
	return all
}()

func (l *lexicon) add(list string, polarity int) {
	for w := range strings.FieldsSeq(list) {
		if prefix, ok := strings.CutSuffix(w, "*"); ok {
			prefix = foldWord(prefix)
			l.prefixes[prefix] = polarity
			l.shortest = min(l.shortest, len([]rune(prefix)))
		} else {
			l.words[foldWord(w)] = polarity
		}
	}
}

// foldWord normalises a word of a list as the scanner does.
func foldWord(w string) string {
	t := newScanner(w).word(false)
	return string(t.text)
}

// of looks a word up: whole, or else by its longest known prefix. A nil
// lexicon is empty.
func (l *lexicon) of(text []rune) (polarity int, denies bool) {
	if l == nil {
		return 0, false
	}
	var buf [4 * maxWord]byte
	w := buf[:0]
	var ends [maxWord]int
	for i, r := range text {
		w = append(w, string(r)...)
		ends[i] = len(w)
	}
	if l.negators[string(w)] {
		return 0, true
	}
	if p, ok := l.words[string(w)]; ok {
		return p, false
	}
	for n := len(text); n >= l.shortest; n-- {
		if p, ok := l.prefixes[string(w[:ends[n-1]])]; ok {
			return p, false
		}
	}
	return 0, false
}
