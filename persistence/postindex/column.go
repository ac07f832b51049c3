package postindex

import (
	"encoding/binary"
	"math"
	"slices"
)

// column holds a number of each post of a segment, as it is stored:
//
//	direct:  0, width, base, unit, then (value-base)/unit in width bytes each
//	table:   1, count, the values that occur, then an index of a byte each
//
// base and unit are varints, the rest is little-endian.
type column struct {
	width int
	base  int64
	unit  int64
	table []int64
	data  []byte
}

// at returns the value of a post.
func (c *column) at(i int) int64 {
	if c.table != nil {
		return c.table[c.data[i]]
	}
	switch c.width {
	case 0:
		return c.base
	case 1:
		return c.base + c.unit*int64(c.data[i])
	case 2:
		return c.base + c.unit*int64(binary.LittleEndian.Uint16(c.data[2*i:]))
	case 4:
		return c.base + c.unit*int64(binary.LittleEndian.Uint32(c.data[4*i:]))
	}
	return c.base + c.unit*int64(binary.LittleEndian.Uint64(c.data[8*i:]))
}

// read is several calls of at.
func (c *column) read(first int, into []int64) {
	switch {
	case c.table != nil:
		for i, n := range c.data[first : first+len(into)] {
			into[i] = c.table[n]
		}
	case c.width == 4:
		data := c.data[4*first : 4*(first+len(into))]
		for i := range into {
			into[i] = c.base + c.unit*int64(binary.LittleEndian.Uint32(data[4*i:]))
		}
	default:
		for i := range into {
			into[i] = c.at(first + i)
		}
	}
}

// size is the memory that the column takes.
func (c *column) size() int { return len(c.data) + 8*len(c.table) + 100 }

func encodeColumn(values []int64) []byte {
	if len(values) == 0 {
		return []byte{0, 0, 0, 2}
	}
	base, top := slices.Min(values), slices.Max(values)
	unit := unitOf(values, base)
	span := uint64(top-base) / uint64(unit)
	width := 8
	switch {
	case span == 0:
		width = 0
	case span <= math.MaxUint8:
		width = 1
	case span <= math.MaxUint16:
		width = 2
	case span <= math.MaxUint32:
		width = 4
	}
	if width > 1 {
		if table := distinct(values, 256); table != nil {
			return encodeTable(values, table)
		}
	}
	b := binary.AppendVarint(binary.AppendVarint([]byte{0, byte(width)}, base), unit)
	for _, v := range values {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(v-base)/uint64(unit))
		b = append(b, word[:width]...)
	}
	return b
}

func encodeTable(values, table []int64) []byte {
	b := []byte{1}
	b = binary.AppendUvarint(b, uint64(len(table)))
	for _, v := range table {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range values {
		i, _ := slices.BinarySearch(table, v)
		b = append(b, byte(i))
	}
	return b
}

// unitOf returns the largest unit that divides all differences: times are mostly
// whole milliseconds.
func unitOf(values []int64, base int64) int64 {
	for _, unit := range []int64{1e9, 1e6, 1e3} {
		if !slices.ContainsFunc(values, func(v int64) bool { return uint64(v-base)%uint64(unit) != 0 }) {
			return unit
		}
	}
	return 1
}

// distinct returns the sorted values that occur, or nil when they are more.
func distinct(values []int64, most int) []int64 {
	var found []int64
	for _, v := range values {
		if i, known := slices.BinarySearch(found, v); !known {
			if len(found) == most {
				return nil
			}
			found = slices.Insert(found, i, v)
		}
	}
	return found
}

// decodeColumn reads the column of n posts; it aliases the value.
func decodeColumn(value []byte, n int) (*column, error) {
	r := &reader{b: value}
	c := &column{}
	switch r.byte() {
	case 0:
		c.width = int(r.byte())
		c.base, c.unit = r.int(), r.int()
		if !slices.Contains([]int{0, 1, 2, 4, 8}, c.width) {
			return nil, errDamaged
		}
		c.data = r.bytes(n * c.width)
	case 1:
		c.table = make([]int64, r.count(1))
		for i := range c.table {
			c.table[i] = r.int()
		}
		c.data = r.bytes(n)
		for _, i := range c.data {
			if int(i) >= len(c.table) {
				return nil, errDamaged
			}
		}
	default:
		return nil, errDamaged
	}
	return c, r.end()
}

// The columns of a segment.
const (
	columnPosted = iota
	columnCreated
	columnEngagement
	columnLikes
	columnInfluence
	columnRelevance
	columnVersion
	columns
)

// sortable maps a float to a number that sorts as it does.
func sortable(f float64) int64 {
	b := int64(math.Float64bits(f + 0)) // of the two zeros, the positive one
	if b < 0 {
		b = math.MinInt64 - b
	}
	return b
}

// unsortable returns the float of a number that sortable made.
func unsortable(b int64) float64 {
	if b < 0 {
		b = math.MinInt64 - b
	}
	return math.Float64frombits(uint64(b))
}
