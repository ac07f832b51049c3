package interpret

import (
	_ "embed" // for the tables
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/text"
)

//go:embed classes.txt
var classTable string

//go:embed intents.txt
var intentTable string

//go:embed places.txt
var placeTable string

//go:embed frequencies.txt
var frequencyTable string

// class is a set of closed word classes.
type class uint32

// The classes of classes.txt.
const (
	stopWord class = 1 << iota
	frameWord
	genericWord
	aboutWord
	andWord
	orWord
	versusWord
	bothWord
	likeWord
	notWord
	notAfter
	mustWord
	onlyWord
	ofWord
	placeWord
	selfWord
	roleWord
	seniorityWord
	labelWord
	meWord
	gainWord
	kindWord
	aimWord
)

// classNames lists the names of the classes in classes.txt, in the same order.
var classNames = strings.Fields("stop frame generic about and or versus both like not notpost must only of in self role seniority label me gain kind aim")

// structural words separate phrases in any position.
const structural = andWord | orWord | versusWord | bothWord | likeWord | notWord | notAfter | mustWord | onlyWord | labelWord

// intent is a purpose that the author of a post can have.
type intent struct{ name, label, description string }

// place is a region, with its words as they occur in posts.
type place struct {
	name  string
	words []string
}

// vocabulary holds the words of one language and of English.
type vocabulary struct {
	language string
	own      map[string]class // without the words of English
	classes  map[string]class
	intents  map[string]*intent
	signals  map[string][]string // words of posts, by intent
	ads      map[string][]string // words of excluded posts, by phrase
	levels   map[string]int
	example  string
	longest  int // maximum number of words in an entry of classes
}

// tables holds the content of the embedded files.
type tables struct {
	languages map[string]*vocabulary
	common    map[string][]string // the languages in which a word is among the most common ones
	places    map[string]*place
	words     map[string]map[string]string // lists of words in any language, with a value each
	pairs     map[string]int               // pairs of Latin letters, by the number of words that contain them
}

// rarePair is the number of words that contain a pair of letters below which the
// pair counts as odd.
const rarePair = 6

// lookup returns the value of a word in a list of the section [any] of
// classes.txt: the word itself if it has no other, "" if it is not in the list.
func lookup(list, word string) string { return loaded().words[list][word] }

var loaded = sync.OnceValue(func() *tables {
	t := &tables{languages: map[string]*vocabulary{}, common: map[string][]string{}, places: map[string]*place{}, words: map[string]map[string]string{}, pairs: map[string]int{}}
	t.loadClasses()
	t.loadIntents()
	t.loadFrequencies()
	t.loadPlaces()
	for code, v := range t.languages {
		if v.own = maps.Clone(v.classes); code != "en" {
			v.add(t.languages["en"])
		}
	}
	return t
})

// key returns the lookup form of a word or phrase in a table.
func key(s string) string { return text.Normalize(strings.ReplaceAll(s, "_", " ")) }

// lines returns the first word and the rest of each line of a table that is no
// comment.
func lines(table string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(table) {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name != "" && name != "#" && !yield(name, rest) {
				return
			}
		}
	}
}

func (t *tables) loadClasses() {
	var v *vocabulary
	for name, rest := range lines(classTable) {
		number := slices.Index(classNames, name)
		switch code := strings.Trim(name, "[]"); {
		case name == "[any]":
			v = nil
		case code != name:
			v = &vocabulary{language: code, classes: map[string]class{}, intents: map[string]*intent{}, signals: map[string][]string{}, ads: map[string][]string{}, levels: map[string]int{}}
			t.languages[code] = v
		case v == nil:
			t.words[name] = map[string]string{}
			for f := range strings.FieldsSeq(rest) {
				w, value, ok := strings.Cut(strings.ReplaceAll(f, "_", " "), "=")
				if !ok {
					value = w
				}
				t.words[name][key(w)] = value
			}
		case name == "example":
			v.example = rest
		case name == "ads":
			phrases, words, _ := strings.Cut(rest, " | ")
			for w := range strings.FieldsSeq(phrases) {
				v.ads[key(w)] = strings.Split(words, "|")
			}
		case number >= 0:
			for w := range strings.FieldsSeq(rest) {
				v.classes[key(w)] |= 1 << number
				v.longest = max(v.longest, strings.Count(key(w), " ")+1)
			}
		}
	}
}

func (t *tables) loadIntents() {
	var in *intent
	for code, rest := range lines(intentTable) {
		triggers, words, _ := strings.Cut(rest, " | ")
		if code == "=" {
			label, description, _ := strings.Cut(words, " | ")
			in = &intent{triggers, label, description}
		} else if v := t.languages[code]; v != nil {
			for w := range strings.FieldsSeq(triggers) {
				v.intents[key(w)] = in
				v.longest = max(v.longest, strings.Count(key(w), " ")+1)
			}
			v.signals[in.name] = strings.Split(words, ", ")
		}
	}
}

