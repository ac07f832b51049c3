package interpret

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost"
)

// The least that a prompt must have.
const (
	minWords = 6
	minChars = 30
)

// Check returns why a prompt is refused whoever interprets it, or nil. The
// reasons are looked for in the order of Reasons, the first that applies is
// given; inferred_slots is CheckInferred's.
func Check(prompt string) *Refused {
	tokens := tokenise(prompt)
	if links, profile := bare(tokens); len(links) > 0 {
		if profile {
			return refuseProfile(links)
		}
		return refuseURL(links)
	}
	if found := placeholders(prompt); len(found) > 0 {
		return refusePlaceholder(prompt, found)
	}
	words, chars := size(prompt)
	if words < minWords || chars < minChars {
		return refuseShort(tokens, words, chars)
	}
	if odd, ok := gibberish(tokens); ok {
		return refuseGibberish(odd)
	}
	if found, ok := ownEngagement(tokens); ok {
		return refuseEngagement(found)
	}
	if isForeign(tokens) {
		return nil // for whoever reads it
	}
	if w := parse(tokens); !hasSubject(w) {
		return refuseSubject(w)
	}
	return nil
}

// hasSubject reports whether keywords can be made of a wish.
func hasSubject(w wish) bool {
	b := built{guesses: map[string]bool{}}
	b.collect(w)
	return len(b.topics) > 0
}

// CheckInferred returns the refusal of a result in which something is guessed,
// for a caller who wants nothing guessed, or nil.
func CheckInferred(r Result) *Refused {
	missing := r.Inferred()
	if len(missing) == 0 {
		return nil
	}
	return &Refused{
		Reason:   InferredSlots,
		Missing:  missing,
		Detected: map[string]any{"interpretation": r.Interpretation()},
		Example:  explicit(r),
		Question: inferredQuestion(r, missing),
	}
}

// size counts the words and characters of a prompt. Of a script without spaces
// two characters count as a word.
func size(prompt string) (words, chars int) {
	s := foldSpace(readable(prompt))
	unspaced := 0
	for f := range strings.FieldsSeq(s) {
		n := 0
		for _, r := range f {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
				n++
			}
		}
		switch {
		case n > 1:
			unspaced += n
		case hasWord(f):
			words++
		}
	}
	return words + unspaced/2, utf8.RuneCountInString(s)
}

// isForeign reports whether a prompt is in a language that the rules do not
// read: most of its letters are not Latin, or it has function words of other
// languages and hardly any English ones.
func isForeign(tokens []token) bool {
	latin, other, english, strange, total := 0, 0, 0, 0, 0
	for _, t := range tokens {
		if !t.content() || t.kind == link || t.kind == quoted {
			continue
		}
		total++
		for _, r := range t.norm {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin++
			case unicode.IsLetter(r):
				other++
			}
		}
		switch {
		case function[t.norm] || request[t.norm] || postish[t.norm]:
			if !foreign[t.norm] {
				english++
			}
		case foreign[t.norm]:
			strange++
		}
	}
	return other > latin || strange >= 2 && strange > english
}

// literally reads of a prompt in another language what needs no grammar:
// quoted phrases, hashtags and names that the tables know.
func literally(tokens []token) wish {
	var w wish
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i]; t.kind {
		case quoted, hashtag:
			w.topics = append(w.topics, item{words: tokens[i : i+1]})
		case word:
			for n := min(maxTerm, len(tokens)-i); n > 0; n-- {
				if g := termIndex[norms(tokens[i:i+n])]; g != 0 && !quietNamed(norms(tokens[i:i+n])) {
					w.topics = append(w.topics, item{words: tokens[i : i+n]})
					i += n - 1
					break
				}
			}
		}
	}
	if len(w.topics) > watchpost.MaxKeywords {
		w.topics = w.topics[:watchpost.MaxKeywords]
	}
	return w
}
