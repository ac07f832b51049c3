package language

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"watchpost/internal/langcode"
)

//go:embed model.bin
var modelFile []byte

// current is the embedded model. An unreadable file is a build error, which
// the tests detect.
var current = sync.OnceValue(func() *Model {
	m, err := ReadModel(modelFile)
	if err != nil {
		panic("language: " + err.Error())
	}
	return m
})

// Model distinguishes the languages of scripts that several languages use.
type Model struct{ groups [modelled]group }

// group is the model of one script.
type group struct {
	Codes  []string `json:"codes"`
	Bits   uint     `json:"bits"`   // 2^Bits buckets
	Unsure int32    `json:"unsure"` // the lead below which the language is not believed
	// rows holds the weights, those of a bucket's languages adjacent; see
	// setWeights.
	rows []byte
}

// Modelled returns the codes of the languages that the embedded model
// distinguishes. Detect returns others too, by their script.
func Modelled() []string {
	var codes []string
	for _, g := range current().groups {
		codes = append(codes, g.Codes...)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	return slices.DeleteFunc(codes, func(code string) bool { return code == langcode.Undetermined })
}

// maxLanguages and maxBits bound a script's model.
const (
	maxLanguages = 40
	maxBits      = 16
)

// header is the first line of a model file; the weights of the scripts follow
// in order, a byte each.
type header struct {
	Format string  `json:"format"`
	Groups []group `json:"groups"`
}

const format = "language 1"

// ReadModel reads a model file.
func ReadModel(file []byte) (*Model, error) {
	line, rest, ok := bytes.Cut(file, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); !ok || err != nil {
		return nil, fmt.Errorf("model: no header: %w", err)
	}
	if h.Format != format || len(h.Groups) != int(modelled) {
		return nil, fmt.Errorf("model: format %q with %d scripts, not %q with %d", h.Format, len(h.Groups), format, modelled)
	}
	m := &Model{}
	for i, g := range h.Groups {
		if len(g.Codes) < 2 || len(g.Codes) > maxLanguages || g.Bits > maxBits || len(g.Codes)<<g.Bits > len(rest) {
			return nil, fmt.Errorf("model: script %d: %d languages in 2^%d buckets, and %d bytes left", i, len(g.Codes), g.Bits, len(rest))
		}
		weights := make([]int8, len(g.Codes)<<g.Bits)
		for j := range weights {
			weights[j] = int8(rest[j])
		}
		rest = rest[len(weights):]
		g.setWeights(weights)
		m.groups[i] = g
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("model: %d bytes too many", len(rest))
	}
	return m, nil
}

// write writes a model file.
func (m *Model) write(w io.Writer) error {
	line, err := json.Marshal(header{Format: format, Groups: m.groups[:]})
	if err != nil {
		return err
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return err
	}
	for _, g := range m.groups {
		var b []byte
		for row := range slices.Chunk(g.rows, g.width()) {
			for _, weight := range row[:len(g.Codes)] {
				b = append(b, weight-zeroWeight)
			}
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
