package postindex

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
)

// The terms of a segment are cut by their first bits into blocks of some
// kilobytes: as they are hashes, blocks are of like size, and the place of a
// term needs no directory. A block lists its terms in order, each as
//
//	the difference to the term before (for the first: to 0), varint
//	the length of what follows; 0: the posts are under postingsKey
//	the document numbers of its posts, the first, then distances, varints
//
// In a block all terms are counted from the block's first possible one.

// maxInline bounds the list of posts of a term in a block, in bytes.
const maxInline = 300

// blockOf returns the block of a term among 2^bits.
func blockOf(t term, bits int) uint32 { return uint32(uint64(t) >> 1 >> (63 - bits)) }

// blockStart returns the first term that belongs to a block.
func blockStart(block uint32, bits int) term { return term(uint64(block) << (63 - bits) << 1) }

// blockWriter makes a block.
type blockWriter struct {
	b    []byte
	last term
}

// add appends a term; inline is empty when its posts are stored outside.
func (w *blockWriter) add(t term, inline []byte) {
	w.b = binary.AppendUvarint(w.b, uint64(t-w.last))
	w.b = binary.AppendUvarint(w.b, uint64(len(inline)))
	w.b = append(w.b, inline...)
	w.last = t
}

// blockReader goes through the terms of a block.
type blockReader struct {
	r      reader
	last   term
	inline []byte // of the term that next returned; empty: outside
}

func newBlockReader(value []byte, block uint32, bits int) *blockReader {
	return &blockReader{r: reader{b: value}, last: blockStart(block, bits)}
}

// next returns the next term; ok is false at the end.
func (b *blockReader) next() (t term, ok bool, err error) {
	if len(b.r.b) == 0 && !b.r.bad {
		return 0, false, nil
	}
	b.last += term(b.r.uint())
	b.inline = b.r.bytes(b.r.count(1))
	if b.r.bad {
		return 0, false, errDamaged
	}
	return b.last, true, nil
}

// seek returns whether the block has a term, whose posts are then in inline.
func (b *blockReader) seek(want term) (bool, error) {
	for {
		t, ok, err := b.next()
		if !ok || err != nil || t > want {
			return false, err
		}
		if t == want {
			return true, nil
		}
	}
}

func appendDocNums(dst []byte, docNums []uint16) []byte {
	last := uint16(0)
	for _, o := range docNums {
		dst = binary.AppendUvarint(dst, uint64(o-last))
		last = o
	}
	return dst
}

// readDocNums appends the document numbers of an inline list, all below posts.
func readDocNums(dst []uint16, inline []byte, posts int) ([]uint16, error) {
	r := reader{b: inline}
	last := uint64(0)
	for first := true; len(r.b) > 0; first = false {
		step := r.uint()
		last += step
		if r.bad || last >= uint64(posts) || step == 0 && !first {
			return nil, errDamaged
		}
		dst = append(dst, uint16(last))
	}
	return dst, nil
}

// encodePostings writes a set of posts that is too long for a block.
func encodePostings(docNums []uint16) ([]byte, error) {
	b := bitmapOf(docNums)
	b.RunOptimize()
	return b.ToBytes()
}

// decodePostings reads a set of posts, which aliases the value.
func decodePostings(value []byte, posts int) (*roaring.Bitmap, error) {
	b := roaring.New()
	if _, err := b.FromBuffer(value); err != nil {
		return nil, errDamaged
	}
	if err := b.Validate(); err != nil || b.IsEmpty() || int(b.Maximum()) >= posts {
		return nil, errDamaged
	}
	return b, nil
}

// bitmapOf makes a set of rising document numbers.
func bitmapOf(docNums []uint16) *roaring.Bitmap {
	wide := make([]uint32, len(docNums))
	for i, o := range docNums {
		wide[i] = uint32(o)
	}
	b := roaring.New()
	b.AddMany(wide)
	return b
}
