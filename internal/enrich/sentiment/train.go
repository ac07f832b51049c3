package sentiment

import (
	"math"
	"slices"
)

// Example is a post with a known sentiment.
type Example struct{ Text, Language, Sentiment string }

// Training: three machines that separate one class from the two others, with a
// squared hinge loss, by dual coordinate descent.
const (
	trainedBits = 18
	rounds      = 12
	cost        = 0.08
	// enoughPosts is the minimum number of posts for a language to be trained.
	enoughPosts = 500
	// guessed is not trained, though there are posts: Hindi, mostly in Latin
	// letters and mixed with English. In cross-validation 41 % of the answers
	// other than neutral were right, and 27 % were the opposite.
	guessed = "hi"
)

var classes = [...]string{Negative, Neutral, Positive}

// vector is an example in the learner's form.
type vector struct {
	class   int
	buckets []uint32
	values  []float32
	length  float32 // squared
	alpha   [len(classes)]float32
}

// Train trains a model. The same examples in the same order give the same
// model on processors with the same rounding (GOAMD64=v1).
func Train(examples []Example) *Model {
	examples = slices.DeleteFunc(slices.Clone(examples), func(e Example) bool { return e.Language == guessed })
	const mask = 1<<trainedBits - 1
	vectors := make([]vector, len(examples))
	posts := map[string]int{}
	for i, e := range examples {
		vectors[i] = vectorOf(e, mask)
		posts[e.Language]++
	}
	weights := make([][len(classes)]float32, mask+1)
	order := make([]int, len(vectors))
	for i := range order {
		order[i] = i
	}
	random := uint64(88172645463325252)
	for range rounds {
		for i := len(order) - 1; i > 0; i-- {
			random ^= random << 13
			random ^= random >> 7
			random ^= random << 17
			j := int(random % uint64(i+1))
			order[i], order[j] = order[j], order[i]
		}
		for _, i := range order {
			vectors[i].learn(weights)
		}
	}
	m := rounded(weights)
	for language, n := range posts {
		if n >= enoughPosts {
			m.languages = append(m.languages, language)
		}
	}
	slices.Sort(m.languages)
	return m
}

// vectorOf hashes an example.
func vectorOf(e Example, mask uint32) vector {
	v := vector{}
	for i, c := range classes {
		if c == e.Sentiment {
			v.class = i
		}
	}
	type feature struct {
		g group
		h uint32
	}
	var all []feature
	var counts [groups]int
	features(e.Text, lexicons[e.Language], func(g group, h uint32) {
		all = append(all, feature{g, h})
		counts[g]++
	})
	at := map[uint32]int{}
	add := func(h uint32, value float64) {
		h &= mask
		i, known := at[h]
		if !known {
			i = len(v.buckets)
			at[h] = i
			v.buckets, v.values = append(v.buckets, h), append(v.values, 0)
		}
		v.values[i] += float32(value)
	}
	salt := named(e.Language)
	for _, f := range all {
		value := scale(f.g, counts[f.g])
		if f.g == letters {
			add(f.h, value)
			continue
		}
		add(f.h, sharedWeight*value)
		add(mix(f.h^salt), ownWeight*value)
	}
	add(mix(salt), biasWeight)
	for _, x := range v.values {
		v.length += x * x
	}
	return v
}

// learn takes a step for one example.
func (v *vector) learn(weights [][len(classes)]float32) {
	var sums, change [len(classes)]float32
	for i, b := range v.buckets {
		w, x := &weights[b], v.values[i]
		for k := range sums {
			sums[k] += w[k] * x
		}
	}
	const diagonal = 1 / (2 * cost)
	moved := false
	for k := range change {
		sign := float32(-1)
		if k == v.class {
			sign = 1
		}
		gradient := sign*sums[k] - 1 + diagonal*v.alpha[k]
		alpha := max(v.alpha[k]-gradient/(v.length+diagonal), 0)
		change[k] = (alpha - v.alpha[k]) * sign
		v.alpha[k] = alpha
		moved = moved || change[k] != 0
	}
	if !moved {
		return
	}
	for i, b := range v.buckets {
		w, x := &weights[b], v.values[i]
		for k := range change {
			w[k] += change[k] * x
		}
	}
}

// rounded subtracts neutral from the two others, which changes no result, and
// stores the square root of each weight in a byte: a few weights are large,
// and their size matters.
func rounded(weights [][len(classes)]float32) *Model {
	most := 0.0
	for _, w := range weights {
		most = max(most, math.Abs(float64(w[0]-w[1])), math.Abs(float64(w[2]-w[1])))
	}
	m := &Model{mask: uint32(len(weights) - 1), weights: make([]int8, 0, 2*len(weights))}
	for _, w := range weights {
		for _, x := range []float32{w[0] - w[1], w[2] - w[1]} {
			m.weights = append(m.weights, int8(math.Copysign(math.Round(127*math.Sqrt(math.Abs(float64(x))/most)), float64(x))))
		}
	}
	return m
}
