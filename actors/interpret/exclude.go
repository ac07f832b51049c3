package interpret

import (
	"strings"

	"watchpost"
)

// exclusions collects what no post may say, in both numbers and by its other
// names.
func (b *built) exclusions(w wish) {
	for _, words := range w.excluded {
		for len(words) > 0 && words[0].kind == word && (function[words[0].norm] || filler[words[0].norm] || request[words[0].norm] && len(words) > 1 && words[0].norm != "post") {
			words = words[1:]
		}
		phrase := singularPhrase(norms(words))
		if more, ok := outs[phrase]; ok && len(words) > 0 && words[0].kind == word {
			b.excluded = append(b.excluded, texts(words), phrase)
			if phrase != "crypto" && !lasting[phrase] {
				b.excluded = append(b.excluded, pluralPhrase(phrase))
			}
			b.excluded = append(b.excluded, more...)
			b.guesses[SlotExclusions] = b.guesses[SlotExclusions] || len(more) > 0
			continue
		}
		for i, c := range chunk(untilGerund(words)) {
			if i > 0 && c[0].kind == word {
				break
			}
			b.excluded = append(b.excluded, forms(c)...)
		}
	}
	for _, p := range w.notPlaces {
		b.excluded = append(b.excluded, p.texts...)
	}
	b.excluded = distinct(b.excluded, watchpost.MaxConstraints)
}

// untilGerund cuts off what unwanted people do: agencies selling leads.
func untilGerund(words []token) []token {
	for i, t := range words {
		if i > 0 && len(words) > 3 && strings.HasSuffix(t.norm, "ing") && strings.HasSuffix(words[i-1].norm, "s") {
			return words[:i]
		}
	}
	return words
}

// forms returns the forms of an excluded phrase.
func forms(c []token) []string {
	if c[0].kind != word {
		return []string{chunkText(c)}
	}
	out := variants(c, isRole(c[len(c)-1].norm))
	phrase := norms(c)
	if more, ok := outs[singularPhrase(phrase)]; ok && len(more) == 0 || isRole(c[len(c)-1].norm) {
		out = append(out, singularPhrase(phrase), pluralPhrase(singularPhrase(phrase)))
	}
	return out
}

func singularPhrase(phrase string) string {
	head, last := cutLast(phrase)
	return join(head, singular(last))
}

func pluralPhrase(phrase string) string {
	head, last := cutLast(phrase)
	return join(head, plural(last))
}
