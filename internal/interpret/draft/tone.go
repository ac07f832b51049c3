package draft

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

//go:embed tone.txt
var toneFile string

// phrases are the words of tone.txt in one language.
type phrases struct{ joy, loss, death []phrase }

// phrase is a word or several, in the form of plainWords.
type phrase struct {
	words string
	// open says that more letters may follow, within that the text has no spaces.
	open, within bool
}

// toneWords reads tone.txt, once.
var toneWords = sync.OnceValue(func() map[string]*phrases {
	of := map[string]*phrases{}
	for line := range strings.Lines(toneFile) {
		head, list, found := strings.Cut(line, ":")
		language, class, _ := strings.Cut(head, " ")
		if strings.HasPrefix(line, "#") || !found {
			continue
		}
		if of[language] == nil {
			of[language] = &phrases{}
		}
		into := map[string]*[]phrase{"joy": &of[language].joy, "loss": &of[language].loss, "death": &of[language].death}[class]
		for one := range strings.SplitSeq(list, ",") {
			one = strings.TrimSpace(one)
			p := phrase{open: strings.HasSuffix(one, "*"), within: strings.HasPrefix(one, "*")}
			p.words = strings.TrimSpace(plainWords(one))
			*into = append(*into, p)
		}
	}
	return of
})

// Misfit reports whether a text congratulates while the post is about a loss: a layoff, a
// death, an illness, a closing. It goes by a few words in nine languages, so it misses
// some, and is wrong now and then: it is a reason to ask, not to refuse. A post whose
// sentiment is positive, as of someone who has found work again, is about a loss only if
// someone died.
func Misfit(written string, p *watchpost.Post) bool {
	if !congratulates(plainWords(written)) {
		return false
	}
	post := plainWords(p.Content)
	for language, of := range toneWords() {
		// Words of another language may mean something else. English ones occur in all.
		spoken := toneWords()[p.Language] == nil || language == p.Language || language == "en"
		if spoken && (anyIn(of.death, post) || p.Sentiment != "positive" && anyIn(of.loss, post)) {
			return true
		}
	}
	return false
}

func congratulates(words string) bool {
	for _, of := range toneWords() {
		if anyIn(of.joy, words) {
			return true
		}
	}
	return false
}

// anyIn reports whether one of the phrases occurs in words.
func anyIn(list []phrase, words string) bool {
	for _, p := range list {
		if strings.Contains(words, p.in()) {
			return true
		}
	}
	return false
}

// in returns the phrase with its boundaries.
func (p phrase) in() string {
	s := p.words
	if !p.within {
		s = " " + s
	}
	if !p.open {
		s += " "
	}
	return s
}

// plainWords returns the normalized words of a text, each between two spaces.
func plainWords(s string) string {
	words := strings.FieldsFunc(text.Normalize(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	return " " + strings.Join(words, " ") + " "
}
