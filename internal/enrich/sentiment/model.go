// Package sentiment classifies short posts: positive, neutral or negative.
//
// A post is split into features: words and pairs of neighbours, n-grams of
// three to five letters, and other signs of mood (emoji, emoticons,
// punctuation, words of praise and complaint). Each has two weights, for
// positive and for negative, both relative to neutral. Words and extras have
// them twice, once for all languages and once for the post's own; letters once
// for all. The larger of the two sums decides if it is positive; otherwise the
// post is neutral. In a language without training, only emoji and emoticons
// decide.
//
// Weights are bytes that encode square roots, in a fixed number of buckets
// into which features are hashed. Sums are integers, so that the result is the
// same on every machine.
package sentiment

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
)

// The sentiments.
const (
	Positive = "positive"
	Neutral  = "neutral"
	Negative = "negative"
)

//go:embed model.bin
var modelFile []byte

// current is the embedded model. An unreadable file is a build error, which
// the tests detect.
var current = sync.OnceValue(func() *Model {
	m, err := ReadModel(modelFile)
	if err != nil {
		panic("sentiment: " + err.Error())
	}
	return m
})

// Of returns the sentiment of a text in a language, named by its code.
func Of(text, language string) string { return current().Of(text, language) }

// Model weighs the features of posts.
type Model struct {
	languages []string // of the training, in order
	mask      uint32
	weights   []int8 // two per bucket: negative, positive
}

// The weight of the copies of a feature, after dividing by the square root of
// the number of the group's features; extras are not divided.
const (
	sharedWeight  = 1.2
	ownWeight     = 1.0
	extraWeight   = 0.5
	opinionWeight = 1.0
	biasWeight    = 0.3
)

// opened are the weights that bytes encode, in arbitrary units.
var opened = func() (table [256]int32) {
	for i := range table {
		b := int32(int8(i))
		table[i] = b * max(b, -b)
	}
	return table
}()

// sum is the total of a group's features: negative and positive.
type sum struct {
	n           int
	shared, own [2]int32
}

// Of returns the sentiment of a text in a language.
func (m *Model) Of(text, language string) string {
	var negative, positive float64
	if _, known := slices.BinarySearch(m.languages, language); known {
		negative, positive = m.scores(text, language)
	} else {
		positive = float64(signs(text))
		negative = -positive
	}
	switch {
	case positive > negative && positive > 0:
		return Positive
	case negative > positive && negative > 0:
		return Negative
	}
	return Neutral
}

func (m *Model) scores(text, language string) (negative, positive float64) {
	var sums [groups]sum
	salt := named(language)
	features(text, lexicons[language], func(g group, h uint32) {
		s := &sums[g]
		s.n++
		m.add(&s.shared, h)
		if g != letters {
			m.add(&s.own, mix(h^salt))
		}
	})
	var bias [2]int32
	m.add(&bias, mix(salt))
	total := func(i int) float64 {
		t := biasWeight * float64(bias[i])
		for g, s := range sums {
			said := float64(sharedWeight*float64(s.shared[i])) + float64(ownWeight*float64(s.own[i]))
			if group(g) == letters {
				said = float64(s.shared[i])
			}
			t += float64(said * scale(group(g), s.n))
		}
		return t
	}
	return total(0), total(1)
}

// scale is the factor of a group's features.
func scale(g group, n int) float64 {
	switch g {
	case extras:
		return extraWeight
	case opinions:
		return opinionWeight
	}
	return 1 / math.Sqrt(float64(max(n, 1)))
}

func (m *Model) add(to *[2]int32, h uint32) {
	at := 2 * (h & m.mask)
	to[0] += opened[uint8(m.weights[at])]
	to[1] += opened[uint8(m.weights[at+1])]
}

// header is the first line of a model file; the weights follow.
type header struct {
	Format    string   `json:"format"`
	Languages []string `json:"languages"`
	Bits      uint     `json:"bits"` // 2^Bits buckets
}

const (
	format  = "sentiment 1"
	maxBits = 22
)

// ReadModel reads a model file.
func ReadModel(file []byte) (*Model, error) {
	line, rest, ok := bytes.Cut(file, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); !ok || err != nil {
		return nil, fmt.Errorf("model: no header: %w", err)
	}
	if h.Format != format || h.Bits > maxBits || len(rest) != 2<<h.Bits {
		return nil, fmt.Errorf("model: format %q with 2^%d buckets and %d bytes", h.Format, h.Bits, len(rest))
	}
	slices.Sort(h.Languages)
	m := &Model{languages: h.Languages, mask: 1<<h.Bits - 1, weights: make([]int8, len(rest))}
	for i, b := range rest {
		m.weights[i] = int8(b)
	}
	return m, nil
}

// Write writes a model file.
func (m *Model) Write(w io.Writer) error {
	h := header{Format: format, Languages: m.languages}
	for 1<<h.Bits <= m.mask {
		h.Bits++
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return err
	}
	b := make([]byte, len(m.weights))
	for i, weight := range m.weights {
		b[i] = byte(weight)
	}
	_, err = w.Write(b)
	return err
}
