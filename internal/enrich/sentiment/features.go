package sentiment

// Features are hashed into buckets: FNV-1a over code points, mixed so that the
// low bits are as good as the high ones. A one-letter prefix names the kind: w
// for words, c for letters of words, and so on.
const (
	fnvStart = 2166136261
	fnvPrime = 16777619
)

func hashRune(h uint32, r rune) uint32 {
	h = (h ^ uint32(r)&0xff) * fnvPrime
	return (h ^ uint32(r)>>8) * fnvPrime
}

func hashRunes(h uint32, text []rune) uint32 {
	for _, r := range text {
		h = hashRune(h, r)
	}
	return h
}

func hashString(h uint32, text string) uint32 {
	for _, r := range text {
		h = hashRune(h, r)
	}
	return h
}

func mix(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// named returns the start of the hashes of a kind of feature.
func named(name string) uint32 { return hashString(fnvStart, name) }

var (
	hashWord      = named("w")
	hashPair      = named("+")
	hashLetters   = named("c")
	hashSign      = named("p")
	hashEmoji     = named("e")
	hashEmoticon  = named("m")
	hashGlad      = mix(named("x:glad"))
	hashSad       = mix(named("x:sad"))
	hashLong      = mix(named("x:long"))
	hashAddress   = named("u:http")
	hashName      = named("u:@")
	hashLength    = named("x:length")
	hashPraise    = named("x:praise")
	hashComplaint = named("x:complaint")
	hashMore      = named("x:more")
)

// group is a kind of features with a common weight.
type group uint8

const (
	words    group = iota // words and pairs of neighbours
	letters               // n-grams of three to five letters of a word, borders included
	extras                // emoji, emoticons, punctuation, length
	opinions              // words of praise and complaint
	groups
)

// The lengths of n-grams.
const (
	minRun = 3
	maxRun = 5
	border = '_'
)

// maxTokens bounds the tokens of a long post.
const maxTokens = 2000

// features calls f with the features of a text.
func features(text string, known *lexicon, f func(g group, hash uint32)) {
	s := newScanner(text)
	n, said := 0, tally{}
	previous := uint32(0) // hash of the previous token, for pairs
	for ; n < maxTokens; n++ {
		t, ok := s.next()
		if !ok {
			break
		}
		switch t.kind {
		case word:
			h := hashRunes(hashWord, t.text)
			f(words, mix(h))
			if previous != 0 {
				f(words, mix(hashRunes(hashPair^previous, t.text)))
			}
			previous = h
			if t.long {
				f(extras, hashLong)
			}
			said.word(known.of(t.text))
			runs(t.text, f)
		case punctuation:
			previous = hashRunes(hashSign, t.text)
			f(extras, mix(previous))
			said.reach = 0
		case emoji:
			f(extras, mix(hashRunes(hashEmoji, t.text)))
			mood(moods[t.text[0]], f)
			previous = 0
		case emoticon:
			f(extras, mix(hashRunes(hashEmoticon, t.text)))
			mood(t.text[0], f)
			previous = 0
		case address:
			f(extras, mix(hashAddress))
			previous, said.reach = hashAddress, 0
		case name:
			f(extras, mix(hashName))
			previous, said.reach = hashName, 0
		}
	}
	const step, most = 5, 6
	f(extras, mix(hashLength+uint32(min(n/step, most))))
	said.features(f)
}

// tally counts the opinion words of a post.
type tally struct {
	praise, complaints int
	reach              int // words that a negation still covers
}

// word counts a word: its polarity, inverted after a negation, or a negation.
func (t *tally) word(polarity int, denies bool) {
	if t.reach > 0 {
		polarity = -polarity
		t.reach--
	}
	switch {
	case denies:
		t.reach = negationReach
	case polarity > 0:
		t.praise++
	case polarity < 0:
		t.complaints++
	}
}

// features calls f with the features of the counts.
func (t *tally) features(f func(group, uint32)) {
	thermometer(hashPraise, t.praise, f)
	thermometer(hashComplaint, t.complaints, f)
	switch {
	case t.praise > t.complaints:
		f(opinions, mix(hashMore))
	case t.complaints > t.praise:
		f(opinions, mix(hashMore+1))
	}
}

func mood(class rune, f func(group, uint32)) {
	switch class {
	case glad:
		f(extras, hashGlad)
	case sad:
		f(extras, hashSad)
	}
}

// thermometer has a feature for each of the first three of a count.
func thermometer(h uint32, n int, f func(group, uint32)) {
	for i := range min(n, 3) {
		f(opinions, mix(h+uint32(i)))
	}
}

// runs calls f with the n-grams of a word.
func runs(text []rune, f func(group, uint32)) {
	n := len(text) + 2
	at := func(i int) rune {
		if i == 0 || i == n-1 {
			return border
		}
		return text[i-1]
	}
	for i := range n - minRun + 1 {
		h := hashLetters
		for j := i; j < min(n, i+maxRun); j++ {
			h = hashRune(h, at(j))
			if j-i+1 >= minRun {
				f(letters, mix(h))
			}
		}
	}
}
