package language

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"watchpost/internal/langcode"
)

// Texts are the training texts of a language.
type Texts struct {
	Posts     []string
	Sentences []string // of the corpus
	Own       []string // sentences written for training
	Words     []string // frequent words; a few, in random order
}

// HeldOut reports whether a sentence is for measuring: one in ten, by the hash
// of its letters. Training must not use it.
func HeldOut(sentence string) bool { return share(sentence) == 0 }

// share assigns a text to one of ten shares, the same one wherever it occurs.
// The first is for measuring, the second for the threshold and for choices.
func share(text string) uint32 {
	const shares = 10
	h := uint32(fnvStart)
	for _, r := range strings.ToLower(text) {
		if unicode.IsLetter(r) {
			h = hashRune(h, r)
		}
	}
	return mix(h) % shares
}

// Keys of a training set that are no languages: names of people, places and
// things, and English terms that posts in any language use.
const (
	Names = langcode.Undetermined
	Terms = "terms"
)

// Romanised is the key in a training set of Hindi in Latin letters.
const Romanised = "hi-Latn"

// trained lists the languages by script, and the number of buckets. Each has at
// least 200 sentences in the corpus. The last class of a script stands for
// others: texts that are undetermined. They are names, and languages that are not
// listed, drawn as often as they occur. Asturian and Sicilian are not
// among them, which are too close to Spanish and Italian.
var trained = [modelled]struct {
	names, others string
	bits          uint
}{
	latin: {
		"en de fr es pt it nl sv da no fi lv pl cs sk sl hr ro hu tr id vi tl ca gl eu is af " + Romanised,
		"et sq lt cy eo fy ha rw mt uz hsb rm gn kmr bas vot" + strings.Repeat(" "+Names, 16), 15,
	},
	cyrillic:   {"ru uk bg sr mk kk", "be ba cv mn sah tt ab", 13},
	arabic:     {"ar fa ur", "ckb ug", 11},
	devanagari: {"hi mr", "ne", 12},
}

// Training parameters: steps of the Latin model (the others take a share), and
// the learning rate.
const (
	steps       = 1_600_000
	otherShare  = 6
	rate        = 0.8
	calibration = 40_000
	// One text in insertedShare gets names and terms from elsewhere.
	insertedShare = 8
	namesAtOnce   = 4 // at most, in a text of names alone
	// belief is the minimum probability of a right answer that is not
	// undetermined.
	belief = 0.5
	// clipped is the share of weights that fit a byte; the others are clipped.
	clipped = 0.9995
)

// Train trains a model on the texts of each language, and logs the score of
// each script on held-out texts. The same texts give the same model on
// processors with the same rounding (GOAMD64=v1).
func Train(texts map[string]Texts, log io.Writer) (*Model, error) {
	m := &Model{}
	for s := range m.groups {
		l, held, err := newLearner(script(s), texts)
		if err != nil {
			return nil, err
		}
		n := steps
		if script(s) != latin {
			n /= otherShare
		}
		for range n {
			l.step()
		}
		m.groups[s] = l.group()
		l.calibrate(&m.groups[s], held)
		m.groups[s].report(l, held, log)
	}
	return m, nil
}

// Write writes the model file.
func (m *Model) Write(w io.Writer) error { return m.write(w) }

// split separates the share for the threshold and for choices.
func split(t Texts) (learn, held Texts) {
	take := func(list []string) (learn, held []string) {
		for _, s := range list {
			if share(s) == 1 {
				held = append(held, s)
			} else {
				learn = append(learn, s)
			}
		}
		return learn, held
	}
	learn.Posts, held.Posts = take(t.Posts)
	learn.Sentences, held.Sentences = take(t.Sentences)
	learn.Own, learn.Words = t.Own, t.Words
	if len(t.Sentences) == 0 && len(t.Posts) == 0 {
		learn.Words, held.Words = take(t.Words)
	}
	return learn, held
}

