package language

import "encoding/binary"

// Adding the weights of buckets, eight languages at a time, is most of the
// work of detection. A row has a byte per language, its weight plus
// zeroWeight, padded to words of eight.
const (
	lanes      = 8
	zeroWeight = 128
	// fullLane is the number of bytes that a 16-bit lane can sum.
	fullLane = 1<<16 - 1
	maxRows  = fullLane / 0xff
)

// evenLanes selects the bytes of a word that are already aligned to 16-bit
// lanes.
const evenLanes = 0x00ff00ff00ff00ff

// width is the length of a row.
func (g *group) width() int { return (len(g.Codes) + lanes - 1) / lanes * lanes }

// setWeights stores the weights of all buckets in order.
func (g *group) setWeights(weights []int8) {
	width := g.width()
	g.rows = make([]byte, width<<g.Bits)
	for i, weight := range weights {
		bucket, language := i/len(g.Codes), i%len(g.Codes)
		g.rows[bucket*width+language] = byte(int(weight) + zeroWeight)
	}
}

// summation sums the rows of features.
type summation struct {
	group     *group
	rows      int // since the last spill
	even, odd [maxLanguages / lanes]uint64
	sums      [maxLanguages]int32
}

// add adds the rows of some features, given by their hashes.
func (s *summation) add(hashes []uint32) {
	width := s.group.width()
	mask := uint32(1)<<s.group.Bits - 1
	for _, h := range hashes {
		if s.rows == maxRows {
			s.spill()
		}
		s.rows++
		row := s.group.rows[int(h&mask)*width:][:width]
		for i := 0; len(row) >= lanes; i++ {
			word := binary.LittleEndian.Uint64(row)
			s.even[i] += word & evenLanes
			s.odd[i] += word >> 8 & evenLanes
			row = row[lanes:]
		}
	}
}

// spill empties the lanes before they overflow.
func (s *summation) spill() {
	for i := range s.even {
		for lane := range lanes / 2 {
			s.sums[i*lanes+2*lane] += int32(s.even[i]>>(16*lane)&fullLane) - int32(s.rows*zeroWeight)
			s.sums[i*lanes+2*lane+1] += int32(s.odd[i]>>(16*lane)&fullLane) - int32(s.rows*zeroWeight)
		}
	}
	s.rows, s.even, s.odd = 0, [maxLanguages / lanes]uint64{}, [maxLanguages / lanes]uint64{}
}

// totals returns the sum of each language's weights.
func (s *summation) totals() *[maxLanguages]int32 {
	s.spill()
	return &s.sums
}