func (t *tables) loadFrequencies() {
	for code, rest := range lines(frequencyTable) {
		first, rest, _ := strings.Cut(rest, " ")
		if code[0] == '@' {
			continue
		}
		level, err := strconv.Atoi(first)
		for w := range strings.FieldsSeq(rest) {
			if err != nil || level >= 27 {
				t.common[w] = append(t.common[w], code)
			}
			if v := t.languages[code]; v != nil {
				v.levels[strings.ReplaceAll(w, "_", " ")] = level
				for i := range len(w) - 1 {
					t.pairs[w[i:i+2]]++
				}
			}
		}
	}
}

// loadPlaces loads the places, and the countries of the table of frequencies.
func (t *tables) loadPlaces() {
	add := func(name string, words []string) {
		if k := key(name); t.places[k] == nil {
			t.places[k] = &place{name, words}
		}
	}
	codes := map[string][]string{}
	var all [][]string
	for code, rest := range lines(placeTable) {
		if code == "~" {
			for f := range strings.FieldsSeq(rest) {
				all = append(all, strings.Split(strings.ReplaceAll(f, "_", " "), "="))
			}
			continue
		}
		codes[strings.TrimSuffix(code, ":")] = strings.Split(rest, ", ")
		all = append(all, codes[strings.TrimSuffix(code, ":")])
	}
	for _, names := range all {
		add(names[0], names)
	}
	for code, rest := range lines(frequencyTable) {
		names := strings.Split(rest, "|")
		for _, n := range names {
			if words := codes[code[1:]]; code[0] == '@' && len(words) > 0 {
				add(n, append([]string{n}, words...))
			} else if code[0] == '@' {
				add(n, append([]string{n}, names...))
			}
		}
	}
	for _, names := range all {
		for _, n := range names {
			if k := key(n); t.places[k] == nil && utf8.RuneCountInString(n) > 1 {
				t.places[k] = &place{names[0], append([]string{n}, names...)}
			}
		}
	}
}

// add adds the words of English that have no other use in the language.
func (v *vocabulary) add(english *vocabulary) {
	for w, c := range english.classes {
		if v.classes[w] == 0 && v.levels[w] < 24 {
			v.classes[w] = c &^ (notAfter)
		}
	}
	for w, in := range english.intents {
		if v.intents[w] == nil && v.classes[w] == 0 {
			v.intents[w] = in
		}
	}
	for name, words := range english.signals {
		v.signals[name] = append(slices.Clip(v.signals[name]), words...)
	}
	for w, words := range english.ads {
		if v.ads[w] == nil {
			v.ads[w] = words
		}
	}
	for w, l := range english.levels {
		if v.levels[w] < l-4 {
			v.levels[w] = l - 4
		}
	}
	v.longest = max(v.longest, english.longest)
}

// Levels of words: twice the binary logarithm of the number of texts with the
// word per million (frequencies.txt). A word from ambiguous on needs other words
// next to it. A word from common on is uninformative in any combination.
const (
	ambiguous = 17
	common    = 21
)

// level returns how common a normalized word is; 0 if it is not in the table.
func (v *vocabulary) level(word string) int {
	if v.classes[word]&(genericWord|stopWord|frameWord|kindWord) != 0 {
		return 30
	}
	return v.levels[word]
}

// detectLanguage returns the language whose most common words the prompt uses,
// and whether its classes are known.
func detectLanguage(words []string) (string, bool) {
	t := loaded()
	text := strings.Join(words, " ")
	script := func(r *unicode.RangeTable) int {
		n := 0
		for _, c := range text {
			if unicode.Is(r, c) {
				n++
			}
		}
		return n
	}
	latin, total := script(unicode.Latin), script(unicode.L)
	scores := map[string]float64{"en": 0.5}
	for _, w := range words {
		for code, known := range t.languages {
			if known.own[w] != 0 {
				scores[code] += 2
			}
		}
		for _, code := range t.common[w] {
			switch known := t.languages[code]; {
			case known == nil:
				scores[code] += 1.6 // its table is shorter
			case known.own[w] != 0:
			case code == "hi-Latn":
				scores[code] += 0.3 // half of its words are English
			default:
				scores[code]++
			}
		}
	}
	best := "en"
	for _, code := range slices.Sorted(maps.Keys(scores)) {
		if scores[code] > scores[best] {
			best = code
		}
	}
	english := t.languages["en"]
	foreign := len(words) >= minWords && strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) && !slices.ContainsFunc(words, func(w string) bool {
		return english.own[w] != 0 || english.levels[w] != 0 || english.intents[w] != nil
	})
	if total > 0 && latin*2 < total && (best == "en" || best == "hi-Latn") || best == "en" && foreign {
		best = "und"
	}
	return best, t.languages[best] != nil
}