// learner is a softmax regression during training. Each bucket has its own
// step size (AdaGrad).
type learner struct {
	names    []string
	texts    [][]Texts // of each class
	draws    []int     // classes, as often as they are drawn
	inserted []string  // names and terms that occur in all classes
	bits     uint
	weights  []float32
	sizes    []float32
	random   random
	hashes   []uint32
}

// newLearner returns a learner of the languages of a script, and the held-out
// texts of each.
func newLearner(s script, texts map[string]Texts) (l *learner, held [][]Texts, err error) {
	names := append(strings.Fields(trained[s].names), langcode.Undetermined)
	l = &learner{
		names: names, texts: make([][]Texts, len(names)), bits: trained[s].bits,
		inserted: slices.Concat(texts[Names].Words, texts[Terms].Words),
		weights:  make([]float32, len(names)<<trained[s].bits), sizes: make([]float32, 1<<trained[s].bits), random: 88172645463325252,
	}
	held = make([][]Texts, len(names))
	for i, name := range names {
		of := []string{name}
		if name == langcode.Undetermined {
			of = strings.Fields(trained[s].others)
		}
		for _, name := range of {
			t, ok := texts[name]
			if !ok {
				return nil, nil, fmt.Errorf("no text in language %q", name)
			}
			learn, kept := split(t)
			l.texts[i], held[i] = append(l.texts[i], learn), append(held[i], kept)
		}
		l.draws = append(l.draws, i, i)
		switch t := l.texts[i][0]; {
		case name == langcode.Undetermined:
			l.draws = append(l.draws, i, i)
		case len(t.Posts) > 0 && len(t.Sentences) > 0:
			l.draws = append(l.draws, i)
		}
	}
	return l, held, nil
}

// step learns from one text of one language. Languages are equally frequent,
// with two exceptions. A language with posts is half as frequent again, or its
// neighbours without posts would get its sentences. The class of other texts is
// twice as frequent, because it has many kinds.
func (l *learner) step() {
	which := l.draws[l.random.below(len(l.draws))]
	text := l.text(l.texts[which])
	if l.random.below(insertedShare) == 0 {
		text = l.insert(text)
	}
	l.hash(text)
	if len(l.hashes) == 0 {
		return
	}
	width := len(l.names)
	scale := 1 / math.Sqrt(float64(len(l.hashes)))
	var scores [maxLanguages]float64
	for _, h := range l.hashes {
		for i, w := range l.weights[int(h)*width:][:width] {
			scores[i] += float64(w)
		}
	}
	most := slices.Max(scores[:width])
	sum := 0.0
	for i := range width {
		scores[i] = math.Exp2((scores[i] - most) * scale * math.Log2E)
		sum += scores[i]
	}
	var gradient [maxLanguages]float32
	norm := float32(0)
	for i := range width {
		p := scores[i] / sum
		if i == which {
			p--
		}
		gradient[i] = float32(p * scale)
		norm += gradient[i] * gradient[i]
	}
	if norm < 1e-8 {
		return
	}
	for _, h := range l.hashes {
		l.sizes[h] += norm
		size := rate / (float32(math.Sqrt(float64(l.sizes[h]))) + 0.05)
		row := l.weights[int(h)*width:][:width]
		for i := range row {
			row[i] -= size * gradient[i]
		}
	}
}

// hash computes the features of a text.
func (l *learner) hash(text string) {
	l.hashes = l.hashes[:0]
	mask := uint32(1)<<l.bits - 1
	words(text, false, func(w []rune) {
		l.hashes = grams(w, l.hashes)
	})
	for i := range l.hashes {
		l.hashes[i] &= mask
	}
}

