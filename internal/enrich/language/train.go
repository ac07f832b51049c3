package language

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"watchpost"
)

// Texts are the training texts of a language.
type Texts struct {
	Posts     []string // used as a whole
	Lines     []string // of manuals and menus; used as windows of a few words
	Sentences []string // written for training, used as a whole
	Words     []string // frequent words; a few, in random order
}

// Names is the key in a training set of names of people, places and things,
// which belong to no language.
const Names = watchpost.Undetermined

// Romanised is the key in a training set of Hindi in Latin letters.
const Romanised = "hi-Latn"

// trained lists the languages by script, and the number of buckets.
var trained = [modelled]struct {
	names string
	bits  uint
}{
	latin:      {"en de fr es pt it nl sv da no fi et lv lt pl cs sk sl hr ro hu tr id vi tl ca gl eu is sq af " + Romanised, 14},
	cyrillic:   {"ru uk bg sr mk kk", 12},
	arabic:     {"ar fa ur", 12},
	devanagari: {"hi mr", 12},
}

// Training parameters: steps of the Latin model (the others take a share); the
// learning rate; and the held-out share for the threshold, one text in heldShare
// per language.
const (
	steps       = 800_000
	otherShare  = 6
	rate        = 0.3
	heldShare   = 12
	calibration = 40_000
	nameShare   = 20 // one name per that many windows
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
		names := strings.Fields(trained[s].names)
		learner := newLearner(names, trained[s].bits)
		held := make([]Texts, len(names))
		for i, name := range names {
			t, ok := texts[name]
			if !ok {
				return nil, fmt.Errorf("no text in language %q", name)
			}
			learner.texts[i], held[i] = split(t)
		}
		n := steps
		if script(s) != latin {
			n /= otherShare
		}
		for range n {
			learner.step()
		}
		m.groups[s] = learner.group()
		var unknown []string
		if script(s) == latin {
			unknown = texts[Names].Words
		}
		right, all := learner.calibrate(&m.groups[s], held, unknown)
		fmt.Fprintf(log, "%-22.22s %d texts set aside: %.2f %% right, unsure below %d\n", trained[s].names, all, 100*right, m.groups[s].Unsure)
	}
	return m, nil
}

// Write writes the model file.
func (m *Model) Write(w io.Writer) error { return m.write(w) }

// split separates a held-out share of the texts.
func split(t Texts) (learn, held Texts) {
	take := func(list []string) (learn, held []string) {
		for i, s := range list {
			if i%heldShare == 0 {
				held = append(held, s)
			} else {
				learn = append(learn, s)
			}
		}
		return learn, held
	}
	learn.Posts, held.Posts = take(t.Posts)
	learn.Lines, held.Lines = take(t.Lines)
	learn.Sentences, held.Sentences = take(t.Sentences)
	learn.Words = t.Words
	return learn, held
}

// learner is a softmax regression during training. Each bucket has its own
// step size (AdaGrad).
type learner struct {
	names   []string
	texts   []Texts
	bits    uint
	weights []float32
	sizes   []float32
	random  random
	hashes  []uint32
}

func newLearner(names []string, bits uint) *learner {
	return &learner{
		names: names, texts: make([]Texts, len(names)), bits: bits,
		weights: make([]float32, len(names)<<bits), sizes: make([]float32, 1<<bits), random: 88172645463325252,
	}
}

// step learns from one text of one language; all languages are equally
// frequent.
func (l *learner) step() {
	which := l.random.below(len(l.names))
	l.hash(l.text(&l.texts[which]))
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
// two sentences, one list of words, else windows of lines.
func (l *learner) text(t *Texts) string {
	r := &l.random
	for {
		switch k := r.below(10); {
		case k < 2 && len(t.Posts) > 0:
			return t.Posts[r.below(len(t.Posts))]
		case k < 4 && len(t.Posts) > 0:
			return r.window(t.Posts[r.below(len(t.Posts))])
		case k < 6 && len(t.Sentences) > 0:
			return r.window(t.Sentences[r.below(len(t.Sentences))])
		case k == 6 && len(t.Words) > 0:
			var b strings.Builder
			for range r.windowSize() {
				b.WriteString(t.Words[r.below(len(t.Words))])
				b.WriteByte(' ')
			}
			return b.String()
		case len(t.Lines) > 0:
			return r.window(t.Lines[r.below(len(t.Lines))])
		case len(t.Posts)+len(t.Sentences)+len(t.Words) == 0:
			return ""
		}
	}
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
// fourteen words, and some names: below it, answers are right less often than
// belief. It returns the share of right answers among all windows.
func (l *learner) calibrate(g *group, held []Texts, names []string) (share float64, all int) {
	type answer struct {
		lead  int32
		right bool
	}
	var answers []answer
	right := 0
	for range calibration {
		i := l.random.below(len(held))
		words := strings.Fields(l.text(&held[i]))
		n := min(1+l.random.below(3)+l.random.below(2)*l.random.below(12), len(words))
		from := l.random.below(len(words) - n + 1)
		text := strings.Join(words[from:from+n], " ")
		if c := count(text, false); c.letters < minLetters {
			continue
		}
		code, lead := g.guess(text, false)
		a := answer{lead, code == g.Codes[i]}
		if a.right {
			right++
		}
		all++
		answers = append(answers, a)
		if len(names) > 0 && l.random.below(nameShare) == 0 {
			text = names[l.random.below(len(names))]
			for range l.random.below(3) {
				text += " " + names[l.random.below(len(names))]
			}
			_, lead = g.guess(text, false)
			answers = append(answers, answer{lead: lead})
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
	return float64(right) / float64(all), all
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