// text draws a text of a language: of ten, two posts and two windows of posts,
// one sentence written for training, one list of words, else sentences and
// windows of them.
func (l *learner) text(of []Texts) string {
	r := &l.random
	t := of[r.below(len(of))]
	for {
		switch k := r.below(10); {
		case k < 2 && len(t.Posts) > 0:
			return t.Posts[r.below(len(t.Posts))]
		case k < 4 && len(t.Posts) > 0:
			return r.window(t.Posts[r.below(len(t.Posts))])
		case k == 4 && len(t.Own) > 0:
			return r.window(t.Own[r.below(len(t.Own))])
		case k == 5 && len(t.Words) > 0:
			n := r.windowSize()
			if len(t.Posts)+len(t.Sentences)+len(t.Own) == 0 {
				n = 1 + r.below(namesAtOnce)
			}
			var b strings.Builder
			for range n {
				b.WriteString(t.Words[r.below(len(t.Words))])
				b.WriteByte(' ')
			}
			return b.String()
		case k == 6 && len(t.Sentences) > 0:
			return t.Sentences[r.below(len(t.Sentences))]
		case len(t.Sentences) > 0:
			return r.window(t.Sentences[r.below(len(t.Sentences))])
		case len(t.Posts)+len(t.Own)+len(t.Words) == 0:
			return ""
		}
	}
}

// insert puts one or two names or terms into a text.
func (l *learner) insert(text string) string {
	words := strings.Fields(text)
	for range 1 + l.random.below(2) {
		words = slices.Insert(words, l.random.below(len(words)+1), l.inserted[l.random.below(len(l.inserted))])
	}
	return strings.Join(words, " ")
}

// group rounds the weights to bytes.
func (l *learner) group() group {
	var sizes []float64
	for _, w := range l.weights {
		if w != 0 {
			sizes = append(sizes, math.Abs(float64(w)))
		}
	}
	slices.Sort(sizes)
	scale := 127 / sizes[int(float64(len(sizes))*clipped)]
	g := group{Bits: l.bits}
	for _, name := range l.names {
		code, _, _ := strings.Cut(name, "-")
		g.Codes = append(g.Codes, code)
	}
	weights := make([]int8, len(l.weights))
	for i, w := range l.weights {
		weights[i] = int8(max(-127, min(127, math.Round(float64(w)*scale))))
	}
	g.setWeights(weights)
	return g
}

// calibrate sets the threshold of a model using held-out windows of one to
// fourteen words: below it, answers are right less often than belief.
func (l *learner) calibrate(g *group, held [][]Texts) {
	type answer struct {
		lead  int32
		right bool
	}
	var answers []answer
	for range calibration {
		i := l.random.below(len(held))
		words := strings.Fields(l.text(held[i]))
		n := min(1+l.random.below(3)+l.random.below(2)*l.random.below(12), len(words))
		from := l.random.below(len(words) - n + 1)
		text := strings.Join(words[from:from+n], " ")
		if c := count(text, false); c.letters < minLetters {
			continue
		}
		if code, lead := g.guess(text, false); code != langcode.Undetermined {
			answers = append(answers, answer{lead, code == g.Codes[i]})
		}
	}
	slices.SortFunc(answers, func(a, b answer) int {
		return cmp.Or(cmp.Compare(a.lead, b.lead), cmp.Compare(worth(a.right), worth(b.right)))
	})
	// The best threshold minimises the total worth of the answers below it.
	sum, least := 0.0, 0.0
	for _, a := range answers {
		sum += worth(a.right)
		if sum < least {
			least, g.Unsure = sum, a.lead
		}
	}
}

// worth is the value of an accepted answer.
func worth(right bool) float64 {
	if right {
		return 1 - belief
	}
	return -belief
}

// random is a separate generator, so that training gives the same result with
// any version of Go (xorshift64).
type random uint64

func (r *random) next() uint64 {
	x := *r
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*r = x
	return uint64(x)
}

func (r *random) below(n int) int { return int(r.next() % uint64(max(n, 1))) }

// windowSize is three to fourteen words, and in one case of four one to three.
func (r *random) windowSize() int {
	if r.below(4) == 0 {
		return 1 + r.below(3)
	}
	return 3 + r.below(12)
}

// window returns a few words from a random position of a line.
func (r *random) window(line string) string {
	words := strings.Fields(line)
	n := min(r.windowSize(), len(words))
	from := r.below(len(words) - n + 1)
	return strings.Join(words[from:from+n], " ")
}
